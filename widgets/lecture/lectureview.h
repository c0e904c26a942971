// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Patterns for a room full of people: large letters, two maps, three numbers, one sentence. GUI thread.

#include "widgets/lecture/lecture.h"
#include "widgets/look/theme.h"

#include <QWidget>

#include <vector>

namespace headscope::widgets {

/// Everything is drawn in units of a window of 1440 x 900 and grows with it. Changes nothing by itself: keys ask.
class LectureView : public QWidget
{
    Q_OBJECT

public:
    explicit LectureView(QWidget* parent = nullptr);
    void setLecture(const LectureData& lecture);
    [[nodiscard]] const LectureData& lecture() const { return m_data; }
    /// Numbers are hidden until they are asked for.
    void setScoresHidden(bool hidden);
    [[nodiscard]] bool scoresHidden() const { return m_hidden; }
    /// One map alone, or both.
    void setAlone(Side side, bool alone);
    /// Where a map is drawn, in pixels; empty where it is not shown.
    [[nodiscard]] QRectF mapRect(Side side) const;
    /// Pixel size of the prompt's letters.
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
