// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The logit lens (nostalgebraist 2020): the stream before each layer through the model's own final norm and head, as if
// the layers above did nothing; or, with a fitted Jacobian lens, as if they did to first order what they do on average.
// Worker thread.

#include "core/why/lenses/jacobianlens.h"
#include "core/why/recording.h"

#include <optional>

namespace headscope::why {

/// What the lens sees at one layer and position.
struct LensCell {
    struct Token {
        int id = 0;
        float probability = 0;
    };
    std::vector<Token> top;   ///< most probable first; empty: a fitted lens has no matrix for this layer
    float entropy = 0;        ///< nats
    int rank = 0;             ///< of the followed token, 0: the most probable
    float logProbability = 0; ///< of the followed token
};

struct Lens {
    int layers = 0; ///< L + 1 rows: before layer l; the last is the model's own output
    int positions = 0;
    std::vector<LensCell> cells; ///< by layer, then position
    [[nodiscard]] const LensCell& at(int layer, int position) const
    {
        return cells[static_cast<std::size_t>(layer) * static_cast<std::size_t>(positions)
                     + static_cast<std::size_t>(position)];
    }
};

/// Logits at positions [first, first + count) of the stream before `layer` (L: after the last), fp32 [count, V].
/// Undefined where `fitted` (null: the logit lens) has no matrix for the layer.
[[nodiscard]] at::Tensor lensLogits(const lm::Model& model, const Recording& run, int layer, std::int64_t first,
                                    std::int64_t count, const JacobianLens* fitted = nullptr);

/// Rank and log-probability of a token of the model at the last position, by layer. Top tokens are left out.
[[nodiscard]] std::vector<LensCell> lastLens(const lm::Model& model, const Recording& run, int token);

struct LensOptions {
    int top = 1;                 ///< most probable tokens of each cell
    std::optional<int> followed; ///< whose rank is reported; nothing: at each position the last row's most probable
    const JacobianLens* fitted = nullptr; ///< null: the logit lens
};
/// Every layer and position.
[[nodiscard]] Result<Lens> lens(const lm::Model& model, const Recording& run, const LensOptions& options,
                                const Control& control = {});

/// For each layer, the share of positions from `first` on at which the lens (null: the logit lens) has the same token
/// on top as the model's output; NaN where it has no matrix.
[[nodiscard]] std::vector<double> topAgreement(const lm::Model& model, const Recording& run, std::int64_t first,
                                               const JacobianLens* fitted);

/// The lowest layer from which on the token is the most probable one at a position, up to the end; nothing: it is not
/// at the end.
[[nodiscard]] std::optional<int> firstTopLayer(const Lens& lens, int position, int token);

} // namespace headscope::why
