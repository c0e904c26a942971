// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The common interface of attention and SSM: a mixer maps normed inputs to its contribution to the residual stream, and
// on request captures its heads' matrices and outputs. Worker thread.

#include "core/lm/along.h"
#include "core/lm/edits.h"
#include "core/lm/spec.h"
#include "core/lm/tree/tokentree.h"

#include <ATen/core/Tensor.h>

#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace headscope::lm {

struct Linear;

/// The batch being run. Positions start at `offset` (the length of the state that is continued).
struct BatchShape {
    std::int64_t offset = 0;
    at::Tensor lastPositions; ///< int64 [B]: each sample's last real position in this call; undefined: T-1
    at::Tensor rows;          ///< int64 [B, R]: the only positions needed after the last layer; undefined: all
    std::int64_t length = 0;  ///< T of this call
    const DeviceTree* tree =
        nullptr; ///< the batch is one packed row [1, N] of the tokens of many prompts (rows: indices into it,
                 ///< ascending; no state, no pattern, no edits of entries or last positions); null: B prompts
};

/// State that a mixer carries between calls: keys and values, or convolution window and state. Keys and values have
/// spare room that a continuation fills, so only one of two copies may be continued.
struct SiteState {
    at::Tensor first;  ///< attention: keys [B, G, T, P]; SSM: last inputs of the convolution [B, K-1, C]
    at::Tensor second; ///< attention: values [B, G, T, P]; SSM: state [B, H, P, N]
    at::Tensor mlp;    ///< RWKV-7: last input of the layer's MLP, [B, 1, D]; otherwise undefined
};

/// Definition of an SSM's matrix; attention ignores it.
struct MatrixConvention {
    bool withD = true;     ///< D on the diagonal, for mixers that have one (keepsOwnToken())
    bool withDt = true;    ///< Mamba-1 and Mamba-2: the step size as a factor of each column
    bool withGate = false; ///< row t times the gate: per head the mean of the gate over its channels
};

/// Computes rows [first, first + count) of heads' matrices, fp32 [B, h, count, T]; may be called repeatedly.
using MatrixRows = std::function<at::Tensor(std::int64_t first, std::int64_t count)>;

/// What to capture from one mixer's run. Empty requests cost nothing.
struct SiteCapture {
    bool wantMatrix = false;
    std::vector<int> heads;  ///< heads whose matrix is captured; empty: all
    std::optional<int> row;  ///< only this query position: matrix is [B, h, 1, T]
    bool wantRows = false;   ///< fill `rows`, for prompts whose matrices would not fit
    bool matrixOnly = false; ///< only the matrix or its rows are needed: the mixer may return zeros
    MatrixConvention convention;
    bool wantZ = false;
    bool wantValues = false; ///< v, y and the gain

    at::Tensor matrix;  ///< out: fp32 [B, h, T or 1, T], rows are queries
    MatrixRows rows;    ///< out: owns the data that it needs from the run; the mixer must outlive it
    at::Tensor values;  ///< out: v, the vectors to which the matrices apply, [B, T, H, P]
    at::Tensor outputs; ///< out: y = M v, before any gate or norm, [B, T, H, P]
    at::Tensor gain;    ///< out: factor of y on its way to z before edits, from gate and norm (with the norm's scale
                        ///< fixed at its value), [B, T, H*P]; undefined: 1
    at::Tensor beside;  ///< out: the part of z besides gain times y, from the own token alone, [B, T, H*P] (RWKV-7: the
                        ///< part of bonus and bias that one matrix entry cannot express); undefined: none
    at::Tensor z;       ///< out: [B, T, H*P], after edits
};

/// Inputs of a head from the stream, as bits. An SSM's C is its query, B its key, x its value (core/lm/README.md).
enum InputPart : unsigned {
    kQuery = 1,
    kKey = 2,
    kValue = 4,
    kStep = 8, ///< dt of SSMs; beta and alpha of the gated delta rule
    kGate = 16,
    kEveryPart = 31
};

/// Another stream that some parts of all heads of a site read: path patching thereby reaches a head's query alone.
struct OtherInput {
    at::Tensor stream; ///< [B, T, D]; the block applies the same norm as to its own stream
    Site site = Site::Any;
    unsigned parts = 0;
};

/// The arguments of one call besides its input.
struct MixerCall {
    const BatchShape& batch;
    const SiteEdits* edits = nullptr; ///< null: none
    SiteCapture* capture = nullptr;   ///< null: none
    SiteState* state = nullptr;       ///< null: whole sequence from position 0; otherwise continued and updated
    at::Tensor* keptZ = nullptr;      ///< out: z before edits, at the rows that are passed on; null: not needed
    at::Tensor embedding;             ///< [B, T, D]: the initial stream (RWKV-7 computes values from it in every layer)
    at::Tensor otherInput;            ///< [B, T, D], normed: input of `otherParts` instead; undefined: none
    unsigned otherParts = 0;

    /// Whether the matrix or rows of it are captured, and whether nothing else is needed.
    [[nodiscard]] bool wantsMatrix() const { return capture && (capture->wantMatrix || capture->wantRows); }
    [[nodiscard]] bool wantsMatrixOnly() const { return capture && capture->matrixOnly; }
    /// Returns a copy of the edits that change the matrix, to be kept longer than the call; nothing if there are none.
    [[nodiscard]] std::optional<SiteEdits> matrixEdits() const
    {
        return edits && edits->touchesMatrix() ? std::optional(*edits) : std::nullopt;
    }
    /// Returns the input of a part.
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
    bool normed = false;   ///< queries and keys have their own norms, so that their product is not a score
};

/// The two factors of a softmax score: a query and a key, each linear in the input at its position once its norm is
/// held at the scale that it has.
enum class ScoreSide { Query, Key };

/// Factors of the matrix of a scanning head, without D: M[t, s] = sum over n of query_t[n] key_s[n] exp(sum of
/// logDecay[n] over s < u <= t) weight_s.
struct ScanScores {
    at::Tensor query, key; ///< fp32 [B, T, N]: C and B
    at::Tensor logDecay;   ///< fp32 [B, T, 1 or N]
    at::Tensor weight;     ///< fp32 [B, T], the step sizes; undefined: 1
    std::int64_t taps = 1; ///< positions that a query or key is computed from; the last is its own
};

class Mixer
{
public:
    virtual ~Mixer() = default;
    /// Runs the mixer on input [B, T, D], already normed. Returns [B, T, D], or [B, R, D] if `rowsOnly` (only positions
    /// call.batch.rows are computed where that is cheaper; used in the last layer).
    [[nodiscard]] virtual at::Tensor forward(const at::Tensor& input, MixerCall& call, bool rowsOnly) const = 0;
    [[nodiscard]] virtual const MixerSpec& spec() const = 0;
    [[nodiscard]] virtual const Linear& output() const = 0; ///< the projection that reads z
    [[nodiscard]] virtual HeadMaps headMaps(int head) const = 0;
    /// Maps a head's query or key [B, Q], as used in the score (normed, rotated), along `direction` [B, Q] back to
    /// `input` [B, in] at `positions` [B] of a prompt of `length` tokens. Nothing if heads have no such scores.
    [[nodiscard]] virtual std::optional<Along> scoreAlong(ScoreSide /*side*/, int /*head*/, const at::Tensor& /*input*/,
                                                          const at::Tensor& /*positions*/, std::int64_t /*length*/,
                                                          const at::Tensor& /*direction*/) const
    {
        return std::nullopt;
    }
    /// Returns the factors of a scanning head from `input` fp32 [B, T, in]; safe under autograd. Nothing if its matrix
    /// is not such a product.
    [[nodiscard]] virtual std::optional<ScanScores> scanScores(int /*head*/, const at::Tensor& /*input*/) const
    {
        return std::nullopt;
    }
    /// Returns the inputs of its heads from the stream, as bits of InputPart.
    [[nodiscard]] virtual unsigned inputParts() const { return kEveryPart; }
};

/// A mixer with its weights, of which `output` is the projection that reads z.
template <typename Parts> class MixerOf : public Mixer
{
public:
    MixerOf(MixerSpec spec, Parts weights) : m_spec(spec), m_w(std::move(weights)) {}
    [[nodiscard]] const MixerSpec& spec() const final { return m_spec; }
    [[nodiscard]] const Linear& output() const final { return m_w.output; }

protected:
    MixerSpec m_spec;
    Parts m_w;
};

/// Selects columns of a projection of several adjacent parts: from the other input for `parts`, otherwise from its own.
/// `layout` lists part and width from left to right; part 0 always stays its own.
[[nodiscard]] at::Tensor chosenColumns(const at::Tensor& own, const at::Tensor& other,
                                       const std::vector<std::pair<unsigned, std::int64_t>>& layout, unsigned parts);

/// Applies replacements, scales and patch to z [B, T, H*P] (or [B, R, H*P] with rows). Never in place.
[[nodiscard]] at::Tensor editHeads(const at::Tensor& z, int heads, const MixerCall& call, bool rowsOnly);

/// Returns only these heads of x along a dimension; empty: all.
[[nodiscard]] at::Tensor chosenHeads(const at::Tensor& x, const std::vector<int>& heads, std::int64_t dimension = 1);

/// Gathers x [B, T, C] at positions `rows` [B, R] into [B, R, C].
[[nodiscard]] at::Tensor gatherRows(const at::Tensor& x, const at::Tensor& rows);

} // namespace headscope::lm
