// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/lens/lensmodel.h"

#include "widgets/look/numbertext.h"
#include "widgets/look/plaintext.h"
#include "widgets/pattern/patterndata.h"

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

namespace {

constexpr double kWorstRank = 1000; // from here on all ranks look alike

// A token that is a blank or a line's end must not look like nothing.
QString shown(const QString& token)
{
    const QString quoted = tokenQuoted(token);
    return token.trimmed().isEmpty() ? quoted : QString(quoted).replace(QChar(0x2423), QLatin1Char(' '));
}

} // namespace

void LensModel::setLens(LensData lens)
{
    beginResetModel();
    m_lens = std::move(lens);
    m_widest = 1e-6F;
    m_moved = 1e-6;
    for (std::size_t i = 0; i < m_lens.cells.size(); ++i) {
        if (m_lens.cells[i].id < 0)
            continue;
        m_widest = std::max(m_widest, m_lens.cells[i].entropy);
        if (!m_lens.before.empty())
            m_moved = std::max(m_moved, std::abs(change(i)));
    }
    endResetModel();
}

void LensModel::setPool(int tokens)
{
    if (tokens == m_pool)
        return;
    beginResetModel();
    m_pool = tokens;
    endResetModel();
}

void LensModel::setColor(LensColor color)
{
    m_color = color;
    if (rowCount() > 0 && columnCount() > 0)
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1), {StrengthRole, SignedRole});
}

int LensModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : m_lens.layers;
}

int LensModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() || m_lens.layers == 0 ? 0 : (positions() + m_pool - 1) / m_pool;
}

std::pair<int, int> LensModel::span(int column) const
{
    return {column * m_pool, std::min((column + 1) * m_pool, positions()) - 1};
}

const LensCell& LensModel::cell(const QModelIndex& index) const
{
    return m_lens.cells[at(index.row(), span(index.column()).first)];
}

NumberedToken LensModel::said(const QModelIndex& index) const
{
    return {cell(index).token, cell(index).id};
}

NumberedToken LensModel::asked(int column) const
{
    const int token = span(column).first;
    return {m_lens.tokens.at(token), m_lens.ids.empty() ? -1 : m_lens.ids[static_cast<std::size_t>(token)]};
}

double LensModel::change(std::size_t cell) const
{
    return m_lens.before.empty() ? std::nan("")
                                 : static_cast<double>(m_lens.cells[cell].logProbability) - m_lens.before[cell];
}

// The high end is always the model that knows: probable, on top, certain.
double LensModel::strength(std::size_t cell) const
{
    const LensCell& seen = m_lens.cells[cell];
    if (seen.id < 0)
        return std::nan("");
    switch (m_color) {
    case LensColor::Probability: return seen.probability;
    case LensColor::Rank: return 1 - std::min(1.0, std::log1p(seen.rank) / std::log1p(kWorstRank));
    case LensColor::Change: return 0.5 + change(cell) / m_moved / 2;
    case LensColor::Entropy: break;
    }
    return 1 - seen.entropy / m_widest;
}

double LensModel::strength(const QModelIndex& index) const
{
    const auto [first, last] = span(index.column());
    double sum = 0;
    for (int position = first; position <= last; ++position)
        sum += strength(at(index.row(), position));
    return std::clamp(sum / (last - first + 1), 0.0, 1.0);
}

QString LensModel::words(const QModelIndex& index) const
{
    if (m_pool > 1)
        return tr("%1, tokens %2 to %3: zoom in to read them")
            .arg(headerData(index.row(), Qt::Vertical, Qt::DisplayRole).toString())
            .arg(span(index.column()).first)
            .arg(span(index.column()).second);
    const LensCell& seen = cell(index);
    const QString layer = index.row() + 1 == m_lens.layers ? tr("output") : tr("before layer %1").arg(index.row());
    if (seen.id < 0)
        return tr("%1: this lens has no matrix for it").arg(layer);
    const QString rank = m_lens.followed.isEmpty()
                             ? tr("rank of the final token: %1").arg(seen.rank + 1)
                             : tr("rank of “%1”: %2").arg(shown(m_lens.followed), QString::number(seen.rank + 1));
    const std::size_t here = at(index.row(), index.column());
    const QString moved =
        m_lens.before.empty() ? QString() : tr("; with all heads on %1").arg(numberText(m_lens.before[here]));
    return tr("%1, “%2” (position %3): “%4” with probability %5, entropy %6 nats; %7, log-probability %8")
               .arg(layer, shown(m_lens.tokens.at(index.column())), QString::number(index.column()), shown(seen.token),
                    numberText(seen.probability, 3), numberText(seen.entropy), rank, numberText(seen.logProbability))
           + moved;
}

QVariant LensModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    switch (role) {
    case Qt::DisplayRole: return m_pool > 1 || cell(index).id < 0 ? QString() : shown(cell(index).token);
    case Qt::ToolTipRole: return plainText(words(index));
    case Qt::AccessibleTextRole: return words(index);
    case Qt::TextAlignmentRole: return int(Qt::AlignCenter);
    case StrengthRole: return strength(index);
    case SignedRole: return m_color == LensColor::Change;
    case OnTopRole: return m_pool == 1 && cell(index).id >= 0 && cell(index).rank == 0;
    default: return {};
    }
}

QVariant LensModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation == Qt::Horizontal && section >= columnCount())
        return {};
    if (role == Qt::ToolTipRole)
        return plainText(headerData(section, orientation, Qt::DisplayRole).toString());
    if (role != Qt::DisplayRole)
        return {};
    if (orientation == Qt::Horizontal)
        return m_pool > 1 ? QString::number(span(section).first) : shown(m_lens.tokens.at(section));
    return section + 1 == m_lens.layers ? tr("output") : QStringLiteral("L%1").arg(section);
}

} // namespace headscope::widgets
