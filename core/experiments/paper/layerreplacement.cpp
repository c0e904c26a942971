// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/battery.h"
#include "core/experiments/evidence/evidence.h"
#include "core/experiments/experimentlist.h"
#include "core/experiments/removals.h"
#include "core/experiments/students.h"
#include "core/experiments/words/language.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>

namespace headscope::experiments {

namespace {

constexpr int kLayerReplacementState = 16;
const std::vector<std::string> kLayerReplacementKeys = {"mmlu", "knowledge", "kv"};

/// How alike two models write the same tokens into the stream: the mean cosine of the first tokens' embeddings.
double likeness(const lm::Model& a, const lm::Model& b)
{
    constexpr std::int64_t kTokens = 256;
    const c10::InferenceMode inference;
    const auto embedded = [&](const lm::Model& model) {
        const std::int64_t tokens = std::min<std::int64_t>(kTokens, model.spec().vocabulary);
        const at::Tensor ids = at::arange(tokens, at::TensorOptions(at::kLong).device(model.device())).unsqueeze(0);
        return model.embed(ids, {}).to(at::kCPU, at::kFloat).narrow(2, 0, model.spec().hidden);
    };
    return at::cosine_similarity(embedded(a), embedded(b), 2).mean().item<double>();
}

/// Layers of models that were trained apart can be exchanged too, and what comes out tells nothing.
Result<void> checkAligned(const Bench& base, const Bench& donor)
{
    constexpr double kAligned = 0.5; // a student keeps its teacher's embedding; of models trained apart it is near 0
    if (mixersOf(base.spec()) == "attention")
        return inputError("'" + base.name
                          + "' has no SSM head; expected the aligned SSM first and its Transformer second.");
    if (base.spec().hidden != donor.spec().hidden || base.spec().vocabulary != donor.spec().vocabulary)
        return inputError("'" + base.name + "' and '" + donor.name
                          + "' are not an aligned pair: their widths or vocabularies differ.");
    const double cosine = likeness(*base.model, *donor.model);
    if (cosine < kAligned)
        return inputError(fmt::format("'{}' and '{}' are not an aligned pair: their embeddings have a mean cosine of "
                                      "{:.2f}; expected at least {} as of an SSM distilled from the Transformer.",
                                      base.name, donor.name, cosine, kAligned));
    return {};
}

Result<void> measureLayerReplacement(Lab& lab, const std::string& name, const std::shared_ptr<Bench>& base,
                                     const std::shared_ptr<Bench>& donor)
{
    Battery battery(lab, kLayerReplacementKeys);
    for (int layer = -1; layer < base->layers(); ++layer) {
        InterventionSet set;
        if (layer >= 0)
            set = InterventionSet({interventions::SwapLayer{layer, donor->folder}});
        const bool paper = layer < 0 || layer == 17;
        const Row row{{name, layer < 0 ? "none" : "L" + std::to_string(layer), layer < 0 ? Cell() : Cell(layer)},
                      paper ? (layer < 0 ? 0 : 1) : -1};
        if (const auto done = battery.add(*base, row, set); !done.has_value())
            return done;
    }
    return {};
}

Result<void> runLayerReplacement(Lab& lab)
{
    const auto donor = lab.open(lab.models().back());
    if (!donor.has_value())
        return donor.error();
    if (lab.models().size() >= 2) {
        const auto base = lab.open(lab.models().front());
        if (!base.has_value())
            return base.error();
        if (const auto aligned = checkAligned(**base, **donor); !aligned.has_value())
            return aligned;
        return measureLayerReplacement(lab, (*base)->name, *base, *donor);
    }
    lab.addNote("The aligned SSM was made here from {}: every layer's heads aligned by matrix orientation and hidden "
                "states, without the logits stage.",
                (*donor)->name);
    if (lab.planning())
        return measureLayerReplacement(lab, (*donor)->name, *donor, *donor);
    const auto folder = lab.distil({.teacher = **donor, .state = kLayerReplacementState, .alignedOnly = true});
    if (!folder.has_value())
        return folder.error();
    const auto base = lab.open(*folder);
    return base.has_value() ? measureLayerReplacement(lab, (*donor)->name + " as aligned SSM", *base, *donor)
                            : Result<void>(base.error());
}

std::string findingLayerReplacement(const Table& table)
{
    std::string text;
    for (const std::string& model : table.distinct("model")) {
        const Table own = table.only("model", model);
        const Row& none = own.rows.front();
        text += (text.empty() ? "" : " ") + model + ":";
        for (const std::string& key : kLayerReplacementKeys) {
            const Row* best = nullptr;
            for (const Row& row : own.rows)
                if (&row != &none && own.value(row, key) && (!best || *own.value(row, key) > *own.value(*best, key)))
                    best = &row;
            if (!best || !own.value(none, key))
                continue;
            const std::string name = heading(own, key), before = percent(own.cell(none, key));
            const bool lifted = *own.value(*best, key) > *own.value(none, key) && !atFloor(own.cell(*best, key));
            text += " "
                    + (lifted ? translated("{} is {} and highest with the Transformer's {} ({});", name, before,
                                           own.text(*best, "replaced"), percent(*own.value(*best, key)))
                              : translated("{} is {} and no single layer lifts it;", name, before));
        }
        text.back() = '.';
    }
    return text;
}

Judgement judgeLayerReplacement(const Evidence& evidence)
{
    const Table& table = evidence.table();
    if (!evidence.carries(evidence.first(), "mmlu") && !evidence.carries(evidence.first(), "kv"))
        return {Verdict::CanNotTell, translated("no retrieval benchmark was measured on enough rows")};
    const auto full = [&](const std::string& key) {
        const auto value = table.value(table.rows.front(), key);
        return !value || *value > 1 - kMargin;
    };
    if (full("mmlu") && full("kv"))
        return {Verdict::CanNotTell,
                translated("retrieval is there without any layer replaced; nothing is left to raise")};
    std::size_t rising = 0, clean = 0;
    std::string numbers;
    for (std::size_t i = 1; i < table.rows.size(); ++i) {
        const Row& row = table.rows[i];
        for (const std::string key : {"mmlu", "kv"})
            if (evidence.carries(row, key) && evidence.rises(row, key)
                && table.cell(row, key).contrast->difference >= kMargin) {
                ++rising;
                clean += evidence.keeps(row, "knowledge") ? 1 : 0;
                numbers += (numbers.empty() ? "" : "; ")
                           + translated("with {} {}", table.text(row, "replaced"),
                                        evidence.change(evidence.first(), row, key));
                break;
            }
    }
    if (rising == 0)
        return {Verdict::DoesNotAppear, translated("no single layer raises retrieval by 10 points")};
    return {clean > 0 && 2 * rising <= table.rows.size() - 1 ? Verdict::Appears : Verdict::InPart, numbers};
}

} // namespace

Experiment layerReplacement()
{
    std::vector<Column> columns = {{"model", "model"}, {"replaced", "layer replaced"}, {"layer", "layer", Unit::Count}};
    const auto battery = batteryColumns(kLayerReplacementKeys);
    columns.insert(columns.end(), battery.begin(), battery.end());
    return {.number = "E10",
            .id = "layer-replacement",
            .title = "One layer of an aligned SSM replaced by its Transformer's",
            .question = "Does one attention layer give an aligned SSM its retrieval back?",
            .claim = "With the Transformer's L17 in place of its own, the aligned SSM's MMLU rises from 33 to 50 %, "
                     "and knowledge stays at 69 %.",
            .source = "Bick, Xing and Gu 2025, talk, SSM-based gather-and-aggregate struggle to match attention",
            .rule =
                "Appears: one to half of the layers, each put in alone, raise multiple choice or KV retrieval by at "
                "least 10 points to above the floor (paired test, Holm, p < 0.05), and knowledge loses less than 10 "
                "points (whole interval). "
                "In part: a layer raises retrieval, but knowledge falls with it or more than half of the layers do it. "
                "With the retrieval of the SSM within 10 points of 100 %: inconclusive.",
            .setting = "goombalab/Llamba-8B-untied-unaligned with one layer of Llama-3.1-8B-Instruct in place of its "
                       "own, layer by layer; the paper's table has the baseline and L17.",
            .scaled = "An all-SSM student of the tiny Transformer, aligned layer by layer here, with one of the "
                      "Transformer's layers.",
            .assumed = "A layer is replaced whole, with its norms and MLP; embedding, final norm and head stay the "
                       "SSM's. With two models the first is the SSM and the second the Transformer.",
            .needs = {"mmlu", "knowledge"},
            .models = {"tiny-transformer"},
            .paperModels = {"goombalab/Llamba-8B-untied-unaligned", "meta-llama/Llama-3.1-8B-Instruct"},
            .columns = columns,
            .charts =
                {{"Scores with one layer replaced", "replaced", kLayerReplacementKeys, {"model"}, Chart::Kind::Layers}},
            .paper = {paperRow("Llamba-8B unaligned", {"mmlu", "knowledge"}, {33, 69}),
                      paperRow("Llamba-8B unaligned, L17 replaced", {"mmlu", "knowledge"}, {50, 69})},
            .run = runLayerReplacement,
            .finding = findingLayerReplacement,
            .judge = byModel(judgeLayerReplacement)};
}

} // namespace headscope::experiments
