// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/generate.h"

#include <ATen/CPUGeneratorImpl.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>

namespace headscope::engine {

namespace {

at::Tensor choose(const at::Tensor& logits, double temperature, at::Generator& generator)
{
    if (temperature <= 0)
        return logits.argmax(-1);
    return at::multinomial(at::softmax(logits / temperature, -1).cpu(), 1, false, generator)
        .squeeze(-1)
        .to(logits.device());
}

} // namespace

Generation::Generation(const lm::Model& model, const at::Tensor& ids, GenerateOptions options)
    : m_model(&model), m_options(std::move(options)), m_generator(at::detail::createCPUGenerator(m_options.seed)),
      m_input(ids.to(model.device())), m_tokens(static_cast<std::size_t>(ids.size(0))), m_ended(m_tokens.size(), false)
{
    if (!m_options.edits)
        return;
    m_edits = std::make_unique<lm::Edits>(*m_options.edits);
    for (auto& [layer, edit] : m_edits->layers)
        for (lm::SiteEdits* site : {&edit.attention, &edit.ssm})
            for (lm::ReplaceHead& replace : site->replace)
                if (!replace.value.defined())
                    replace.held = std::make_shared<at::Tensor>();
    m_options.edits = m_edits.get();
}

bool Generation::step(const std::stop_token& stop)
{
    const c10::InferenceMode guard; // also spares each view of a tensor what autograd would keep of it
    if (m_made >= m_options.newTokens)
        return false;
    if (const int past = m_model->spec().rotatedByLengthPast; past > 0 && m_model->spec().readsAnew) {
        m_text = m_text.defined() ? at::cat({m_text, m_input}, 1) : m_input;
        if (m_state.length > 0 && m_state.length <= past && m_text.size(1) > past) {
            m_state = {};
            m_input = m_text;
        }
    }
    lm::RunOptions run{.edits = m_options.edits, .state = &m_state, .stop = stop};
    run.rows = at::full({m_input.size(0), 1}, m_input.size(1) - 1, m_input.options());
    const at::Tensor logits = m_model->logits(m_input, run);
    m_logits = logits.defined() ? logits.select(1, 0) : at::Tensor();
    if (!m_logits.defined())
        return false;
    const at::Tensor next = choose(m_logits, m_options.temperature, m_generator);
    const at::Tensor host = next.cpu();
    for (std::size_t b = 0; b < m_tokens.size(); ++b) {
        const int id = static_cast<int>(host[static_cast<std::int64_t>(b)].item<std::int64_t>());
        m_ended[b] =
            m_ended[b] || std::find(m_options.stopIds.begin(), m_options.stopIds.end(), id) != m_options.stopIds.end();
        if (!m_ended[b])
            m_tokens[b].push_back(id);
    }
    m_input = next.unsqueeze(1);
    const bool more = !m_options.onToken || m_ended.front() || m_options.onToken(m_tokens.front().back());
    return ++m_made < m_options.newTokens && more && std::find(m_ended.begin(), m_ended.end(), false) != m_ended.end();
}

std::vector<std::vector<int>> generate(const lm::Model& model, const at::Tensor& ids, const GenerateOptions& options,
                                       const std::stop_token& stop)
{
    Generation generation(model, ids, options);
    while (generation.step(stop)) {
    }
    return generation.tokens();
}

} // namespace headscope::engine
