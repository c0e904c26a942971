// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Lecture mode: what is on the screen, full size, and the steps through it: those of an open tour, else the runs that
// were kept. On two screens the lecture takes the one where the window is not: notes and next step stay. GUI thread.

#include "app/state/windowstate.h"
#include "widgets/lecture/lectureview.h"
#include "widgets/scores/runsmodel.h"

#include <QObject>
#include <QTimer>

namespace headscope::gui {

class ExplorerPage;
class TourGuide;

class LectureController : public QObject
{
    Q_OBJECT

public:
    LectureController(ExplorerPage& page, WindowState& state, TourGuide& guide, QWidget& window);
    ~LectureController() override;
    /// F11: begins, or leaves.
    void toggle();
    [[nodiscard]] bool isOpen() const { return m_view && m_view->isVisible(); }
    /// Null until the first lecture.
    [[nodiscard]] widgets::LectureView* view() const { return m_view; }

private:
    void begin();
    void leave();
    void refresh();
    void step(int by);
    void ablate();
    [[nodiscard]] widgets::LectureSide sideOf(Side side) const;
    [[nodiscard]] widgets::LectureData lecture() const;
    [[nodiscard]] QString sentence() const;
    /// What Space will show.
    [[nodiscard]] QString nextStep() const;
    /// Runs that are slides: those that somebody asked for.
    [[nodiscard]] std::vector<widgets::RunRow> slides() const;
    /// In the bottom line of the window, where that is on another screen.
    void updateSpeaker();

    ExplorerPage& m_page;
    WindowState& m_state;
    TourGuide& m_guide;
    QWidget& m_window;
    widgets::LectureView* m_view = nullptr;
    QTimer m_soon; ///< several things change at once
    int m_run = -1;
    bool m_ownScreen = false; ///< the window is on another
    QString m_told;           ///< to the speaker
};

} // namespace headscope::gui
