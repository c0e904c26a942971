// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How large what heads write into the stream is, at every position of a batch. Worker thread.

#include "core/lm/block.h"

namespace headscope::survey {

using lm::Site;

/// Norms of W_O z_h of one layer by z^T (W_O^T W_O) z, so that no head's output is ever made. The layer's map is asked
/// for through Block::headsAlong(), which every family answers.
class HeadWrites
{
public:
    /// z: of both sites where the layer has two, [B, T, H*P], of which only the shape counts; hidden: D.
    HeadWrites(const lm::Block& block, const lm::LayerSpec& layer, const lm::HeadOutputs& z, std::int64_t hidden);

    /// [B, T, H], fp32; undefined where the site writes nothing into the stream itself.
    [[nodiscard]] at::Tensor norms(const lm::Block& block, const lm::HeadOutputs& z, Site site) const;

private:
    at::Tensor m_direction; ///< [1, D]
    struct Map {
        at::Tensor gram;  ///< [H, P, P] of what heads write, with norms at the scale of one position
        double scale = 0; ///< of that position, along m_direction; 0: no norm follows
    };
    Map m_attention, m_ssm;
};

} // namespace headscope::survey
