// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/experts/expertmodel.h"

#include "core/analysis/expertchoices.h"
#include "widgets/look/numbertext.h"
#include "widgets/look/plaintext.h"
#include "widgets/pattern/patterndata.h"

#include <algorithm>
#include <numeric>

namespace headscope::widgets {

namespace {

constexpr int kWeightDigits = 2, kToldDigits = 4;

} // namespace

void ExpertModel::setExperts(ExpertData experts)
{
    beginResetModel();
    m_data = std::move(experts);
    m_tokens = analysis::tokensByExpert(m_data.now.ids, m_data.experts);
    m_largest = m_data.now.weights.empty() ? 1.0 : static_cast<double>(*std::ranges::max_element(m_data.now.weights));
    arrange();
    endResetModel();
}

void ExpertModel::setOrder(ExpertOrder order)
{
    beginResetModel();
    m_order = order;
    arrange();
    endResetModel();
}

void ExpertModel::arrange()
{
    m_columns.resize(static_cast<std::size_t>(m_data.experts));
    std::iota(m_columns.begin(), m_columns.end(), 0);
    if (m_order == ExpertOrder::Number)
        return;
    const std::vector<int> tokens =
        m_data.before.ids.empty() ? m_tokens : analysis::tokensByExpert(m_data.before.ids, m_data.experts);
    std::ranges::stable_sort(m_columns, std::ranges::greater(),
                             [&tokens](int expert) { return tokens[static_cast<std::size_t>(expert)]; });
}

int ExpertModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_data.tokens.size());
}

int ExpertModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : sharedColumns() + static_cast<int>(m_columns.size());
}

int ExpertModel::expertAt(int column) const
{
    const int at = column - sharedColumns();
    return at < 0 || at >= static_cast<int>(m_columns.size()) ? -1 : m_columns[static_cast<std::size_t>(at)];
}

int ExpertModel::columnOf(int expert) const
{
    return sharedColumns() + static_cast<int>(std::ranges::find(m_columns, expert) - m_columns.begin());
}

bool ExpertModel::isOff(int expert) const
{
    return expert >= 0 && expert < static_cast<int>(m_data.off.size()) && m_data.off[static_cast<std::size_t>(expert)];
}

int ExpertModel::rankIn(const ExpertPicks& picks, int token, int expert)
{
    const auto first = picks.ids.begin() + static_cast<std::ptrdiff_t>(token) * picks.chosen;
    if (picks.ids.empty() || expert < 0)
        return -1;
    const auto found = std::find(first, first + picks.chosen, expert);
    return found == first + picks.chosen ? -1 : static_cast<int>(found - first);
}

double ExpertModel::weightIn(const ExpertPicks& picks, int token, int rank)
{
    return static_cast<double>(picks.weights[static_cast<std::size_t>(token) * static_cast<std::size_t>(picks.chosen)
                                             + static_cast<std::size_t>(rank)]);
}

QVariant ExpertModel::weight(const QModelIndex& index) const
{
    const int expert = expertAt(index.column());
    if (expert < 0)
        return static_cast<double>(m_data.shared[static_cast<std::size_t>(index.row())]);
    const int rank = rankIn(m_data.now, index.row(), expert);
    return rank < 0 ? QVariant() : QVariant(weightIn(m_data.now, index.row(), rank));
}

ExpertModel::Change ExpertModel::change(const QModelIndex& index) const
{
    const int expert = expertAt(index.column());
    if (expert < 0 || m_data.before.ids.empty())
        return Change::None;
    const bool now = rankIn(m_data.now, index.row(), expert) >= 0,
               before = rankIn(m_data.before, index.row(), expert) >= 0;
    return now == before ? Change::None : now ? Change::Came : Change::Went;
}

QString ExpertModel::nameOf(int column) const
{
    const int expert = expertAt(column);
    return expert < 0 ? tr("shared expert of layer %1").arg(m_data.layer)
                      : QString::fromStdString(analysis::expertName(m_data.layer, expert));
}

QString ExpertModel::words(const QModelIndex& index) const
{
    const int expert = expertAt(index.column()), token = index.row();
    const QString name = nameOf(index.column()),
                  where = tr("%1 (position %2)").arg(tokenQuoted(m_data.tokens.at(token)), QString::number(token));
    if (expert < 0)
        return tr("%1: %2, weight %3; it runs for every token")
            .arg(where, name, numberText(weight(index).toDouble(), kToldDigits));
    const int rank = rankIn(m_data.now, token, expert), before = rankIn(m_data.before, token, expert);
    QString told = rank < 0 ? tr("%1 does not go to %2").arg(where, name)
                            : tr("%1: %2, weight %3, choice %4 of %5")
                                  .arg(where, name, numberText(weightIn(m_data.now, token, rank), kToldDigits),
                                       QString::number(rank + 1), QString::number(m_data.now.chosen));
    if (before >= 0)
        told += tr("; with nothing ablated weight %1, choice %2")
                    .arg(numberText(weightIn(m_data.before, token, before), kToldDigits), QString::number(before + 1));
    else if (rank >= 0 && !m_data.before.ids.empty())
        told += tr("; not chosen without the ablation");
    return isOff(expert) ? tr("%1; ablated: its output is left out").arg(told) : told;
}

QString ExpertModel::columnWords(int column) const
{
    const int expert = expertAt(column);
    if (expert < 0)
        return tr("%1: runs for every token in addition to the chosen ones").arg(nameOf(column));
    const QString told =
        tr("%1 takes %L2 of %L3 tokens").arg(nameOf(column)).arg(tokensOf(expert)).arg(m_data.tokens.size());
    return isOff(expert) ? tr("%1; ablated: a click restores it").arg(told) : tr("%1; a click ablates it").arg(told);
}

QVariant ExpertModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    switch (role) {
    case Qt::DisplayRole: {
        const QVariant value = weight(index);
        return value.isValid() ? numberText(value.toDouble(), kWeightDigits) : QString();
    }
    case Qt::TextAlignmentRole: return int(Qt::AlignCenter);
    case Qt::ToolTipRole: return plainText(words(index));
    case Qt::AccessibleTextRole: return words(index);
    case WeightRole: return weight(index);
    case StrengthRole: return std::clamp(weight(index).toDouble() / std::max(m_largest, 1e-9), 0.0, 1.0);
    case ChangeRole: return QVariant::fromValue(static_cast<int>(change(index)));
    default: return columnData(index.column(), role);
    }
}

QVariant ExpertModel::columnData(int column, int role) const
{
    const int expert = expertAt(column);
    switch (role) {
    case SharedRole: return expert < 0;
    case OffRole: return isOff(expert);
    case TokensRole: return expert < 0 ? rowCount() : tokensOf(expert);
    default: return {};
    }
}

QVariant ExpertModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation == Qt::Vertical) {
        if (section >= rowCount() || (role != Qt::DisplayRole && role != Qt::ToolTipRole))
            return {};
        const QString token = QStringLiteral("%1 %2").arg(section).arg(tokenQuoted(m_data.tokens.at(section)));
        return role == Qt::DisplayRole ? token : plainText(token);
    }
    if (section >= columnCount())
        return {};
    switch (role) {
    case Qt::DisplayRole: return expertAt(section) < 0 ? tr("shared") : QStringLiteral("X%1").arg(expertAt(section));
    case Qt::ToolTipRole: return plainText(columnWords(section));
    case Qt::AccessibleTextRole: return columnWords(section);
    default: return columnData(section, role);
    }
}

QString ExpertModel::valuesText() const
{
    QString out = tr("token");
    for (int column = 0; column < columnCount(); ++column)
        out += QLatin1Char('\t') + headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
    out += QLatin1Char('\n');
    for (int row = 0; row < rowCount(); ++row) {
        out += tokenQuoted(m_data.tokens.at(row));
        for (int column = 0; column < columnCount(); ++column) {
            const QVariant value = weight(index(row, column));
            out += QLatin1Char('\t') + (value.isValid() ? QString::number(value.toDouble(), 'g', 9) : QString());
        }
        out += QLatin1Char('\n');
    }
    return out + tr("experts of layer %1").arg(m_data.layer) + QLatin1Char('\t') + m_data.of + QLatin1Char('\n');
}

} // namespace headscope::widgets
