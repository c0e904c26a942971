// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The paper's experiments as a view of the window: a list of questions with their verdicts, and the chosen one's page
// with what it is run on. GUI thread.

#include "app/window/experiments/experimentrunner.h"

#include <QHash>
#include <QSplitter>

class QCheckBox;
class QHBoxLayout;
class QLabel;
class QListWidget;
class QPushButton;
class QSpinBox;

namespace headscope::app {
class SessionDoor;
}

namespace headscope::gui {

class ExperimentView;

class ExperimentsPage : public QSplitter
{
    Q_OBJECT

public:
    /// `program`: headscope-cli. What the session behind the door knows already is shown.
    ExperimentsPage(const QString& program, app::SessionDoor& door, QWidget* parent = nullptr);

    /// File that results go to; empty: none are kept. Folders of the models that are open beside.
    void setSurroundings(const QString& session, const QStringList& openModels);
    /// The entries, in the menu's order.
    [[nodiscard]] static int count();
    [[nodiscard]] static QString title(int index);
    void choose(int index);
    void run();
    void forecast();
    void stop() { m_runner.stop(); }
    [[nodiscard]] bool running() const { return m_runner.running(); }
    [[nodiscard]] const QString& log() const { return m_runner.log(); }
    [[nodiscard]] ExperimentView* view() const { return m_view; }

Q_SIGNALS:
    void finished(bool complete);
    void backRequested();

private:
    [[nodiscard]] QWidget* makeControls();
    [[nodiscard]] const experiments::Experiment& experiment() const;
    void showChosen();
    void offerModels();
    void addModel(const QString& name, bool chosen);
    void start(bool forecastOnly);
    void showRunning(bool running);
    void keep(const experiments::Report& report);
    void readKept();

    app::SessionDoor& m_door;
    QString m_session;
    QStringList m_openModels;
    QHash<QString, experiments::Report> m_reports; ///< the last of each experiment, by id
    QListWidget* m_list;
    ExperimentView* m_view;
    QHBoxLayout* m_models = nullptr;
    QSpinBox* m_limit = nullptr;
    QPushButton *m_run = nullptr, *m_ask = nullptr, *m_stop = nullptr;
    QLabel* m_progress = nullptr;
    ExperimentRunner m_runner;
};

} // namespace headscope::gui
