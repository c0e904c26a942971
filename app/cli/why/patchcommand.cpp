// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands/commands.h"
#include "app/cli/files/texttable.h"
#include "app/cli/options/commandline.h"
#include "app/cli/output.h"
#include "app/cli/why/analysisfiles.h"
#include "app/cli/why/analysisrun.h"
#include "app/cli/why/pairsummary.h"
#include "core/engine/questions/patchmap.h"
#include "core/why/names.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <memory>

namespace headscope::cli {

using engine::PatchCell;
using engine::PatchWhat;
using engine::PatchWhere;
using nlohmann::json;

namespace {

const std::string kPatchKind = "patch 1";

struct PatchArguments {
    ModelArguments model;
    PairArguments pairs;
    std::string what = "heads", positions, direction = "denoise";
    bool forecast = false;
    std::string part; ///< K/N
    std::vector<std::string> outputs;

    [[nodiscard]] engine::PatchRequest asked() const
    {
        engine::PatchRequest asked;
        for (const PatchWhat one :
             {PatchWhat::Heads, PatchWhat::Stream, PatchWhat::Mixer, PatchWhat::Mlp, PatchWhat::State})
            if (what == engine::name(one))
                asked.what = one;
        asked.where = asked.what == PatchWhat::Heads ? PatchWhere::All : PatchWhere::Each;
        for (const PatchWhere one : {PatchWhere::All, PatchWhere::Last, PatchWhere::Each})
            if (positions == engine::name(one))
                asked.where = one;
        asked.direction = directionOf(direction);
        return asked;
    }
};

std::string headOf(const lm::ModelSpec& spec, const PatchCell& cell)
{
    return cell.head < 0 ? std::string() : why::headName(spec, cell.layer, cell.site, cell.head);
}

json describePatch(const engine::PatchMap& map, const Analysed& analysed)
{
    json cells = json::array();
    for (std::size_t i = 0; i < map.cells.size(); ++i) {
        const PatchCell& cell = map.cells[i];
        const std::string head = headOf(analysed.open.spec(), cell);
        json reply = pairsJson(map.over, i);
        reply["layer"] = cell.layer;
        reply["head"] = head.empty() ? json() : json(head);
        reply["position"] = cell.position < 0 ? json() : json(cell.position);
        cells.push_back(std::move(reply));
    }
    return cells;
}

AnalysisResult patchResult(const engine::PatchMap& map, const engine::PatchRequest& asked, const json& reply,
                           const Analysed& analysed)
{
    AnalysisResult result{.table = {{"layer", "head", "position", "value", "effect", "low", "high", "normalised"}},
                          .tensors = baselinesOf(map.over),
                          .provenance = analysed.provenance(reply["source"].get<std::string>())};
    std::map<std::string, std::vector<float>> tensors;
    std::map<std::string, std::int64_t> rows;
    const std::string front = map.over.direction == engine::PatchDirection::Denoise ? "patch" : "noise";
    const std::string last = asked.where == PatchWhere::Last ? "_last." : ".";
    for (std::size_t i = 0; i < map.cells.size(); ++i) {
        const PatchCell& cell = map.cells[i];
        std::string key = front + last + (asked.what == PatchWhat::Stream ? "resid" : engine::name(asked.what));
        if (cell.head >= 0)
            key = front + last + (cell.site == why::Site::Attention ? "attn.L" : "ssm.L") + std::to_string(cell.layer);
        tensors[key].push_back(static_cast<float>(meanValue(map.over, i)));
        rows[key] += cell.position <= 0 || asked.where != PatchWhere::Each ? 1 : 0;
        std::vector<std::string> line = {std::to_string(cell.layer), headOf(analysed.open.spec(), cell),
                                         cell.position < 0 ? "" : std::to_string(cell.position)};
        for (const std::string& value : csvNumbers(map.over, i))
            line.push_back(value);
        result.table.push_back(std::move(line));
    }
    for (auto& [name, values] : tensors) {
        const auto size = static_cast<std::int64_t>(values.size());
        std::vector<std::int64_t> shape = {size};
        if (asked.where == PatchWhere::Each)
            shape = {rows[name], size / rows[name]};
        result.tensors.push_back({name, shape, std::move(values)});
    }
    namePairs(result, reply);
    return result;
}

/// The cells as people read them: heads by layer, or layers by position.
std::string tableOf(const engine::PatchMap& map, const engine::PatchRequest& asked,
                    const std::vector<std::string>& tokens)
{
    const bool heads = asked.what == PatchWhat::Heads && asked.where != PatchWhere::Each;
    const bool places = asked.where == PatchWhere::Each && asked.what != PatchWhat::Heads;
    std::map<std::pair<int, why::Site>, std::vector<std::string>> byLayer;
    std::vector<std::vector<std::string>> rows(1);
    if (places) { // a row a position, a column a layer
        rows.front().push_back("token");
        for (std::size_t i = 0; i < map.cells.size(); ++i) {
            const PatchCell& cell = map.cells[i];
            if (cell.position == 0)
                rows.front().push_back("L" + std::to_string(cell.layer));
            const auto at = static_cast<std::size_t>(cell.position) + 1;
            if (rows.size() <= at)
                rows.push_back({std::to_string(cell.position) + " " + tokens[static_cast<std::size_t>(cell.position)]});
            rows[at].push_back(signedNumber(map.over.normalised(i).value));
        }
        return textTable(rows);
    }
    if (!heads)
        rows = {{"layer", "normalised"}};
    std::size_t widest = 0;
    for (std::size_t i = 0; i < map.cells.size(); ++i) {
        auto& row = byLayer[{map.cells[i].layer, map.cells[i].site}];
        row.push_back(signedNumber(map.over.normalised(i).value));
        widest = std::max(widest, row.size());
    }
    if (heads) {
        rows = {{"layer"}};
        for (std::size_t head = 0; head < widest; ++head)
            rows.front().push_back("H" + std::to_string(head));
    }
    for (auto& [where, row] : byLayer) {
        row.insert(row.begin(), "L" + std::to_string(where.first));
        rows.push_back(row);
    }
    return textTable(rows);
}

void printPatch(const engine::PatchMap& map, const engine::PatchRequest& asked, const json& reply,
                const Analysed& analysed)
{
    printBaselines(reply);
    if (asked.what == PatchWhat::Heads && (asked.where == PatchWhere::Each || map.cells.size() > 1024)) {
        printText("%s", largestCells(reply["cells"], 24).c_str());
        return;
    }
    printText("%s", tableOf(map, asked, reply["tokens"].get<std::vector<std::string>>()).c_str());
    printText("\n0: as without the patch; 1: as the other run. %s\n",
              ("Patched: " + reply["what"].get<std::string>() + ", positions " + reply["positions"].get<std::string>()
               + ", " + reply["direction"].get<std::string>() + ", " + analysed.open.name + ".")
                  .c_str());
}

Result<void> patch(const Context& context, const PatchArguments& arguments)
{
    if (const auto known = checkAnalysisPaths(arguments.outputs); !known.has_value())
        return known;
    const auto part = partOf(context, arguments.part);
    if (!part.has_value())
        return part.error();
    if (const auto can = checkSharing(context); !can.has_value())
        return can;
    auto analysed = openAnalysed(context, arguments.model);
    if (!analysed.has_value())
        return analysed.error();
    const auto pairs = pairsOf(context, arguments.pairs, *analysed);
    if (!pairs.has_value())
        return pairs.error();
    const engine::PatchRequest asked = arguments.asked();
    if (arguments.forecast) {
        const auto cells = engine::cellsOf(analysed->model(), analysed->base, asked,
                                           static_cast<int>(pairs->pairs.front().clean.size()));
        if (!cells.has_value())
            return cells.error();
        printForecast(context, *analysed, *pairs, cells->size());
        return {};
    }
    const std::string question =
        app::patchQuestion(analysed->asked(), pairs->pairs, unmeasured(pairs->pairs, asked.direction), asked);
    if (*part) {
        const auto pieces = engine::patchPieces(analysed->model(), analysed->base, pairs->pairs, asked);
        return pieces.has_value() ? measurePairsPart(context, *analysed, **part, kPatchKind, question, *pieces)
                                  : Result<void>(pieces.error());
    }
    const auto map =
        engine::patchMap(analysed->model(), analysed->base, pairs->pairs, asked, context.control(),
                         pairs->pairs.size() > 1 ? sharedPairs(context, *analysed, kPatchKind, question) : measureHere);
    if (!map.has_value())
        return map.error();
    json reply = pairsJson(*pairs, map->over, *analysed);
    reply["what"] = engine::name(asked.what);
    reply["positions"] = engine::name(asked.where);
    reply["cells"] = describePatch(*map, *analysed);
    reply["files"] = arguments.outputs;
    const auto record = app::patchRecord(analysed->asked(), pairs->pairs, map->over, asked, map->cells);
    if (const auto kept = analysed->finish(arguments.outputs, patchResult(*map, asked, reply, *analysed), record);
        !kept.has_value())
        return kept;
    if (context.json)
        Context::print(reply);
    else
        printPatch(*map, asked, reply, *analysed);
    return endOf(map->over.clean.size(), map->over.asked, "pairs");
}

} // namespace

void addPatchCommand(CLI::App& app, Context& context)
{
    auto arguments = std::make_shared<PatchArguments>();
    CLI::App* command =
        app.add_subcommand("patch", "replace activations of one run by those of another (activation patching)");
    arguments->model.addTo(*command, context);
    arguments->pairs.addTo(*command, context);
    option(*command, "--what", arguments->what)->capture_default_str();
    option(*command, "--positions", arguments->positions);
    option(*command, "--direction", arguments->direction)->capture_default_str();
    flag(*command, "--forecast", arguments->forecast);
    option(*command, "--part", arguments->part);
    option(*command, "--output", arguments->outputs, "output file: .safetensors .csv; may be repeated");
    command->callback([&context, command, arguments] {
        requirePrompts(*command);
        context.run = [&context, arguments] { return patch(context, *arguments); };
    });
}

} // namespace headscope::cli
