// SPDX-License-Identifier: GPL-3.0-or-later
// What each head is worth for the answer to one prompt: direct attribution of all heads, then one run without each,
// from the layer that it is in. Worker thread only.

#include "app/backend/models.h"
#include "app/backend/values/headvalues.h"
#include "app/backend/why/promptanalyses.h"
#include "core/engine/ranking/rank.h"
#include "core/why/paths/direct.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

namespace headscope::app {

namespace {

constexpr auto kNewsPause = std::chrono::milliseconds(100);

class PromptEffectsJob
{
public:
    PromptEffectsJob(Side side, Prompt prompt) : m_side(side), m_prompt(std::move(prompt)) {}

    /// All estimates, then one head; false: that was all.
    [[nodiscard]] Result<bool> step(Models& models, const Control& control);
    [[nodiscard]] bool hasNews();
    [[nodiscard]] const PromptEffects& reply() const { return m_heads; }

private:
    [[nodiscard]] Result<void> estimate(Models& models, const Control& control);
    [[nodiscard]] Result<void> measure(HeadValue& value, const Control& control) const;

    Side m_side;
    Prompt m_prompt;
    std::optional<RecordedRun> m_asked;
    why::Metric m_metric;
    PromptEffects m_heads;
    std::vector<std::size_t> m_order; ///< of m_heads, the largest estimate first
    std::size_t m_measured = 0;
    std::chrono::steady_clock::time_point m_told;
};

} // namespace

Result<bool> PromptEffectsJob::step(Models& models, const Control& control)
{
    if (!m_asked) {
        const auto estimated = estimate(models, control);
        return estimated.has_value() ? Result<bool>(!m_order.empty()) : Result<bool>(estimated.error());
    }
    const auto measured = measure(m_heads[m_order[m_measured]], control);
    if (!measured.has_value())
        return measured.error();
    ++m_measured;
    control.progress("ablating heads", static_cast<std::int64_t>(m_measured),
                     static_cast<std::int64_t>(m_order.size()));
    return m_measured < m_order.size();
}

bool PromptEffectsJob::hasNews()
{
    const auto now = std::chrono::steady_clock::now();
    if (m_measured > 0 && now - m_told < kNewsPause)
        return false;
    m_told = now;
    return true;
}

Result<void> PromptEffectsJob::estimate(Models& models, const Control& control)
{
    auto asked = recordedRun(models, {.state = {m_side, {}}, .prompt = m_prompt}, control);
    if (!asked.has_value())
        return asked.error();
    const auto metric = asked->metric();
    if (!metric.has_value())
        return metric.error();
    const lm::Model& model = *asked->model->loaded.model;
    const auto direct = why::directAttribution(model, asked->base, asked->run, *metric, {control.stop, {}});
    if (!direct.has_value() && direct.error().kind == Error::Kind::Cancelled)
        return direct.error();
    // Of a model whose logits are no sum of what its heads write nothing is known before the runs.
    std::map<std::pair<why::Where, int>, double> adds;
    if (direct.has_value())
        for (const why::DirectPart& part : direct->parts)
            if (part.kind == why::DirectPart::Kind::Head)
                adds[{{part.layer, part.site}, part.head}] = part.value;
    for (const interventions::HeadRef& head : engine::allHeads(model.spec())) {
        const lm::MixerSpec& mixer = **lm::findMixer(model.spec(), head); // it is one of the model's
        const auto found = adds.find({{head.layer, mixer.site()}, head.head});
        m_heads.push_back({.head = head,
                           .attention = mixer.kind == lm::MixerKind::Attention,
                           .value = found == adds.end() ? std::numeric_limits<double>::quiet_NaN() : found->second,
                           .n = 1,
                           .estimate = true});
        m_order.push_back(m_order.size());
    }
    const auto size = [this](std::size_t i) {
        return std::isnan(m_heads[i].value) ? 0.0 : -std::abs(m_heads[i].value);
    };
    std::ranges::stable_sort(m_order, {}, size);
    m_metric = *metric;
    m_asked = std::move(*asked);
    return {};
}

Result<void> PromptEffectsJob::measure(HeadValue& value, const Control& control) const
{
    const lm::Model& model = *m_asked->model->loaded.model;
    const auto edits = lm::resolve(interventions::InterventionSet({interventions::EditHead{.head = value.head}}),
                                   model.spec(), m_asked->model->donors);
    if (!edits.has_value())
        return edits.error();
    const auto layer = static_cast<std::size_t>(value.head.layer);
    const at::Tensor logits = why::LayerRun(model, *edits, m_asked->run.embedding)
                                  .toLogits(m_asked->run.streams[layer], value.head.layer, control.stop);
    if (!logits.defined())
        return cancelledError();
    const double without = logits[0][m_metric.answer].item<double>() - logits[0][m_metric.distractor].item<double>();
    value.value = m_asked->run.difference(m_metric) - without;
    value.estimate = false;
    return {};
}

Job<PromptEffects> jobOf(const PromptEffectsRequest& request)
{
    return inSteps<PromptEffects>(engine::Urgency::Background,
                                  std::make_shared<PromptEffectsJob>(request.side, request.prompt));
}

} // namespace headscope::app
