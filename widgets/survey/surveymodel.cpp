// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/survey/surveymodel.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace headscope::widgets {

void SurveyModel::setRows(QStringList metrics, std::vector<SurveyRow> rows)
{
    beginResetModel();
    m_metrics = std::move(metrics);
    m_rows = std::move(rows);
    m_two = std::ranges::any_of(m_rows, [this](const SurveyRow& row) { return row.side != m_rows.front().side; });
    endResetModel();
}

QString SurveyModel::label(std::size_t row) const
{
    const SurveyRow& one = m_rows[row];
    return m_two ? (one.side == Side::A ? QStringLiteral("A ") : QStringLiteral("B ")) + one.head : one.head;
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
        return role == Qt::DisplayRole ? QVariant(label(static_cast<std::size_t>(index.row()))) : QVariant();
    }
    const double value = row.values[static_cast<std::size_t>(index.column() - 1)];
    switch (role) {
    case Qt::DisplayRole: return std::isnan(value) ? QStringLiteral("–") : QString::number(value, 'f', 4);
    case kValueRole: return std::isnan(value) ? -std::numeric_limits<double>::infinity() : value; // behind all others
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
