// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/questions/question.h"
#include "core/experiments/evidence/evidence.h"
#include "core/experiments/experimentheads.h"
#include "core/experiments/experimentlist.h"
#include "core/experiments/words/language.h"
#include "core/why/lenses/lens.h"

#include <algorithm>

namespace headscope::experiments {

namespace {

constexpr std::size_t kLensRetrievalPrompts = 64;

/// Of one layer, over prompts.
struct Layer {
    int onTop = 0;
    double logProbability = 0;
};

// By layer, the last the model's own output; `layers` has one a layer and one more.
Result<void> lookLensRetrieval(Lab& lab, Bench& bench, const tasks::TaskSet& set, const InterventionSet& removed,
                               int prompts, std::vector<Layer>& layers)
{
    const auto base = lm::resolve(removed, bench.spec(), bench.donors);
    if (!base.has_value())
        return base.error();
    for (int sample = 0; sample < prompts; ++sample) {
        const auto question = engine::questionOf(set, sample, {*bench.tokenizer, bench.bos});
        if (!question.has_value())
            return question.error();
        const auto run = why::record(*bench.model, question->ids, *base, {lab.control().stop, {}});
        if (!run.has_value())
            return run.error();
        const auto last = why::lastLens(*bench.model, *run, *question->answer);
        for (std::size_t layer = 0; layer < last.size(); ++layer) {
            layers[layer].onTop += last[layer].rank == 0 ? 1 : 0;
            layers[layer].logProbability += double{last[layer].logProbability} / prompts;
        }
        lab.control().progress(bench.name + ", lens", sample + 1, prompts);
    }
    return {};
}

Result<void> measureLensRetrieval(Lab& lab, Bench& bench)
{
    const auto heads = gatherAggregate(lab, bench);
    if (!heads.has_value())
        return heads.error();
    const std::string task = bench.suite.kv(bench.suite.pairs());
    const auto benchmark = lab.benchmark(bench, task);
    if (!benchmark.has_value())
        return benchmark.error();
    const tasks::TaskSet& set = (*benchmark)->set();
    const int prompts = static_cast<int>(std::min(kLensRetrievalPrompts, set.examples.size()));
    std::vector<std::pair<std::string, InterventionSet>> states = {{"nothing", {}}};
    for (const HeadRef& head : heads->both())
        states.emplace_back(nameOf(bench.spec(), head), without({head}));
    for (const auto& [state, removed] : states) {
        std::vector<Layer> layers(static_cast<std::size_t>(bench.layers()) + 1);
        if (lab.planning())
            lab.count(**benchmark, static_cast<double>(prompts) / static_cast<double>(set.examples.size()));
        else if (const auto seen = lookLensRetrieval(lab, bench, set, removed, prompts, layers); !seen.has_value())
            return seen;
        for (std::size_t layer = 0; layer < layers.size(); ++layer) {
            Cell top(static_cast<double>(layers[layer].onTop) / prompts);
            top.interval = analysis::wilsonInterval(layers[layer].onTop, prompts);
            top.n = prompts;
            top.task = task;
            if (const double chance = set.chanceOf(set.leaves.front()); chance > 0)
                top.chance = chance;
            lab.add({{bench.name, state, static_cast<int>(layer), top, layers[layer].logProbability,
                      heads->aggregate.front().layer + 1}});
        }
    }
    return {};
}

// The first layer from which on the answer is on top in more than half of the prompts; nothing: it never stays there.
std::optional<double> appears(const Table& own, const std::string& removed)
{
    std::optional<double> first;
    for (const Row* row : own.where("removed", removed)) {
        const bool most = own.value(*row, "top").value_or(0) > 0.5;
        first = !most ? std::nullopt : first ? first : own.value(*row, "layer");
    }
    return first;
}

std::string findingLensRetrieval(const Table& table)
{
    std::string text;
    for (const std::string& model : table.distinct("model")) {
        const Table own = table.only("model", model);
        text += (text.empty() ? "" : " ") + model + ":";
        for (const std::string& removed : own.distinct("removed")) {
            const auto first = appears(own, removed);
            const Row& last = *own.where("removed", removed).back();
            const auto top = own.value(last, "top");
            const std::string layer = first ? shown(*first, Unit::Count) : "";
            text +=
                " "
                + (removed == "nothing"
                       ? first ? translated("the answer is on top from the stream before layer {} on", layer)
                               : translated("the answer is never on top in most prompts")
                   : first ? translated("without {} it is on top from the stream before layer {} on", removed, layer)
                           : translated("without {} it is never on top in most prompts", removed))
                + (top ? " " + translated("({} at the end)", percent(*top)) : "") + ";";
        }
        text.back() = '.';
    }
    return text;
}

Judgement judgeLensRetrieval(const Evidence& evidence)
{
    const Table& table = evidence.table();
    bool behind = true;
    for (const Row* row : table.where("removed", "nothing")) {
        if (!evidence.carries(*row, "top"))
            return {Verdict::CanNotTell, translated("too few prompts")};
        const bool after = *table.value(*row, "layer") >= *table.value(*row, "behind");
        const auto& interval = table.cell(*row, "top").interval;
        behind = behind && (after ? interval->low > 0.5 : interval->high < 0.5);
    }
    int needed = 0, heads = 0;
    for (const std::string& removed : table.distinct("removed")) {
        if (removed == "nothing")
            continue;
        ++heads;
        const auto rows = table.where("removed", removed);
        needed += std::all_of(rows.begin(), rows.end(),
                              [&](const Row* row) { return table.cell(*row, "top").interval->high < 0.5; })
                      ? 1
                      : 0;
    }
    const bool all = needed == heads;
    return {behind && all          ? Verdict::Appears
            : behind || needed > 0 ? Verdict::InPart
                                   : Verdict::DoesNotAppear,
            translated(
                behind ? "the answer appears right behind the aggregate head; {} of {} heads are needed for it"
                       : "the answer does not appear only right behind the aggregate head; {} of {} heads are needed "
                         "for it",
                needed, heads)};
}

} // namespace

Experiment lensRetrieval()
{
    return {.number = {},
            .id = "lens-retrieval",
            .title = "The layer at which a retrieved value appears, with each circuit head and without it",
            .question = "At which layer does the answer appear, and which heads bring it there?",
            .claim = {},
            .source = "beyond the paper: logit lens (nostalgebraist 2020) on its retrieval task",
            .rule = "Appears: the value is the likeliest token in more than half of the prompts (95 % interval) behind "
                    "the aggregate head's layer and in fewer before it, and with the gather or the aggregate head "
                    "removed in fewer at every layer. In part: one of the two.",
            .setting =
                "The stream before each layer through final norm and head, at the last position of KV retrieval.",
            .scaled = "toy_kv with 8 pairs, 64 prompts; both heads are found by removing every head once.",
            .assumed = "The lens is the model's own final norm and head, without training (no tuned lens).",
            .needs = {"kv_retrieval"},
            .models = {"tiny-transformer", "tiny-ssm", "tiny-hybrid"},
            .paperModels = {},
            .columns = {{"model", "model"},
                        {"removed", "removed"},
                        {"layer", "before layer", Unit::Count},
                        {"top", "answer on top", Unit::Share, Source::Benchmark},
                        {"logprob", "log-probability", Unit::Number},
                        {"behind", "behind the aggregate head", Unit::Count}},
            .charts = {{"Answer on top by layer", "layer", {"top"}, {"model", "removed"}}},
            .paper = {},
            .run = eachModel(measureLensRetrieval),
            .finding = findingLensRetrieval,
            .judge = byModel(judgeLensRetrieval)};
}

} // namespace headscope::experiments
