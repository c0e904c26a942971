// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/battery.h"
#include "core/experiments/evidence/evidence.h"
#include "core/experiments/experimentlist.h"
#include "core/experiments/words/language.h"

namespace headscope::experiments {

namespace {

const std::vector<std::string> kGradualPruningKeys = {"mmlu", "knowledge", "kv"};

Result<void> measureGradualPruning(Lab& lab, Bench& bench)
{
    Battery battery(lab, kGradualPruningKeys);
    for (int last = bench.layers() - 1; last >= 0; --last) {
        const InterventionSet set = last == bench.layers() - 1 ? InterventionSet() : minimalModel(last);
        const Row row{{bench.name, last + 1, "L" + std::to_string(last)}};
        if (const auto done = battery.add(bench, row, set); !done.has_value())
            return done;
    }
    return {};
}

std::string findingGradualPruning(const Table& table)
{
    std::string text;
    for (const std::string& model : table.distinct("model")) {
        const Table own = table.only("model", model);
        for (const std::string key : {"mmlu", "kv"}) {
            if (atFloor(own.cell(own.rows.front(), key))) {
                text += (text.empty() ? "" : " ") + model + ": "
                        + translated("{} ({}) was not above the floor before", heading(own, key),
                                     percent(*own.value(own.rows.front(), key)))
                        + ".";
                continue;
            }
            // The one removal that costs most.
            std::size_t worst = 0;
            double cost = 0;
            for (std::size_t i = 1; i < own.rows.size(); ++i) {
                const auto before = own.value(own.rows[i - 1], key), after = own.value(own.rows[i], key);
                if (before && after && *before - *after > cost) {
                    cost = *before - *after;
                    worst = i;
                }
            }
            if (worst == 0)
                continue;
            const Row &before = own.rows[worst - 1], &after = own.rows[worst];
            text +=
                (text.empty() ? "" : " ") + model + ": "
                + translated("{} falls most when {} goes, from {} to {}", heading(own, key), own.text(before, "last"),
                             percent(*own.value(before, key)), percent(*own.value(after, key)));
            if (const auto k = own.value(before, "knowledge"), l = own.value(after, "knowledge"); k && l)
                text += translated("; by the same step knowledge goes from {} to {}", percent(*k), percent(*l));
            text += ".";
        }
    }
    return text.empty() ? translated("No removal of a layer lowers the scores.") : text;
}

Judgement judgeGradualPruning(const Evidence& evidence)
{
    const auto keys = evidence.answered({"mmlu", "kv"});
    if (keys.empty())
        return {Verdict::CanNotTell,
                translated("the whole model answers no retrieval benchmark above the floor on enough rows")};
    const Table& table = evidence.table();
    Judgement judgement{Verdict::DoesNotAppear, translated("no single layer takes half of the retrieval")};
    for (const std::string& key : keys)
        for (std::size_t i = 1; i < table.rows.size(); ++i) {
            const Row &before = table.rows[i - 1], &after = table.rows[i];
            const auto then = table.value(before, key), now = table.value(after, key);
            const double whole = *table.value(evidence.first(), key) - table.cell(before, key).chance.value_or(0);
            if (!then || !now || !evidence.below(after, before, key) || *then - *now < whole / 2)
                continue;
            const auto k = table.value(before, "knowledge"), l = table.value(after, "knowledge");
            const bool kept = k && l && *k - *l < kMargin;
            if (kept || judgement.verdict == Verdict::DoesNotAppear)
                judgement = {kept ? Verdict::Appears : Verdict::InPart,
                             translated("without {} {}, {}", table.text(before, "last"),
                                        evidence.change(before, after, key),
                                        evidence.change(before, after, "knowledge"))};
            if (kept)
                return judgement;
        }
    return judgement;
}

} // namespace

Experiment gradualPruning()
{
    std::vector<Column> columns = {{"model", "model"}, {"layers", "layers kept", Unit::Count}, {"last", "last layer"}};
    const auto battery = batteryColumns(kGradualPruningKeys);
    columns.insert(columns.end(), battery.begin(), battery.end());
    return {
        .number = "E1",
        .id = "gradual-pruning",
        .title = "Layers removed from the end, one after another",
        .question = "Does retrieval break at one layer while knowledge fades slowly?",
        .claim = "MMLU falls when layer 17 goes, while knowledge declines little by little.",
        .source = "Bick, Xing and Gu 2025, talk, case study MMLU, gradual pruning",
        .rule =
            "Appears: one step takes at least half of what the whole model has above the floor in multiple choice or "
            "KV retrieval (its interval is below the one before), and less than 10 points of "
            "knowledge. In part: the same step takes 10 points of knowledge or more.",
        .setting = "Llama-3.1-8B; MMLU and the knowledge tasks after each removal. The paper finds that MMLU falls "
                   "when L17 goes while knowledge declines slowly; the curve's "
                   "numbers are printed nowhere.",
        .scaled = "toy_mc, toy_knowledge and toy_kv on four layers: removing one is a quarter of the model, so "
                  "knowledge falls faster than in 32 layers.",
        .needs = {"mmlu", "knowledge"},
        .models = {"tiny-transformer"},
        .paperModels = {"meta-llama/Llama-3.1-8B"},
        .columns = columns,
        .charts = {{"Scores against layers kept", "layers", kGradualPruningKeys, {"model"}}},
        .run = eachModel(measureGradualPruning),
        .finding = findingGradualPruning,
        .judge = byModel(judgeGradualPruning)};
}

} // namespace headscope::experiments
