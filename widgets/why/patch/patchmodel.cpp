// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/patch/patchmodel.h"

#include "widgets/look/numbertext.h"
#include "widgets/look/plaintext.h"

#include <QFont>

#include <cmath>

namespace headscope::widgets {

namespace {

// Two digits, and no sign before what they round to nothing.
QString shareText(double share)
{
    constexpr double kNothing = 0.005;
    return QString::number(std::abs(share) < kNothing ? 0.0 : share, 'f', 2).replace(u'-', u'−');
}

} // namespace

void PatchModel::setPatches(PatchData patches)
{
    beginResetModel();
    m_patches = std::move(patches);
    endResetModel();
}

int PatchModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_patches.rows.size());
}

int PatchModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_patches.columns.size());
}

QVariant PatchModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const PatchedValue& cell = m_patches.cells[at(index)];
    const QString name = m_patches.names.at(static_cast<qsizetype>(at(index)));
    switch (role) {
    case Qt::DisplayRole: return cell.known ? shareText(cell.share) : QString();
    case Qt::TextAlignmentRole: return int(Qt::AlignCenter);
    case ShareRole: return cell.known ? QVariant(cell.share) : QVariant();
    case NameRole: return name;
    case Qt::ToolTipRole: return plainText(words(index));
    case Qt::AccessibleTextRole: return words(index);
    default: return {};
    }
}

QString PatchModel::words(const QModelIndex& index) const
{
    const PatchedValue& cell = m_patches.cells[at(index)];
    const QString name = m_patches.names.at(static_cast<qsizetype>(at(index)));
    if (!cell.known)
        return tr("%1: the model has no such part").arg(name);
    const QString share = std::isnan(cell.low)
                              ? tr("%1: effect %2").arg(name, numberText(cell.share))
                              : tr("%1: effect %2, 95 % interval %3 to %4")
                                    .arg(name, numberText(cell.share), numberText(cell.low), numberText(cell.high));
    return tr("%1; logit difference %2").arg(share, signedText(cell.raw));
}

QVariant PatchModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    const QStringList& texts = orientation == Qt::Horizontal ? m_patches.columns : m_patches.rows;
    if (section >= texts.size())
        return {};
    const auto column = static_cast<std::size_t>(section);
    const bool differs =
        orientation == Qt::Horizontal && column < m_patches.differs.size() && m_patches.differs[column];
    if (role == Qt::FontRole && differs) {
        QFont bold;
        bold.setBold(true);
        return bold;
    }
    if (role == Qt::ToolTipRole && differs)
        return plainText(tr("%1: here the two prompts differ").arg(texts.at(section)));
    return role == Qt::DisplayRole ? QVariant(texts.at(section)) : QVariant();
}

} // namespace headscope::widgets
