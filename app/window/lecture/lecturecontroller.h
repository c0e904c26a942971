// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Lecture mode: the current view in full size, with the steps of an open tour, otherwise the saved runs. With two
// screens the lecture uses the one without the window, which keeps showing notes and the next step. GUI thread.

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
    /// F11: starts or ends the lecture.
    void toggle();
    [[nodiscard]] bool isOpen() const { return m_view && m_view->isVisible(); }
    /// Null before the first lecture.
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
    /// Returns a description of what Space will show.
    [[nodiscard]] QString nextStep() const;
    /// Returns the runs used as slides: those requested by the user.
    [[nodiscard]] std::vector<widgets::RunRow> slides() const;
    /// Updates the bottom line of the window, if the lecture is on another screen.
    void updateSpeaker();

    ExplorerPage& m_page;
    WindowState& m_state;
    TourGuide& m_guide;
    QWidget& m_window;
    widgets::LectureView* m_view = nullptr;
    QTimer m_soon; ///< merges simultaneous changes
    int m_run = -1;
    bool m_ownScreen = false; ///< the lecture is on another screen than the window
    QString m_told;           ///< message to the speaker
};

} // namespace headscope::gui
