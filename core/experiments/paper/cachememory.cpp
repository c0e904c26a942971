// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/evidence/evidence.h"
#include "core/experiments/experimentlist.h"
#include "core/experiments/lab.h"
#include "core/experiments/words/language.h"
#include "core/lm/device/forecast.h"

#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include <array>
#include <cmath>

namespace headscope::experiments {

namespace {

constexpr std::array<std::int64_t, 3> kLengths = {128, 2048, 4096};

/// A model of the paper's table, told by numbers instead of a checkpoint; 2 bytes a number throughout.
struct Reference {
    const char* name;
    int attentionLayers, kvHeads, kvDim; ///< each attention layer keeps keys and values of so many heads
    int ssmHeads, ssmDim, state;         ///< in the whole model
    int paper;                           ///< its first row in the paper's table

    [[nodiscard]] double bytes(std::int64_t length) const
    {
        return 2.0
               * (2.0 * static_cast<double>(length) * attentionLayers * kvHeads * kvDim
                  + static_cast<double>(ssmHeads) * ssmDim * state);
    }
};
// Hybrid-MOHAWK is not among them: its sizes fit no configuration that the paper names.
const Reference kReferences[] = {
    {"Hybrid-Llamba (20 heads, state 8)", 1, 20, 64, 492, 64, 8, 0},
    {"Mamba-in-Llama (8 of 16 layers, state 64)", 8, 8, 64, 8 * 32, 64, 64, 6},
    {"Llama-3.2-1B (its config)", 16, 8, 64, 0, 0, 0, 9},
};

/// Bytes that keys, values, windows and states take after `length` tokens.
std::optional<double> measured(const Bench& bench, std::int64_t length, const Control& control)
{
    const at::NoGradGuard noGrad;
    lm::State state;
    const auto options = at::TensorOptions(at::kLong).device(bench.model->device());
    lm::RunOptions run{.state = &state, .rows = at::full({1, 1}, length - 1, options), .stop = control.stop};
    if (!bench.model->logits(at::zeros({1, length}, options), run).defined())
        return {};
    double bytes = 0;
    for (const auto& [where, site] : state.sites)
        for (const at::Tensor& tensor : {site.first, site.second, site.mlp})
            bytes +=
                tensor.defined() ? static_cast<double>(tensor.numel()) * static_cast<double>(tensor.element_size()) : 0;
    return bytes;
}

Result<void> measureCacheMemory(Lab& lab, Bench& bench)
{
    for (const std::int64_t length : kLengths) {
        Row row{{bench.name, static_cast<int>(length),
                 static_cast<double>(lm::cacheBytes(bench.spec(), length, bench.model->dtype())), Cell()}};
        const bool fits = bench.spec().maxPositions == 0 || length <= bench.spec().maxPositions;
        if (!fits)
            lab.addNote("{} takes at most {} tokens, so {} are computed and not measured.", bench.name,
                        bench.spec().maxPositions, length);
        if (fits && !lab.planning())
            if (const auto bytes = measured(bench, length, lab.control()))
                row.cells.back() = *bytes;
        if (lab.control().stopped())
            return cancelledError();
        lab.add(std::move(row));
    }
    return {};
}

Result<void> runCacheMemory(Lab& lab)
{
    for (const Reference& reference : kReferences)
        for (std::size_t i = 0; i < kLengths.size(); ++i)
            lab.add({{reference.name, static_cast<int>(kLengths[i]), reference.bytes(kLengths[i]), Cell()},
                     reference.paper + static_cast<int>(i)});
    return eachModel(measureCacheMemory)(lab);
}

/// With the paper's size, to its one printed decimal of megabytes.
bool agrees(double bytes, int paper)
{
    return std::abs(bytes - cacheMemory().paper[static_cast<std::size_t>(paper)].find("bytes").value_or(0)) <= 0.051e6;
}

std::string findingCacheMemory(const Table& table)
{
    int compared = 0, equal = 0, beside = 0, within = 0;
    std::string text;
    for (const Row& row : table.rows) {
        const auto computed = table.value(row, "bytes"), real = table.value(row, "measured");
        if (computed && real) {
            ++compared;
            equal += *computed == *real ? 1 : 0;
        }
        if (computed && row.paper >= 0) {
            ++beside;
            within += agrees(*computed, row.paper) ? 1 : 0;
        }
    }
    text = translated("Computed and measured bytes are equal in {} of {} cases. {} of {} sizes computed from "
                      "configurations agree with the paper's to its one printed decimal.",
                      equal, compared, within, beside);
    for (const std::string& model : table.distinct("model")) {
        const auto rows = table.where("model", model);
        text += " "
                + translated("{}: {} at {} tokens, {} at {}.", translatedName(model),
                             shown(*table.value(*rows.front(), "bytes"), Unit::Bytes),
                             shown(*table.value(*rows.front(), "length"), Unit::Count),
                             shown(*table.value(*rows.back(), "bytes"), Unit::Bytes),
                             shown(*table.value(*rows.back(), "length"), Unit::Count));
    }
    return text;
}

Judgement judgeCacheMemory(const Table& table)
{
    int beside = 0, within = 0, compared = 0, equal = 0;
    for (const Row& row : table.rows) {
        const auto computed = table.value(row, "bytes"), real = table.value(row, "measured");
        if (computed && row.paper >= 0) {
            ++beside;
            within += agrees(*computed, row.paper) ? 1 : 0;
        }
        if (computed && real) {
            ++compared;
            equal += *computed == *real ? 1 : 0;
        }
    }
    if (beside == 0 || compared == 0)
        return {Verdict::CanNotTell, translated("nothing was both computed and measured")};
    const std::string numbers =
        translated("{} of {} sizes agree with the paper's, {} of {} measured ones with those computed", within, beside,
                   equal, compared);
    return {within == beside && equal == compared   ? Verdict::Appears
            : within == beside || equal == compared ? Verdict::InPart
                                                    : Verdict::DoesNotAppear,
            numbers};
}

} // namespace

Experiment cacheMemory()
{
    Experiment experiment{
        .number = "E15",
        .id = "cache-memory",
        .title = "Bytes of keys, values and states against the length of the text",
        .question = "How much memory do fewer attention heads save?",
        .claim =
            "A hybrid with 20 attention heads and small states keeps 21.5 MB at 4,096 tokens, Llama-3.2-1B 134.2 MB.",
        .source = "Bick, Xing and Gu 2025, talk, reducing attention heads and state size matters",
        .rule = "Appears: every size that is computed from a configuration agrees with the paper's to its one printed "
                "decimal, and what was measured on models here equals what was computed. In part: one of the two.",
        .setting = "Hybrid-Llamba, Hybrid-MOHAWK, Mamba-in-Llama and Llama-3.2-1B at 128, 2,048 and 4,096 tokens.",
        .scaled = "The paper's families computed from their numbers of heads; the shipped models computed from their "
                  "configs and measured after a run of that length.",
        .assumed = "2 bytes a number in the paper's table, states included, convolution windows not. Hybrid-Llamba: 20 "
                   "attention heads with keys and values of their own, the other 492 heads "
                   "with state 8. Mamba-in-Llama: every second layer attention, state 64. For Hybrid-MOHAWK the paper "
                   "names no configuration that gives its sizes, so only its "
                   "own numbers are shown. Our models keep states in fp32, with the convolution's window.",
        .needs = {},
        .models = {"tiny-transformer", "tiny-ssm", "tiny-hybrid"},
        .paperModels = {"meta-llama/Llama-3.2-1B"},
        .columns = {{"model", "model"},
                    {"length", "tokens", Unit::Count},
                    {"bytes", "computed", Unit::Bytes},
                    {"measured", "measured", Unit::Bytes}},
        .charts = {{"Bytes of cache", "length", {"bytes"}, {"model"}}},
        .run = runCacheMemory,
        .finding = findingCacheMemory,
        .judge = judgeCacheMemory};
    const std::pair<const char*, std::array<double, 3>> rows[] = {{"Hybrid-Llamba", {1.2, 11.0, 21.5}},
                                                                  {"Hybrid-MOHAWK", {2.3, 19.5, 37.8}},
                                                                  {"Mamba-in-Llama", {4.2, 35.7, 69.2}},
                                                                  {"Llama-3.2-1B", {4.2, 67.1, 134.2}}};
    for (const auto& [name, megabytes] : rows)
        for (std::size_t i = 0; i < kLengths.size(); ++i)
            experiment.paper.push_back({fmt::format("{}, L = {}", name, kLengths[i]), {{"bytes", megabytes[i] * 1e6}}});
    return experiment;
}

} // namespace headscope::experiments
