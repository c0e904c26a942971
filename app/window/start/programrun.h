// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A run of headscope-cli beside the window: a process of its own, so the window stays free, and a click is computed
// first. GUI thread.

#include "app/window/start/startedprogram.h"

#include <QByteArray>
#include <QObject>
#include <QStringList>

namespace headscope::gui {

class ProgramRun : public QObject
{
    Q_OBJECT

public:
    /// `program`: headscope-cli.
    explicit ProgramRun(QString program, QObject* parent = nullptr);
    ~ProgramRun() override; ///< stops what runs

    /// Nothing happens while one runs.
    void start(const QStringList& arguments);
    /// Asks it to end; what it keeps by then stays.
    void stop() { m_process.terminate(); }
    /// Says the sentence and ends, in the place of a run that cannot begin.
    void fail(const QString& sentence);
    [[nodiscard]] bool running() const { return m_process.state() != QProcess::NotRunning; }
    /// All that the last run has said, for details when it failed.
    [[nodiscard]] const QString& log() const { return m_log; }

Q_SIGNALS:
    void said(const QString& line); ///< the newest line
    /// `complete`: with exit code 0; `output`: what it wrote on standard output then.
    void ended(bool complete, const QByteArray& output);

private:
    void listen();
    void end();

    QString m_log;
    StartedProgram m_process; ///< last: ended first
};

} // namespace headscope::gui
