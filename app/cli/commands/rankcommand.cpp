// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands/commands.h"

#include "app/cli/files/texttable.h"
#include "app/cli/options/commandline.h"
#include "app/cli/options/ranges.h"
#include "app/cli/output.h"
#include "app/cli/runs/memoryreport.h"
#include "app/cli/runs/promptrun.h"
#include "app/cli/runs/rankrun.h"
#include "app/cli/runs/ranksets.h"
#include "app/cli/runs/scorerun.h"
#include "app/cli/runs/sharedrun.h"
#include "app/notebook/analysisquestion.h"
#include "app/workbench/heads/rankforecast.h"
#include "core/base/words/counted.h"
#include "core/engine/ranking/manyheads.h"
#include "core/lm/device/forecast.h"

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace headscope::cli {

using interventions::HeadRef;
using interventions::InterventionSet;
using nlohmann::json;

namespace {

struct RankArguments {
    ModelArguments model;
    TaskArguments task;
    std::string taskName;
    std::string method = "exact";
    std::vector<std::string> heads;
    int top = 0;
    int draws = 20;
    double error = 0.05;
    double work = 1;
    int steps = app::RankOptions().steps;
    double agreement = 0.95;
    bool finish = false;
    bool compareExact = false;
    bool forecast = false;
    std::string part; ///< K/N
    std::string boundary = engine::name(engine::Boundary::Harness);
};

Result<std::vector<HeadRef>> rankedHeads(const RankArguments& arguments, const lm::ModelSpec& spec)
{
    if (arguments.heads.empty())
        return engine::allHeads(spec);
    std::vector<HeadRef> heads;
    for (const std::string& text : arguments.heads) {
        const auto parsed = interventions::parseHeads(text);
        if (!parsed.has_value())
            return parsed.error();
        for (const HeadRef& head : *parsed) {
            const auto mixer = lm::findMixer(spec, head);
            if (!mixer.has_value())
                return mixer.error();
            if (head.head >= 0)
                heads.push_back(head);
            for (int h = 0; head.head < 0 && h < (*mixer)->heads; ++h)
                heads.push_back({head.layer, head.site, h});
        }
    }
    std::sort(heads.begin(), heads.end());
    heads.erase(std::unique(heads.begin(), heads.end()), heads.end());
    return heads;
}

app::RankOptions optionsOf(const RankArguments& arguments, const InterventionSet& fixed,
                           const std::vector<HeadRef>& heads)
{
    app::RankOptions options{.fixed = fixed,
                             .heads = heads,
                             .top = arguments.top,
                             .errorProbability = arguments.error,
                             .work = arguments.work,
                             .steps = arguments.steps,
                             .agreement = arguments.agreement};
    using app::RankMethod;
    for (const RankMethod method :
         {RankMethod::Exact, RankMethod::Race, RankMethod::Estimate, RankMethod::Gather, RankMethod::Aggregate})
        if (arguments.method == app::name(method))
            options.method = method;
    return options;
}

/// What decides the numbers of a method, besides the benchmark.
json howOf(const RankArguments& arguments)
{
    if (arguments.method == app::name(app::RankMethod::Race))
        return {
            {"top", arguments.top}, {"error", arguments.error}, {"work", arguments.work}, {"finish", arguments.finish}};
    if (arguments.method == app::name(app::RankMethod::Estimate))
        return {{"points", arguments.steps}, {"agreement", arguments.agreement}};
    return json::object();
}

const char* kindOf(const Ranking& ranking)
{
    return ranking.heads.empty() ? analysis::kPairedInterval : ranking.heads.front().kind;
}

/// Only what the method knows: a number that it did not measure is null, and an estimate says that it is one.
json describeRank(const OpenModel& open, const Ranking& ranking, const engine::RankedHead& head)
{
    if (!head.fault.empty())
        return {{"head", headName(open.spec(), head.head)},
                {"value", json()},
                {"delta", json()},
                {"interval", json()},
                {"fault", head.fault}};
    const bool measured = ranking.measured(), estimated = head.estimate;
    return {{"head", headName(open.spec(), head.head)},
            {"value", head.value},
            {"delta", measured ? json(head.delta) : json()},
            {"interval", measured || estimated ? intervalJson(head.interval) : json()},
            {"p", measured ? json(head.p) : json()},
            {"margin_delta", measured || estimated ? json(head.margin) : json()},
            {"n", measured || estimated ? json(head.n) : json()},
            {"estimate", estimated}};
}

/// Corrected p-values of heads that were tested together, and which heads each cannot be distinguished from.
void describeTogether(json& heads, json& groups, const OpenModel& open, const Ranking& ranking)
{
    const engine::ManyHeads together = engine::testedTogether(ranking.heads);
    for (std::size_t i = 0; i < ranking.heads.size(); ++i) {
        if (i < heads.size() && ranking.heads[i].fault.empty()) {
            heads[i]["p_holm"] = together.holm[i];
            heads[i]["p_bh"] = together.falseDiscovery[i];
            heads[i]["group"] = together.group[i] < 0 ? json() : json(together.group[i]);
        }
        if (together.group[i] < 0)
            continue;
        groups[static_cast<std::size_t>(together.group[i])].push_back(headName(open.spec(), ranking.heads[i].head));
    }
}

json describeRank(const OpenModel& open, const engine::Benchmark& benchmark, const InterventionSet& fixed,
                  const Ranking& ranking, std::size_t top)
{
    const bool measured = ranking.measured();
    json heads = json::array();
    for (std::size_t i = 0; i < ranking.heads.size() && (top == 0 || i < top); ++i)
        heads.push_back(describeRank(open, ranking, ranking.heads[i]));
    json groups = json::array();
    if (measured)
        describeTogether(heads, groups, open, ranking);
    const tasks::Score& baseline = ranking.baseline;
    const std::string limit = measured && baseline.higherIsBetter
                                  ? analysis::name(analysis::limitOf(baseline.value, baseline.n, baseline.chance))
                                  : "";
    json reply = {{"heads", heads},
                  {"not_told_apart", measured ? groups : json()},
                  {"seconds", ranking.seconds},
                  {"method", ranking.method},
                  {"task", benchmark.set().name},
                  {"boundary", engine::isFromCommonPrefix(benchmark.set().leaves.front().version)
                                   ? engine::name(engine::Boundary::CommonPrefix)
                                   : engine::name(engine::Boundary::Harness)},
                  {"ablation", fixed.canonical()},
                  {"model", open.name},
                  {"ranked", ranking.heads.size()},
                  {"metric", measured ? json(ranking.baseline.metric) : json()},
                  {"interval_kind", measured ? json(kindOf(ranking)) : json()},
                  {"limit", limit.empty() ? json() : json(limit)},
                  {"baseline", measured ? json(ranking.baseline.value) : json()},
                  {"estimate", ranking.method == "estimate"},
                  {"n", measured ? ranking.baseline.n : static_cast<int>(benchmark.set().examples.size())}};
    if (ranking.method == app::name(app::RankMethod::Exact))
        reply["key"] = app::exactRankingKey({open.subject, open.spec(), *open.tokenizer, fixed}, benchmark);
    if (ranking.uniform)
        reply["uniform"] = *ranking.uniform;
    if (ranking.agreement)
        reply["agreement"] = *ranking.agreement;
    if (ranking.race)
        reply["race"] = {{"decided_early", ranking.race->decidedEarly()},
                         {"certain", ranking.race->certain},
                         {"error_probability", ranking.race->errorProbability},
                         {"work", ranking.race->work},
                         {"top", ranking.race->top},
                         {"examples", ranking.race->examples},
                         {"of", benchmark.set().examples.size()}};
    return reply;
}

/// How a ranking that was not measured agrees with the exact one, head by head.
json agreement(const Ranking& ranking, const Ranking& exact)
{
    std::vector<double> own, margins, scores;
    const double sign = exact.baseline.higherIsBetter ? 1 : -1;
    for (const auto& [head, same] : engine::sameHeads(ranking.heads, exact.heads)) {
        own.push_back(head->estimate || ranking.measured() ? head->margin
                                                           : -head->value); // a high pattern score foretells a loss
        margins.push_back(same->margin);
        scores.push_back(sign * same->delta);
    }
    const auto correlation = [&](const std::vector<double>& theirs) -> json {
        const auto found = analysis::spearman(own, theirs);
        return found.has_value() ? json{{"rho", found->rho}, {"p", found->p}, {"n", found->n}} : json();
    };
    json reply = {
        {"seconds", exact.seconds}, {"spearman_margin", correlation(margins)}, {"spearman_score", correlation(scores)}};
    if (ranking.race)
        reply["same_top"] = engine::sameTop(ranking.heads, exact.heads, ranking.race->top);
    return reply;
}

std::string describeMethod(const Ranking& ranking)
{
    if (ranking.measured())
        return "score without each head";
    return ranking.method == "estimate"
               ? "ESTIMATED change of the answers' log odds without each head (first order, nothing removed)"
               : ranking.method + " score";
}

void printRank(const app::RaceReport& race)
{
    if (race.exact)
        printText("the first %d are the exact ones", race.top);
    else if (race.decidedEarly())
        printText("the first %d are the exact ones with an error probability of at most %.3g", race.top,
                  race.errorProbability);
    else
        printText("of the first %d, %d are certain (error probability at most %.3g), the others the best so far",
                  race.top, race.certain, race.errorProbability);
    printText("; it took %s and %.1f %% of the runs\n", counted(race.examples, "example").c_str(), 100 * race.work);
}

constexpr std::size_t kNamesShown = 12;

void printTogether(const json& reply)
{
    printText("Holm: corrected for the chance of any false alarm among all heads; BH (Benjamini-Hochberg): for their "
              "share\n");
    for (const json& group : reply["not_told_apart"]) {
        if (group.size() < 2)
            continue;
        std::string names;
        for (std::size_t i = 0; i < group.size() && i < kNamesShown; ++i)
            names += (i == 0 ? "" : ", ") + group[i].get<std::string>();
        if (group.size() > kNamesShown)
            names += " and " + std::to_string(group.size() - kNamesShown) + " more";
        printText("cannot be distinguished by these examples: %s\n", names.c_str());
    }
}

void printRank(const OpenModel& open, const Ranking& ranking, const json& reply)
{
    const bool measured = ranking.measured();
    printText("%s\n%s on %s, %s, %s", open.provenance().c_str(), describeMethod(ranking).c_str(),
              reply["task"].get<std::string>().c_str(), counted(reply["n"].get<int>(), "example").c_str(),
              counted(reply["ranked"].get<std::size_t>(), "head").c_str());
    if (measured)
        printText("; with all of them %.4f%s", reply["baseline"].get<double>(),
                  reply["limit"] == "floor"    ? " (nothing can be lost)"
                  : reply["limit"] == "chance" ? " (not above guessing, so a loss carries no information)"
                                               : "");
    std::vector<std::vector<std::string>> rows = {
        measured                       ? std::vector<std::string>{"head", "without it", "delta",
                                                                  std::string("95 % interval (") + kindOf(ranking) + ")", "p", "Holm", "BH",
                                                                  "log odds", "n"}
        : ranking.method == "estimate" ? std::vector<std::string>{"head", "estimate", "95 % interval"}
                                       : std::vector<std::string>{"head", "score"}};
    for (const auto& head : reply["heads"]) {
        if (head.contains("fault"))
            continue; // said already
        std::vector<std::string> row = {head["head"].get<std::string>(), number(head["value"].get<double>())};
        if (measured)
            row.push_back(signedNumber(head["delta"].get<double>()));
        if (measured || ranking.method == "estimate")
            row.push_back(intervalCell(head["interval"]));
        if (measured)
            row.insert(row.end(), {pText(head["p"].get<double>()), pText(head["p_holm"].get<double>()),
                                   pText(head["p_bh"].get<double>()), signedNumber(head["margin_delta"].get<double>()),
                                   std::to_string(head["n"].get<int>())});
        rows.push_back(std::move(row));
    }
    printText("\n\n%s\n%.2f s\n", textTable(rows).c_str(), reply["seconds"].get<double>());
    if (measured)
        printTogether(reply);
    if (ranking.uniform)
        printText("a head that reads all tokens alike: %.4f\n", *ranking.uniform);
    if (ranking.race)
        printRank(*ranking.race);
    if (ranking.agreement)
        printText("from %s; as many others would rank the heads like this with a rank correlation of about %.2f\n",
                  counted(ranking.heads.front().n, "example").c_str(), *ranking.agreement);
    if (!reply.contains("exact"))
        return;
    const auto rho = [&](const char* key) {
        return reply["exact"][key].is_null() ? std::string("not defined")
                                             : number(reply["exact"][key]["rho"].get<double>());
    };
    printText("against the exact ranking (%.2f s): rank correlation %s with the change of log odds, %s with the "
              "change of score\n",
              reply["exact"]["seconds"].get<double>(), rho("spearman_margin").c_str(), rho("spearman_score").c_str());
    if (reply["exact"].contains("same_top"))
        printText("%zu of the first %d are the same\n", reply["exact"]["same_top"].get<std::size_t>(),
                  ranking.race->top);
}

// The heads that a race found, on all examples.
Result<void> finishRace(const Context& context, OpenModel& open, const engine::Benchmark& benchmark,
                        const InterventionSet& fixed, Ranking& ranking)
{
    std::vector<HeadRef> first;
    for (int i = 0; i < ranking.race->top; ++i)
        first.push_back(ranking.heads[static_cast<std::size_t>(i)].head);
    const auto whole = rankByRemoval(context, open, benchmark, fixed, first);
    if (!whole.has_value())
        return whole.error();
    std::copy(whole->heads.begin(), whole->heads.end(), ranking.heads.begin());
    ranking.baseline = whole->baseline;
    ranking.seconds += whole->seconds;
    return {};
}

Result<Ranking> rankingOf(const Context& context, const RankArguments& arguments, OpenModel& open,
                          const engine::Benchmark& benchmark, const InterventionSet& fixed,
                          const std::vector<HeadRef>& heads)
{
    const app::RankOptions options = optionsOf(arguments, fixed, heads);
    if (options.method == app::RankMethod::Exact)
        return rankByRemoval(context, open, benchmark, fixed, heads);
    auto ranking = rankHeads(context, open, benchmark, options);
    if (ranking.has_value())
        ranking->how = howOf(arguments).dump();
    if (ranking.has_value() && arguments.finish && ranking->race && !ranking->race->exact)
        if (const auto finished = finishRace(context, open, benchmark, fixed, *ranking); !finished.has_value())
            return finished.error();
    return ranking;
}

Result<void> printRanking(const Context& context, const RankArguments& arguments, OpenModel& open,
                          const engine::Benchmark& benchmark, const InterventionSet& fixed,
                          const std::vector<HeadRef>& heads, const Ranking& ranking, const MemoryReport& memory)
{
    if (const auto stored = rememberRanking(open, benchmark, fixed, ranking); !stored.has_value())
        return stored;
    for (const engine::RankedHead& head : ranking.heads)
        if (!head.fault.empty())
            context.note(head.fault);
    if (const std::string slowdown = open.scorer->slowdown(); !slowdown.empty())
        context.note(slowdown);
    json reply = describeRank(open, benchmark, fixed, ranking, static_cast<std::size_t>(arguments.top));
    if (arguments.compareExact) {
        const auto truth = rankByRemoval(context, open, benchmark, fixed, heads);
        if (!truth.has_value())
            return truth.error();
        reply["exact"] = agreement(ranking, *truth);
    }
    reply["memory"] = memory.toJson();
    if (ranking.forecast)
        reply["memory"]["forecast"] = open.loaded.resident + *ranking.forecast;
    if (context.json)
        Context::print(reply);
    else
        printRank(open, ranking, reply);
    return {};
}

// What the methods would take here; nothing is ranked.
Result<void> printRankForecast(const Context& context, OpenModel& open, const engine::Benchmark& benchmark, int steps)
{
    app::RankForecasting forecasting(open, benchmark, steps);
    for (bool more = true; more;) {
        const auto stepped = forecasting.step(context.control());
        if (!stepped.has_value())
            return stepped.error();
        more = *stepped;
    }
    const app::RankForecast forecast = forecasting.forecast();
    json methods = json::array();
    std::vector<std::vector<std::string>> rows = {{"method", "takes about", "memory"}};
    for (const app::RankCost& cost : forecast.costs) {
        methods.push_back({{"method", app::name(cost.method)},
                           {"seconds", cost.seconds},
                           {"at_most", cost.atMost},
                           {"bytes", cost.bytes}});
        rows.push_back({app::name(cost.method), fmt::format("{}{:.3g} s", cost.atMost ? "at most " : "", cost.seconds),
                        lm::sizeText(cost.bytes)});
    }
    if (context.json)
        Context::print({{"forecast", methods},
                        {"heads", forecast.heads},
                        {"examples", forecast.examples},
                        {"model", open.name},
                        {"task", benchmark.set().name}});
    else
        printText("%s, %s of %s, if nothing has been measured yet\n\n%s", counted(forecast.heads, "head").c_str(),
                  counted(forecast.examples, "example").c_str(), benchmark.set().name.c_str(), textTable(rows).c_str());
    return {};
}

SetArguments setArguments(const RankArguments& arguments)
{
    return {arguments.method, arguments.top, arguments.draws, !arguments.heads.empty()};
}

/// The states that the method measures, where they are known before it begins; else none.
std::vector<InterventionSet> rankedStates(const Context& context, const RankArguments& arguments,
                                          const InterventionSet& fixed, const std::vector<HeadRef>& heads)
{
    return arguments.method == "exact" ? engine::removalStates(fixed, heads)
                                       : setStates(context, fixed, heads, setArguments(arguments));
}

Result<void> rankPart(const Context& context, const RankArguments& arguments, OpenModel& open,
                      const std::shared_ptr<const engine::Benchmark>& benchmark, const InterventionSet& fixed,
                      const std::vector<HeadRef>& heads, const app::WorkPart& part)
{
    if (const app::RankOptions options = optionsOf(arguments, fixed, heads);
        options.method == app::RankMethod::Estimate)
        return estimatePart(context, open, *benchmark, options, part);
    auto states = rankedStates(context, arguments, fixed, heads);
    if (states.empty())
        return inputError("--method " + arguments.method
                          + " cannot be divided into parts: it measures in rounds, or in one pass over the model; "
                            "--part is for exact, estimate, random, and for pairs of heads named by --head.");
    return measurePart(context, *open.store(), part,
                       {dividedStates(context, open, benchmark, std::move(states), part)});
}

Result<void> rank(const Context& context, RankArguments arguments)
{
    const auto fixed = InterventionSet::parse(arguments.model.ablate);
    if (!fixed.has_value())
        return fixed.error();
    const auto part = partOf(context, arguments.part);
    if (!part.has_value())
        return part.error();
    if (const auto can = checkSharing(context); !can.has_value())
        return can;
    arguments.model.layerLimit = fixed->layersNeeded();
    auto opened = openModel(context, arguments.model, context.session);
    if (!opened.has_value())
        return opened.error();
    OpenModel& open = *opened;
    const auto heads = rankedHeads(arguments, open.spec());
    if (!heads.has_value())
        return heads.error();
    const auto benchmark = makeBenchmark(context, open, arguments.taskName, arguments.task.options(context),
                                         /*chat=*/false, engine::boundaryNamed(arguments.boundary));
    if (!benchmark.has_value())
        return benchmark.error();
    if (arguments.forecast)
        return printRankForecast(context, open, **benchmark, arguments.steps);
    if (*part)
        return rankPart(context, arguments, open, *benchmark, *fixed, *heads, **part);
    // A race keeps what it can of parts of the benchmark that are not known yet; an estimate forecasts for itself;
    // pattern scores do without the scorer.
    const bool forecast = arguments.method == "exact" || isSetMethod(arguments.method);
    const std::vector<InterventionSet> states = rankedStates(context, arguments, *fixed, *heads);
    const MemoryReport memory(
        context, open, forecast ? std::vector{*benchmark} : std::vector<std::shared_ptr<const engine::Benchmark>>(),
        engine::without(*fixed, *heads), states.empty() ? PortionsOf() : sharedPortions(open, states));
    if (isSetMethod(arguments.method))
        return rankSets(context, open, **benchmark, *fixed, *heads, setArguments(arguments), memory);
    const auto ranking = rankingOf(context, arguments, open, **benchmark, *fixed, *heads);
    if (!ranking.has_value())
        return ranking.error();
    return printRanking(context, arguments, open, **benchmark, *fixed, *heads, *ranking, memory);
}

} // namespace

void addRankCommand(CLI::App& app, Context& context)
{
    auto arguments = std::make_shared<RankArguments>();
    CLI::App* command =
        app.add_subcommand("rank", "rank heads by the cost of ablating them, or by a score of their pattern");
    arguments->model.addTo(*command, context);
    option(*command, "--task", arguments->taskName, "task to measure")->required();
    arguments->task.addTo(*command, context);
    const auto methods = app::findOption("--method")->choiceList();
    option(*command, "--method", arguments->method)
        ->capture_default_str()
        ->check(oneOf({methods.begin(), methods.end()}));
    option(*command, "--head", arguments->heads);
    option(*command, "--boundary", arguments->boundary)->capture_default_str();
    flag(*command, "--compare-exact", arguments->compareExact);
    flag(*command, "--forecast", arguments->forecast);
    option(*command, "--part", arguments->part);
    option(*command, "--top", arguments->top)->check(kNotNegative);
    option(*command, "--error", arguments->error)->check(CLI::Range(1e-9, 0.5))->capture_default_str();
    option(*command, "--work", arguments->work)->check(CLI::Range(0.001, 1.0))->capture_default_str();
    flag(*command, "--finish", arguments->finish);
    option(*command, "--points", arguments->steps)->check(CLI::Range(1, 64))->capture_default_str();
    option(*command, "--agreement", arguments->agreement)->check(CLI::Range(0.0, 1.0))->capture_default_str();
    option(*command, "--draws", arguments->draws)->check(CLI::Range(1, 100000))->capture_default_str();
    command->callback([&context, arguments] {
        if (arguments->compareExact && isSetMethod(arguments->method))
            throw CLI::ValidationError("--compare-exact", "--method " + arguments->method
                                                              + " ranks pairs or sets of heads, and the exact ranking "
                                                                "single ones; expected another method.");
        context.run = [&context, arguments] { return rank(context, *arguments); };
    });
}

} // namespace headscope::cli
