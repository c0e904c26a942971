// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which benchmarks are scored beside those that a model comes with: every task that Headscope knows, and files of the
// user's own. GUI thread.

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

    /// Names of tasks and paths of task files; those that are files come first.
    void setChosen(const QStringList& tasks);
    [[nodiscard]] QStringList chosen() const;
    /// Shows a file, ticked.
    void addFile(const QString& path);

Q_SIGNALS:
    void applied(const QStringList& tasks);
    /// A person wants to choose a file.
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
