// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Takes the tensors of one SSM mixer; the families with Mamba-1, Mamba-2 or discrete Mamba-2 share these functions.
// Worker thread.

#include "core/lm/families/common.h"
#include "core/lm/mixers/discretemamba2.h"
#include "core/lm/mixers/mamba1.h"
#include "core/lm/mixers/mamba2.h"

#include <optional>

namespace headscope::lm {

struct Mamba1Shape {
    int hidden = 1, inner = 1, states = 16, taps = 4, rank = 1;
    bool bias = false, convBias = true;
    Activation activation = Activation::Silu;
    int groups = 0; ///< Zamba: channel groups with their own B, C and dt, stacked by group; 0: one group, not stacked
};

/// Describes the mixer; takeMamba1() takes in_proj, conv1d, x_proj, dt_proj, A_log, D, out_proj below `prefix`.
[[nodiscard]] MixerSpec mixerSpec(const Mamba1Shape& shape);
[[nodiscard]] Mamba1Weights takeMamba1(Weights& weights, const std::string& prefix, const Mamba1Shape& shape);
/// Reads mamba_expand, mamba_d_state, mamba_dt_rank ...: the keys of Jamba and Zamba.
[[nodiscard]] Mamba1Shape readJambaShape(Config& config, int hidden, Activation activation);

struct Mamba2Shape {
    int hidden = 1, heads = 1, headDim = 1, groups = 1, states = 128, taps = 4, chunk = 256;
    bool bias = false, convBias = true;
    std::optional<bool> outputBias; ///< bias of out_proj if it differs from that of in_proj
    bool norm = true;
    int normGroups = 1;
    double normEps = 1e-5;
    double dtLow = 0.0, dtHigh = std::numeric_limits<double>::infinity();
    Activation activation = Activation::Silu;
};

/// Describes the mixer; takeMamba2() takes in_proj, conv1d, dt_bias, A_log, D, norm, out_proj below `prefix`.
[[nodiscard]] MixerSpec mixerSpec(const Mamba2Shape& shape);
[[nodiscard]] Mamba2Weights takeMamba2(Weights& weights, const std::string& prefix, const Mamba2Shape& shape);

/// Reads mamba_n_heads, mamba_d_head, mamba_n_groups ...: the keys of Bamba, Granite and Falcon-H1.
[[nodiscard]] Mamba2Shape readBambaShape(Config& config, int hidden, double eps);

/// Reads `time_step_limit`: two numbers, the second may be infinite; missing or null: no limits.
void readStepLimit(Config& config, Mamba2Shape& shape);

struct DiscreteShape {
    int hidden = 1, heads = 1, headDim = 1, groups = 1, states = 64, taps = 4, chunk = 128;
    bool bias = false, convBias = true, zBias = true;
    Activation activation = Activation::Identity;
};

/// Describes the mixer; takeDiscreteMamba2() takes in_proj, z_bias, conv1d, D, out_proj below `prefix`.
[[nodiscard]] MixerSpec mixerSpec(const DiscreteShape& shape);
[[nodiscard]] DiscreteMamba2Weights takeDiscreteMamba2(Weights& weights, const std::string& prefix,
                                                       const DiscreteShape& shape);

/// Fails unless `heads` is a multiple of `groups`.
void checkGroups(Config& config, int heads, int groups);

/// Returns the vocabulary size rounded up to a multiple.
[[nodiscard]] int paddedVocabulary(Config& config, int vocabulary, int multiple);

} // namespace headscope::lm
