// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/scores/runtable.h"

#include "app/present/heads/ablationwords.h"
#include "app/present/heads/sidenames.h"
#include "app/present/scores/tasknames.h"
#include "app/present/text.h"
#include "core/base/foldernames.h"

#include <algorithm>
#include <utility>

namespace headscope::gui {

namespace {

bool isOnTheWay(const sessions::RunRecord& run)
{
    return run.created.empty() && !run.ablation.empty();
}

constexpr int kEveryHead = 1000; // of a set

/// The name in the language of the window where the program gave it in English, on the command line or in another
/// window; what a person called the run otherwise.
QString shownName(const sessions::RunRecord& run, const app::ModelSummary* model)
{
    const auto set = interventions::InterventionSet::parse(run.ablation);
    if (set.has_value()
        && (set->empty() ? run.name == "baseline"
                         : text(run.name) == ablatedHeads(*set, kEveryHead, model) + QStringLiteral(" ablated")))
        return stateName(*set, model);
    return text(ablationWithoutFolders(run.name));
}

widgets::RunRow rowOf(const ListedRun& run, const WindowState& state, bool severalModels)
{
    const sessions::RunRecord& record = run.record;
    const std::optional<Side> side = sideOf(state, record);
    widgets::RunRow row{.id = run.id,
                        .name = shownName(record, side ? state.side(*side).model.get() : nullptr),
                        .scores = run.scores,
                        .time = QDateTime::fromString(text(record.created), Qt::ISODate).toLocalTime(),
                        .note = text(record.note),
                        .onTheWay = isOnTheWay(record)};
    row.current = side == state.activeSide() && state.side(*side).ablation.canonical() == record.ablation;
    const QString model = side ? modelText(*state.side(*side).model) : run.modelName;
    if (severalModels)
        row.model = side ? letterOf(*side) : model;
    row.provenance =
        record.ablation.empty() ? model : model + QStringLiteral(", ") + text(ablationWithoutFolders(record.ablation));
    return row;
}

} // namespace

std::optional<Side> sideOf(const WindowState& state, const sessions::RunRecord& run)
{
    for (const Side side : {state.activeSide(), otherSide(state.activeSide())})
        if (state.hasModel(side) && state.side(side).model->hash == run.modelHash)
            return side;
    return std::nullopt;
}

std::vector<widgets::RunRow> runRows(const std::vector<ListedRun>& runs, const WindowState& state)
{
    const bool severalModels = std::ranges::any_of(
        runs, [&runs](const ListedRun& run) { return run.record.modelHash != runs.front().record.modelHash; });
    std::vector<const ListedRun*> sorted;
    for (const ListedRun& run : runs)
        sorted.push_back(&run);
    std::ranges::stable_sort(
        sorted, {}, [](const ListedRun* run) { return std::pair(isOnTheWay(run->record), run->record.position); });
    std::vector<widgets::RunRow> rows;
    for (const ListedRun* run : sorted)
        rows.push_back(rowOf(*run, state, severalModels));
    return rows;
}

widgets::RunScore runScore(const std::string& task, double accuracy)
{
    QString value = QString::number(accuracy, 'f', 2);
    if (value.startsWith(QLatin1String("0."))) // several stand in one narrow line
        value.remove(0, 1);
    return {QStringLiteral("%1 %2").arg(taskShortName(text(task)), value), accuracy};
}

} // namespace headscope::gui
