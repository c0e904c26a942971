// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/prompt/continuation.h"

#include "core/engine/pattern/patterns.h"
#include "core/interventions/positions.h"

namespace headscope::app {

Result<Continuation> Continuation::start(const OpenModel& open, const std::vector<int>& prompt,
                                         const interventions::InterventionSet& set, const ContinuationOptions& options)
{
    const lm::Model& model = *open.loaded.model;
    Continuation made;
    auto edits = lm::resolve(set, model.spec(), open.donors);
    if (!edits.has_value())
        return edits.error();
    made.m_edits = std::make_unique<lm::Edits>(std::move(*edits));
    if (const auto fits = engine::checkPrompt(model, prompt); !fits.has_value())
        return fits.error();
    // What is named may be a token that is still to come.
    if (const auto there = interventions::checkPositions(set, static_cast<int>(prompt.size()) + options.tokens);
        !there.has_value())
        return there.error();
    engine::GenerateOptions how{.newTokens = options.tokens,
                                .temperature = options.temperature,
                                .seed = options.seed,
                                .stopIds = model.spec().stopIds,
                                .edits = made.m_edits.get()};
    how.stopIds.insert(how.stopIds.end(), options.stopIds.begin(), options.stopIds.end());
    if (const auto eos = open.tokenizer->eosId())
        how.stopIds.push_back(*eos);
    const int longest = model.spec().maxPositions, length = static_cast<int>(prompt.size());
    if (longest > 0 && length + options.tokens > longest) {
        how.newTokens = longest - length;
        made.m_atLimit = Ending::LongestPrompt;
    }
    if (how.newTokens <= 0)
        return inputError("The prompt has " + std::to_string(length)
                          + " tokens, the most this model reads; shorten it to continue it.");
    const std::vector<std::int64_t> longs(prompt.begin(), prompt.end());
    made.m_generation.emplace(model, at::tensor(longs, at::TensorOptions(at::kLong)).unsqueeze(0), how);
    // The prompt goes before, so that the first new word is parted from it as the tokenizer parts words.
    made.m_decoder.emplace(open.tokenizer, true);
    for (const int id : prompt)
        (void)made.m_decoder->push(id);
    return made;
}

Result<Continuation::Step> Continuation::step(const std::stop_token& stop)
{
    const bool more = m_generation->step(stop);
    if (stop.stop_requested())
        return cancelledError();
    Step step;
    if (ids().size() > m_given) {
        step.id = ids().back();
        m_given = ids().size();
        auto text = m_decoder->push(*step.id);
        if (!text.has_value())
            return text.error();
        step.text = std::move(*text);
    }
    if (more)
        return step;
    auto rest = m_decoder->finish();
    if (!rest.has_value())
        return rest.error();
    step.text += *rest;
    step.ending = m_generation->ended() ? Ending::StopToken : m_atLimit;
    return step;
}

at::Tensor Continuation::logits() const
{
    return m_generation->logits()[0].to(at::kFloat);
}

} // namespace headscope::app
