// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/heads/headgrid.h"

#include "app/present/heads/headspans.h"
#include "app/present/text.h"
#include "widgets/look/numbertext.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <map>

namespace headscope::gui {

namespace {

struct HeadGrids {
    Q_DECLARE_TR_FUNCTIONS(HeadGrids)
};

} // namespace

widgets::GridData headGrid(const std::shared_ptr<const app::ModelSummary>& model, const QString& title,
                           const std::vector<app::HeadValue>& values, double most, widgets::GridScale scale)
{
    const std::vector<widgets::HeadRow> rows = headRows(*model);
    widgets::GridData grid{.corner = HeadGrids::tr("layer"), .scale = scale};
    std::map<std::pair<int, widgets::HeadKind>, int> rowOf;
    int widest = 0;
    for (const widgets::HeadRow& row : rows) {
        rowOf[{row.layer, row.kind}] = static_cast<int>(grid.rows.size());
        const bool two = mixersOf(*model, row.layer).size() > 1;
        grid.rows.push_back({.name = QStringLiteral("L%1").arg(row.layer)
                                     + (!two                                       ? QString()
                                        : row.kind == widgets::HeadKind::Attention ? QStringLiteral(" A")
                                                                                   : QStringLiteral(" S"))});
        widest = std::max(widest, row.heads);
    }
    for (int head = 0; head < widest; ++head)
        grid.columns.push_back({.name = QStringLiteral("H%1").arg(head)});
    grid.cells.resize(grid.rows.size() * grid.columns.size());
    for (const app::HeadValue& value : values) {
        const widgets::HeadSpan span = headSpan(*model, value.head);
        const auto row = rowOf.find({span.layer, span.kind});
        if (row == rowOf.end() || span.first < 0 || span.first >= widest || !std::isfinite(value.value))
            continue;
        const double share = value.value / std::max(most, 1e-9);
        grid.cells[grid.at(row->second, span.first)] = {
            .value = value.value,
            .strength = static_cast<float>(
                std::clamp(scale == widgets::GridScale::Signed ? 0.5 + share / 2 : share, 0.0, 1.0))};
    }
    grid.words = [model, rows, title, cells = grid.cells, widest](int row, int column) {
        const widgets::HeadRow& own = rows[static_cast<std::size_t>(row)];
        const QString name = text(headName(*model, headRef(*model, {own.layer, own.kind, column, 1})));
        const double value = cells[static_cast<std::size_t>(row * widest + column)].value;
        return column >= own.heads    ? HeadGrids::tr("%1: the layer has no such head").arg(name)
               : std::isfinite(value) ? QStringLiteral("%1: %2 %3").arg(name, title, widgets::numberText(value, 3))
                                      : HeadGrids::tr("%1: no value").arg(name);
    };
    return grid;
}

std::optional<interventions::HeadRef> headAt(const app::ModelSummary& model, int row, int column)
{
    const std::vector<widgets::HeadRow> rows = headRows(model);
    const auto at = static_cast<std::size_t>(row);
    if (row < 0 || at >= rows.size() || column < 0 || column >= rows[at].heads)
        return std::nullopt;
    return headRef(model, {rows[at].layer, rows[at].kind, column, 1});
}

} // namespace headscope::gui
