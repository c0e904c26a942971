// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Runs one experiment with the command-line program in a separate process. GUI thread.

#include "app/window/start/programrun.h"
#include "core/experiments/experimentreport.h"

#include <QObject>
#include <QStringList>
#include <QTemporaryDir>

#include <string>

namespace headscope::gui {

/// The request for a run.
struct ExperimentRequest {
    QString id;
    std::string study;         ///< JSON of your own study; empty: an included experiment
    QStringList models;        ///< names or folders; empty: the experiment's own
    int limit = 0;             ///< examples per benchmark; 0: the experiment's own number
    int minutes = 0;           ///< limits the examples to this duration; 0: unlimited
    bool forecastOnly = false; ///< report the expected cost without running
};

/// After a stop, results stored in the session so far are kept.
class ExperimentRunner : public QObject
{
    Q_OBJECT

public:
    /// `program`: headscope-cli.
    explicit ExperimentRunner(QString program, QObject* parent = nullptr);

    /// `session`: file that results are read from and stored in; empty: none. Has no effect while one runs.
    void start(const ExperimentRequest& request, const QString& session);
    void stop() { m_run.stop(); }
    [[nodiscard]] bool running() const { return m_run.running(); }
    /// Returns all output of the run, as details of a failure.
    [[nodiscard]] const QString& log() const { return m_run.log(); }

Q_SIGNALS:
    void lineArrived(const QString& line); ///< the newest line
    void reported(const headscope::experiments::Report& report);
    void ended(bool complete);

private:
    void end(bool complete, const QByteArray& output);

    QTemporaryDir m_folder; ///< contains the file of a study
    bool m_forecastOnly = false;
    ProgramRun m_run; ///< last: ended first
};

} // namespace headscope::gui
