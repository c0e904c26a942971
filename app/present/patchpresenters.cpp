// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/patchpresenters.h"

#include "app/present/headspans.h"
#include "app/present/pairpresenters.h"
#include "app/present/text.h"
#include "app/state/modelheads.h"
#include "widgets/look/numbertext.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace headscope::gui {

namespace {

struct PatchPresenters {
    Q_DECLARE_TR_FUNCTIONS(PatchPresenters)
};

using app::PatchedPart;

constexpr std::size_t kTold = 3; // cells that a sentence names

QString nameOf(const app::PatchedCell& cell, PatchedPart part, const app::ModelSummary& model)
{
    const QString layer = QString::number(cell.head.layer), position = QString::number(cell.position);
    switch (part) {
    case PatchedPart::Heads: return QString::fromStdString(headName(model, cell.head));
    case PatchedPart::Stream: return PatchPresenters::tr("stream before layer %1, token %2").arg(layer, position);
    case PatchedPart::Mixer: return PatchPresenters::tr("attention or SSM of layer %1, token %2").arg(layer, position);
    case PatchedPart::Mlp: break;
    }
    return PatchPresenters::tr("MLP of layer %1, token %2").arg(layer, position);
}

/// The row of a cell: its layer, and the mixer where a layer has two.
using RowKey = std::pair<int, interventions::Site>;

widgets::PatchedValue valueOf(const analysis::Mean& share)
{
    const double none = std::numeric_limits<double>::quiet_NaN();
    return {.share = share.value,
            .low = share.interval ? share.interval->low : none,
            .high = share.interval ? share.interval->high : none,
            .known = std::isfinite(share.value)};
}

} // namespace

widgets::PatchData patchData(const app::PatchReply& reply, const app::ModelSummary& model)
{
    widgets::PatchData data{.heads = reply.question.part == PatchedPart::Heads};
    std::map<RowKey, int> rows;
    int columns = 0;
    for (const app::PatchedCell& cell : reply.cells) {
        rows.emplace(RowKey(cell.head.layer, cell.head.site), static_cast<int>(rows.size()));
        columns = std::max(columns, (data.heads ? cell.head.head : cell.position) + 1);
    }
    int next = 0;
    for (auto& [key, row] : rows) { // in the order of layers
        row = next++;
        data.rows.append(QStringLiteral("L%1").arg(key.first));
    }
    for (int column = 0; column < columns; ++column) {
        const auto at = static_cast<std::size_t>(column);
        const bool differs = !data.heads && at < reply.over.tokens.size() && at < reply.over.otherTokens.size()
                             && reply.over.tokens[at] != reply.over.otherTokens[at];
        data.columns.append(data.heads                      ? QStringLiteral("H%1").arg(column)
                            : at < reply.over.tokens.size() ? text(reply.over.tokens[at])
                                                            : QString::number(column));
        data.differs.push_back(differs);
    }
    data.cells.resize(rows.size() * static_cast<std::size_t>(columns));
    for (std::size_t i = 0; i < data.cells.size(); ++i)
        data.names.append(QString());
    for (const app::PatchedCell& cell : reply.cells) {
        const int row = rows.at({cell.head.layer, cell.head.site});
        const int column = data.heads ? cell.head.head : cell.position;
        const auto at =
            static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column);
        data.cells[at] = valueOf(cell.share);
        data.names[static_cast<qsizetype>(at)] = nameOf(cell, reply.question.part, model);
    }
    return data;
}

QString patchSentence(const app::PatchReply& reply, const app::ModelSummary& model)
{
    if (reply.cells.empty())
        return {};
    QString sentence =
        pairSentence(reply.question.of.noise ? PatchPresenters::tr("The other prompt's run in this one's")
                                             : PatchPresenters::tr("This prompt's run in the other's"),
                     reply.over);
    std::vector<const app::PatchedCell*> most;
    for (const app::PatchedCell& cell : reply.cells)
        if (std::isfinite(cell.share.value))
            most.push_back(&cell);
    std::ranges::stable_sort(most, std::greater(), [](const app::PatchedCell* cell) { return cell->share.value; });
    most.resize(std::min(most.size(), kTold));
    QStringList names;
    for (const app::PatchedCell* cell : most)
        names.append(QStringLiteral("%1 %2").arg(nameOf(*cell, reply.question.part, model),
                                                 QString::number(cell->share.value, 'f', 2)));
    sentence +=
        u' ' + PatchPresenters::tr("Most of the way to the other run: %1.").arg(names.join(QStringLiteral("; ")));
    return sentence + leftOutSentence(reply.over);
}

} // namespace headscope::gui
