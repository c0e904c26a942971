// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What each model says next, in one line a model: its answer, what it said with all heads on, the likeliest tokens.
// GUI thread.

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
    QString said;   ///< the likeliest token, or as much of the answer as the model writes of it
    QString before; ///< what it said with all heads on; empty where that is the same or not known
    Verdict verdict = Verdict::Unknown;
    QList<QPair<QString, double>> likely; ///< tokens with their probabilities, the likeliest first
};

class AnswersView : public QWidget
{
    Q_OBJECT

public:
    explicit AnswersView(QWidget* parent = nullptr);

    void setAnswer(Side side, const ModelAnswer& answer);
    /// Another answer is on its way: this one is drawn faintly until then.
    void setWaiting(Side side);
    /// No line for this model.
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
