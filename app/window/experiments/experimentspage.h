// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The paper's experiments and users' studies as a view of the window: a list of questions with their verdicts, and the
// page of the selected one with its settings. GUI thread.

#include "app/window/documentwriter.h"
#include "app/window/experiments/experimentqueue.h"
#include "app/window/experiments/experimentshelf.h"

#include <QHash>
#include <QSplitter>

#include <optional>

class QListWidget;
class QStackedWidget;

namespace headscope::app {
class SessionDoor;
struct SavedExperiments;
} // namespace headscope::app

namespace headscope::gui {

class ExperimentControls;
class ExperimentGallery;
class ExperimentView;

class ExperimentsPage : public QSplitter
{
    Q_OBJECT

public:
    /// `program`: headscope-cli. Shows the results that are in the session behind the door. `included`: folder of the
    /// results that come with the program.
    ExperimentsPage(const QString& program, const std::filesystem::path& included, app::SessionDoor& door,
                    QWidget* parent = nullptr);

    /// Sets the session file for results, empty: none, and the folders of the open models.
    void setSurroundings(const QString& session, const QStringList& openModels);
    /// Returns the number of included experiments, in the order of the menu; users' studies follow them.
    [[nodiscard]] static int count();
    [[nodiscard]] static QString title(int index);
    [[nodiscard]] const ExperimentShelf& shelf() const { return m_shelf; }
    /// Shows the page of an experiment, with its newest result.
    void choose(int index);
    void showGallery();
    /// Adds the study in a JSON file, and stores it in the session. Fails as ownStudy does.
    [[nodiscard]] Result<void> openStudy(const QString& file);
    /// Runs the experiment, after the ones already requested.
    void run();
    /// Runs all included experiments that have no finished result on their own models.
    void runAll();
    void forecast();
    /// Stops the current run and discards the waiting ones.
    void stop();
    /// Writes a report on all stored experiments as .pdf or .md.
    void writeReport(const QString& file);
    /// Returns the runs requested before a restart that are not finished. They resume automatically if they were
    /// requested on this machine.
    [[nodiscard]] const ExperimentQueue& unfinished() const { return m_unfinished; }
    void resumeUnfinished();
    [[nodiscard]] bool running() const { return m_runner.running(); }
    [[nodiscard]] const QString& log() const { return m_runner.log(); }
    [[nodiscard]] ExperimentView* view() const { return m_view; }
    [[nodiscard]] ExperimentControls* controls() const { return m_controls; }
    [[nodiscard]] QListWidget* list() const { return m_list; }
    [[nodiscard]] ExperimentGallery* gallery() const { return m_gallery; }

Q_SIGNALS:
    void finished(bool complete);
    void backRequested();
    void studyRequested(); ///< a file should be chosen and opened
    void messageRequested(const QString& sentence, bool problem);
    /// The running experiment (empty: none), the number of finished ones, and the number requested.
    void worked(const QString& running, int over, int all);

private:
    [[nodiscard]] QWidget* makeList();
    void connectGallery();
    void askForReport();
    void connectRunner();
    [[nodiscard]] int chosen() const;
    [[nodiscard]] const experiments::Experiment& experiment() const { return m_shelf.at(chosen()); }
    void fillList();
    void showEntry(int index);
    void showChosen();
    void showReport(const experiments::Report& report);
    [[nodiscard]] bool waits(const QString& id) const;
    void ask(ExperimentRequest request);
    void startNext();
    void ended(bool complete);
    void remember();
    void showWaiting();
    void showNote(const QString& id, const QString& sentence);
    void keep(const experiments::Report& report);
    void readSaved();
    void showSaved(const app::SavedExperiments& kept);

    app::SessionDoor& m_door;
    QString m_session;
    std::optional<QString> m_next; ///< the session that is open by now, while experiments of m_session run
    QString m_into;                ///< the file for results; empty: m_session is read-only
    QStringList m_openModels;
    ExperimentShelf m_included; ///< the initial content of every session
    ExperimentShelf m_shelf;
    QHash<QString, QString> m_notes; ///< of each experiment's last run, by id
    ExperimentQueue m_queue;         ///< the first one is running
    ExperimentQueue m_unfinished;
    int m_over = 0;   ///< number of requests finished since nothing was running
    int m_result = 0; ///< of the selected experiment
    QListWidget* m_list;
    QStackedWidget* m_stack;
    ExperimentGallery* m_gallery;
    ExperimentView* m_view;
    ExperimentControls* m_controls;
    DocumentWriter m_reporter;
    ExperimentRunner m_runner;
};

} // namespace headscope::gui
