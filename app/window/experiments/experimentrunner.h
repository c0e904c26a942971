// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Runs one experiment beside the window by the command-line program. GUI thread.

#include "core/experiments/report.h"

#include <QObject>
#include <QProcess>
#include <QStringList>
#include <QTemporaryDir>

#include <string>

namespace headscope::gui {

/// What a run is asked for.
struct ExperimentRequest {
    QString id;
    std::string study;         ///< the JSON of a study of one's own; empty: part of the program
    QStringList models;        ///< names or folders; empty: the experiment's own
    int limit = 0;             ///< examples of each benchmark; 0: the experiment's own number
    int minutes = 0;           ///< with as many examples as take so long; 0: whatever it takes
    bool forecastOnly = false; ///< say what it will take, run nothing
};

/// A run is a process of its own, so the window stays free, and stopping it keeps what the session has by then. It
/// gives way to the window: a click is computed first.
class ExperimentRunner : public QObject
{
    Q_OBJECT

public:
    /// `program`: headscope-cli.
    explicit ExperimentRunner(QString program, QObject* parent = nullptr);
    ~ExperimentRunner() override;

    /// `session`: file that results go to and known ones come from; empty: none. Nothing happens while one runs.
    void start(const ExperimentRequest& request, const QString& session);
    void stop();
    [[nodiscard]] bool running() const { return m_process.state() != QProcess::NotRunning; }
    /// All that the run has said, for details when it failed.
    [[nodiscard]] const QString& log() const { return m_log; }

Q_SIGNALS:
    void said(const QString& line); ///< the newest line
    void reported(const headscope::experiments::Report& report);
    void ended(bool complete);

private:
    void listen();
    void end();

    void fail(const QString& sentence);

    QString m_program;
    QTemporaryDir m_folder; ///< a study is run from a file
    QString m_log;
    bool m_forecastOnly = false;
    QProcess m_process; ///< last: ended first
};

} // namespace headscope::gui
