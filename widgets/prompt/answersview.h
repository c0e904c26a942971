// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The next tokens of each model, one line per model: its answer, the answer with all heads on, the most probable
// tokens. GUI thread.

#include "core/base/side.h"

#include <QList>
#include <QPair>
#include <QString>
#include <QWidget>

#include <array>
#include <optional>

namespace headscope::widgets {

struct ModelAnswer {
    enum class Verdict { Unknown, Right, Wrong, WasRight };
    QString said;   ///< the most probable token, or the part of the answer that the model writes
    QString before; ///< the same with all heads on; empty if equal or unknown
    Verdict verdict = Verdict::Unknown;
    QList<QPair<QString, double>> likely; ///< tokens with their probabilities, most probable first
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
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    struct Line {
        std::optional<ModelAnswer> answer;
        bool waiting = false;
    };
    [[nodiscard]] int lineHeight() const;
    [[nodiscard]] QFont answerFont() const;
    void paintLine(QPainter& painter, Side side, const QRect& place) const;
    void paintLikely(QPainter& painter, Side side, const ModelAnswer& answer, const QRect& place) const;
    void tell();

    std::array<Line, 2> m_lines;
};

} // namespace headscope::widgets
