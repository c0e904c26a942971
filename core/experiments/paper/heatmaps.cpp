// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/pattern/patterns.h"
#include "core/experiments/evidence/evidence.h"
#include "core/experiments/experimentheads.h"
#include "core/experiments/experimentlist.h"
#include "core/experiments/words/language.h"

#include <algorithm>
#include <cmath>

namespace headscope::experiments {

namespace {

constexpr std::size_t kHeatmapsPrompts = 32;

/// Means over prompts of what one head's matrices show.
struct Look {
    analysis::RowScores rows;
    double onTarget = 0, gather = 0, squares = 0; ///< squares: of the effective tokens of one prompt
    int prompts = 0;

    void add(const Matrix& matrix, const std::vector<analysis::TokenSegment>& segments, bool gathers)
    {
        std::vector<int> queries = {matrix.rows - 1};
        if (gathers) {
            queries.clear();
            for (const auto& segment : segments)
                queries.push_back(segment.end - 1);
        }
        double tokens = 0;
        for (const int query : queries) {
            const auto scores = analysis::rowScores(matrix.row(query), query);
            const double part = 1.0 / static_cast<double>(queries.size());
            rows.entropy += part * scores.entropy;
            tokens += part * scores.effectiveTokens;
            rows.sinkMass += part * scores.sinkMass;
        }
        rows.effectiveTokens += tokens;
        squares += tokens * tokens;
        onTarget += analysis::targetMass(matrix, segments);
        gather += analysis::gatherScore(matrix, segments);
        ++prompts;
    }

    /// Of the mean over prompts, 95 %.
    [[nodiscard]] Cell effective() const
    {
        Cell cell;
        if (prompts < 2)
            return cell;
        const double mean = rows.effectiveTokens / prompts;
        const double error = std::sqrt(std::max(0.0, squares / prompts - mean * mean) / (prompts - 1));
        cell.value = mean;
        cell.interval = analysis::meanInterval(mean, error, prompts);
        cell.n = prompts;
        return cell;
    }
};

Result<void> lookHeatmaps(Lab& lab, Bench& bench, const engine::Benchmark& benchmark, const std::string& role,
                          const HeadRef& head)
{
    const auto& examples = benchmark.set().examples;
    const tasks::PairEncoding pairing = benchmark.set().leaves.front().pairing;
    Look look;
    look.rows.effectiveTokens = 0;
    for (std::size_t i = 0; i < std::min(kHeatmapsPrompts, examples.size()) && !lab.planning(); ++i) {
        const auto encoding = engine::encodeText(examples[i].context, pairing, *bench.tokenizer, bench.bos);
        if (!encoding.has_value())
            return encoding.error();
        const auto captured = engine::patterns(*bench.model, encoding->ids, {head}, {{}, {.withD = false}, {}},
                                               bench.donors, lab.control());
        if (!captured.has_value())
            return captured.error();
        const auto segments = engine::tokenSegments(examples[i], *encoding);
        if (segments.empty())
            continue;
        look.add(captured->front().matrix, segments, role == "gather");
        if (i == 0)
            lab.show({bench.name, head, role, examples[i], pairing, encoding->ids, captured->front().matrix});
    }
    const bool attention =
        bench.spec().layers[static_cast<std::size_t>(head.layer)].find(head.site)->kind == lm::MixerKind::Attention;
    const auto mean = [&](double sum) { return look.prompts > 0 ? Cell(sum / look.prompts) : Cell(); };
    lab.add({{bench.name, nameOf(bench.spec(), head), role, attention ? "attention" : "SSM", mean(look.rows.entropy),
              look.effective(), mean(look.rows.sinkMass), mean(look.onTarget), mean(look.gather)}});
    return {};
}

Result<void> measureHeatmaps(Lab& lab, Bench& bench)
{
    const auto heads = gatherAggregate(lab, bench);
    if (!heads.has_value())
        return heads.error();
    const auto benchmark = lab.benchmark(bench, bench.suite.kv(bench.suite.pairs()));
    if (!benchmark.has_value())
        return benchmark.error();
    for (const HeadRef& head : heads->gather)
        if (const auto done = lookHeatmaps(lab, bench, **benchmark, "gather", head); !done.has_value())
            return done;
    for (const HeadRef& head : heads->aggregate)
        if (const auto done = lookHeatmaps(lab, bench, **benchmark, "aggregate", head); !done.has_value())
            return done;
    return {};
}

std::string findingHeatmaps(const Table& table)
{
    std::string text;
    for (const std::string role : {"gather", "aggregate"}) {
        text += (text.empty() ? "" : " ")
                + translated(role == "gather" ? "Gather heads, rows of the values:" : "Aggregate heads, last row:");
        for (const Row* row : table.where("role", role)) {
            const auto tokens = table.value(*row, "effective"),
                       mass = table.value(*row, role == "gather" ? "gather" : "target");
            if (tokens && mass)
                text += " "
                        + translated(
                            role == "gather" ? "{} of {} ({}) spreads over {} tokens with {} on its own pair;"
                                             : "{} of {} ({}) spreads over {} tokens with {} on the right value;",
                            table.text(*row, "head"), table.text(*row, "model"),
                            translatedName(table.text(*row, "kind")), shown(*tokens, Unit::Number), percent(*mass));
        }
        text.back() = '.';
    }
    return text;
}

Judgement judgeHeatmaps(const Table& table)
{
    std::vector<Verdict> verdicts;
    std::string why;
    for (const std::string role : {"gather", "aggregate"}) {
        double widest = 0, narrowest = 1e9; // upper end of attention, lower end of SSM
        int attention = 0, recurrent = 0;
        for (const Row* row : table.where("role", role)) {
            const Cell& cell = table.cell(*row, "effective");
            if (!cell.interval || cell.n < kLeastRows)
                continue;
            const bool attends = table.text(*row, "kind") == "attention";
            (attends ? attention : recurrent) += 1;
            if (attends)
                widest = std::max(widest, cell.interval->high);
            else
                narrowest = std::min(narrowest, cell.interval->low);
        }
        if (attention == 0 || recurrent == 0)
            continue;
        verdicts.push_back(widest < narrowest ? Verdict::Appears : Verdict::DoesNotAppear);
        why += (why.empty() ? "" : "; ")
               + translated("{}: attention at most {} effective tokens, SSM at least {}", translatedName(role),
                            shown(widest, Unit::Number), shown(narrowest, Unit::Number));
    }
    return {together(verdicts), why.empty() ? translated("only one kind of head was found, or too few prompts") : why};
}

} // namespace

Experiment heatmaps()
{
    return {.number = "E5",
            .id = "heatmaps",
            .title = "What gather and aggregate heads look at: attention beside SSM",
            .question = "Is attention peaked where SSM heads are diffuse?",
            .claim = "Gather and aggregate heads of SSMs look alike but smoother and noisier than attention's.",
            .source = "Bick, Xing and Gu 2025, talk, what about SSMs",
            .rule = "Appears: in both roles every attention head spreads its rows over fewer effective tokens than "
                    "every SSM head (95 % intervals of the means apart). In part: in one role. With one kind "
                    "of head only: inconclusive.",
            .setting = "Figures of the gather and aggregate heads of Llama-3.1-8B, Falcon-Mamba-7B and Llamba-8B on "
                       "the same prompt.",
            .scaled = "The heads found by ranking, on the first dictionary of toy_kv with 8 pairs; the numbers are "
                      "means over 32 dictionaries.",
            .assumed = "SSM matrices without the D term; entropy and effective tokens are of |row| divided by its sum. "
                       "The figure's prompt in the paper is not stated; ours is of KV retrieval.",
            .needs = {"kv_retrieval"},
            .models = {"tiny-transformer", "tiny-ssm", "tiny-hybrid"},
            .paperModels = {"meta-llama/Llama-3.1-8B-Instruct", "tiiuae/falcon-mamba-7b-instruct",
                            "goombalab/Llamba-8B-untied"},
            .columns = {{"model", "model"},
                        {"head", "head"},
                        {"role", "role"},
                        {"kind", "kind"},
                        {"entropy", "entropy (nats)", Unit::Number},
                        {"effective", "effective tokens", Unit::Number},
                        {"sink", "on first token", Unit::Share},
                        {"target", "on right value", Unit::Share},
                        {"gather", "gather score", Unit::Share}},
            .charts = {{"Effective tokens", "role", {"effective"}, {"model"}, Chart::Kind::Bars}},
            .run = eachModel(measureHeatmaps),
            .finding = findingHeatmaps,
            .judge = judgeHeatmaps};
}

} // namespace headscope::experiments
