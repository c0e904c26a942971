// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/start/quitsignals.h"

#include <QApplication>
#include <QSocketNotifier>

#include <csignal>

#include <fcntl.h>
#include <unistd.h>

namespace headscope::gui {

namespace {

constexpr std::array kSignals = {SIGTERM, SIGINT, SIGHUP};

volatile std::sig_atomic_t g_writeEnd = -1;

// Only what is allowed in a signal handler: the event loop hears of it through the pipe.
void wakeUp(int)
{
    const char byte = 0;
    (void)!::write(g_writeEnd, &byte, 1);
}

void handle(void (*handler)(int))
{
    struct sigaction action {
    };
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND); // the second time the system ends the program
    for (const int signal : kSignals)
        ::sigaction(signal, &action, nullptr);
}

} // namespace

QuitSignals::QuitSignals(QObject* parent) : QObject(parent)
{
    if (::pipe2(m_pipe.data(), O_CLOEXEC | O_NONBLOCK) != 0)
        return; // then signals end the program as they end any other
    g_writeEnd = m_pipe[1];
    auto* notifier = new QSocketNotifier(m_pipe[0], QSocketNotifier::Read, this);
    connect(notifier, &QSocketNotifier::activated, this, &QuitSignals::close);
    handle(wakeUp);
}

QuitSignals::~QuitSignals()
{
    if (g_writeEnd < 0)
        return;
    handle(SIG_DFL);
    g_writeEnd = -1;
    for (const int end : m_pipe)
        ::close(end);
}

void QuitSignals::close()
{
    char byte = 0;
    while (::read(m_pipe[0], &byte, 1) == 1) {
    }
    QApplication::closeAllWindows();
    QApplication::quit(); // also where no window was open
}

} // namespace headscope::gui
