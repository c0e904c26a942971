// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/tours/examdesk.h"

#include "app/backend/session/keeprequests.h"
#include "app/state/windowstate.h"
#include "app/window/appearance.h"
#include "app/window/explorer.h"
#include "app/window/explorerpage.h"
#include "app/window/tours/handindesk.h"
#include "app/window/tours/tourguide.h"
#include "widgets/look/labels/plainlabel.h"

#include <QMainWindow>
#include <QMenu>
#include <QStatusBar>
#include <QTabWidget>
#include <QToolButton>

#include <algorithm>
#include <ctime>
#include <utility>

namespace headscope::gui {

namespace {

constexpr double kKeepEvery = 10; // seconds
constexpr double kLargerText = 1.1;

// Goes on while the computer sleeps, and does not jump when its clock is set.
double secondsSinceBoot()
{
    timespec now{};
    clock_gettime(CLOCK_BOOTTIME, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

} // namespace

ExamDesk::ExamDesk(OpenedExam exam, const Room& room)
    : QObject(&room.window), m_exam(std::move(exam)), m_room(room),
      m_usedBefore(secondsUsed(m_exam.record, QDateTime::currentDateTimeUtc())), m_opened(secondsSinceBoot())
{
    hideOthers();
    fillMenu();
    fillBottomLine();
    connect(&m_ticks, &QTimer::timeout, this, &ExamDesk::tick);
    m_ticks.start(1000);
    connect(m_room.page.parts().tour, &widgets::TourPanel::handInRequested, this, &ExamDesk::handIn);
    connect(&m_room.handIn, &HandInDesk::begins, this, &ExamDesk::keep); // the copy says how long it took
    connect(&m_room.handIn, &HandInDesk::handedIn, this, [this] {
        keep();
        m_exam.record.handedIn = m_exam.record.seen;
        keep();
        lock();
        m_time->setText(tr("Handed in"));
    });
    connect(&m_room.guide, &TourGuide::opened, this, &ExamDesk::tick); // its time may be over already
    m_room.guide.openExam(m_exam.tour);
}

// A list of what stays, so that nothing that is added to the window later gives an answer away.
void ExamDesk::hideOthers()
{
    const Parts& parts = m_room.page.parts();
    m_room.window.setAcceptDrops(false);
    parts.prompt->setExam();
    for (widgets::HeadMapPanel* map : {parts.mapA, parts.mapB})
        map->setExam();
    for (widgets::PatternView* map : {parts.patternA, parts.patternB})
        map->setContextMenuPolicy(Qt::PreventContextMenu);
    m_room.page.charts()->removeTab(m_room.page.charts()->indexOf(parts.removal));
    ExplorerControllers& controllers = m_room.page.explorer()->controllers();
    controllers.ranking.setExam();
    controllers.answers.setExam();
}

void ExamDesk::fillMenu()
{
    const auto add = [this](const QString& title, const QKeySequence& keys, auto act) {
        auto* action = new QAction(title, this);
        action->setShortcut(keys);
        connect(action, &QAction::triggered, this, act);
        m_room.menu.addAction(action);
        return action;
    };
    const auto separate = [this] {
        auto* line = new QAction(this);
        line->setSeparator(true);
        m_room.menu.addAction(line);
    };
    for (QAction* others : m_room.menu.actions())
        others->setVisible(false); // with their keys
    add(tr("&Hand in …"), {}, [this] { handIn(); });
    separate();
    QAction* undo = m_room.state.undoStack().createUndoAction(this, tr("&Undo"));
    undo->setShortcut(QKeySequence::Undo);
    QAction* redo = m_room.state.undoStack().createRedoAction(this, tr("&Redo"));
    redo->setShortcut(QKeySequence::Redo);
    m_room.menu.addActions({undo, redo});
    QAction* on = add(tr("&All heads on"), QKeySequence(tr("Ctrl+0")),
                      [this] { m_room.state.changeAblation(m_room.state.activeSide(), {}, tr("All heads on")); });
    m_answering = {undo, redo, on};
    separate();
    Appearance& look = m_room.appearance;
    add(tr("&Larger text"), QKeySequence::ZoomIn, [&look] { look.setTextScale(look.textScale() * kLargerText); });
    add(tr("&Smaller text"), QKeySequence::ZoomOut, [&look] { look.setTextScale(look.textScale() / kLargerText); });
    add(tr("&Full screen"), QKeySequence(QStringLiteral("Shift+F11")),
        [this] { m_room.window.setWindowState(m_room.window.windowState() ^ Qt::WindowFullScreen); });
    separate();
    add(tr("&Quit"), QKeySequence::Quit, [this] { m_room.window.close(); });
}

void ExamDesk::fillBottomLine()
{
    m_time = new widgets::PlainLabel;
    m_time->setAccessibleName(tr("Exam time"));
    auto* handIn = new QToolButton;
    handIn->setText(tr("Hand in …"));
    connect(handIn, &QToolButton::clicked, this, &ExamDesk::handIn);
    m_room.window.statusBar()->addPermanentWidget(m_time);
    m_room.window.statusBar()->addPermanentWidget(handIn);
}

QString ExamDesk::timeText() const
{
    return m_time->text();
}

double ExamDesk::used() const
{
    const double seconds = m_usedBefore + secondsSinceBoot() - m_opened;
    return m_exam.record.minutes > 0 ? std::min(seconds, m_exam.record.minutes * 60) : seconds;
}

void ExamDesk::tick()
{
    if (!m_exam.record.handedIn.empty())
        return;
    const double seconds = used();
    m_time->setText(timeLeftText(m_exam.record, seconds));
    if (seconds - m_exam.record.seconds >= kKeepEvery)
        keep();
    if (m_exam.record.minutes > 0 && seconds >= m_exam.record.minutes * 60 && !m_locked) {
        lock();
        keep();
        m_room.page.parts().messages->showMessage(widgets::MessageBar::Kind::Info,
                                                  tr("Time is up. Your answers are saved; hand them in now."));
    }
}

// With the time, so that a restart counts from here.
void ExamDesk::keep()
{
    if (m_exam.record.handedIn.empty()) { // then it is over, however often it is handed in
        m_exam.record.seconds = used();
        m_exam.record.seen = examTime(QDateTime::currentDateTimeUtc());
    }
    m_room.session.keep(
        [record = m_exam.record](sessions::SessionStore& session) { return sessions::keepExam(session, record); });
}

void ExamDesk::lock()
{
    m_locked = true;
    m_room.guide.lock(); // first, as it keeps what is being written
    const Parts& parts = m_room.page.parts();
    for (QWidget* part : {static_cast<QWidget*>(parts.prompt), static_cast<QWidget*>(&m_room.page), m_room.page.maps(),
                          static_cast<QWidget*>(parts.runs)})
        part->setEnabled(false);
    for (QAction* action : m_answering)
        action->setVisible(false);
}

void ExamDesk::handIn()
{
    m_room.page.parts().tour->keepWriting();
    m_room.handIn.ask(tr("Handing in ends the exam."));
}

} // namespace headscope::gui
