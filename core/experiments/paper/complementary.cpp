// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/evidence/evidence.h"
#include "core/experiments/experimentheads.h"
#include "core/experiments/experimentlist.h"
#include "core/experiments/words/language.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace headscope::experiments {

namespace {

constexpr std::size_t kMostPaired = 8; // pairs grow with the square
constexpr double kAdditiveBand = 0.1;  // of the sum: closer than this is called additive
constexpr double kNothing = 0.05;      // nats: less is no effect

/// Nats that a removal costs per right answer.
double cost(const Measured& before, const Measured& now)
{
    return std::log(now.value) - std::log(before.value); // perplexities
}

/// Of every row what the right answer costs, in nats; both are of the same benchmark, rows that were not scored are 0
/// in all of them.
std::vector<double> losses(const Measured& measured)
{
    std::vector<double> all;
    for (std::size_t i = 0; i < measured.rows->outcomes.size(); ++i) {
        const auto& outcome = measured.rows->outcomes[i];
        const auto gold = static_cast<std::size_t>(std::max(measured.benchmark->set().examples[i].gold, 0));
        all.push_back(outcome && gold < outcome->logLikelihoods.size() ? -outcome->logLikelihoods[gold] : 0);
    }
    return all;
}

/// What both cost together beyond the sum of each alone, row by row (paired t).
Result<Cell> interaction(const Measured& whole, const Measured& one, const Measured& other, const Measured& both)
{
    const auto none = losses(whole), a = losses(one), b = losses(other), together = losses(both);
    std::vector<double> sum;
    for (std::size_t i = 0; i < none.size(); ++i)
        sum.push_back(a[i] + b[i] - none[i]);
    const auto t = analysis::pairedT(sum, together);
    if (!t.has_value())
        return t.error();
    Cell cell(t->difference);
    cell.interval = t->interval;
    cell.n = static_cast<int>(sum.size());
    cell.contrast = Contrast{t->difference, t->interval, t->p, cell.n};
    return cell;
}

/// A difference from the sum that is small, or within its interval, is none.
std::string kindOf(double a, double b, double both, const Cell& interaction)
{
    if (a < kNothing && b < kNothing)
        return both < kNothing ? "no effect" : "redundant";
    const double sum = a + b;
    const bool apart = interaction.interval && (interaction.interval->low > 0 || interaction.interval->high < 0);
    if (!apart || std::abs(both - sum) <= kAdditiveBand * sum)
        return "additive";
    return both > sum ? "redundant" : "one chain";
}

Result<void> measureComplementary(Lab& lab, Bench& bench)
{
    const std::string task = bench.suite.kv(bench.suite.pairs());
    const auto ranked = lab.rank(bench, task);
    if (!ranked.has_value())
        return ranked.error();
    std::vector<HeadRef> heads;
    for (const engine::RankedHead& head : ranked->heads)
        if (heads.size() < kMostPaired
            && std::find(ranked->live.begin(), ranked->live.end(), head.head) != ranked->live.end())
            heads.push_back(head.head);
    const auto whole = lab.perplexity(bench, task, {});
    if (!whole.has_value())
        return whole.error();
    std::map<HeadRef, Measured> alone;
    for (const HeadRef& head : heads) {
        const auto now = lab.perplexity(bench, task, without({head}));
        if (!now.has_value())
            return now.error();
        alone[head] = *now;
    }
    for (std::size_t i = 0; i < heads.size(); ++i)
        for (std::size_t j = i + 1; j < heads.size(); ++j) {
            const auto now = lab.perplexity(bench, task, without({heads[i], heads[j]}));
            if (!now.has_value())
                return now.error();
            if (lab.planning())
                continue;
            const Measured &one = alone[heads[i]], &other = alone[heads[j]];
            const auto beyond = interaction(*whole, one, other, *now);
            if (!beyond.has_value())
                return beyond.error();
            const double a = cost(*whole, one), b = cost(*whole, other), both = cost(*whole, *now);
            lab.add({{bench.name, nameOf(bench.spec(), heads[i]), nameOf(bench.spec(), heads[j]), a, b, both, *beyond,
                      kindOf(a, b, both, *beyond)}});
        }
    return {};
}

std::string findingComplementary(const Table& table)
{
    std::string text;
    for (const std::string& model : table.distinct("model")) {
        const Table own = table.only("model", model);
        text += (text.empty() ? "" : " ") + translated("{}, {} pairs of heads:", model, own.rows.size());
        for (const std::string kind : {"additive", "redundant", "one chain", "no effect"}) {
            const auto rows = own.where("kind", kind);
            text += " " + std::to_string(rows.size()) + " " + translatedName(kind);
            if (kind != "no effect" && !rows.empty()) {
                const Row* most = *std::max_element(rows.begin(), rows.end(), [&](const Row* a, const Row* b) {
                    return std::abs(own.value(*a, "interaction").value_or(0))
                           < std::abs(own.value(*b, "interaction").value_or(0));
                });
                text += " " + translated("(most: {} and {})", own.text(*most, "head"), own.text(*most, "other"));
            }
            text += ",";
        }
        text.back() = '.';
    }
    return text;
}

Judgement judgeComplementary(const Evidence& evidence)
{
    const Table& table = evidence.table();
    int chains = 0, tested = 0;
    for (const Row& row : table.rows) {
        if (table.text(row, "kind") == "no effect" || !evidence.carries(row, "interaction"))
            continue;
        ++tested;
        chains += table.text(row, "kind") == "one chain" && evidence.falls(row, "interaction") ? 1 : 0;
    }
    if (tested == 0)
        return {Verdict::CanNotTell, translated("no pair of heads costs anything on enough rows")};
    return {chains > 0 ? Verdict::Appears : Verdict::DoesNotAppear,
            translated("{} of {} pairs that cost anything are one chain", chains, tested)};
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
                    "more than 10 % (paired t test over the rows, Holm over all pairs, p < 0.05). Does not appear: "
                    "pairs are additive or redundant. Without a pair that costs anything: inconclusive.",
            .setting =
                "Not in the paper; its outlook asks whether gather-and-aggregate heads are exclusive or complementary.",
            .scaled = "toy_kv with 8 pairs; the 8 costliest heads that have an output.",
            .assumed = "Costs are nats of the right answer's log-likelihood, which does not end at zero as accuracy "
                       "does. Additive: both together cost the sum within 10 %, or within the interval. Redundant: "
                       "more than the sum. "
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
            .run = eachModel(measureComplementary),
            .finding = findingComplementary,
            .judge = byModel(judgeComplementary)};
}

} // namespace headscope::experiments
