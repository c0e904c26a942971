// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Activation patching: one run with activations of another put in (Heimersheim and Nanda 2024, arXiv 2404.15255; Zhang
// and Nanda 2024, arXiv 2309.16042). Denoising puts the clean run's into the corrupt one, noising the other way round.
// Worker thread.

#include "core/why/recording.h"

#include <optional>
#include <span>

namespace headscope::why {

using interventions::PositionSpan;

enum class PatchPart {
    Stream, ///< what the layer reads; with layer = the model's count what the final norm reads
    Head,   ///< a head's slice of z, what the output projection reads (after Mamba-2's gated norm)
    Mixer,  ///< what the layer's mixers write
    Mlp     ///< what the layer's MLP writes
};

struct PatchPoint {
    PatchPart part = PatchPart::Stream;
    int layer = 0;
    Site site = Site::Any;                   ///< of a head
    int head = -1;                           ///< -1: all of the site
    std::optional<PositionSpan> positions{}; ///< nothing: all
};

/// Points that are put in together.
using PatchSet = std::vector<PatchPoint>;

/// Fails with the sentence that says why a point cannot be patched in this model under these edits.
[[nodiscard]] Result<void> check(const PatchPoint& point, const lm::Model& model, const lm::Edits& base,
                                 std::int64_t length);
/// Fails for runs of different length.
[[nodiscard]] Result<void> checkPair(const Recording& into, const Recording& from);

/// The metric of `into` with each set taken from `from`, in their order.
[[nodiscard]] Result<std::vector<double>> patchedDifferences(const lm::Model& model, const lm::Edits& base,
                                                             const Recording& into, const Recording& from,
                                                             const Metric& metric, std::span<const PatchSet> sets,
                                                             const Control& control = {});

/// The same for the logits of the last position, [sets, V], fp32.
[[nodiscard]] Result<at::Tensor> patchedLogits(const lm::Model& model, const lm::Edits& base, const Recording& into,
                                               const Recording& from, std::span<const PatchSet> sets,
                                               const Control& control = {});

/// (patched - into) / (from - into): 0 as without a patch, 1 as the other run. Nothing where the two are equal within
/// 1e-6.
[[nodiscard]] std::optional<double> normalised(double patched, double into, double from);

} // namespace headscope::why
