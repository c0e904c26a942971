// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// An exam in the window: leaves only what is needed to answer, shows the time that is left, locks what was answered
// when it is over, and hands it in. GUI thread.

#include "app/window/tours/openedexam.h"

#include <QObject>
#include <QTimer>

class QAction;
class QLabel;
class QMainWindow;
class QToolButton;

namespace headscope::app {
class SessionDoor;
}

namespace headscope::gui {

class Appearance;
class ExplorerPage;
class HandInDesk;
class TourGuide;
class WindowState;

class ExamDesk : public QObject
{
    Q_OBJECT

public:
    struct Room {
        QMainWindow& window;
        ExplorerPage& page;
        QToolButton& menu; ///< gets the few entries of an exam
        WindowState& state;
        Appearance& appearance;
        TourGuide& guide;
        app::SessionDoor& session; ///< which is open already, or being opened
        HandInDesk& handIn;
    };
    ExamDesk(OpenedExam exam, const Room& room);
    /// Nothing can be answered any more.
    [[nodiscard]] bool isLocked() const { return m_locked; }
    [[nodiscard]] QString timeText() const;

private:
    void hideOthers();
    void fillMenu();
    void fillBottomLine();
    [[nodiscard]] double used() const;
    void tick();
    void keep();
    void lock();
    void handIn();

    OpenedExam m_exam;
    Room m_room;
    double m_usedBefore = 0; ///< seconds, when the window was opened
    double m_opened = 0;     ///< seconds since the computer was started
    bool m_locked = false;
    QLabel* m_time = nullptr;
    QList<QAction*> m_answering; ///< what changes the state of the model
    QTimer m_ticks;
};

} // namespace headscope::gui
