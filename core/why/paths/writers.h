// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What was written into the stream before a layer, at some positions, and by whom: the embedding, heads, MLPs, biases
// and steering add up to the stream. Worker thread.

#include "core/why/paths/direct.h"

namespace headscope::why {

/// What each writer adds along some directions.
struct WrittenParts {
    std::vector<DirectPart> parts; ///< in the model's order, without values
    at::Tensor values;             ///< fp64 [parts, B]
    std::vector<Where> silent;     ///< sites whose heads write nothing into the stream themselves
};

/// Fails for layers that do more to the stream than add to it, and where one of a layer's two mixers is left out.
[[nodiscard]] Result<void> checkSumOfWrites(const lm::Model& model, const lm::Edits& base);

class Writers
{
public:
    /// Of what layer `layer` reads (the number of layers: what the final norm reads) at `positions`. Fails where
    /// checkSumOfWrites() does.
    [[nodiscard]] static Result<Writers> before(const lm::Model& model, const lm::Edits& base, const Recording& run,
                                                int layer, const std::vector<std::int64_t>& positions,
                                                const Control& control = {});
    /// rows: int64 [B], indices of positions; direction: fp32 [B, D].
    [[nodiscard]] WrittenParts along(const at::Tensor& rows, const at::Tensor& direction) const;

private:
    struct Layer {
        const lm::Block* block = nullptr; ///< null: the layer is left out
        at::Tensor steer;                 ///< [positions, D], exchanges of words too; undefined: none
        lm::HeadOutputs z;                ///< [positions, H*P], as the output projection reads it
        int heads[2] = {0, 0};            ///< attention, SSM
        at::Tensor mlp;                   ///< [positions, D]; undefined: none
    };
    at::Tensor m_embedding; ///< [positions, D]
    std::vector<Layer> m_layers;
};

} // namespace headscope::why
