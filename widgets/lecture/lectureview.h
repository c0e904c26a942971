// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Patterns for a lecture room: large letters, two maps, three scores, one sentence. GUI thread.

#include "widgets/lecture/lecture.h"
#include "widgets/look/theme.h"

#include <QWidget>

#include <vector>

namespace headscope::widgets {

/// Everything is drawn in units of a 1440 x 900 window and scales with it. Changes nothing itself: keys emit requests.
class LectureView : public QWidget
{
    Q_OBJECT

public:
    explicit LectureView(QWidget* parent = nullptr);
    void setLecture(const LectureData& lecture);
    [[nodiscard]] const LectureData& lecture() const { return m_data; }
    /// Hides the scores until they are requested.
    void setScoresHidden(bool hidden);
    [[nodiscard]] bool scoresHidden() const { return m_hidden; }
    /// Shows one map alone, or both.
    void setAlone(Side side, bool alone);
    /// Returns the rectangle of a map in pixels; empty if it is not shown.
    [[nodiscard]] QRectF mapRect(Side side) const;
    /// Returns the pixel size of the prompt's letters.
    [[nodiscard]] int promptPixels() const;

Q_SIGNALS:
    void nextRequested();
    void backRequested();
    void ablateRequested();
    void left();

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;

private:
    struct Panel {
        Side side = Side::A;
        QRectF title, map, bars;
    };
    struct Word {
        QString text;
        QColor wash; ///< invalid: none
        bool strong = false;
        QRectF box;
    };
    [[nodiscard]] double unit() const;
    [[nodiscard]] QFont fontOf(double size, bool bold = false) const;
    [[nodiscard]] std::vector<Side> shownSides() const;
    [[nodiscard]] std::vector<Panel> panels() const;
    [[nodiscard]] std::vector<Word> promptWords(const QFont& font) const;
    [[nodiscard]] QFont promptFont() const;
    void paintPrompt(QPainter& painter) const;
    void paintPanel(QPainter& painter, const Panel& panel) const;
    QRectF paintAnswer(QPainter& painter, const QRectF& line, const ModelAnswer& answer) const;
    void paintCover(QPainter& painter, const Panel& panel) const;
    void paintMap(QPainter& painter, const Panel& panel, const LectureSide& side) const;
    void paintHeads(QPainter& painter, const QRectF& map, const LectureSide& side) const;
    void paintBars(QPainter& painter, const Panel& panel, const LectureSide& side) const;
    void paintScores(QPainter& painter) const;
    void paintSentence(QPainter& painter) const;

    LectureData m_data;
    bool m_hidden = false;
    bool m_alone = false;
    Side m_only = Side::A;
};

} // namespace headscope::widgets
