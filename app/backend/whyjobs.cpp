// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/backend/whyjobs.h"

#include "app/workbench/prompt.h"
#include "core/engine/questions/attribution.h"
#include "core/why/lens.h"
#include "core/why/names.h"

namespace headscope::app {

namespace {

constexpr std::size_t kLongest = 2048; // tokens: every layer's stream and cell of them is kept
constexpr int kNoLimit = 1 << 30;

// What a text adds behind a prompt; nothing where it changes how the prompt is cut.
std::vector<int> tokensBehind(const Backend::Opened& model, const Prompt& prompt, const text::Encoding& encoding)
{
    const PromptOrigin origin = prompt.task.empty() ? PromptOrigin::OwnText : PromptOrigin::TaskRow;
    const auto whole = encodePrompt(model, prompt.text + prompt.answer, origin);
    if (prompt.answer.empty() || !whole.has_value() || whole->ids.size() <= encoding.ids.size()
        || !std::equal(encoding.ids.begin(), encoding.ids.end(), whole->ids.begin()))
        return {};
    return {whole->ids.begin() + std::ssize(encoding.ids), whole->ids.end()};
}

// The run of a prompt that is not too long to be shown.
Result<why::Recording> recorded(const Backend::Opened& model, const engine::Question& question, const lm::Edits& base,
                                const Control& control)
{
    if (question.ids.size() > kLongest)
        return inputError("The prompt has " + std::to_string(question.ids.size()) + " tokens; analyses of every layer "
                          + "and position are shown up to " + std::to_string(kLongest) + ".");
    return why::record(*model.loaded.model, question.ids, base, control);
}

template <typename Reply> void tellAnswer(Reply& reply, const engine::Question& question)
{
    reply.answerToken = question.shared;
    reply.answerTokens = std::max(1, static_cast<int>(question.answerTokens.size()));
}

DirectValue valueOf(const lm::ModelSpec& spec, const why::DirectPart& part)
{
    DirectValue value{.name = why::nameOf(spec, part), .value = part.value};
    if (part.kind == why::DirectPart::Kind::Head) {
        value.kind = DirectValue::Kind::Head;
        const bool two = spec.layers[static_cast<std::size_t>(part.layer)].mixers.size() > 1;
        value.head = {part.layer, two ? part.site : why::Site::Any, part.head};
    } else if (part.kind == why::DirectPart::Kind::Mlp) {
        value.kind = DirectValue::Kind::Mlp;
        value.head.layer = part.layer;
    }
    return value;
}

} // namespace

Result<engine::Question> questionOf(const Backend::Opened& model, const Prompt& prompt, const text::Encoding& encoding,
                                    const tasks::TaskSet* set)
{
    if (set && prompt.sample >= 0 && prompt.sample < static_cast<int>(set->examples.size())) {
        const engine::Reader reader{*model.tokenizer, startOf(model.startToken, originOf(*set, prompt.sample)),
                                    kNoLimit};
        auto question = engine::questionOf(*set, prompt.sample, reader);
        if (question.has_value() && question->isBehind(encoding.ids)) // else its text was changed by hand
            return question;
    }
    engine::Question question{.source = "text", .ids = encoding.ids};
    question.answerTokens = tokensBehind(model, prompt, encoding);
    if (!question.answerTokens.empty())
        question.answer = question.answerTokens.front();
    return question;
}

Result<LensReply> readLens(const Backend::Opened& model, const engine::Question& question,
                           const interventions::InterventionSet& ablation, const Control& control)
{
    const auto base = lm::resolve(ablation, model.spec(), model.donors);
    if (!base.has_value())
        return base.error();
    const auto run = recorded(model, question, *base, control);
    if (!run.has_value())
        return run.error();
    const auto lens = why::lens(*model.loaded.model, *run, 1, question.answer, control);
    if (!lens.has_value())
        return lens.error();
    LensReply reply{.ablation = ablation, .layers = lens->layers};
    tellAnswer(reply, question);
    for (const int id : question.ids)
        reply.tokens.push_back(engine::tokenText(*model.tokenizer, id));
    const int last = lens->positions - 1;
    const int followed = question.answer.value_or(lens->at(lens->layers - 1, last).top.front().id);
    if (question.answer)
        reply.followed = engine::tokenText(*model.tokenizer, followed);
    reply.firstLayer = why::firstTopLayer(*lens, last, followed).value_or(-1);
    for (const why::LensCell& cell : lens->cells)
        reply.points.push_back({engine::tokenText(*model.tokenizer, cell.top.front().id), cell.top.front().probability,
                                cell.entropy, cell.rank, cell.logProbability});
    return reply;
}

Result<DirectReply> readDirect(const Backend::Opened& model, const engine::Question& question,
                               const interventions::InterventionSet& ablation, const Control& control)
{
    const auto base = lm::resolve(ablation, model.spec(), model.donors);
    if (!base.has_value())
        return base.error();
    const auto all = engine::attribute(*model.loaded.model, *base, {question}, false, control);
    if (!all.has_value())
        return all.error();
    DirectReply reply{.ablation = ablation,
                      .answer = engine::tokenText(*model.tokenizer, all->metric.answer),
                      .distractor = engine::tokenText(*model.tokenizer, all->metric.distractor),
                      .difference = all->difference.value,
                      .capped = all->capped,
                      .silentSites = static_cast<int>(all->silent.size())};
    tellAnswer(reply, question);
    for (const why::DirectPart& part : all->parts)
        reply.values.push_back(valueOf(model.spec(), part));
    return reply;
}

} // namespace headscope::app
