// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/paper/complementary.h"

#include "core/experiments/evidence.h"
#include "core/experiments/heads.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace headscope::experiments {

namespace {

constexpr std::size_t kMostHeads = 8; // pairs grow with the square
constexpr double kAdditiveBand = 0.1; // of the sum: closer than this is called additive
constexpr double kNothing = 0.05;     // nats: less is no effect

/// Nats that a removal costs per right answer.
double cost(const Measured& before, const Measured& now)
{
    return std::log(now.value) - std::log(before.value); // perplexities
}

std::string kindOf(double a, double b, double both)
{
    if (a < kNothing && b < kNothing)
        return both < kNothing ? "no effect" : "redundant";
    const double sum = a + b;
    if (std::abs(both - sum) <= kAdditiveBand * sum)
        return "additive";
    return both > sum ? "redundant" : "one chain";
}

Result<void> measure(Lab& lab, Bench& bench)
{
    const std::string task = bench.suite.kv(bench.suite.pairs());
    const auto ranked = lab.rank(bench, task);
    if (!ranked.has_value())
        return ranked.error();
    std::vector<HeadRef> heads;
    for (const engine::RankedHead& head : ranked->heads)
        if (heads.size() < kMostHeads
            && std::find(ranked->live.begin(), ranked->live.end(), head.head) != ranked->live.end())
            heads.push_back(head.head);
    const auto whole = lab.perplexity(bench, task, {});
    if (!whole.has_value())
        return whole.error();
    std::map<HeadRef, double> alone;
    for (const HeadRef& head : heads) {
        const auto now = lab.perplexity(bench, task, without({head}));
        if (!now.has_value())
            return now.error();
        alone[head] = lab.planning() ? 0 : cost(*whole, *now);
    }
    for (std::size_t i = 0; i < heads.size(); ++i)
        for (std::size_t j = i + 1; j < heads.size(); ++j) {
            const auto now = lab.perplexity(bench, task, without({heads[i], heads[j]}));
            if (!now.has_value())
                return now.error();
            const double a = alone[heads[i]], b = alone[heads[j]], both = lab.planning() ? 0 : cost(*whole, *now);
            lab.add({{bench.name, nameOf(bench.spec(), heads[i]), nameOf(bench.spec(), heads[j]), a, b, both,
                      both - a - b, kindOf(a, b, both)}});
        }
    return {};
}

Result<void> run(Lab& lab)
{
    return forEachModel(lab, [&](Bench& bench) { return measure(lab, bench); });
}

std::string finding(const Table& table)
{
    std::string text;
    for (const std::string& model : table.distinct("model")) {
        const Table own = table.only("model", model);
        text += (text.empty() ? "" : " ") + model + ", " + std::to_string(own.rows.size()) + " pairs of heads:";
        for (const std::string kind : {"additive", "redundant", "one chain", "no effect"}) {
            const auto rows = own.where("kind", kind);
            text += " " + std::to_string(rows.size()) + " " + kind;
            if (kind != "no effect" && !rows.empty()) {
                const Row* most = *std::max_element(rows.begin(), rows.end(), [&](const Row* a, const Row* b) {
                    return std::abs(own.value(*a, "interaction").value_or(0))
                           < std::abs(own.value(*b, "interaction").value_or(0));
                });
                text += " (most: " + own.text(*most, "head") + " and " + own.text(*most, "other") + ")";
            }
            text += ",";
        }
        text.back() = '.';
    }
    return text;
}

Judgement judgeModel(const Evidence& evidence)
{
    const Table& table = evidence.table();
    const auto chains = table.where("kind", "one chain").size(), additive = table.where("kind", "additive").size(),
               redundant = table.where("kind", "redundant").size();
    const std::string numbers = std::to_string(chains) + " pairs are one chain, " + std::to_string(additive)
                                + " additive, " + std::to_string(redundant) + " redundant";
    if (chains + additive + redundant == 0)
        return {Verdict::CanNotTell, "no pair of heads costs anything"};
    return {chains > 0 ? Verdict::Appears : Verdict::DoesNotAppear, numbers};
}

Judgement judge(const Table& table)
{
    return judgeModels(table, judgeModel);
}

} // namespace

Experiment complementary()
{
    return {.id = "complementary",
            .title = "Heads removed in pairs: additive, redundant or needed together",
            .question = "Are the heads exclusive or complementary?",
            .claim = "",
            .source = "Bick, Xing and Gu 2025, talk, what's next",
            .rule = "Appears: some pair of heads is one chain: both together cost less than the sum of each alone, by "
                    "more than 10 %. Does not appear: pairs are additive or redundant. Without a pair that costs "
                    "anything it can not be told.",
            .setting =
                "Not in the paper; its outlook asks whether gather-and-aggregate heads are exclusive or complementary.",
            .scaled = "toy_kv with 8 pairs; the 8 costliest heads that have an output.",
            .assumed = "Costs are nats of the right answer's log-likelihood, which does not end at zero as accuracy "
                       "does. Additive: both together cost the sum within 10 %. Redundant: more than the sum. "
                       "One chain: less than the sum, because either removal already breaks what the other one needs.",
            .needs = {"kv_retrieval"},
            .models = {"tiny-transformer"},
            .columns = {{"model", "model"},
                        {"head", "head"},
                        {"other", "other head"},
                        {"first", "cost alone", Unit::Number},
                        {"second", "other alone", Unit::Number},
                        {"both", "both", Unit::Number},
                        {"interaction", "interaction", Unit::Number},
                        {"kind", "kind"}},
            .charts =
                {{"Interaction of two removals (nats)", "head", {"interaction", "other"}, {"model"}, Chart::Kind::Map}},
            .run = run,
            .finding = finding,
            .judge = judge};
}

} // namespace headscope::experiments
