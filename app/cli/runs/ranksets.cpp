// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/runs/ranksets.h"

#include "app/cli/files/texttable.h"
#include "app/cli/output.h"
#include "app/cli/runs/promptrun.h"
#include "app/cli/runs/sharedrun.h"
#include "app/workbench/scores/measure.h"
#include "core/base/elapsed.h"
#include "core/base/words/counted.h"
#include "core/engine/ranking/headsets.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>

namespace headscope::cli {

using interventions::HeadRef;
using interventions::InterventionSet;
using nlohmann::json;

namespace {

/// What a method hands over: its own members of the JSON object, a table for people, and lines for the session.
struct SetReport {
    tasks::Score baseline;
    json members;
    std::vector<std::vector<std::string>> table;
    std::vector<sessions::RankedHead> list;
    std::string remark;
};

std::string namesOf(const lm::ModelSpec& spec, const std::vector<HeadRef>& heads)
{
    std::string names;
    for (const HeadRef& head : heads)
        names += (names.empty() ? "" : " ") + headName(spec, head);
    return names;
}

/// All steps of a sweep, with progress.
template <typename Sweep, typename Done>
Result<void> finish(Sweep& sweep, const Control& control, const std::string& stage, Done done)
{
    while (!sweep.done()) {
        if (const auto stepped = sweep.step(); !stepped.has_value())
            return stepped;
        control.progress(stage, done(sweep), sweep.total());
    }
    return {};
}

Result<SetReport> pairs(const Context& context, OpenModel& open, const engine::Benchmark& benchmark,
                        const InterventionSet& fixed, std::vector<HeadRef> heads, const SetArguments& arguments)
{
    const Control control = context.control(), quiet{control.stop, {}};
    if (!arguments.named) {
        const auto ranking = rankByRemoval(context, open, benchmark, fixed, heads);
        if (!ranking.has_value())
            return ranking.error();
        heads.clear();
        for (const engine::RankedHead& head : ranking->heads)
            heads.push_back(head.head);
        heads.resize(std::min(heads.size(), static_cast<std::size_t>(arguments.top > 0 ? arguments.top : 6)));
        std::sort(heads.begin(), heads.end());
    }
    auto sweep = engine::PairSweep::start(benchmark, fixed, heads, [&](const InterventionSet& set) {
        return app::rowsWithInterventions(open, open.store(), benchmark, set, quiet);
    });
    if (!sweep.has_value())
        return sweep.error();
    if (const auto done = finish(*sweep, control, "removing two heads at a time",
                                 [](const auto& s) { return static_cast<std::int64_t>(s.measured().size()); });
        !done.has_value())
        return done.error();
    SetReport reply{.baseline = sweep->baseline(), .members = {{"pairs", json::array()}}};
    reply.table = {{"pair", "without both", "delta", "more than alone", "95 % interval", "kind"}};
    for (const engine::HeadPair& pair : sweep->measured()) {
        const std::string name = namesOf(open.spec(), {pair.first, pair.second});
        reply.members["pairs"].push_back(
            {{"heads", {headName(open.spec(), pair.first), headName(open.spec(), pair.second)}},
             {"value", pair.value},
             {"delta", pair.delta},
             {"interval", intervalJson(pair.interval)},
             {"interaction", pair.interaction},
             {"interaction_interval", intervalJson(pair.interactionInterval)},
             {"kind", engine::name(pair.kind)}});
        reply.table.push_back({name, number(pair.value), signedNumber(pair.delta), signedNumber(pair.interaction),
                               intervalText(pair.interactionInterval), engine::name(pair.kind)});
        reply.list.push_back({name, pair.value, pair.delta, pair.interval.low, pair.interval.high});
    }
    reply.remark = "redundant: costs more than the two alone, each stands in for the other; synergistic: costs less, "
                   "they work together; additive: no difference shown";
    return reply;
}

Result<SetReport> greedy(const Context& context, OpenModel& open, const engine::Benchmark& benchmark,
                         const InterventionSet& fixed, const std::vector<HeadRef>& heads, const SetArguments& arguments)
{
    const Control control = context.control(), quiet{control.stop, {}};
    const int size = arguments.top > 0 ? arguments.top : std::min(3, static_cast<int>(heads.size()));
    auto set = engine::GreedySet::start(
        benchmark, fixed, heads, size,
        [&](const InterventionSet& removed) {
            return app::rowsWithInterventions(open, open.store(), benchmark, removed, quiet);
        },
        sharedRound(context, open, "removing the best and ranking again"));
    if (!set.has_value())
        return set.error();
    if (const auto done =
            finish(*set, control, "removing the best and ranking again", [](const auto& s) { return s.stepsDone(); });
        !done.has_value())
        return done.error();
    SetReport reply{.baseline = set->baseline(), .members = {{"heads", json::array()}}};
    reply.table = {{"head", "without it and those above", "delta", "95 % interval"}};
    for (const engine::RankedHead& head : set->chosen()) {
        const std::string name = headName(open.spec(), head.head);
        reply.members["heads"].push_back({{"head", name},
                                          {"value", head.value},
                                          {"delta", head.delta},
                                          {"interval", intervalJson(head.interval)},
                                          {"p", head.p}});
        reply.table.push_back({name, number(head.value), signedNumber(head.delta), intervalText(head.interval)});
        reply.list.push_back({name, head.value, head.delta, head.interval.low, head.interval.high});
    }
    return reply;
}

int drawnAtOnce(const std::vector<HeadRef>& heads, const SetArguments& arguments)
{
    return arguments.top > 0 ? arguments.top : std::min(3, static_cast<int>(heads.size()));
}

std::vector<HeadRef> drawnHeads(const Context& context, const std::vector<HeadRef>& heads, int count, int draw)
{
    return engine::randomHeads(heads, count, context.settings.seed + static_cast<std::uint64_t>(draw));
}

Result<SetReport> random(const Context& context, OpenModel& open, const engine::Benchmark& benchmark,
                         const InterventionSet& fixed, const std::vector<HeadRef>& heads, const SetArguments& arguments)
{
    const Control control = context.control(), quiet{control.stop, {}};
    const int count = drawnAtOnce(heads, arguments);
    if (count > static_cast<int>(heads.size()))
        return inputError("There are " + std::to_string(heads.size()) + " heads to draw from; got --top "
                          + std::to_string(count) + ".");
    const auto baseline = app::rowsWithInterventions(open, open.store(), benchmark, fixed, quiet);
    if (!baseline.has_value())
        return baseline.error();
    auto score = engine::firstScore(benchmark, *baseline);
    if (!score.has_value())
        return score.error();
    SetReport reply{.baseline = std::move(*score), .members = {{"draws", json::array()}}};
    reply.table = {{"heads", "without them", "delta", "95 % interval"}};
    double sum = 0;
    for (int draw = 0; draw < arguments.draws; ++draw) {
        const auto drawn = drawnHeads(context, heads, count, draw);
        const auto rows =
            app::rowsWithInterventions(open, open.store(), benchmark, engine::without(fixed, drawn), quiet);
        if (!rows.has_value())
            return rows.error();
        const auto measured = engine::measuredRemoval(benchmark, *baseline, *rows, drawn.front());
        if (!measured.has_value())
            return measured.error();
        json names = json::array();
        for (const HeadRef& head : drawn)
            names.push_back(headName(open.spec(), head));
        const std::string name = namesOf(open.spec(), drawn);
        reply.members["draws"].push_back({{"heads", names},
                                          {"value", measured->value},
                                          {"delta", measured->delta},
                                          {"interval", intervalJson(measured->interval)}});
        reply.table.push_back(
            {name, number(measured->value), signedNumber(measured->delta), intervalText(measured->interval)});
        reply.list.push_back({name, measured->value, measured->delta, measured->interval.low, measured->interval.high});
        sum += measured->delta;
        control.progress("removing random heads", draw + 1, arguments.draws);
    }
    reply.members["mean_delta"] = sum / arguments.draws;
    reply.remark = "mean delta of " + std::to_string(arguments.draws) + " draws of " + std::to_string(count)
                   + " heads: " + signedNumber(sum / arguments.draws);
    return reply;
}

} // namespace

bool isSetMethod(const std::string& method)
{
    return method == "pairs" || method == "greedy" || method == "random";
}

std::vector<InterventionSet> setStates(const Context& context, const InterventionSet& fixed,
                                       const std::vector<HeadRef>& heads, const SetArguments& arguments)
{
    std::vector<InterventionSet> states{fixed};
    const int count = drawnAtOnce(heads, arguments);
    if (arguments.method == "random" && count <= static_cast<int>(heads.size())) {
        for (int draw = 0; draw < arguments.draws; ++draw)
            states.push_back(engine::without(fixed, drawnHeads(context, heads, count, draw)));
    } else if (arguments.method == "pairs" && arguments.named) {
        states = engine::removalStates(fixed, heads);
        for (std::size_t first = 0; first < heads.size(); ++first)
            for (std::size_t second = first + 1; second < heads.size(); ++second)
                states.push_back(engine::without(fixed, std::vector{heads[first], heads[second]}));
    } else {
        return {};
    }
    return states;
}

Result<void> rankSets(const Context& context, OpenModel& open, const engine::Benchmark& benchmark,
                      const InterventionSet& fixed, const std::vector<HeadRef>& heads, const SetArguments& arguments,
                      const MemoryReport& memory)
{
    const auto started = std::chrono::steady_clock::now();
    if (const auto states = setStates(context, fixed, heads, arguments); !states.empty())
        if (const auto shared = shareStates(context, open, benchmark, states, "removing sets of heads");
            !shared.has_value())
            return shared;
    auto reply = arguments.method == "pairs"    ? pairs(context, open, benchmark, fixed, heads, arguments)
                 : arguments.method == "greedy" ? greedy(context, open, benchmark, fixed, heads, arguments)
                                                : random(context, open, benchmark, fixed, heads, arguments);
    if (!reply.has_value())
        return reply.error();
    json how = {{"top", arguments.top}, {"heads", heads.size()}};
    if (arguments.method == "random")
        how.update({{"draws", arguments.draws}, {"seed", context.settings.seed}});
    if (const auto stored = rememberList(open, benchmark, fixed, arguments.method, how.dump(), reply->list);
        !stored.has_value())
        return stored;
    json& members = reply->members;
    const double seconds = secondsSince(started);
    members.update({{"method", arguments.method},
                    {"task", benchmark.set().name},
                    {"model", open.name},
                    {"ablation", fixed.canonical()},
                    {"seconds", seconds},
                    {"baseline", reply->baseline.value},
                    {"metric", reply->baseline.metric},
                    {"n", reply->baseline.n},
                    {"memory", memory.toJson()}});
    if (!members.contains("heads"))
        members["heads"] = json::array();
    if (context.json) {
        Context::print(members);
        return {};
    }
    printText("%s\n%s on %s, %s; with all heads %.4f\n\n%s\n%s%s%.2f s\n", open.provenance().c_str(),
              arguments.method.c_str(), benchmark.set().name.c_str(), counted(reply->baseline.n, "example").c_str(),
              reply->baseline.value, textTable(reply->table).c_str(), reply->remark.c_str(),
              reply->remark.empty() ? "" : "\n", seconds);
    return {};
}

} // namespace headscope::cli
