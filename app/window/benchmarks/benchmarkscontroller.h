// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The user's benchmarks: chosen, added from files, remembered across starts. GUI thread; tables are read on another
// thread.

#include "core/tasks/import/questiontable.h"

#include <QObject>
#include <QStringList>

namespace headscope::gui {

class BenchmarksDialog;
class TableDialog;
class WindowState;

class BenchmarksController : public QObject
{
    Q_OBJECT

public:
    /// `tasksFolder`: where task files made from tables are stored.
    BenchmarksController(WindowState& state, QString tasksFolder, QWidget* window);

    /// Opens the dialog for choosing the benchmarks to score.
    void open();
    /// Adds a task file to the scored benchmarks; a table (CSV, JSON lines) after the user has assigned its columns.
    void addFile(const QString& path);
    [[nodiscard]] BenchmarksDialog* dialog() const { return m_dialog; }
    [[nodiscard]] TableDialog* tableDialog() const { return m_tableDialog; }

    /// Returns whether a file name is that of a task file or a table.
    [[nodiscard]] static bool isBenchmark(const QString& path);

private:
    void askForFile();
    void checkTask(const QString& path);
    void addTask(const QString& path);
    void readTable(const QString& path);
    void readNextTable();
    void askForMeaning(const QString& path, Result<tasks::Table> table);
    void writeTask();
    void choose(const QStringList& tasks);

    WindowState& m_state;
    QString m_folder;
    QWidget* m_window;
    BenchmarksDialog* m_dialog = nullptr; ///< created on first use
    TableDialog* m_tableDialog = nullptr; ///< for the table that is being added
    QStringList m_tables;                 ///< that one and those still to be added
};

} // namespace headscope::gui
