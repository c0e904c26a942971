// SPDX-License-Identifier: GPL-3.0-or-later
// The map of a head. Of a long prompt first that of its beginning, since no token reads a later one: layers over the
// whole text take longer than a person waits. Worker thread only.

#include "app/backend/models.h"
#include "app/backend/pattern/patternjobs.h"
#include "app/backend/pattern/patternsource.h"
#include "core/engine/treerun.h"

#include <utility>

namespace headscope::app {

namespace {

class PatternJob
{
public:
    PatternJob(Side side, Prompt prompt, PatternRequest request);

    /// A beginning, or the whole map; false: that was all.
    [[nodiscard]] Result<bool> step(Models& models, const Control& control);
    [[nodiscard]] static bool hasNews() { return true; }
    /// What the last step read; once.
    [[nodiscard]] PatternReply reply() { return std::move(m_reply); }

private:
    /// How many tokens are read next.
    [[nodiscard]] Result<int> next(Models& models) const;
    [[nodiscard]] Result<void> readBeginning(Models& models, int tokens, const Control& control);
    [[nodiscard]] Result<void> readWhole(Models& models, const Control& control);

    Side m_side;
    Prompt m_prompt;
    PatternRequest m_request;
    int m_read = 0; ///< tokens whose rows were sent
    PatternReply m_reply;
};

constexpr int kBeginnings[] = {2048, 8192}; // tokens; each costs a part of the whole, so there are few
constexpr int kWorth = 4;                   // of what is so many times as long

// Whether the layers over the whole text are there, or what is done to the model says where the text ends.
Result<bool> needsWhole(Opened& model, const std::vector<int>& ids, const PatternRequest& request)
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

Result<bool> PatternJob::step(Models& models, const Control& control)
{
    const auto wanted = next(models);
    if (!wanted.has_value())
        return wanted.error();
    const auto read = *wanted > 0 ? readBeginning(models, *wanted, control) : readWhole(models, control);
    if (!read.has_value())
        return read.error();
    m_read = *wanted;
    if (m_reply.unread > 0)
        return true;
    models.runAhead(m_side, m_prompt, m_request.ablation);
    return false;
}

Result<int> PatternJob::next(Models& models) const
{
    const auto read = models.read(m_side, m_prompt);
    if (!read.has_value())
        return read.error();
    const auto& [model, encoding] = *read;
    const int length = static_cast<int>(encoding.ids.size());
    if (length <= kWholeMap)
        return 0;
    const auto whole = needsWhole(*model, encoding.ids, m_request);
    if (!whole.has_value())
        return whole.error();
    for (const int tokens : kBeginnings)
        if (!*whole && tokens > m_read && length >= kWorth * tokens)
            return tokens;
    return 0;
}

Result<void> PatternJob::readBeginning(Models& models, int tokens, const Control& control)
{
    const auto source = PatternSource::open(models, m_side, m_prompt, m_request, control, tokens);
    if (!source.has_value())
        return source.error();
    m_reply = withoutMap(models, m_side, m_prompt, m_request, *source);
    auto matrix = source->pooled(m_reply.pool, control);
    if (!matrix.has_value())
        return matrix.error();
    m_reply.matrix = std::move(*matrix);
    return {};
}

Result<void> PatternJob::readWhole(Models& models, const Control& control)
{
    auto reply = readPattern(models, m_side, m_prompt, m_request, control);
    if (!reply.has_value())
        return reply.error();
    m_reply = std::move(*reply);
    return {};
}

Job<PatternReply> jobOf(const MapRequest& request)
{
    return inSteps<PatternReply>(engine::Urgency::Look,
                                 std::make_shared<PatternJob>(request.side, request.prompt, request.of));
}

} // namespace headscope::app
