// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The logit lens (nostalgebraist 2020): the stream before each layer through the model's own final norm and head, as if
// the layers above did nothing; or, with a fitted Jacobian lens, as if they acted to first order as they do on average.
// Worker thread.

#include "core/why/recording.h"

#include <map>
#include <optional>

namespace headscope::why {

/// The lens output at one layer and position.
struct LensCell {
    struct Token {
        int id = 0;
        float probability = 0;
    };
    std::vector<Token> top;   ///< most probable first; empty: the fitted lens has no matrix for this layer
    float entropy = 0;        ///< nats
    int rank = 0;             ///< rank of the followed token, 0: the most probable
    float logProbability = 0; ///< log-probability of the followed token
};

struct Lens {
    int layers = 0; ///< number of rows, L + 1: before each layer; the last is the model's own output
    int positions = 0;
    std::vector<LensCell> cells; ///< by layer, then position
    [[nodiscard]] const LensCell& at(int layer, int position) const
    {
        return cells[static_cast<std::size_t>(layer) * static_cast<std::size_t>(positions)
                     + static_cast<std::size_t>(position)];
    }
};

/// A fitted Jacobian lens (Gurnee et al. 2026): for each layer the matrix that maps the stream before it to the final
/// stream, to first order and averaged over prompts and positions.
struct JacobianLens {
    /// J of the stream before a layer, fp32 [D, D], rows are the final stream's entries: one less in files, which count
    /// the stream after a layer. After the last layer it would be the identity and is omitted.
    std::map<int, at::Tensor> before;

    /// Returns the stream before `layer` [..., at least D] mapped to the end: [..., D] in the stream's dtype. Nothing
    /// if the lens has no matrix for the layer.
    [[nodiscard]] std::optional<at::Tensor> carried(const at::Tensor& stream, int layer, int layers) const;
};

/// Returns logits at positions [first, first + count) of the stream before `layer` (L: after the last), fp32 [count,
/// V]. Undefined if `fitted` (null: the logit lens) has no matrix for the layer.
[[nodiscard]] at::Tensor lensLogits(const lm::Model& model, const Recording& run, int layer, std::int64_t first,
                                    std::int64_t count, const JacobianLens* fitted = nullptr);

/// Returns rank and log-probability of a token at the last position, by layer. Top tokens are omitted.
[[nodiscard]] std::vector<LensCell> lastLens(const lm::Model& model, const Recording& run, int token);

struct LensOptions {
    int top = 1;                 ///< number of most probable tokens per cell
    std::optional<int> followed; ///< token whose rank is reported; nothing: at each position the last row's top token
    const JacobianLens* fitted = nullptr; ///< null: the logit lens
};
/// Runs the lens on every layer and position.
[[nodiscard]] Result<Lens> lens(const lm::Model& model, const Recording& run, const LensOptions& options,
                                const Control& control = {});

/// Returns for each layer the share of positions from `first` on at which the lens (null: the logit lens) has the same
/// top token as the model's output; NaN if it has no matrix.
[[nodiscard]] std::vector<double> topAgreement(const lm::Model& model, const Recording& run, std::int64_t first,
                                               const JacobianLens* fitted);

/// Returns the lowest layer from which on the token is the most probable one at a position, up to the end; nothing if
/// it is not the most probable at the end.
[[nodiscard]] std::optional<int> firstTopLayer(const Lens& lens, int position, int token);

} // namespace headscope::why
