// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Evaluates a network and its heads on fixed, unseen test texts. Training thread only; no gradients.

#include "core/tasks/toy/toy.h"
#include "core/train/models/network.h"

#include <vector>

namespace headscope::train {

struct HeadId {
    int layer = 0;
    int head = 0;
    auto operator<=>(const HeadId&) const = default;
};

/// Returns "L2H5".
[[nodiscard]] std::string toString(HeadId head);

/// Greedy accuracies.
struct Scores {
    double kv4 = 0, kv8 = 0, kv16 = 0, mc = 0, knowledge = 0;
};

/// A factor for every head's output, [L][H]; 1: unchanged.
using HeadScales = std::vector<std::vector<float>>;
[[nodiscard]] HeadScales fullScales(const Network& network);
[[nodiscard]] std::vector<at::Tensor> toTensors(const HeadScales& scales, at::Device device);

/// Evaluates `prompts` each of toy_kv with 4, 8 and 16 pairs and toy_mc, and all 300 facts: the examples of their
/// default seed, so that other scorers give the same numbers. `lastRowOff`: a layer with masked last rows; -1: none.
[[nodiscard]] Scores evaluate(const Network& network, const HeadScales& scales, int prompts, int lastRowOff = -1);

/// One head's rows on dictionaries of 8 pairs.
struct HeadBehaviour {
    HeadId head;
    double massOnTarget = 0;   ///< last row: mass on the requested value
    double argMaxOnTarget = 0; ///< share of prompts in which the largest entry is that value
    double entropy = 0;        ///< last row, nats
    double massOnKey =
        0; ///< rows of values: mass on the three tokens before (key words and colon), the largest single one
    double colonMassOnKey = 0; ///< rows of the dictionary's colons: the same for the two key words
};
/// Measures all heads. `seed` draws the dictionaries: rules that depend on them use others than tables report.
[[nodiscard]] std::vector<HeadBehaviour> behaviours(const Network& network, int prompts,
                                                    std::uint64_t seed = tasks::ToyOptions().seed);

/// Returns the increase of the summed loss of KV (16 pairs), MC and completion when each of `heads` is removed in
/// addition to `scales`. Texts are drawn from `random`.
[[nodiscard]] std::vector<double> removalCosts(const Network& network, const HeadScales& scales,
                                               const std::vector<HeadId>& heads, tasks::ToyRandom& random);

/// Returns int64 of `shape` on the device.
[[nodiscard]] at::Tensor toTensor(const std::vector<std::int64_t>& values, std::vector<std::int64_t> shape,
                                  at::Device device);

} // namespace headscope::train
