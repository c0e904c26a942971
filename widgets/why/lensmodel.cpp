// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/lensmodel.h"

#include "widgets/look/numbertext.h"
#include "widgets/look/plaintext.h"

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

namespace {

constexpr double kWorstRank = 1000; // from here on all ranks look alike

// A token that is a blank or a line's end must not look like nothing.
QString shown(const QString& token)
{
    QString text = token;
    text.replace(QLatin1Char('\n'), QStringLiteral("⏎")).replace(QLatin1Char('\t'), QStringLiteral("⇥"));
    return text.trimmed().isEmpty() ? text.replace(QLatin1Char(' '), QStringLiteral("␣")) : text;
}

} // namespace

void LensModel::setLens(LensData lens)
{
    beginResetModel();
    m_lens = std::move(lens);
    m_widest = 1e-6F;
    for (const LensCell& cell : m_lens.cells)
        m_widest = std::max(m_widest, cell.entropy);
    endResetModel();
}

void LensModel::setColor(LensColor color)
{
    m_color = color;
    if (rowCount() > 0 && columnCount() > 0)
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1), {StrengthRole});
}

int LensModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : m_lens.layers;
}

int LensModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() || m_lens.layers == 0 ? 0 : static_cast<int>(m_lens.tokens.size());
}

const LensCell& LensModel::cell(const QModelIndex& index) const
{
    return m_lens.cells[static_cast<std::size_t>(index.row()) * static_cast<std::size_t>(m_lens.tokens.size())
                        + static_cast<std::size_t>(index.column())];
}

// The high end is always the model that knows: probable, on top, certain.
double LensModel::strength(const LensCell& cell) const
{
    switch (m_color) {
    case LensColor::Probability: return cell.probability;
    case LensColor::Rank: return 1 - std::min(1.0, std::log1p(cell.rank) / std::log1p(kWorstRank));
    case LensColor::Entropy: break;
    }
    return 1 - cell.entropy / m_widest;
}

QString LensModel::words(const QModelIndex& index) const
{
    const LensCell& seen = cell(index);
    const QString layer = index.row() + 1 == m_lens.layers ? tr("output") : tr("before layer %1").arg(index.row());
    const QString rank = m_lens.followed.isEmpty()
                             ? tr("rank of the final token: %1").arg(seen.rank + 1)
                             : tr("rank of “%1”: %2").arg(shown(m_lens.followed), QString::number(seen.rank + 1));
    return tr("%1, “%2” (position %3): “%4” with probability %5, entropy %6 nats; %7, log-probability %8")
        .arg(layer, shown(m_lens.tokens.at(index.column())), QString::number(index.column()), shown(seen.token),
             numberText(seen.probability, 3), numberText(seen.entropy), rank, numberText(seen.logProbability));
}

QVariant LensModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    switch (role) {
    case Qt::DisplayRole: return shown(cell(index).token);
    case Qt::ToolTipRole: return plainText(words(index));
    case Qt::AccessibleTextRole: return words(index);
    case Qt::TextAlignmentRole: return int(Qt::AlignCenter);
    case StrengthRole: return std::clamp(strength(cell(index)), 0.0, 1.0);
    case OnTopRole: return cell(index).rank == 0;
    default: return {};
    }
}

QVariant LensModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (role == Qt::ToolTipRole)
        return plainText(headerData(section, orientation, Qt::DisplayRole).toString());
    if (role != Qt::DisplayRole)
        return {};
    if (orientation == Qt::Horizontal)
        return section < m_lens.tokens.size() ? shown(m_lens.tokens.at(section)) : QString();
    return section + 1 == m_lens.layers ? tr("output") : QStringLiteral("L%1").arg(section);
}

} // namespace headscope::widgets
