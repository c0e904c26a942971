// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The logit lens (nostalgebraist 2020): the stream before each layer through the model's own final norm and head, as if
// the layers above did nothing. Worker thread.

#include "core/why/recording.h"

#include <optional>

namespace headscope::why {

/// What the lens sees at one layer and position.
struct LensCell {
    struct Token {
        int id = 0;
        float probability = 0;
    };
    std::vector<Token> top;   ///< most probable first
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
[[nodiscard]] at::Tensor lensLogits(const lm::Model& model, const Recording& run, int layer, std::int64_t first,
                                    std::int64_t count);

/// Rank and log-probability of a token of the model at the last position, by layer. Top tokens are left out.
[[nodiscard]] std::vector<LensCell> lastLens(const lm::Model& model, const Recording& run, int token);

/// Every layer and position, with the `top` most probable tokens. `followed`: the token whose rank is reported; without
/// it at each position the one that the last row finds most probable.
[[nodiscard]] Result<Lens> lens(const lm::Model& model, const Recording& run, int top, std::optional<int> followed,
                                const Control& control = {});

/// The lowest layer from which on the token is the most probable one at a position, up to the end; nothing: it is not
/// at the end.
[[nodiscard]] std::optional<int> firstTopLayer(const Lens& lens, int position, int token);

} // namespace headscope::why
