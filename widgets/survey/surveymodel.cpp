// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/survey/surveymodel.h"

#include <cmath>

namespace headscope::widgets {

void SurveyModel::setRows(QStringList metrics, std::vector<SurveyRow> rows)
{
    beginResetModel();
    m_metrics = std::move(metrics);
    m_rows = std::move(rows);
    endResetModel();
}

int SurveyModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int SurveyModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_metrics.size()) + 1;
}

QVariant SurveyModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount() || index.column() >= columnCount())
        return {};
    const SurveyRow& row = m_rows[static_cast<std::size_t>(index.row())];
    if (index.column() == 0) {
        if (role == kValueRole)
            return index.row();
        return role == Qt::DisplayRole ? QVariant(row.head) : QVariant();
    }
    const double value = row.values[static_cast<std::size_t>(index.column() - 1)];
    switch (role) {
    case Qt::DisplayRole: return std::isnan(value) ? QStringLiteral("–") : QString::number(value, 'f', 4);
    case kValueRole: return std::isnan(value) ? -1.0 : value; // behind all others: no metric is below 0
    case Qt::TextAlignmentRole: return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    default: return {};
    }
}

QVariant SurveyModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section < 0 || section >= columnCount())
        return {};
    return section == 0 ? tr("Head") : m_metrics[section - 1];
}

} // namespace headscope::widgets
