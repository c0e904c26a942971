// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// All contributions to the stream before a layer at some positions: the embedding, heads, MLPs, biases and steering add
// up to the stream. Worker thread.

#include "core/why/paths/direct.h"

namespace headscope::why {

/// Contributions of the writers along some directions.
struct WrittenParts {
    std::vector<DirectPart> parts; ///< in the model's order, without values
    at::Tensor values;             ///< fp64 [parts, B]
    std::vector<Where> silent;     ///< sites whose heads write nothing into the stream themselves
};

/// Fails for layers that do more to the stream than add to it, if one of a layer's two mixers is skipped, and where
/// lm::checkSameHeads() fails.
[[nodiscard]] Result<void> checkSumOfWrites(const lm::Model& model, const lm::Edits& base);

class Writers
{
public:
    /// Collects the contributions to the input of layer `layer` (the number of layers: of the final norm) at
    /// `positions`. Fails where checkSumOfWrites() fails.
    [[nodiscard]] static Result<Writers> before(const lm::Model& model, const lm::Edits& base, const Recording& run,
                                                int layer, const std::vector<std::int64_t>& positions,
                                                const Control& control = {});
    /// Projects the contributions. rows: int64 [B], indices of positions; direction: fp32 [B, D].
    [[nodiscard]] WrittenParts along(const at::Tensor& rows, const at::Tensor& direction) const;

private:
    struct Layer {
        const lm::Block* block = nullptr; ///< null: the layer is skipped
        at::Tensor steer;                 ///< [positions, D], includes exchanged words; undefined: none
        lm::HeadOutputs z;                ///< [positions, H*P], input of the output projection
        int heads[2] = {0, 0};            ///< attention, SSM
        at::Tensor mlp;                   ///< [positions, D]; undefined: none
    };
    at::Tensor m_embedding; ///< [positions, D]
    std::vector<Layer> m_layers;
};

} // namespace headscope::why
