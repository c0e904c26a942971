// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Runs one experiment beside the window by the command-line program. GUI thread.

#include "app/window/start/programrun.h"
#include "core/experiments/experimentreport.h"

#include <QObject>
#include <QStringList>
#include <QTemporaryDir>

#include <string>

namespace headscope::gui {

/// What a run is asked for.
struct ExperimentRequest {
    QString id;
    std::string study;         ///< the JSON of your own study; empty: part of the program
    QStringList models;        ///< names or folders; empty: the experiment's own
    int limit = 0;             ///< examples of each benchmark; 0: the experiment's own number
    int minutes = 0;           ///< with as many examples as take so long; 0: whatever it takes
    bool forecastOnly = false; ///< say what it will take, run nothing
};

/// Stopping a run keeps what the session has by then.
class ExperimentRunner : public QObject
{
    Q_OBJECT

public:
    /// `program`: headscope-cli.
    explicit ExperimentRunner(QString program, QObject* parent = nullptr);

    /// `session`: file that results go to and known ones come from; empty: none. Nothing happens while one runs.
    void start(const ExperimentRequest& request, const QString& session);
    void stop() { m_run.stop(); }
    [[nodiscard]] bool running() const { return m_run.running(); }
    /// All that the run has said, for details when it failed.
    [[nodiscard]] const QString& log() const { return m_run.log(); }

Q_SIGNALS:
    void said(const QString& line); ///< the newest line
    void reported(const headscope::experiments::Report& report);
    void ended(bool complete);

private:
    void end(bool complete, const QByteArray& output);

    QTemporaryDir m_folder; ///< a study is run from a file
    bool m_forecastOnly = false;
    ProgramRun m_run; ///< last: ended first
};

} // namespace headscope::gui
