// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/benchmarks/benchmarkscontroller.h"

#include "app/present/scores/tasknames.h"
#include "app/state/windowstate.h"
#include "app/window/benchmarks/benchmarksdialog.h"
#include "app/window/benchmarks/tabledialog.h"
#include "core/base/writefile.h"
#include "core/tasks/registry.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QPointer>
#include <QSettings>
#include <QThreadPool>

#include <memory>
#include <optional>

namespace headscope::gui {

namespace {

constexpr auto kAdded = "benchmarks/added";

bool isTable(const QString& path)
{
    return tasks::Table::isTable(path.toStdString());
}

std::vector<std::string> textsOf(const QStringList& tasks)
{
    std::vector<std::string> texts;
    for (const QString& task : tasks)
        texts.push_back(task.toStdString());
    return texts;
}

QStringList listOf(const std::vector<std::string>& tasks)
{
    QStringList list;
    for (const std::string& task : tasks)
        list.append(QString::fromStdString(task));
    return list;
}

} // namespace

BenchmarksController::BenchmarksController(WindowState& state, QString tasksFolder, QWidget* window)
    : QObject(window), m_state(state), m_folder(std::move(tasksFolder)), m_window(window)
{
    m_state.setAddedBenchmarks(textsOf(QSettings().value(QLatin1String(kAdded)).toStringList()));
}

bool BenchmarksController::isBenchmark(const QString& path)
{
    return isTaskFile(path);
}

void BenchmarksController::open()
{
    if (!m_dialog) {
        m_dialog = new BenchmarksDialog(m_window);
        connect(m_dialog, &BenchmarksDialog::applied, this, &BenchmarksController::choose);
        connect(m_dialog, &BenchmarksDialog::fileWanted, this, &BenchmarksController::askForFile);
    }
    m_dialog->setChosen(listOf(m_state.addedBenchmarks()));
    m_dialog->show();
    m_dialog->raise();
    m_dialog->activateWindow();
}

void BenchmarksController::askForFile()
{
    const QString path = QFileDialog::getOpenFileName(
        m_window, tr("A benchmark of your own"), {},
        tr("Task files and tables (*.json *.yaml *.yml *.csv *.tsv *.jsonl);;All files (*)"));
    if (!path.isEmpty())
        addFile(path);
}

void BenchmarksController::addFile(const QString& path)
{
    const QString whole = QFileInfo(path).absoluteFilePath();
    if (isTable(path))
        readTable(path);
    else if (path.endsWith(QLatin1String(".json"), Qt::CaseInsensitive))
        checkTask(whole);
    else
        addTask(whole); // what a harness's file names may be in the data folder: its line says what is missing
}

// Many a JSON file is no task: it is said at once, and no line of the scores stays with it.
void BenchmarksController::checkTask(const QString& path)
{
    QThreadPool::globalInstance()->start([guard = QPointer(this), path] {
        const auto task = tasks::makeTask(path.toStdString(), {});
        const std::optional<Error> problem = task.has_value() ? std::nullopt : std::optional(task.error());
        QMetaObject::invokeMethod(qApp, [guard, path, problem] {
            if (guard && problem)
                guard->m_state.showError(*problem);
            else if (guard)
                guard->addTask(path);
        });
    });
}

// Where the list is open it is a tick there, which Cancel takes back.
void BenchmarksController::addTask(const QString& path)
{
    if (m_dialog && m_dialog->isVisible())
        return m_dialog->addFile(path);
    QStringList tasks = listOf(m_state.addedBenchmarks());
    if (tasks.contains(path))
        m_state.forgetScores(); // the file may be another one under the same name
    else
        choose(tasks << path);
    m_state.notify({.text = tr("%1 is scored from now on.").arg(taskTitle(path))});
}

// Several may be dropped at once: one is asked about after the other.
void BenchmarksController::readTable(const QString& path)
{
    m_tables.append(path);
    if (m_tables.size() == 1)
        readNextTable();
}

void BenchmarksController::readNextTable()
{
    if (m_tables.isEmpty())
        return;
    const QString path = m_tables.first();
    QThreadPool::globalInstance()->start([guard = QPointer(this), path] {
        const auto table = std::make_shared<Result<tasks::Table>>(tasks::Table::read(path.toStdString()));
        QMetaObject::invokeMethod(qApp, [guard, path, table] {
            if (guard)
                guard->askForMeaning(path, std::move(*table));
        });
    });
}

void BenchmarksController::askForMeaning(const QString& path, Result<tasks::Table> table)
{
    const auto next = [this] {
        m_tables.removeFirst();
        readNextTable();
    };
    if (!table.has_value()) {
        m_state.showError(table.error());
        return next();
    }
    if (m_tableDialog)
        m_tableDialog->deleteLater();
    m_tableDialog = new TableDialog(std::move(*table), QFileInfo(path).completeBaseName(), m_folder, m_window);
    connect(m_tableDialog, &QDialog::accepted, this, &BenchmarksController::writeTask);
    connect(m_tableDialog, &QDialog::finished, this, next);
    m_tableDialog->show();
}

void BenchmarksController::writeTask()
{
    const tasks::TableMeaning meaning = m_tableDialog->meaning();
    const auto task = m_tableDialog->table().task(meaning);
    if (!task.has_value())
        return m_state.showError(task.error());
    const QString path = m_tableDialog->taskFile();
    QDir().mkpath(m_folder);
    if (const auto written = writeFile(path.toStdString(), task->json); !written.has_value())
        return m_state.showError(written.error());
    addTask(path);
    if (task->refused > 0)
        m_state.notify({.text = tr("%1: rows %L2, left out %L3. %4")
                                    .arg(taskTitle(path))
                                    .arg(task->rows)
                                    .arg(task->refused)
                                    .arg(QString::fromStdString(task->firstRefusal))});
}

void BenchmarksController::choose(const QStringList& tasks)
{
    QSettings().setValue(QLatin1String(kAdded), tasks);
    m_state.setAddedBenchmarks(textsOf(tasks));
}

} // namespace headscope::gui
