// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/rankcommand.h"

#include "app/cli/prompt.h"
#include "app/cli/rankrun.h"
#include "app/cli/scorerun.h"
#include "app/cli/texttable.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>

namespace headscope::cli {

using interventions::HeadRef;
using interventions::InterventionSet;
using nlohmann::json;

namespace {

struct Arguments {
    ModelArguments model;
    TaskArguments task;
    std::string taskName;
    std::string method = "exact";
    std::vector<std::string> heads;
    int top = 0;
};

// "L1H0-3,L2H1,3" is split where a comma is followed by a layer.
std::vector<std::string> splitHeads(const std::vector<std::string>& texts)
{
    std::vector<std::string> parts;
    for (const std::string& text : texts) {
        std::size_t begin = 0;
        for (std::size_t comma = text.find(",L"); comma != std::string::npos; comma = text.find(",L", begin)) {
            parts.push_back(text.substr(begin, comma - begin));
            begin = comma + 1;
        }
        parts.push_back(text.substr(begin));
    }
    return parts;
}

Result<std::vector<HeadRef>> headsOf(const Arguments& arguments, const lm::ModelSpec& spec)
{
    if (arguments.heads.empty())
        return engine::allHeads(spec);
    std::vector<HeadRef> heads;
    for (const std::string& text : splitHeads(arguments.heads)) {
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

Result<Ranking> rankByLooks(const Context& context, const Arguments& arguments, const OpenModel& open, const engine::Benchmark& benchmark,
                            const InterventionSet& fixed, const std::vector<HeadRef>& heads)
{
    const auto started = std::chrono::steady_clock::now();
    Ranking ranking{.method = arguments.method};
    const auto kind = arguments.method == "gather" ? engine::PatternScore::Gather : engine::PatternScore::Aggregate;
    auto ranked = engine::rankByPattern(*open.loaded.model, *open.tokenizer, benchmark.set().examples, kind, fixed, context.control());
    if (!ranked.has_value())
        return ranked.error();
    for (const engine::RankedHead& head : *ranked)
        if (arguments.heads.empty() || std::find(heads.begin(), heads.end(), head.head) != heads.end())
            ranking.heads.push_back(head);
    ranking.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    return ranking;
}

json describe(const OpenModel& open, const engine::Benchmark& benchmark, const InterventionSet& fixed, const Ranking& ranking, std::size_t top)
{
    const bool exact = ranking.method == "exact";
    json heads = json::array();
    for (std::size_t i = 0; i < ranking.heads.size() && (top == 0 || i < top); ++i) {
        const engine::RankedHead& head = ranking.heads[i];
        heads.push_back({{"head", headName(open.spec(), head.head)},
                         {"value", head.value},
                         {"delta", exact ? json(head.delta) : json()},
                         {"interval", exact ? json({head.interval.low, head.interval.high}) : json()},
                         {"p", exact ? json(head.p) : json()}});
    }
    return {{"heads", heads},   {"seconds", ranking.seconds}, {"method", ranking.method}, {"task", benchmark.set().name}, {"ablation", fixed.canonical()},
            {"model", open.name}, {"ranked", ranking.heads.size()}, {"metric", exact ? json(ranking.baseline.metric) : json()},
            {"baseline", exact ? json(ranking.baseline.value) : json()}, {"n", exact ? ranking.baseline.n : static_cast<int>(benchmark.set().examples.size())}};
}

void printForPeople(const OpenModel& open, const json& told, bool exact)
{
    std::printf("%s\n%s on %s, %d examples, %zu heads", open.provenance().c_str(), exact ? "score without each head" : (told["method"].get<std::string>() + " score").c_str(),
                told["task"].get<std::string>().c_str(), told["n"].get<int>(), told["ranked"].get<std::size_t>());
    if (exact)
        std::printf("; with all of them %.4f", told["baseline"].get<double>());
    std::vector<std::vector<std::string>> rows = {exact ? std::vector<std::string>{"head", "without it", "delta", "95 % interval", "p"} : std::vector<std::string>{"head", "score"}};
    for (const auto& head : told["heads"]) {
        std::vector<std::string> row = {head["head"].get<std::string>(), number(head["value"].get<double>())};
        if (exact)
            row.insert(row.end(), {signedNumber(head["delta"].get<double>()), intervalText({head["interval"][0].get<double>(), head["interval"][1].get<double>()}),
                                   pText(head["p"].get<double>())});
        rows.push_back(std::move(row));
    }
    std::printf("\n\n%s\n%.2f s\n", textTable(rows).c_str(), told["seconds"].get<double>());
}

Result<void> rank(const Context& context, const Arguments& arguments)
{
    const auto fixed = InterventionSet::parse(arguments.model.ablate);
    if (!fixed.has_value())
        return fixed.error();
    auto opened = openModel(context, arguments.model, engine::BosPolicy::Never, context.session);
    if (!opened.has_value())
        return opened.error();
    OpenModel& open = *opened;
    const auto heads = headsOf(arguments, open.spec());
    if (!heads.has_value())
        return heads.error();
    const auto benchmark = makeBenchmark(context, open, arguments.taskName, arguments.task.options(context));
    if (!benchmark.has_value())
        return benchmark.error();
    const bool exact = arguments.method == "exact";
    const auto ranking = exact ? rankByRemoval(context, open, **benchmark, *fixed, *heads)
                               : rankByLooks(context, arguments, open, **benchmark, *fixed, *heads);
    if (!ranking.has_value())
        return ranking.error();
    if (const auto stored = rememberRanking(open, **benchmark, *fixed, *ranking); !stored.has_value())
        return stored;
    const json told = describe(open, **benchmark, *fixed, *ranking, static_cast<std::size_t>(arguments.top));
    if (context.json)
        Context::print(told);
    else
        printForPeople(open, told, exact);
    return {};
}

} // namespace

void addRankCommand(CLI::App& app, Context& context)
{
    auto arguments = std::make_shared<Arguments>();
    CLI::App* command = app.add_subcommand("rank", "heads in order of what their removal costs, or of a pattern score");
    arguments->model.addTo(*command);
    command->add_option("--task", arguments->taskName, "the task that is measured")->required();
    arguments->task.addTo(*command);
    command->add_option("--method", arguments->method, "exact: remove one after the other; gather, aggregate: by what they look at")
        ->check(CLI::IsMember({"exact", "gather", "aggregate"}))
        ->capture_default_str();
    command->add_option("--heads", arguments->heads, "only these: L1H0-3,L2H*; without it all")->allow_extra_args(false);
    command->add_option("--top", arguments->top, "tell only the first so many; 0: all")->check(CLI::NonNegativeNumber);
    command->callback([&context, arguments] { context.run = [&context, arguments] { return rank(context, *arguments); }; });
}

} // namespace headscope::cli
