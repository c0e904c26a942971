// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/edges/edgemodel.h"

#include "widgets/look/numbertext.h"
#include "widgets/look/plaintext.h"

namespace headscope::widgets {

void EdgeModel::setEdges(EdgeData edges)
{
    beginResetModel();
    m_edges = std::move(edges);
    endResetModel();
}

int EdgeModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_edges.edges.size());
}

int EdgeModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(Count);
}

QVariant EdgeModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    if (role == Qt::TextAlignmentRole)
        return int(index.column() < Share ? Qt::AlignLeft | Qt::AlignVCenter : Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole)
        return plainText(words(index.row()));
    if (role == Qt::AccessibleTextRole)
        return words(index.row());
    if (role != Qt::DisplayRole)
        return {};
    const GraphEdge& edge = m_edges.edges[static_cast<std::size_t>(index.row())];
    switch (index.column()) {
    case From: return m_edges.sender(edge);
    case To: return m_edges.receiver(edge);
    case Share: return signedText(edge.share);
    case Interval:
        return edge.hasInterval() ? tr("%1 to %2").arg(signedText(edge.low), signedText(edge.high)) : QString();
    default: return signedText(edge.change);
    }
}

QString EdgeModel::words(int edge) const
{
    const GraphEdge& own = m_edges.edges[static_cast<std::size_t>(edge)];
    QString words = tr("%1 into %2: effect %3").arg(m_edges.sender(own), m_edges.receiver(own), signedText(own.share));
    if (own.hasInterval())
        words += tr(" (95 % interval %1 to %2)").arg(signedText(own.low), signedText(own.high));
    return words + tr(", logit difference %1.").arg(signedText(own.change));
}

QVariant EdgeModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case From: return tr("from");
    case To: return tr("into");
    case Share: return tr("share");
    case Interval: return tr("95 % interval");
    default: return tr("logits");
    }
}

} // namespace headscope::widgets
