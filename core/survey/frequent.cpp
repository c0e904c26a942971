// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/survey/frequent.h"

#include "core/lm/along.h"
#include "core/lm/weights/packedweight.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <map>

namespace headscope::survey {

namespace {

using lm::Site;

Result<std::vector<Window>> firstOf(Windows& windows, int count)
{
    std::vector<Window> some;
    while (static_cast<int>(some.size()) < count) {
        auto window = windows.next();
        if (!window.has_value())
            return window.error();
        if (!window->has_value())
            break;
        some.push_back(std::move(**window));
    }
    return some;
}

// Of equally frequent tokens the one of the lower id.
std::vector<int> mostFrequent(const std::vector<Window>& windows, const std::vector<int>& besides, int count)
{
    std::map<int, std::int64_t> counts;
    for (const Window& window : windows)
        for (const int id : window.facts.ids)
            if (std::ranges::find(besides, id) == besides.end())
                ++counts[id];
    std::vector<std::pair<int, std::int64_t>> order(counts.begin(), counts.end());
    std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    std::vector<int> tokens;
    for (const auto& [id, n] : order)
        if (static_cast<int>(tokens.size()) < count)
            tokens.push_back(id);
    return tokens;
}

at::Tensor withoutFirst(const at::Tensor& x) // [1, T, N] without the first position, which reads nothing but itself
{
    return x[0].narrow(0, 1, x.size(1) - 1).to(at::kFloat);
}

/// Sums of what heads add to one token's logit, by layer, site and head.
class Sums
{
public:
    explicit Sums(const lm::Model& model, const lm::Edits& base) : m_model(&model), m_base(&base) {}

    void add(const why::Recording& run, const at::Tensor& token, std::size_t index, std::size_t tokens)
    {
        const at::Tensor stream = withoutFirst(run.streams.back());
        const at::Tensor direction =
            lm::alongNorm(m_model->parts().finalNorm, stream, token.unsqueeze(0).expand_as(stream)).direction;
        const why::LayerRun layers(*m_model, *m_base, run.embedding);
        for (int layer = 0; layer < run.layers(); ++layer) {
            lm::HeadOutputs z;
            for (const Site site : interventions::kMixerSites)
                if (const auto found = run.z.find({layer, site}); found != run.z.end())
                    z.site(site) = withoutFirst(found->second);
            if (!z.attention.defined() && !z.ssm.defined())
                continue;
            const lm::HeadsAlong seen = layers.block(layer).headsAlong(z, direction.expand_as(stream));
            for (const Site site : interventions::kMixerSites)
                if (seen.along.site(site).defined() && z.site(site).defined())
                    addSite({layer, site}, z.site(site) * seen.along.site(site).to(at::kFloat),
                            layers.mixer(layer, site).heads, index, tokens);
        }
    }
    void finish(FrequentTokens& told) const
    {
        for (const auto& [where, heads] : m_sums)
            for (std::size_t head = 0; head < heads.size(); ++head) {
                told.heads.push_back({where.first, where.second, static_cast<int>(head)});
                told.means.push_back(heads[head]);
                for (double& value : told.means.back())
                    value /= static_cast<double>(std::max<std::int64_t>(told.positions, 1));
            }
    }

private:
    void addSite(const why::Where& where, const at::Tensor& along, int heads, std::size_t index, std::size_t tokens)
    {
        const at::Tensor sums =
            along.view({along.size(0), heads, -1}).sum(at::IntArrayRef{0, 2}).to(at::kCPU, at::kDouble).contiguous();
        auto& own = m_sums[where];
        own.resize(static_cast<std::size_t>(heads), std::vector<double>(tokens));
        for (std::size_t head = 0; head < own.size(); ++head)
            own[head][index] += sums.const_data_ptr<double>()[head];
    }

    const lm::Model* m_model;
    const lm::Edits* m_base;
    std::map<why::Where, std::vector<std::vector<double>>> m_sums; ///< [head][token]
};

} // namespace

Result<FrequentTokens> attributeToFrequent(const lm::Model& model, const lm::Edits& base, Windows windows,
                                           const FrequentOptions& options, const Control& control)
{
    const at::NoGradGuard noGrad;
    const auto some = firstOf(windows, options.windows);
    if (!some.has_value())
        return some.error();
    std::vector<int> besides = options.besides;
    for (const auto& id : {windows.options().start, windows.options().unknown})
        if (id)
            besides.push_back(*id);
    FrequentTokens told{.tokens = mostFrequent(*some, besides, options.tokens)};
    const lm::ModelParts& parts = model.parts();
    const at::Tensor mean = lm::denseOf(parts.head.weight).to(at::kFloat).mean(0);
    const at::Tensor rows =
        lm::rowsOf(parts.head.weight, at::tensor(told.tokens, at::TensorOptions(at::kLong).device(model.device())))
            .to(at::kFloat);
    Sums sums(model, base);
    for (const Window& window : *some) {
        const auto run = why::record(model, window.facts.ids, base, control);
        if (!run.has_value())
            return run.error();
        for (std::size_t i = 0; i < told.tokens.size(); ++i)
            sums.add(*run, (rows[static_cast<std::int64_t>(i)] - mean) * parts.logitMultiplier, i, told.tokens.size());
        ++told.windows;
        told.positions += static_cast<std::int64_t>(window.facts.ids.size()) - 1;
        control.progress("attributing to frequent tokens", told.windows, static_cast<std::int64_t>(some->size()));
    }
    sums.finish(told);
    return told;
}

} // namespace headscope::survey
