// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/backend/patchjob.h"

#include "app/backend/values/largemodel.h"
#include "app/backend/whyjobs.h"
#include "app/workbench/prompt.h"
#include "core/engine/questions/pairs.h"

#include <algorithm>
#include <span>

namespace headscope::app {

namespace {

constexpr int kNoLimit = 1 << 30;
constexpr std::size_t kManyCells = 64, kFewCells = 2;

engine::PatchAsked askedOf(const PatchQuestion& question)
{
    engine::PatchAsked asked;
    switch (question.part) {
    case PatchedPart::Heads: asked.what = engine::PatchWhat::Heads; break;
    case PatchedPart::Stream: asked.what = engine::PatchWhat::Stream; break;
    case PatchedPart::Mixer: asked.what = engine::PatchWhat::Mixer; break;
    case PatchedPart::Mlp: asked.what = engine::PatchWhat::Mlp; break;
    }
    asked.where = question.part == PatchedPart::Heads ? engine::PatchWhere::All : engine::PatchWhere::Each;
    asked.direction = question.noise ? engine::PatchDirection::Noise : engine::PatchDirection::Denoise;
    return asked;
}

std::vector<std::string> textsOf(const Backend::Opened& model, const std::vector<int>& ids)
{
    std::vector<std::string> texts;
    for (const int id : ids)
        texts.push_back(engine::tokenText(*model.tokenizer, id));
    return texts;
}

} // namespace

Result<std::vector<engine::PromptPair>> PatchJob::pairs(Backend::State& state)
{
    const PatchQuestion& asked = m_reply.question;
    const auto encoding = state.encode(*m_model, asked.prompt);
    if (!encoding.has_value())
        return encoding.error();
    const auto set =
        asked.prompt.task.empty() ? Result<const tasks::TaskSet*>(nullptr) : state.taskSet(asked.prompt.task);
    if (!set.has_value())
        return set.error();
    if (!asked.other.empty()) {
        const auto question = questionOf(*m_model, asked.prompt, *encoding, *set);
        if (!question.has_value())
            return question.error();
        const auto other =
            encodePrompt(*m_model, asked.other, *set ? originOf(**set, asked.prompt.sample) : PromptOrigin::OwnText);
        if (!other.has_value())
            return other.error();
        return std::vector{engine::PromptPair{
            .source = "text", .clean = encoding->ids, .corrupt = other->ids, .answer = question->answer}};
    }
    if (!*set)
        return inputError("A text of your own has no counterpart; write the other prompt, of as many tokens.");
    const engine::Reader reader{*m_model->tokenizer, startOf(m_model->startToken, originOf(**set, asked.prompt.sample)),
                                kNoLimit};
    auto made = engine::pairsOf(**set, asked.prompt.sample, asked.exchange, reader);
    if (!made.has_value())
        return made.error();
    if (made->pairs.front().clean != encoding->ids)
        return inputError("The sample's text was changed; write the other prompt, of as many tokens.");
    if (asked.pairs > 1) {
        auto all = engine::pairsOf(**set, -1, asked.exchange, reader);
        if (!all.has_value())
            return all.error();
        m_reply.leftOut = all->leftOut;
        for (engine::PromptPair& pair : all->pairs)
            if (pair.clean != made->pairs.front().clean && std::ssize(made->pairs) < asked.pairs)
                made->pairs.push_back(std::move(pair));
    }
    return std::move(made->pairs);
}

Result<void> PatchJob::start(Backend::State& state)
{
    const auto model = state.opened(m_reply.question.state.side);
    if (!model.has_value())
        return model.error();
    m_model = *model;
    auto base = lm::resolve(m_reply.question.state.ablation, m_model->spec(), m_model->donors);
    if (!base.has_value())
        return base.error();
    m_base = std::move(*base);
    auto prompts = pairs(state);
    if (!prompts.has_value())
        return prompts.error();
    m_reply.tokens = textsOf(*m_model, prompts->front().clean);
    m_reply.otherTokens = textsOf(*m_model, prompts->front().corrupt);
    m_run = std::make_unique<engine::PatchRun>(*m_model->loaded.model, *m_base, std::move(*prompts),
                                               askedOf(m_reply.question),
                                               m_model->spec().parameters < kLargeInWindow ? kManyCells : kFewCells);
    return {};
}

Result<bool> PatchJob::step(Backend::State& state, const Control& control)
{
    if (!m_run)
        if (const auto started = start(state); !started.has_value())
            return started.error();
    const auto more = m_run->step(control);
    if (!more.has_value())
        return more;
    m_reply.final = !*more;
    if (static_cast<int>(m_run->pairsDone()) != m_reply.pairs)
        fill();
    return more;
}

bool PatchJob::hasNews()
{
    return std::exchange(m_told, m_reply.pairs) != m_reply.pairs;
}

void PatchJob::fill()
{
    const engine::PatchMap& map = m_run->map();
    m_reply.pairs = static_cast<int>(m_run->pairsDone());
    m_reply.answer = engine::tokenText(*m_model->tokenizer, map.over.metrics.front().answer);
    m_reply.distractor = engine::tokenText(*m_model->tokenizer, map.over.metrics.front().distractor);
    m_reply.clean = analysis::meanOf(map.over.clean).value;
    m_reply.corrupt = analysis::meanOf(map.over.corrupt).value;
    m_reply.cells.clear();
    for (std::size_t i = 0; i < map.cells.size(); ++i) {
        const engine::PatchCell& cell = map.cells[i];
        const bool two = m_model->spec().layers[static_cast<std::size_t>(cell.layer)].mixers.size() > 1;
        m_reply.cells.push_back({.head = {cell.layer, two ? cell.site : interventions::Site::Any, cell.head},
                                 .position = cell.position,
                                 .share = map.over.normalised(i)});
    }
}

Ticket Backend::patch(const PatchQuestion& question, Reply<PatchReply> done, Failed failed, Report report)
{
    State* state = m_state.get();
    const auto job = std::make_shared<PatchJob>(question);
    const auto step = [=](const engine::Turn& turn) -> Result<engine::Next> {
        const auto more = job->step(*state, turn);
        if (!more.has_value())
            return more.error();
        if (job->hasNews() || job->reply().final)
            done(std::make_shared<const PatchReply>(job->reply()));
        return *more ? engine::Next::Again : engine::Next::End;
    };
    return state->postSteps(engine::Urgency::Score, step, failed, std::move(report));
}

} // namespace headscope::app
