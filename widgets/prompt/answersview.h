// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The next tokens of each model, one line per model: its answer, the answer with all heads on, the most probable
// tokens. GUI thread.

#include "core/base/side.h"

#include <QList>
#include <QPair>
#include <QRect>
#include <QString>
#include <QWidget>

#include <array>
#include <optional>

namespace headscope::widgets {

struct Theme;

struct ModelAnswer {
    /// InPrompt: nobody knows the right one; this one occurs in the prompt.
    enum class Verdict { Unknown, Right, Wrong, WasRight, InPrompt };
    QString said;   ///< the most probable token, or the part of the answer that the model writes
    QString before; ///< the same with all heads on; empty if equal or unknown
    Verdict verdict = Verdict::Unknown;
    QList<QPair<QString, double>> likely; ///< tokens with their probabilities, most probable first
};

/// Green where it is right, red where it is wrong.
[[nodiscard]] QColor answerInk(const Theme& theme, ModelAnswer::Verdict verdict);

/// Where the parts of a line are; what has no room is empty.
struct AnswerLine {
    QRect letter, answers, said, before, verdict;
    QList<QRect> likely; ///< the likeliest tokens, each with its bar
};

class AnswersView : public QWidget
{
    Q_OBJECT

public:
    explicit AnswersView(QWidget* parent = nullptr);

    void setAnswer(Side side, const ModelAnswer& answer);
    /// Marks the answer as outdated: it is drawn faintly until a new one arrives.
    void setWaiting(Side side);
    /// Removes the line of this model.
    void clear(Side side);
    [[nodiscard]] const std::optional<ModelAnswer>& answer(Side side) const { return m_lines[indexOf(side)].answer; }
    [[nodiscard]] bool isWaiting(Side side) const { return m_lines[indexOf(side)].waiting; }
    /// The likeliest tokens have their places first: the answer is elided before one of them is hidden.
    [[nodiscard]] AnswerLine lineOf(Side side) const;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

Q_SIGNALS:
    void clicked(); ///< to see how the models continue
    void changed(); ///< another answer, or none

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    struct Line {
        std::optional<ModelAnswer> answer;
        bool waiting = false;
    };
    [[nodiscard]] int lineHeight() const;
    [[nodiscard]] QFont answerFont() const;
    [[nodiscard]] QFont tokenFont() const;
    [[nodiscard]] int leastToken() const;
    [[nodiscard]] int acrossToken(int room) const;
    void paintLine(QPainter& painter, Side side) const;
    void paintLikely(QPainter& painter, Side side, const QList<QRect>& cells) const;
    void describe();

    std::array<Line, 2> m_lines;
};

} // namespace headscope::widgets
