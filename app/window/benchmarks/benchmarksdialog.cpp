// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/benchmarks/benchmarksdialog.h"

#include "app/present/scores/tasknames.h"
#include "core/tasks/registry.h"
#include "widgets/look/labels/plainlabel.h"

#include <QDialogButtonBox>
#include <QDir>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QListView>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QStandardItemModel>
#include <QVBoxLayout>

namespace headscope::gui {

namespace {

enum { IdRole = Qt::UserRole + 1, AboutRole };

QString linesAbout(const tasks::TaskInfo& task)
{
    QStringList lines{taskDescription(task.title)};
    if (!task.files.empty())
        lines.append(BenchmarksDialog::tr("Files in the data folder: %1").arg(QString::fromStdString(task.files)));
    if (!task.source.empty())
        lines.append(BenchmarksDialog::tr("From %1; licence: %2")
                         .arg(QString::fromStdString(task.source), QString::fromStdString(task.licence)));
    if (task.official > 0)
        lines.append(BenchmarksDialog::tr("%L1 rows; without its files the included sample rows are used and marked.")
                         .arg(task.official));
    return lines.join(QLatin1Char('\n'));
}

} // namespace

BenchmarksDialog::BenchmarksDialog(QWidget* parent)
    : QDialog(parent), m_tasks(new QStandardItemModel(this)), m_shown(new QSortFilterProxyModel(this)),
      m_list(new QListView(this)), m_about(new widgets::PlainLabel(this)),
      m_remove(new QPushButton(tr("&Remove"), this))
{
    setWindowTitle(tr("Benchmarks"));
    auto* search = new QLineEdit(this);
    search->setPlaceholderText(tr("Part of a name"));
    search->setAccessibleName(tr("Search the benchmarks"));
    search->setClearButtonEnabled(true);
    m_shown->setSourceModel(m_tasks);
    m_shown->setFilterCaseSensitivity(Qt::CaseInsensitive);
    m_list->setModel(m_shown);
    m_list->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_list->setAccessibleName(tr("Benchmarks"));
    m_about->setWordWrap(true);
    m_about->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_about->setFixedHeight(6 * m_about->fontMetrics().lineSpacing()); // the list does not jump with what is said
    auto* add = new QPushButton(tr("&Add a file …"), this);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
    buttons->addButton(add, QDialogButtonBox::ActionRole);
    buttons->addButton(m_remove, QDialogButtonBox::ActionRole);
    auto* column = new QVBoxLayout(this);
    column->addWidget(search);
    column->addWidget(m_list, 1);
    column->addWidget(m_about);
    column->addWidget(buttons);
    connect(search, &QLineEdit::textChanged, m_shown, &QSortFilterProxyModel::setFilterFixedString);
    connect(m_list->selectionModel(), &QItemSelectionModel::currentChanged, this, &BenchmarksDialog::showCurrent);
    connect(add, &QPushButton::clicked, this, &BenchmarksDialog::fileWanted);
    connect(m_remove, &QPushButton::clicked, this, &BenchmarksDialog::removeCurrent);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(buttons, &QDialogButtonBox::accepted, this, [this] {
        Q_EMIT applied(chosen());
        accept();
    });
    fill();
    resize(560, 560);
}

void BenchmarksDialog::fill()
{
    for (const tasks::TaskInfo& task : tasks::listTasks()) {
        const QString id = QString::fromStdString(task.name), title = taskTitle(id);
        insert(m_tasks->rowCount(), id, title == id ? id : QStringLiteral("%1  (%2)").arg(title, id), linesAbout(task));
    }
    m_list->setCurrentIndex(m_shown->index(0, 0));
    showCurrent();
}

QStandardItem* BenchmarksDialog::insert(int row, const QString& id, const QString& title, const QString& about)
{
    auto* item = new QStandardItem(title);
    item->setCheckable(true);
    item->setData(id, IdRole);
    item->setData(about, AboutRole);
    m_tasks->insertRow(row, item);
    return item;
}

QStandardItem* BenchmarksDialog::find(const QString& id) const
{
    for (int i = 0; i < m_tasks->rowCount(); ++i)
        if (m_tasks->item(i)->data(IdRole).toString() == id)
            return m_tasks->item(i);
    return nullptr;
}

void BenchmarksDialog::addFile(const QString& path)
{
    QStandardItem* item = find(path);
    if (!item)
        item = insert(0, path, taskTitle(path), tr("A task of your own: %1").arg(QDir::toNativeSeparators(path)));
    item->setCheckState(Qt::Checked);
    m_list->setCurrentIndex(m_shown->mapFromSource(item->index()));
}

void BenchmarksDialog::setChosen(const QStringList& tasks)
{
    for (int i = 0; i < m_tasks->rowCount(); ++i)
        m_tasks->item(i)->setCheckState(Qt::Unchecked);
    for (const QString& id : tasks)
        if (QStandardItem* item = find(id))
            item->setCheckState(Qt::Checked);
        else if (isTaskFile(id))
            addFile(id);
        else // with settings of its own: "kv_retrieval:pairs=30"
            insert(0, id, taskTitle(id), id)->setCheckState(Qt::Checked);
}

QStringList BenchmarksDialog::chosen() const
{
    QStringList tasks;
    for (int i = 0; i < m_tasks->rowCount(); ++i)
        if (m_tasks->item(i)->checkState() == Qt::Checked)
            tasks.append(m_tasks->item(i)->data(IdRole).toString());
    return tasks;
}

void BenchmarksDialog::showCurrent()
{
    const QModelIndex index = m_list->currentIndex();
    m_about->setText(index.data(AboutRole).toString());
    m_remove->setEnabled(isTaskFile(index.data(IdRole).toString()));
}

void BenchmarksDialog::removeCurrent()
{
    if (const QModelIndex index = m_list->currentIndex(); index.isValid())
        m_shown->removeRow(index.row());
}

} // namespace headscope::gui
