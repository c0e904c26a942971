// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The user's own benchmarks: chosen, added from files, remembered from day to day. GUI thread; tables are read beside
// it.

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
    /// `tasksFolder`: where task files made of tables are kept.
    BenchmarksController(WindowState& state, QString tasksFolder, QWidget* window);

    /// Which benchmarks there are, and which of them are scored.
    void open();
    /// A task file is scored from now on; a table (CSV, JSON lines) once a person has said what its columns mean.
    void addFile(const QString& path);
    [[nodiscard]] BenchmarksDialog* dialog() const { return m_dialog; }
    [[nodiscard]] TableDialog* tableDialog() const { return m_tableDialog; }

    /// Whether a file's name is that of a task file or a table.
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
    BenchmarksDialog* m_dialog = nullptr; ///< made when first asked for
    TableDialog* m_tableDialog = nullptr; ///< of the table that is being added
    QStringList m_tables;                 ///< that one and those that wait
};

} // namespace headscope::gui
