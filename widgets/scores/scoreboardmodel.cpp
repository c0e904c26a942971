// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/scores/scoreboardmodel.h"

#include "core/base/words/latex.h"
#include "widgets/look/numbertext.h"
#include "widgets/look/plaintext.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

/// ".98", "-1": intervals have no room for leading zeros.
QString tight(double value)
{
    QString number = scoreText(value, 2);
    if (number.endsWith(".00"_L1))
        number.chop(3);
    if (number.startsWith("0."_L1))
        number.remove(0, 1);
    else if (number.size() > 2 && number.at(1) == u'0' && number.at(2) == u'.')
        number.remove(1, 1);
    return number;
}

/// Returns whether a copied table includes the row; it cannot grey out rows of another state.
bool isCopied(const ScoreboardRow& row)
{
    return row.unavailable.isEmpty() && !row.stale && !row.waiting;
}

int decimalsOf(const ScoreboardRow& row)
{
    return row.lowerIsBetter ? 1 : 2;
}

} // namespace

QString limitWords(const ScoreboardRow& row)
{
    switch (row.limit) {
    case analysis::Limit::None: break;
    case analysis::Limit::Floor: return ScoreboardModel::tr("at 0.00: cannot fall");
    case analysis::Limit::Chance: return ScoreboardModel::tr("not above guessing: a loss is not informative");
    case analysis::Limit::Ceiling: return ScoreboardModel::tr("at 1.00: cannot rise");
    }
    return {};
}

Verdict verdictOf(const ScoreboardRow& row)
{
    if (row.same || std::isnan(row.p) || std::isnan(row.delta))
        return Verdict::Unknown;
    if (row.p >= 0.05)
        return Verdict::Unchanged;
    return (row.delta < 0) == row.lowerIsBetter ? Verdict::Better : Verdict::Worse;
}

ScoreboardModel::ScoreboardModel(QObject* parent) : QAbstractTableModel(parent) {}

void ScoreboardModel::setRows(std::vector<ScoreboardRow> rows)
{
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
}

void ScoreboardModel::updateRow(const ScoreboardRow& row)
{
    const auto found =
        std::find_if(m_rows.begin(), m_rows.end(), [&](const ScoreboardRow& r) { return r.id == row.id; });
    if (found == m_rows.end()) {
        beginInsertRows({}, rowCount(), rowCount());
        m_rows.push_back(row);
        endInsertRows();
        return;
    }
    const bool follow = found->follow; // the person's tick, not the sender's
    *found = row;
    found->follow = follow;
    const int line = static_cast<int>(found - m_rows.begin());
    Q_EMIT dataChanged(index(line, 0), index(line, ColumnCount - 1));
}

void ScoreboardModel::markStale()
{
    for (ScoreboardRow& row : m_rows)
        row.stale = row.unavailable.isEmpty();
    if (!m_rows.empty())
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

void ScoreboardModel::setReferenceName(const QString& name)
{
    if (name == m_reference)
        return;
    m_reference = name;
    Q_EMIT headerDataChanged(Qt::Horizontal, Baseline, Baseline);
}

QString ScoreboardModel::pinned() const
{
    const auto row = std::ranges::find(m_rows, true, &ScoreboardRow::pinned);
    return row == m_rows.end() ? QString() : row->id;
}

QStringList ScoreboardModel::followed() const
{
    QStringList ids;
    for (const ScoreboardRow& row : m_rows)
        if (row.follow && row.unavailable.isEmpty())
            ids << row.id;
    return ids;
}

int ScoreboardModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int ScoreboardModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QString ScoreboardModel::text(const ScoreboardRow& row, int column) const
{
    const int decimals = decimalsOf(row);
    const auto estimate = [&](double value) {
        return std::isnan(value) ? numberText(value, decimals) : u"≈ "_s + scoreText(value, decimals);
    };
    if (row.same && (column == Now || column == P || (column == Delta && row.unavailable.isEmpty())))
        return {};
    switch (column) {
    case Benchmark: return row.name;
    case Baseline: return row.running && row.same ? estimate(row.baseline) : scoreText(row.baseline, decimals);
    case Now: return row.running ? estimate(row.now) : scoreText(row.now, decimals);
    case Delta:
        if (!row.unavailable.isEmpty())
            return row.unavailable;
        if (std::isnan(row.delta))
            return u"—"_s;
        if (std::isnan(row.low) || std::isnan(row.high))
            return signedScoreText(row.delta, decimals);
        return u"%1 [%2,\u2009%3]"_s.arg(signedScoreText(row.delta, decimals), tight(row.low), tight(row.high));
    case P: return row.unavailable.isEmpty() ? pText(row.p) : QString();
    case N:
        if (row.total <= 0)
            return {};
        return (row.running ? u"%1/%2"_s.arg(row.done).arg(row.total) : QString::number(row.total))
               + (row.merged > 0 ? u" "_s + tr("(%1 merged)").arg(row.merged) : QString());
    default: return {};
    }
}

QString ScoreboardModel::intervalHeading() const
{
    QStringList kinds;
    for (const ScoreboardRow& row : m_rows)
        if (!std::isnan(row.low) && !row.interval.isEmpty() && !kinds.contains(row.interval))
            kinds << row.interval;
    return kinds.size() == 1 ? tr("95 %, %1").arg(kinds.front()) : tr("95 %");
}

QVariant ScoreboardModel::sortValue(const ScoreboardRow& row, int column) const
{
    // NaN has no place in an order.
    const auto number = [](double value) {
        return std::isnan(value) ? -std::numeric_limits<double>::infinity() : value;
    };
    switch (column) {
    case Benchmark: return row.name;
    case Baseline: return number(row.baseline);
    case Now: return number(row.now);
    case Delta: return number(row.delta);
    case P: return number(row.p);
    case N: return row.total;
    default: return {};
    }
}

QString ScoreboardModel::tooltip(const ScoreboardRow& row) const
{
    QStringList lines{
        u"<b>%1</b> (%2%3)"_s.arg(row.name.toHtmlEscaped(), row.id.toHtmlEscaped(),
                                  row.metric.isEmpty() ? QString() : u", "_s + row.metric.toHtmlEscaped())};
    if (!row.unavailable.isEmpty())
        lines << row.unavailable.toHtmlEscaped();
    else if (row.running)
        lines << tr("Estimated from %1 of %2 examples.").arg(row.done).arg(row.total);
    else if (row.stale)
        lines << tr("Result of the previous state; new results are being measured.");
    switch (verdictOf(row)) {
    case Verdict::Worse: lines << tr("Worse by the paired test on the same examples."); break;
    case Verdict::Better: lines << tr("Better by the paired test on the same examples."); break;
    case Verdict::Unchanged: lines << tr("No change seen by the paired test on the same examples."); break;
    case Verdict::Unknown: break;
    }
    if (!std::isnan(row.low) && !row.interval.isEmpty())
        lines << tr("95 % interval: %1").arg(row.interval);
    if (const QString words = limitWords(row); !words.isEmpty())
        lines << words;
    if (!row.boundary.isEmpty())
        lines << row.boundary.toHtmlEscaped();
    if (!row.provenance.isEmpty())
        lines << row.provenance.toHtmlEscaped();
    return lines.join(u"<br>"_s);
}

QVariant ScoreboardModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const ScoreboardRow& row = m_rows[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole: return text(row, index.column());
    case Qt::ToolTipRole: return tooltip(row);
    case Qt::AccessibleTextRole:
        if (index.column() == Benchmark && row.same)
            return tr("%1: baseline %2").arg(row.name, text(row, Baseline));
        if (index.column() != Benchmark)
            return text(row, index.column());
        return tr("%1: baseline %2, now %3, difference %4, p %5")
                   .arg(row.name, text(row, Baseline), text(row, Now), text(row, Delta), text(row, P))
               + (row.boundary.isEmpty() ? QString() : u". "_s + row.boundary);
    case Qt::CheckStateRole:
        if (index.column() == Benchmark && row.unavailable.isEmpty())
            return row.follow ? Qt::Checked : Qt::Unchecked;
        return {};
    case VerdictRole: return static_cast<int>(verdictOf(row));
    case StaleRole: return row.stale;
    case UnavailableRole: return !row.unavailable.isEmpty();
    case ObtainableRole: return row.obtainable;
    case ProgressRole: return row.running && row.total > 0 ? static_cast<double>(row.done) / row.total : -1.0;
    case IdRole: return row.id;
    case SortRole: return sortValue(row, index.column());
    case CopyRole:
        return u"%1\t%2\t%3\t%4"_s.arg(text(row, index.column()), row.id,
                                       headerData(index.column(), Qt::Horizontal, Qt::DisplayRole).toString(),
                                       row.provenance);
    default: return {};
    }
}

bool ScoreboardModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (!index.isValid() || role != Qt::CheckStateRole || index.column() != Benchmark)
        return false;
    ScoreboardRow& row = m_rows[static_cast<std::size_t>(index.row())];
    row.follow = value.toInt() == Qt::Checked;
    Q_EMIT dataChanged(index, index, {Qt::CheckStateRole});
    Q_EMIT followChanged(row.id, row.follow);
    return true;
}

QVariant ScoreboardModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::DisplayRole) {
        switch (section) {
        case Benchmark: return tr("benchmark");
        case Baseline: return m_reference.isEmpty() ? tr("baseline") : tr("before");
        case Now: return tr("now");
        case Delta: return u"Δ [%1]"_s.arg(intervalHeading());
        case P: return tr("p");
        case N: return tr("n");
        default: return {};
        }
    }
    if (role == Qt::ToolTipRole && section == Baseline)
        return m_reference.isEmpty() ? tr("The model with all heads on") : plainText(m_reference);
    if (role == Qt::ToolTipRole && section == Delta)
        return tr("Now minus baseline on the same examples, with its 95 % interval");
    if (role == Qt::ToolTipRole && section == P)
        return tr("Two-sided exact McNemar test for accuracies, paired t test for log-likelihoods");
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(Qt::AlignVCenter
                                   | (section == Benchmark || section == Delta ? Qt::AlignLeft : Qt::AlignRight));
    return {};
}

Qt::ItemFlags ScoreboardModel::flags(const QModelIndex& index) const
{
    if (!index.isValid())
        return Qt::NoItemFlags;
    Qt::ItemFlags flags = Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemNeverHasChildren;
    if (index.column() == Benchmark && m_rows[static_cast<std::size_t>(index.row())].unavailable.isEmpty())
        flags |= Qt::ItemIsUserCheckable;
    return flags;
}

// The heading of the baseline column in copied tables.
QString ScoreboardModel::referenceWords() const
{
    return m_reference.isEmpty() ? u"baseline"_s : u"before (%1)"_s.arg(m_reference);
}

QString ScoreboardModel::latex() const
{
    const auto escaped = [](QString s) {
        s.replace(u"\u2212"_s, u"-"_s).replace(u"\u2009"_s, u" "_s).replace(u"—"_s, u"--"_s);
        return QString::fromStdString(latexText(s.toStdString())).replace(u"≈ "_s, u"$\\approx$ "_s);
    };
    QString out =
        u"\\begin{tabular}{lrrlrr}\n\\hline\nbenchmark & %2 & now & $\\Delta$ [%1] & $p$ & $n$ \\\\\n\\hline\n"_s.arg(
            intervalHeading().replace(u" %"_s, u"\\,\\%"_s), escaped(referenceWords()));
    for (const ScoreboardRow& row : m_rows) {
        if (!isCopied(row))
            continue;
        QStringList cells;
        for (int column = 0; column < ColumnCount; ++column)
            cells << escaped(text(row, column));
        out += cells.join(u" & "_s) + u" \\\\\n"_s;
    }
    return out + u"\\hline\n\\end{tabular}\n"_s;
}

QString ScoreboardModel::markdown() const
{
    QString out = u"| benchmark | %2 | now | Δ [%1] | p | n |\n|---|---:|---:|---|---:|---:|\n"_s.arg(intervalHeading(),
                                                                                                      referenceWords());
    for (const ScoreboardRow& row : m_rows) {
        if (!isCopied(row))
            continue;
        QStringList cells;
        for (int column = 0; column < ColumnCount; ++column)
            cells << text(row, column);
        out += u"| "_s + cells.join(u" | "_s) + u" |\n"_s;
    }
    return out;
}

} // namespace headscope::widgets
