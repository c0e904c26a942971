// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One interface for attention and SSM: a mixer maps normed inputs to its contribution to the residual stream, and on
// request shows its heads' matrices and outputs. Worker thread.

#include "core/lm/along.h"
#include "core/lm/edits.h"
#include "core/lm/spec.h"
#include "core/lm/tree/tokentree.h"

#include <ATen/core/Tensor.h>

#include <functional>
#include <optional>
#include <vector>

namespace headscope::lm {

struct Linear;

/// Which batch is being run. Positions start at `offset` (the length of the state that is continued).
struct BatchShape {
    std::int64_t offset = 0;
    at::Tensor lastPositions; ///< int64 [B]: each sample's last real position in this call; undefined: T-1
    at::Tensor rows;          ///< int64 [B, R]: only these positions are wanted after the last layer; undefined: all
    std::int64_t length = 0;  ///< T of this call
    const DeviceTree* tree =
        nullptr; ///< the batch is one packed row [1, N] of the tokens of many texts (rows: places in it, ascending; no
                 ///< state, no pattern, no edit of entries or of last positions); null: B texts
};

/// What a mixer carries from one call to the next: keys and values, or convolution window and state. Keys and values
/// have room behind them that a continuation fills, so of two copies only one may go on.
struct SiteState {
    at::Tensor first;  ///< attention: keys [B, G, T, P]; SSM: last inputs of the convolution [B, K-1, C]
    at::Tensor second; ///< attention: values [B, G, T, P]; SSM: state [B, H, P, N]
    at::Tensor mlp;    ///< RWKV-7: what the layer's MLP read last, [B, 1, D]; else undefined
};

/// How an SSM's matrix is meant; attention ignores it.
struct MatrixConvention {
    bool withD = true;     ///< D on the diagonal, of mixers that have one (keepsOwnToken())
    bool withDt = true;    ///< Mamba-1 and Mamba-2: the step size as a factor of each column
    bool withGate = false; ///< row t times the gate; per head the mean of the gate over its channels
};

/// Rows [first, first + count) of heads' matrices, fp32 [B, h, count, T], as often as they are asked for.
using MatrixRows = std::function<at::Tensor(std::int64_t first, std::int64_t count)>;

/// What is kept of one mixer's run. Empty requests cost nothing.
struct SiteCapture {
    bool wantMatrix = false;
    std::vector<int> heads;  ///< heads whose matrix is wanted; empty: all
    std::optional<int> row;  ///< only this query position: matrix is [B, h, 1, T]
    bool wantRows = false;   ///< `rows`, for texts whose matrices would not fit
    bool matrixOnly = false; ///< nothing but the matrix or its rows is wanted: the mixer may return zeros
    MatrixConvention convention;
    bool wantZ = false;
    bool wantValues = false; ///< v, y and the gain

    at::Tensor matrix;  ///< out: fp32 [B, h, T or 1, T], rows are queries
    MatrixRows rows;    ///< out: holds what it needs of the run; the mixer must outlive it
    at::Tensor values;  ///< out: v, what the matrices are applied to, [B, T, H, P]
    at::Tensor outputs; ///< out: y = M v, before any gate or norm, [B, T, H, P]
    at::Tensor gain;    ///< out: what y is multiplied by on its way to z before edits, gate and norm (its scale held as
                        ///< it came out), [B, T, H*P]; undefined: 1
    at::Tensor beside;  ///< out: what z is besides gain times y, of the own token alone, [B, T, H*P] (RWKV-7: of the
                        ///< bonus and the bias what one entry of the matrix cannot express); undefined: nothing
    at::Tensor z;       ///< out: [B, T, H*P], after edits
};

/// What a head reads of the stream, as bits. An SSM's C is its query, B its key, x its value (core/lm/README.md).
enum InputPart : unsigned {
    kQuery = 1,
    kKey = 2,
    kValue = 4,
    kStep = 8, ///< dt of SSMs; beta and alpha of the gated delta rule
    kGate = 16,
    kEveryPart = 31
};

/// Some parts of all heads of a site read this instead: how path patching reaches a head's query alone.
struct OtherInput {
    at::Tensor stream; ///< [B, T, D]; the block norms it as it norms its own
    Site site = Site::Any;
    unsigned parts = 0;
};

/// The arguments of one call besides its input.
struct MixerCall {
    const BatchShape& batch;
    const SiteEdits* edits = nullptr; ///< null: none
    SiteCapture* capture = nullptr;   ///< null: none
    SiteState* state = nullptr;       ///< null: whole sequence from position 0; else continued and updated
    at::Tensor* keptZ = nullptr;      ///< out: z before edits, at the rows that go on; null: not wanted
    at::Tensor embedding;             ///< [B, T, D]: the stream at the start (RWKV-7 reads values of it in every layer)
    at::Tensor otherInput;            ///< [B, T, D], normed: what `otherParts` read instead; undefined: none
    unsigned otherParts = 0;

    /// The matrix or rows of it are wanted; and nothing else.
    [[nodiscard]] bool wantsMatrix() const { return capture && (capture->wantMatrix || capture->wantRows); }
    [[nodiscard]] bool wantsMatrixOnly() const { return capture && capture->matrixOnly; }
    /// What the edits do to the matrix, to be kept longer than the call; nothing: nothing.
    [[nodiscard]] std::optional<SiteEdits> matrixEdits() const
    {
        return edits && edits->touchesMatrix() ? std::optional(*edits) : std::nullopt;
    }
    /// What a part reads.
    [[nodiscard]] const at::Tensor& inputOf(InputPart part, const at::Tensor& own) const
    {
        return otherInput.defined() && (otherParts & part) != 0 ? otherInput : own;
    }
};

/// The maps of one head, without biases, rotation and convolution (an SSM's x, B, C: times their own token's tap).
struct HeadMaps {
    at::Tensor query, key; ///< [P or N, in]; undefined where no such map exists
    at::Tensor value;      ///< [P, in]
    at::Tensor output;     ///< [D, P]
    bool normed = false;   ///< queries and keys pass a norm of their own, so that their product is not a score
};

/// What a softmax score is made of: a query and a key, each linear in what its position reads once its norm is held at
/// the scale that it has.
enum class ScoreSide { Query, Key };

/// What the matrix of a head that scans is made of, without D: M[t, s] = sum over n of query_t[n] key_s[n]
/// exp(sum of logDecay[n] over s < u <= t) weight_s.
struct ScanScores {
    at::Tensor query, key; ///< fp32 [B, T, N]: C and B
    at::Tensor logDecay;   ///< fp32 [B, T, 1 or N]
    at::Tensor weight;     ///< fp32 [B, T], the step sizes; undefined: 1
    std::int64_t taps = 1; ///< positions that make up a query or key; its own is the last
};

class Mixer
{
public:
    virtual ~Mixer() = default;
    /// input: [B, T, D], already normed. Returns [B, T, D], or [B, R, D] when `rowsOnly` (only positions
    /// call.batch.rows are computed where that is cheaper; used in the last layer).
    [[nodiscard]] virtual at::Tensor forward(const at::Tensor& input, MixerCall& call, bool rowsOnly) const = 0;
    [[nodiscard]] virtual const MixerSpec& spec() const = 0;
    [[nodiscard]] virtual const Linear& output() const = 0; ///< what reads z
    [[nodiscard]] virtual HeadMaps headMaps(int head) const = 0;
    /// A head's query or key, [B, Q], as the score is taken of it (normed, rotated), seen along `direction` [B, Q]
    /// from `input` [B, in] at `positions` [B] of a text of `length` tokens. Nothing where heads have no such scores.
    [[nodiscard]] virtual std::optional<Along> scoreAlong(ScoreSide /*side*/, int /*head*/, const at::Tensor& /*input*/,
                                                          const at::Tensor& /*positions*/, std::int64_t /*length*/,
                                                          const at::Tensor& /*direction*/) const
    {
        return std::nullopt;
    }
    /// Of a head that scans, from `input` fp32 [B, T, in]; safe under autograd. Nothing where its matrix is not
    /// such a product.
    [[nodiscard]] virtual std::optional<ScanScores> scanScores(int /*head*/, const at::Tensor& /*input*/) const
    {
        return std::nullopt;
    }
    /// Bits of InputPart: through what its heads read the stream.
    [[nodiscard]] virtual unsigned inputParts() const { return kEveryPart; }
};

/// Columns of a projection of several parts beside each other: those of the other input where its parts are, else the
/// own. `layout` has part and width from left to right; a part of 0 stays as it is.
[[nodiscard]] at::Tensor chosenColumns(const at::Tensor& own, const at::Tensor& other,
                                       const std::vector<std::pair<unsigned, std::int64_t>>& layout, unsigned parts);

/// Applies replace, scales and patch to z. z: [B, T, H*P] (or [B, R, H*P] with rows). Never in place.
[[nodiscard]] at::Tensor editHeads(const at::Tensor& z, int heads, const MixerCall& call, bool rowsOnly);

/// x of these heads alone along a dimension; empty: all.
[[nodiscard]] at::Tensor chosenHeads(const at::Tensor& x, const std::vector<int>& heads, std::int64_t dimension = 1);

/// x: [B, T, C] at positions `rows` [B, R] gives [B, R, C].
[[nodiscard]] at::Tensor gatherRows(const at::Tensor& x, const at::Tensor& rows);

} // namespace headscope::lm
