// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The choice of benchmarks besides a model's own: every task known to Headscope, and files of the user. GUI
// thread.

#include <QDialog>
#include <QStringList>

class QLabel;
class QListView;
class QPushButton;
class QSortFilterProxyModel;
class QStandardItem;
class QStandardItemModel;

namespace headscope::gui {

class BenchmarksDialog : public QDialog
{
    Q_OBJECT

public:
    explicit BenchmarksDialog(QWidget* parent = nullptr);

    /// Sets names of tasks and paths of task files; files are listed first.
    void setChosen(const QStringList& tasks);
    [[nodiscard]] QStringList chosen() const;
    /// Adds a file to the list, ticked.
    void addFile(const QString& path);

Q_SIGNALS:
    void applied(const QStringList& tasks);
    /// The user wants to choose a file.
    void fileWanted();

private:
    void fill();
    QStandardItem* insert(int row, const QString& id, const QString& title, const QString& about);
    [[nodiscard]] QStandardItem* find(const QString& id) const;
    void showCurrent();
    void removeCurrent();

    QStandardItemModel* m_tasks;
    QSortFilterProxyModel* m_shown;
    QListView* m_list;
    QLabel* m_about;
    QPushButton* m_remove;
};

} // namespace headscope::gui
