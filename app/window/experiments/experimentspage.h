// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The paper's experiments and studies of one's own as a view of the window: a list of questions with their verdicts,
// and the chosen one's page with what it is run on. GUI thread.

#include "app/window/experiments/experimentrunner.h"
#include "app/window/experiments/experimentshelf.h"

#include <QHash>
#include <QSplitter>

class QListWidget;

namespace headscope::app {
class SessionDoor;
struct KeptExperiments;
} // namespace headscope::app

namespace headscope::gui {

class ExperimentControls;
class ExperimentView;

class ExperimentsPage : public QSplitter
{
    Q_OBJECT

public:
    /// `program`: headscope-cli. What the session behind the door knows already is shown.
    ExperimentsPage(const QString& program, app::SessionDoor& door, QWidget* parent = nullptr);

    /// File that results go to; empty: none are kept. Folders of the models that are open beside.
    void setSurroundings(const QString& session, const QStringList& openModels);
    /// The program's own, in the menu's order; studies of one's own stand behind them.
    [[nodiscard]] static int count();
    [[nodiscard]] static QString title(int index);
    [[nodiscard]] const ExperimentShelf& shelf() const { return m_shelf; }
    void choose(int index);
    /// Shows the study of a JSON file beside the others, and keeps it in the session. Fails as ownStudy does.
    [[nodiscard]] Result<void> openStudy(const QString& file);
    void run();
    void forecast();
    void stop() { m_runner.stop(); }
    [[nodiscard]] bool running() const { return m_runner.running(); }
    [[nodiscard]] const QString& log() const { return m_runner.log(); }
    [[nodiscard]] ExperimentView* view() const { return m_view; }
    [[nodiscard]] ExperimentControls* controls() const { return m_controls; }
    [[nodiscard]] QListWidget* list() const { return m_list; }

Q_SIGNALS:
    void finished(bool complete);
    void backRequested();
    void studyRequested(); ///< one is to be chosen and opened

private:
    [[nodiscard]] QWidget* makeGallery();
    void connectRunner();
    [[nodiscard]] int chosen() const;
    [[nodiscard]] const experiments::Experiment& experiment() const { return m_shelf.at(chosen()); }
    void fillList();
    void showEntry(int index);
    void showChosen();
    void start(bool forecastOnly);
    void say(const QString& id, const QString& sentence);
    void keep(const experiments::Report& report);
    void readKept();
    void showKept(const app::KeptExperiments& kept);

    app::SessionDoor& m_door;
    QString m_session;
    QStringList m_openModels;
    ExperimentShelf m_shelf;
    QHash<QString, QString> m_said; ///< of each experiment's last run, by id
    QString m_runs;                 ///< id of the one that runs
    QListWidget* m_list;
    ExperimentView* m_view;
    ExperimentControls* m_controls;
    ExperimentRunner m_runner;
};

} // namespace headscope::gui
