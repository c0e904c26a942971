// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Activation patching: one run with activations of another (Heimersheim and Nanda 2024, arXiv 2404.15255; Zhang and
// Nanda 2024, arXiv 2309.16042). Denoising patches the clean run's activations into the corrupt run, noising the
// reverse. Worker thread.

#include "core/why/recording.h"

#include <optional>
#include <span>

namespace headscope::why {

using interventions::PositionSpan;

enum class PatchPart {
    Stream, ///< input of the layer; with layer = the model's layer count, input of the final norm
    Head,   ///< a head's slice of z, the input of the output projection (after Mamba-2's gated norm)
    Mixer,  ///< output of the layer's mixers
    Mlp     ///< output of the layer's MLP
};

struct PatchPoint {
    PatchPart part = PatchPart::Stream;
    int layer = 0;
    Site site = Site::Any;                   ///< site of a head
    int head = -1;                           ///< -1: all heads of the site
    std::optional<PositionSpan> positions{}; ///< nothing: all
};

/// Points that are patched together.
using PatchSet = std::vector<PatchPoint>;

/// Fails with a sentence that says why a point cannot be patched in this model under these edits.
[[nodiscard]] Result<void> check(const PatchPoint& point, const lm::Model& model, const lm::Edits& base,
                                 std::int64_t length);
/// Fails for runs of different length.
[[nodiscard]] Result<void> checkPair(const Recording& into, const Recording& from);

/// Returns the metric of `into` with each set patched from `from`, in the order of `sets`.
[[nodiscard]] Result<std::vector<double>> patchedDifferences(const lm::Model& model, const lm::Edits& base,
                                                             const Recording& into, const Recording& from,
                                                             const Metric& metric, std::span<const PatchSet> sets,
                                                             const Control& control = {});

/// Returns the logits of the last position for each set, [sets, V], fp32.
[[nodiscard]] Result<at::Tensor> patchedLogits(const lm::Model& model, const lm::Edits& base, const Recording& into,
                                               const Recording& from, std::span<const PatchSet> sets,
                                               const Control& control = {});

/// Returns (patched - into) / (from - into): 0 as without a patch, 1 as in the other run. Nothing if the two are equal
/// within 1e-6.
[[nodiscard]] std::optional<double> normalised(double patched, double into, double from);

} // namespace headscope::why
