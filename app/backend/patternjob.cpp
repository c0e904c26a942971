// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/backend/patternjob.h"

#include "app/backend/patternjobs.h"
#include "app/backend/patternsource.h"
#include "core/engine/treerun.h"

#include <utility>

namespace headscope::app {

namespace {

constexpr int kBeginnings[] = {2048, 8192}; // tokens; each costs a part of the whole, so there are few
constexpr int kWorth = 4;                   // of what is so many times as long

// Whether the layers over the whole text are there, or what is done to the model says where the text ends.
Result<bool> needsWhole(Backend::Opened& model, const std::vector<int>& ids, const PatternRequest& request)
{
    const auto edits = lm::resolve(request.ablation, model.spec(), model.donors);
    if (!edits.has_value())
        return edits.error();
    const int past = model.spec().rotatedByLengthPast, length = static_cast<int>(ids.size());
    return !engine::sharesRows(*edits) || (past > 0 && length > past) || request.head.layer == 0
           || model.streams->nearest(ids, request.ablation, request.head.layer).layer == request.head.layer;
}

} // namespace

PatternJob::PatternJob(Side side, Prompt prompt, PatternRequest request)
    : m_side(side), m_prompt(std::move(prompt)), m_request(std::move(request))
{
}

Result<bool> PatternJob::step(Backend::State& state, const Control& control)
{
    const auto wanted = next(state);
    if (!wanted.has_value())
        return wanted.error();
    const auto read = *wanted > 0 ? readBeginning(state, *wanted, control) : readWhole(state, control);
    if (!read.has_value())
        return read.error();
    m_read = *wanted;
    if (m_reply.unread > 0)
        return true;
    state.runAhead(m_side, m_prompt, m_request.ablation);
    return false;
}

Result<int> PatternJob::next(Backend::State& state) const
{
    const auto model = state.opened(m_side);
    if (!model.has_value())
        return model.error();
    const auto encoding = state.encode(**model, m_prompt);
    if (!encoding.has_value())
        return encoding.error();
    const int length = static_cast<int>(encoding->ids.size());
    if (length <= kWholeMap)
        return 0;
    const auto whole = needsWhole(**model, encoding->ids, m_request);
    if (!whole.has_value())
        return whole.error();
    for (const int tokens : kBeginnings)
        if (!*whole && tokens > m_read && length >= kWorth * tokens)
            return tokens;
    return 0;
}

Result<void> PatternJob::readBeginning(Backend::State& state, int tokens, const Control& control)
{
    const auto source = PatternSource::open(state, m_side, m_prompt, m_request, control, tokens);
    if (!source.has_value())
        return source.error();
    m_reply = withoutMap(state, m_side, m_prompt, m_request, *source);
    auto matrix = source->pooled(m_reply.pool, control);
    if (!matrix.has_value())
        return matrix.error();
    m_reply.matrix = std::move(*matrix);
    return {};
}

Result<void> PatternJob::readWhole(Backend::State& state, const Control& control)
{
    auto reply = readPattern(state, m_side, m_prompt, m_request, control);
    if (!reply.has_value())
        return reply.error();
    m_reply = std::move(*reply);
    return {};
}

} // namespace headscope::app
