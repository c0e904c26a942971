// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The paper's experiments: what each needs, run beside the window by the command-line program, with rows as they come,
// then table, chart and finding. GUI thread.

#include <QDialog>
#include <QProcess>

class QLabel;
class QLineEdit;
class QListWidget;
class QPlainTextEdit;
class QPushButton;
class QTableWidget;

namespace headscope::experiments {
struct Experiment;
struct Report;
} // namespace headscope::experiments

namespace headscope::widgets {
class RankingChart;
}

namespace headscope::gui {

/// A run is a process of its own, so the window stays free, and stopping it keeps what the session has by then.
class ExperimentsDialog : public QDialog
{
    Q_OBJECT

public:
    /// `program`: headscope-cli. `session`: file that results go to; empty: none are kept.
    ExperimentsDialog(const QString& program, const QString& session, QWidget* parent = nullptr);
    ~ExperimentsDialog() override;

    /// The entries, in the menu's order.
    [[nodiscard]] static int count();
    [[nodiscard]] static QString title(int index);
    void choose(int index);
    void run();
    void forecast();
    void stop();
    [[nodiscard]] bool running() const { return m_process.state() != QProcess::NotRunning; }
    [[nodiscard]] QString finding() const;
    [[nodiscard]] QTableWidget* table() const { return m_table; }
    [[nodiscard]] QPlainTextEdit* log() const { return m_log; }

Q_SIGNALS:
    void finished(bool complete);

private:
    void start(const QStringList& more);
    void ended();
    void tell(const experiments::Report& report);
    [[nodiscard]] const experiments::Experiment& experiment() const;

    QString m_program, m_session;
    bool m_forecast = false;
    QListWidget* m_list;
    QLabel* m_about;
    QLineEdit* m_models;
    QLineEdit* m_limit;
    QPushButton *m_run, *m_ask, *m_stop;
    QPlainTextEdit* m_log;
    QTableWidget* m_table;
    QLabel* m_finding;
    widgets::RankingChart* m_chart;
    QProcess m_process; ///< last: ended first
};

} // namespace headscope::gui
