// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/paper/heatmaps.h"

#include "core/engine/pattern/patterns.h"
#include "core/experiments/heads.h"

#include <algorithm>

namespace headscope::experiments {

namespace {

constexpr std::size_t kPrompts = 32;

/// Means over prompts of what one head's matrices show.
struct Look {
    analysis::RowScores rows;
    double onTarget = 0, gather = 0;
    int prompts = 0;

    void add(const Matrix& matrix, const std::vector<analysis::TokenSegment>& segments, bool gathers)
    {
        std::vector<int> queries = {matrix.rows - 1};
        if (gathers) {
            queries.clear();
            for (const auto& segment : segments)
                queries.push_back(segment.end - 1);
        }
        for (const int query : queries) {
            const auto scores = analysis::rowScores(matrix.row(query), query);
            const double part = 1.0 / static_cast<double>(queries.size());
            rows.entropy += part * scores.entropy;
            rows.effectiveTokens += part * scores.effectiveTokens;
            rows.sinkMass += part * scores.sinkMass;
        }
        onTarget += analysis::targetMass(matrix, segments);
        gather += analysis::gatherScore(matrix, segments);
        ++prompts;
    }
};

Result<void> look(Lab& lab, Bench& bench, const engine::Benchmark& benchmark, const std::string& role,
                  const HeadRef& head)
{
    const auto& examples = benchmark.set().examples;
    const bool special = benchmark.set().leaves.front().pairing == tasks::PairEncoding::KvRetrieval;
    Look look;
    look.rows.effectiveTokens = 0;
    for (std::size_t i = 0; i < std::min(kPrompts, examples.size()) && !lab.planning(); ++i) {
        const auto encoding = bench.tokenizer->encode(examples[i].context, special);
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
            lab.show({bench.name, head, role, examples[i], encoding->ids, captured->front().matrix});
    }
    const bool attention =
        bench.spec().layers[static_cast<std::size_t>(head.layer)].find(head.site)->kind == lm::MixerKind::Attention;
    const auto mean = [&](double sum) { return look.prompts > 0 ? Cell(sum / look.prompts) : Cell(); };
    lab.add({{bench.name, nameOf(bench.spec(), head), role, attention ? "attention" : "SSM", mean(look.rows.entropy),
              mean(look.rows.effectiveTokens), mean(look.rows.sinkMass), mean(look.onTarget), mean(look.gather)}});
    return {};
}

Result<void> run(Lab& lab)
{
    return forEachModel(lab, [&](Bench& bench) -> Result<void> {
        const auto heads = gatherAggregate(lab, bench);
        if (!heads.has_value())
            return heads.error();
        const auto benchmark = lab.benchmark(bench, bench.suite.kv(bench.suite.pairs()));
        if (!benchmark.has_value())
            return benchmark.error();
        for (const HeadRef& head : heads->gather)
            if (const auto done = look(lab, bench, **benchmark, "gather", head); !done.has_value())
                return done;
        for (const HeadRef& head : heads->aggregate)
            if (const auto done = look(lab, bench, **benchmark, "aggregate", head); !done.has_value())
                return done;
        return {};
    });
}

std::string finding(const Table& table)
{
    std::string text;
    for (const std::string role : {"gather", "aggregate"}) {
        text += (text.empty() ? "" : " ")
                + std::string(role == "gather" ? "Gather heads, rows of the values:" : "Aggregate heads, last row:");
        for (const Row* row : table.where("role", role)) {
            const auto tokens = table.value(*row, "effective"),
                       mass = table.value(*row, role == "gather" ? "gather" : "target");
            if (tokens && mass)
                text += " " + table.text(*row, "head") + " of " + table.text(*row, "model") + " ("
                        + table.text(*row, "kind") + ") spreads over " + shown(*tokens, Unit::Number) + " tokens with "
                        + percent(*mass) + (role == "gather" ? " on its own pair;" : " on the right value;");
        }
        text.back() = '.';
    }
    return text;
}

} // namespace

Experiment heatmaps()
{
    return {.number = "E5",
            .id = "heatmaps",
            .title = "What gather and aggregate heads look at: attention beside SSM",
            .setting = "Figures of the gather and aggregate heads of Llama-3.1-8B, Falcon-Mamba-7B and Llamba-8B on "
                       "the same prompt.",
            .scaled = "The heads found by ranking, on the first dictionary of toy_kv with 8 pairs; the numbers are "
                      "means over 32 dictionaries.",
            .assumed = "SSM matrices without the D term; entropy and effective tokens are of |row| divided by its sum. "
                       "The figure's prompt in the paper is not stated; ours is of KV-Retrieval.",
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
            .charts = {{"Effective tokens", "head", {"effective"}, {"model", "role"}, Chart::Kind::Bars}},
            .run = run,
            .finding = finding};
}

} // namespace headscope::experiments
