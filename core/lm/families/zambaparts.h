// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Code that Zamba and Zamba2 share: Mamba layers, some of which first run a Transformer block over the stream and the
// embedding; these blocks share all or some of their weights. Worker thread.

#include "core/lm/block.h"
#include "core/lm/families/common.h"

namespace headscope::lm {

struct HybridParts {
    Norm concatNorm; ///< over stream and embedding, [2D]
    std::shared_ptr<const Mixer> attention;
    Norm mlpNorm;
    Mlp mlp;
    Linear linear;
    Norm mambaNorm;
    std::shared_ptr<const Mixer> mamba;
};

/// Makes a layer whose Transformer reaches the stream only through the layer's Mamba: it is not a residual branch.
[[nodiscard]] std::shared_ptr<const Block> hybridBlock(HybridParts parts);

/// Returns the layers with a Transformer by 'layers_block_type'; empty if the config has no such key.
[[nodiscard]] std::vector<int> readHybrids(Config& config);

/// Returns the prefixes under which a shared block's tensors may be stored: below any of the layers that use it.
/// `hybrid`: index of one of them among the hybrid layers, which cycle through `blocks` blocks.
[[nodiscard]] std::vector<std::string> sharedPrefixes(const std::vector<int>& hybrids, int blocks, int hybrid,
                                                      const std::string& name);

/// The tensors of a block that several layers share.
class SharedBlock
{
public:
    SharedBlock(Weights& weights, std::vector<std::string> prefixes)
        : m_weights(weights), m_prefixes(std::move(prefixes))
    {
    }
    [[nodiscard]] at::Tensor take(const std::string& name, std::vector<std::int64_t> shape) const;
    [[nodiscard]] Linear pack(Linear map, const std::string& name) const
    {
        return packed(m_weights, std::move(map), m_prefixes.front() + name);
    }
    [[nodiscard]] Linear linear(const std::string& name, std::int64_t out, std::int64_t in) const
    {
        return pack({take(name + ".weight", {out, in}), {}}, name);
    }
    [[nodiscard]] Norm norm(const std::string& name, std::int64_t width, double eps) const
    {
        return {NormKind::Rms, take(name + ".weight", {width}), {}, eps};
    }

private:
    Weights& m_weights;
    std::vector<std::string> m_prefixes;
};

} // namespace headscope::lm
