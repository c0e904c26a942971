// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Norms of the heads' outputs to the stream, at every position of a batch. Worker thread.

#include "core/lm/block.h"

namespace headscope::survey {

using lm::Site;

/// Computes norms of W_O z_h of one layer by z^T (W_O^T W_O) z, without computing any head's output. Gets the layer's
/// map from Block::headsAlong(), which every family implements.
class HeadWrites
{
public:
    /// z: of both sites if the layer has two, [B, T, H*P], of which only the shape is used; hidden: D.
    HeadWrites(const lm::Block& block, const lm::LayerSpec& layer, const lm::HeadOutputs& z, std::int64_t hidden);

    /// Returns [B, T, H], fp32; undefined if the site writes nothing into the stream itself.
    [[nodiscard]] at::Tensor norms(const lm::Block& block, const lm::HeadOutputs& z, Site site) const;

private:
    at::Tensor m_direction; ///< [1, D]
    struct Map {
        at::Tensor gram;  ///< [H, P, P] of the heads' outputs, with norms at the scale of one position
        double scale = 0; ///< scale at that position, along m_direction; 0: no norm follows
    };
    Map m_attention, m_ssm;
};

} // namespace headscope::survey
