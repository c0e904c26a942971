// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/parts/partmodel.h"

#include "widgets/look/numbertext.h"
#include "widgets/look/plaintext.h"

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

void PartModel::setParts(std::vector<PartRow> parts)
{
    beginResetModel();
    m_parts = std::move(parts);
    m_sum = 0;
    for (const PartRow& part : m_parts)
        m_sum += part.value;
    std::stable_sort(m_parts.begin(), m_parts.end(),
                     [](const PartRow& a, const PartRow& b) { return std::abs(a.value) > std::abs(b.value); });
    if (!m_parts.empty())
        m_parts.push_back({.name = tr("sum"), .value = m_sum});
    m_scale = std::abs(m_sum);
    for (const PartRow& part : m_parts)
        m_scale = std::max(m_scale, std::abs(part.value));
    endResetModel();
}

QString PartModel::words(const PartRow& part)
{
    return part.hasInterval() ? tr("%1: %2 (95 % interval %3 to %4)")
                                    .arg(part.name, signedText(part.value), signedText(part.low), signedText(part.high))
                              : QStringLiteral("%1: %2").arg(part.name, signedText(part.value));
}

int PartModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_parts.size());
}

int PartModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant PartModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const PartRow& part = m_parts[static_cast<std::size_t>(index.row())];
    const bool sum = index.row() + 1 == rowCount();
    switch (role) {
    case Qt::DisplayRole: return index.column() == Name ? part.name : signedText(part.value);
    case Qt::ToolTipRole: return plainText(words(part));
    case Qt::AccessibleTextRole: return words(part);
    case LowRole: return part.low;
    case HighRole: return part.high;
    case HeadRole: return part.head;
    case ValueRole: return part.value;
    case ScaleRole: return m_scale;
    case SumRole: return sum;
    default: return {};
    }
}

QVariant PartModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    return section == Name ? tr("part") : tr("adds to the difference");
}

} // namespace headscope::widgets
