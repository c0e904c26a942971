// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/scores/runsmodel.h"

#include "widgets/look/plaintext.h"

#include <QFont>
#include <QLocale>
#include <QMimeData>

#include <algorithm>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

const QString kMime = u"application/x-headscope-run-row"_s;

QString shownName(const RunRow& run)
{
    return run.model.isEmpty() ? run.name : run.model + u"  "_s + run.name;
}

// "KV8 .02  MC .29"
QString scoresOf(const RunRow& run)
{
    QStringList parts;
    for (const RunScore& score : run.scores)
        parts << score.text;
    return parts.join(u"  "_s);
}

} // namespace

RunsModel::RunsModel(QObject* parent) : QAbstractTableModel(parent) {}

void RunsModel::setRuns(std::vector<RunRow> runs)
{
    const QList<qint64> kept = ticked();
    for (RunRow& run : runs)
        run.ticked = run.ticked || kept.contains(run.id);
    // The same lines in the same order: a name that is being written stays open.
    if (std::equal(runs.begin(), runs.end(), m_runs.begin(), m_runs.end(),
                   [](const RunRow& a, const RunRow& b) { return a.id == b.id; })) {
        m_runs = std::move(runs);
        if (!m_runs.empty())
            Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
        return;
    }
    beginResetModel();
    m_runs = std::move(runs);
    endResetModel();
}

QList<qint64> RunsModel::ticked() const
{
    QList<qint64> ids;
    for (const RunRow& run : m_runs)
        if (run.ticked)
            ids << run.id;
    return ids;
}

int RunsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_runs.size());
}

int RunsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant RunsModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const RunRow& run = this->run(index);
    switch (role) {
    case Qt::DisplayRole:
        if (index.column() == Name)
            return shownName(run);
        [[fallthrough]];
    case Qt::EditRole:
        switch (index.column()) {
        case Name: return run.name;
        case Scores: return scoresOf(run);
        case Time: return run.time.isValid() ? run.time.toString(u"hh:mm"_s) : QString();
        case Note: return run.note;
        default: return {};
        }
    case Qt::CheckStateRole:
        return index.column() == Name ? QVariant(run.ticked ? Qt::Checked : Qt::Unchecked) : QVariant();
    case Qt::FontRole: {
        QFont font;
        font.setBold(index.column() == Name);
        return index.column() == Name ? QVariant(font) : QVariant();
    }
    case Qt::ToolTipRole:
        return plainText(
            u"%1\n%2\n%3\n%4"_s
                .arg(shownName(run), scoresOf(run), QLocale().toString(run.time, QLocale::ShortFormat), run.provenance)
                .trimmed());
    case Qt::AccessibleTextRole:
        if (index.column() != Name)
            return data(index, Qt::DisplayRole);
        return (run.current ? tr("%1, shown now").arg(shownName(run)) : shownName(run))
               + (run.scores.isEmpty() ? QString() : u": "_s + scoresOf(run));
    case IdRole: return run.id;
    case CurrentRole: return run.current;
    default: return {};
    }
}

bool RunsModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (!index.isValid())
        return false;
    RunRow& run = m_runs[static_cast<std::size_t>(index.row())];
    if (role == Qt::CheckStateRole && index.column() == Name) {
        run.ticked = value.toInt() == Qt::Checked;
        Q_EMIT dataChanged(index, index, {role});
        Q_EMIT tickedChanged(ticked());
        return true;
    }
    if (role == Qt::EditRole && index.column() == Name) {
        const QString name = value.toString().trimmed();
        if (name.isEmpty() || name == run.name)
            return false;
        run.name = name;
        Q_EMIT dataChanged(index, index, {Qt::DisplayRole, Qt::EditRole});
        Q_EMIT nameChanged(run.id, name);
        return true;
    }
    if (role == Qt::EditRole && index.column() == Note) {
        run.note = value.toString();
        Q_EMIT dataChanged(index, index, {Qt::DisplayRole, Qt::EditRole});
        Q_EMIT noteChanged(run.id, run.note);
        return true;
    }
    return false;
}

QVariant RunsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Name: return tr("state");
    case Scores: return tr("scores");
    case Time: return tr("time");
    case Note: return tr("note");
    default: return {};
    }
}

Qt::ItemFlags RunsModel::flags(const QModelIndex& index) const
{
    if (!index.isValid())
        return Qt::ItemIsDropEnabled;
    Qt::ItemFlags flags = Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsDragEnabled | Qt::ItemNeverHasChildren;
    if (index.column() == Name)
        flags |= Qt::ItemIsUserCheckable | Qt::ItemIsEditable;
    if (index.column() == Note)
        flags |= Qt::ItemIsEditable;
    return flags;
}

QStringList RunsModel::mimeTypes() const
{
    return {kMime};
}

QMimeData* RunsModel::mimeData(const QModelIndexList& indexes) const
{
    if (indexes.isEmpty())
        return nullptr;
    auto* data = new QMimeData;
    data->setData(kMime, QByteArray::number(indexes.first().row()));
    return data;
}

bool RunsModel::dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int, const QModelIndex& parent)
{
    if (action != Qt::MoveAction || !data->hasFormat(kMime))
        return false;
    const int target = row >= 0 ? row : parent.isValid() ? parent.row() : rowCount();
    moveRows({}, data->data(kMime).toInt(), 1, {}, target);
    return false; // already moved: the view must not remove the source row
}

bool RunsModel::moveRows(const QModelIndex& from, int row, int count, const QModelIndex& to, int target)
{
    if (from.isValid() || to.isValid() || count != 1 || row < 0 || row >= rowCount() || target < 0
        || target > rowCount() || !beginMoveRows({}, row, row, {}, target))
        return false;
    const auto begin = m_runs.begin();
    if (target > row)
        std::rotate(begin + row, begin + row + 1, begin + target);
    else
        std::rotate(begin + target, begin + row, begin + row + 1);
    endMoveRows();
    QList<qint64> ids;
    for (const RunRow& run : m_runs)
        ids << run.id;
    Q_EMIT orderChanged(ids);
    return true;
}

} // namespace headscope::widgets
