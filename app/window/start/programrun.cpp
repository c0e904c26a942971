// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/start/programrun.h"

#include <sys/resource.h>

namespace headscope::gui {

namespace {

constexpr int kPatience = 2000; // milliseconds between asking a run to end and ending it
constexpr int kBehind = 10;     // niceness beside the window

} // namespace

ProgramRun::ProgramRun(QString program, QObject* parent) : QObject(parent), m_process(std::move(program))
{
    m_process.setChildProcessModifier([] { setpriority(PRIO_PROCESS, 0, kBehind); });
    connect(&m_process, &QProcess::readyReadStandardError, this, &ProgramRun::listen);
    connect(&m_process, &QProcess::finished, this, &ProgramRun::end);
    connect(&m_process, &StartedProgram::notStarted, this, &ProgramRun::fail);
}

ProgramRun::~ProgramRun()
{
    m_process.disconnect(this);
    if (!running())
        return;
    m_process.terminate();
    if (!m_process.waitForFinished(kPatience))
        m_process.kill();
    m_process.waitForFinished(kPatience);
}

void ProgramRun::start(const QStringList& arguments)
{
    if (running())
        return;
    m_log.clear();
    m_process.begin(arguments);
}

void ProgramRun::fail(const QString& sentence)
{
    m_log = sentence;
    Q_EMIT lineArrived(sentence);
    Q_EMIT ended(false, {});
}

void ProgramRun::listen()
{
    const QString text = QString::fromUtf8(m_process.readAllStandardError()).trimmed();
    if (text.isEmpty())
        return;
    m_log += text + QLatin1Char('\n');
    Q_EMIT lineArrived(text.section(QLatin1Char('\n'), -1));
}

void ProgramRun::end()
{
    listen();
    const bool complete = m_process.exitStatus() == QProcess::NormalExit && m_process.exitCode() == 0;
    Q_EMIT ended(complete, m_process.readAllStandardOutput());
}

} // namespace headscope::gui
