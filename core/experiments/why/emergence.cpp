// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/questions/headchanges.h"
#include "core/engine/questions/probetexts.h"
#include "core/experiments/evidence/evidence.h"
#include "core/experiments/experimentheads.h"
#include "core/experiments/experimentlist.h"
#include "core/experiments/words/language.h"
#include "core/why/probes.h"

#include <algorithm>
#include <array>

namespace headscope::experiments {

namespace {

constexpr std::size_t kLeastCheckpoints = 3;
constexpr std::array<const char*, 2> kHeadRoles = {"gather", "aggregate"};

// A checkpoint whose name does not end with a step counts by its place in the list.
double stepOf(const std::string& name, std::size_t place)
{
    return static_cast<double>(engine::trainingStep(name).value_or(static_cast<std::int64_t>(place)));
}

/// What attention shows at one checkpoint.
struct Attention {
    double reads = 0;     ///< retrieval score of the aggregate head: share of answers that its rows read most
    double induction = 0; ///< the highest induction score
};

Result<Attention> attentionOf(Lab& lab, const Bench& bench, const tasks::TaskSet& set, const HeadRef& reader)
{
    const auto rows = engine::retrievalRows(set, {*bench.tokenizer, bench.bos});
    if (!rows.has_value())
        return rows.error();
    const auto sequences = why::repeatedSequences(
        *bench.model, engine::repeatedTokens(*bench.tokenizer, bench.spec(), lab.settings().seed));
    if (!sequences.has_value())
        return sequences.error();
    const auto base = lm::resolve({}, bench.spec(), bench.donors);
    const auto heads = why::probeHeads(*bench.model, *base, *sequences, *rows, {lab.control().stop, {}});
    if (!heads.has_value())
        return heads.error();
    Attention found;
    for (const why::HeadProbe& head : *heads) {
        found.induction = std::max(found.induction, why::scoreOf(head, "induction"));
        if (head.layer == reader.layer && head.head == reader.head
            && (reader.site == interventions::Site::Any || reader.site == head.site))
            found.reads = head.retrieval;
    }
    return found;
}

Result<void> measureCheckpoint(Lab& lab, Bench& bench, const GatherAggregate& heads, std::size_t place)
{
    const std::string task = bench.suite.kv(bench.suite.pairs());
    const auto benchmark = lab.benchmark(bench, task);
    if (!benchmark.has_value())
        return benchmark.error();
    const auto whole = lab.score(bench, task, {});
    if (!whole.has_value())
        return whole.error();
    Row row{{bench.name, stepOf(bench.name, place), whole->cell()}};
    for (const auto& removed : {heads.gather, heads.aggregate}) {
        const auto now = removed.empty() ? whole : lab.score(bench, task, without({removed.front()}));
        if (!now.has_value())
            return now.error();
        Cell cell = now->cell();
        const auto contrast = lab.planning() ? Result<Contrast>(Contrast()) : lab.contrast(*whole, *now);
        if (!contrast.has_value())
            return contrast.error();
        cell.contrast = *contrast;
        row.cells.push_back(std::move(cell));
    }
    const HeadRef& reader = heads.aggregate.front();
    if (lab.planning())
        lab.count(**benchmark, 1);
    const auto attention =
        lab.planning() ? Result<Attention>(Attention()) : attentionOf(lab, bench, (*benchmark)->set(), reader);
    if (!attention.has_value())
        return attention.error();
    row.cells.emplace_back(attention->reads);
    row.cells.emplace_back(attention->induction);
    row.cells.emplace_back(heads.gather.empty() ? "" : nameOf(bench.spec(), heads.gather.front()));
    row.cells.emplace_back(nameOf(bench.spec(), reader));
    lab.add(std::move(row));
    return {};
}

Result<void> runEmergence(Lab& lab)
{
    // The heads are those of the last checkpoint.
    const auto& models = lab.models();
    std::size_t latest = 0;
    for (std::size_t i = 0; i < models.size(); ++i)
        if (stepOf(models[i], i) >= stepOf(models[latest], latest))
            latest = i;
    const auto last = lab.open(models[latest]);
    if (!last.has_value())
        return last.error();
    const auto heads = gatherAggregate(lab, **last);
    if (!heads.has_value())
        return heads.error();
    std::size_t place = 0;
    return forEachModel(lab, [&](const auto& bench) { return measureCheckpoint(lab, *bench, *heads, place++); });
}

/// The checkpoints in the order of their steps, however they were named.
Table inOrder(Table table)
{
    std::ranges::stable_sort(table.rows, {}, [&](const Row& row) { return table.value(row, "step").value_or(0); });
    return table;
}

/// The first row from which on a number is at least half of the way from 0 (or guessing) to its last one.
const Row* halfWay(const Table& table, const std::string& key)
{
    const Cell& end = table.cell(table.rows.back(), key);
    const double floor = end.chance.value_or(0), half = floor + (end.value.value_or(0) - floor) / 2;
    const Row* first = nullptr;
    for (const Row& row : table.rows) {
        const bool above = table.value(row, key).value_or(0) >= half;
        first = !above ? nullptr : first ? first : &row;
    }
    return first;
}

std::string stepText(const Table& table, const Row* row)
{
    return row ? shown(*table.value(*row, "step"), Unit::Count) : translated("none");
}

std::string findingEmergence(const Table& measured)
{
    const Table table = inOrder(measured);
    if (table.rows.empty())
        return {};
    const Row& last = table.rows.back();
    const auto& kv = table.cell(last, "kv");
    std::string text = translated(
        "Retrieval reaches half of its final score ({}) at step {}, the retrieval score of {} at step {} ({} at the "
        "end), the highest induction score at step {} ({} at the end).",
        percent(kv), stepText(table, halfWay(table, "kv")), table.text(last, "aggregate"),
        stepText(table, halfWay(table, "reads")), percent(*table.value(last, "reads")),
        stepText(table, halfWay(table, "induction")), percent(*table.value(last, "induction")));
    for (const std::string role : kHeadRoles)
        if (const Cell& cell = table.cell(last, "without_" + role); cell.value && !table.text(last, role).empty())
            text += " " + translated("Without {}, {} is left at the end.", table.text(last, role), percent(cell));
    return text;
}

Judgement judgeEmergence(const Table& measured)
{
    const Evidence evidence(inOrder(measured));
    const Table& table = evidence.table();
    if (table.rows.size() < kLeastCheckpoints)
        return {Verdict::CanNotTell, translated("fewer than three checkpoints")};
    const Row &first = table.rows.front(), &last = table.rows.back();
    if (!evidence.carries(first, "kv") || !evidence.carries(last, "kv"))
        return {Verdict::CanNotTell, translated("too few examples")};
    const bool learned = evidence.answers(last, "kv") && evidence.below(first, last, "kv");
    const Cell& whole = table.cell(last, "kv");
    const double floor = whole.chance.value_or(0);
    bool carried = false;
    for (const std::string role : kHeadRoles) {
        const std::string key = "without_" + role;
        carried =
            carried || (evidence.falls(last, key) && *table.value(last, key) - floor <= (*whole.value - floor) / 2);
    }
    const Row *retrieval = halfWay(table, "kv"), *reading = halfWay(table, "reads");
    const bool before = retrieval && reading && reading <= retrieval && reading != &first;
    return {!learned            ? Verdict::DoesNotAppear
            : carried && before ? Verdict::Appears
            : carried || before ? Verdict::InPart
                                : Verdict::DoesNotAppear,
            translated(learned ? "Retrieval is learned between the first and the last checkpoint"
                               : "Retrieval is not learned between the first and the last checkpoint")
                + ", "
                + translated(before ? "the aggregate head reads the value by then"
                                    : "the aggregate head does not read the value by then, or did so from the start")
                + ", "
                + translated(carried ? "and a single head carries it at the end."
                                     : "and no single head carries it at the end.")};
}

} // namespace

Experiment emergence()
{
    return {.number = {},
            .id = "emergence",
            .title = "Retrieval, its heads and induction by training step",
            .question = "When do gather and aggregate heads appear during training?",
            .claim = {},
            .source = "beyond the paper: induction heads form in one short phase of training (Olsson et al. 2022); the "
                      "same question for gather and aggregate heads",
            .rule = "Appears: KV retrieval is higher at the last checkpoint than at the first (intervals apart); the "
                    "aggregate head of the last checkpoint reaches half of its final retrieval score (the share of the "
                    "answers' tokens that are the largest entry of the row that predicts them) no later than retrieval "
                    "reaches half of its final score, and not at the first checkpoint already; and removing the gather "
                    "or the aggregate head costs at least half of retrieval at the end. In part: retrieval is learned, "
                    "and one of the other two holds.",
            .setting = "The checkpoints of one training run (train --checkpoint-every, or step-N folders of published "
                       "models), each named with --model.",
            .scaled = "The first 1,500 steps of small-transformer-base from noise, on dictionaries of the size used "
                      "for ranking; the heads are found by removing each head of the last checkpoint once.",
            .assumed = "A checkpoint's step is the number at the end of its name.",
            .needs = {"kv_retrieval"},
            .models = {"tiny-transformer"},
            .paperModels = {},
            .columns = {{"model", "checkpoint", Unit::Text, Source::Checkpoints},
                        {"step", "step", Unit::Count},
                        {"kv", "KV retrieval", Unit::Share, Source::Benchmark},
                        {"without_gather", "without the gather head", Unit::Share},
                        {"without_aggregate", "without the aggregate head", Unit::Share},
                        {"reads", "retrieval score of the aggregate head", Unit::Share},
                        {"induction", "highest induction score", Unit::Share},
                        {"gather", "gather head"},
                        {"aggregate", "aggregate head"}},
            .charts = {{"Retrieval by training step", "step", {"kv", "without_gather", "without_aggregate"}, {}},
                       {"Attention by training step", "step", {"reads", "induction"}, {}}},
            .paper = {},
            .run = runEmergence,
            .finding = findingEmergence,
            .judge = judgeEmergence};
}

} // namespace headscope::experiments
