// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/families/zambaparts.h"

#include "core/lm/along.h"

namespace headscope::lm {

namespace {

class HybridBlock : public Block
{
public:
    explicit HybridBlock(HybridParts parts) : m_p(std::move(parts)) {}
    [[nodiscard]] at::Tensor forward(const at::Tensor& stream, BlockCall& call) const override
    {
        const at::Tensor kept = call.rowsOnly ? gatherRows(stream, call.batch.rows) : stream;
        if (call.skips(Site::Ssm))
            return kept;
        at::Tensor o;
        if (call.skips(Site::Attention)) {
            o = at::zeros_like(stream);
        } else {
            const auto read = [&](const at::Tensor& x) {
                return m_p.concatNorm(at::cat({x, call.embedding.expand_as(x)}, -1));
            };
            MixerCall attention = call.mixerCall(Site::Attention, read);
            o = m_p.attention->forward(read(stream), attention, false);
        }
        const at::Tensor transformed = call.skipsMlp() ? at::zeros_like(stream) : m_p.linear(m_p.mlp(m_p.mlpNorm(o)));
        const auto read = [&](const at::Tensor& x) { return m_p.mambaNorm(x + transformed); };
        MixerCall mamba = call.mixerCall(Site::Ssm, read);
        return kept + m_p.mamba->forward(read(stream), mamba, call.rowsOnly);
    }
    [[nodiscard]] HeadsAlong headsAlong(const HeadOutputs& z, const at::Tensor& direction) const override
    {
        HeadsAlong seen;
        seen.constant = at::zeros({direction.size(0)}, direction.options());
        if (!z.ssm.defined())
            return seen;
        const Along before = alongLinear(m_p.mamba->output(), direction);
        seen.along.ssm = before.direction;
        seen.constant = before.constant;
        return seen;
    }
    [[nodiscard]] SiteReader reader(Site site) const override
    {
        return site == Site::Ssm ? SiteReader{m_p.mamba.get(), &m_p.mambaNorm} : SiteReader{};
    }
    [[nodiscard]] unsigned inputParts(Site site) const override
    {
        return site == Site::Ssm ? m_p.mamba->inputParts() : m_p.attention->inputParts();
    }
    [[nodiscard]] bool mlpWrites() const override { return false; }

private:
    HybridParts m_p;
};

} // namespace

std::shared_ptr<const Block> hybridBlock(HybridParts parts)
{
    return std::make_shared<HybridBlock>(std::move(parts));
}

std::vector<int> readHybrids(Config& config)
{
    const std::vector<std::string> types = config.texts("layers_block_type");
    std::vector<int> hybrids;
    for (std::size_t i = 0; i < types.size(); ++i) {
        if (types[i] == "hybrid" || types[i] == "g")
            hybrids.push_back(static_cast<int>(i));
        else if (types[i] != "mamba" && types[i] != "linear_attention" && types[i] != "m")
            config.fail("'layers_block_type' contains '" + types[i] + "'; expected mamba or hybrid.");
    }
    return hybrids;
}

std::vector<std::string> sharedPrefixes(const std::vector<int>& hybrids, int blocks, int hybrid,
                                        const std::string& name)
{
    std::vector<std::string> prefixes;
    for (std::size_t k = 0; k < hybrids.size(); ++k)
        if (static_cast<int>(k) % blocks == hybrid % blocks)
            prefixes.push_back("model.layers." + std::to_string(hybrids[k]) + "." + name);
    return prefixes;
}

at::Tensor SharedBlock::take(const std::string& name, std::vector<std::int64_t> shape) const
{
    std::vector<std::string> names;
    for (const std::string& prefix : m_prefixes)
        names.push_back(prefix + name);
    return m_weights.takeShared(names, std::move(shape));
}

} // namespace headscope::lm
