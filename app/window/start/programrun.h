// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A run of headscope-cli in a separate process, so that the window stays responsive and clicks are computed first. GUI
// thread.

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
    ~ProgramRun() override; ///< stops the run

    /// Starts a run; has no effect while one is in progress.
    void start(const QStringList& arguments);
    /// Asks the run to end; results stored so far are kept.
    void stop() { m_process.terminate(); }
    /// Reports the sentence and ends, for a run that cannot start.
    void fail(const QString& sentence);
    [[nodiscard]] bool running() const { return m_process.state() != QProcess::NotRunning; }
    /// Returns all output of the last run, as details of a failure.
    [[nodiscard]] const QString& log() const { return m_log; }

Q_SIGNALS:
    void lineArrived(const QString& line); ///< the newest line
    /// `complete`: with exit code 0; `output`: its standard output in that case.
    void ended(bool complete, const QByteArray& output);

private:
    void listen();
    void end();

    QString m_log;
    StartedProgram m_process; ///< last: ended first
};

} // namespace headscope::gui
