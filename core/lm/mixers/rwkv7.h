// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// RWKV-7's time mix (Peng et al. 2025, arXiv 2503.14456): a delta rule with a decay per channel, which removes along a
// different key than it writes to, and a bonus for the own token after its norm. Worker thread.

#include "core/lm/mixers/recurrencerows.h"
#include "core/lm/mixers/ssm.h"

#include <memory>

namespace headscope::lm {

/// A low-rank map, optionally with an activation in between.
struct LowRank {
    Linear down, up; ///< [r, D], [out, r]; weight undefined: no map
    Activation between = Activation::Identity;
    [[nodiscard]] at::Tensor operator()(const at::Tensor& x) const { return up(activate(between, down(x))); }
};

/// Computes the values of the first layer from the embedding; every later layer mixes them into its own.
struct FirstValues {
    Norm norm;
    at::Tensor share; ///< [D], of the previous token
    Linear value;     ///< [H*P, D]
};

struct Rwkv7Weights {
    struct Shares {
        at::Tensor query, decay, key, value, rate, gate;
    } shares;                                 ///< of the previous token, [D] each
    Linear query, key, value;                 ///< [H*N, D], [H*N, D], [H*P, D]
    LowRank decay, rate, valueShare, gate;    ///< w, a, v (none in the first layer), g; gate has no bias
    at::Tensor removalScale, rateShare;       ///< k_k, k_a, [H*N]
    at::Tensor bonus;                         ///< r_k, [H, N]
    Norm norm;                                ///< LayerNorm of each head, weight and bias [H*P]
    std::shared_ptr<const FirstValues> first; ///< null: this is the first layer
    bool fusedLength = false; ///< the removal key is divided by sqrt(its squared norm + 1e-6); false: by its norm
    Linear output;            ///< [D, H*P]
};

/// S_t = exp(w_t) S_(t-1) - b_t (a_t' S_(t-1)) + k_t v_t', y_t = S_t' r_t. r, k, a, b: [.., T, N]; logDecay: [.., T,
/// N], from -0.61 to 0. fp32.
struct Rwkv7Terms {
    at::Tensor r, logDecay, k, a, b;
};

/// Returns y [.., T, P] for v [.., T, P]. `state` [.., N, P] is read (undefined: zero) and replaced. Chunked: inside a
/// chunk the written values are one triangular solve.
[[nodiscard]] at::Tensor rwkv7Scan(const Rwkv7Terms& terms, const at::Tensor& v, at::Tensor& state);
/// Returns the rows of M, y = M v, [.., T, T].
[[nodiscard]] RecurrenceRows rwkv7Rows(const Rwkv7Terms& terms);

/// A head's z is gate (norm(y) + bonus v), with y_t = sum over s of M[t, s] v_s and M[t, s] = r_t . [ prod over s < i
/// <= t of (diag(exp w_i) - b_i a_i') ] k_s. The bonus of the own token is added after the norm; with D it is put on
/// the diagonal at a size comparable to the row: divided by the norm's scale, which is held fixed, and by the size of
/// the norm's weight (root mean square over the head).
class Rwkv7 : public MixerOf<Rwkv7Weights>
{
public:
    using MixerOf::MixerOf;
    [[nodiscard]] at::Tensor forward(const at::Tensor& input, MixerCall& call, bool rowsOnly) const override;
    [[nodiscard]] HeadMaps headMaps(int head) const override;

private:
    struct Parts;
    [[nodiscard]] Parts partsOf(const at::Tensor& input, MixerCall& call) const;
    [[nodiscard]] at::Tensor mixed(const Parts& parts, MixerCall& call) const;
    void captureRows(const Parts& parts, const at::Tensor& own, MixerCall& call) const;
};

} // namespace headscope::lm
