// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/dumplens.h"

#include "core/why/lenses/lens.h"

namespace headscope::engine {

LensDump::LensDump(const lm::Model& model, std::vector<int> clean, std::vector<int> corrupt, int skip)
    : m_model(model), m_clean(std::move(clean)), m_corrupt(std::move(corrupt)), m_skip(skip)
{
}

bool LensDump::has(const std::string& key)
{
    return key == "jacobian" || key == "jacobian_lens";
}

Result<at::Tensor> LensDump::value(const std::string& key)
{
    const lm::Edits none{.layers = {}, .layerCount = static_cast<int>(m_model.spec().layers.size())};
    if (!m_lens) {
        why::JacobianFit fit(m_model, none, {.layers = {}, .skip = m_skip, .prompts = 2});
        for (const std::vector<int>* ids : {&m_clean, &m_corrupt})
            if (const auto added = fit.add(*ids); !added.has_value())
                return added.error();
        m_lens = fit.mean();
    }
    std::vector<at::Tensor> layers;
    if (key == "jacobian") {
        for (const auto& [layer, matrix] : m_lens->before)
            layers.push_back(matrix);
        return at::stack(layers);
    }
    const auto run = why::record(m_model, m_clean, none);
    if (!run.has_value())
        return run.error();
    const std::int64_t count = std::min<std::int64_t>(8, run->length());
    for (int layer = 0; layer < run->layers(); ++layer)
        layers.push_back(why::lensLogits(m_model, *run, layer, run->length() - count, count, &*m_lens));
    return at::stack(layers);
}

} // namespace headscope::engine
