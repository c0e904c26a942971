// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/backend/why/promptanalyses.h"

#include "app/notebook/outsideinputs.h"
#include "app/workbench/prompt/prompt.h"
#include "core/engine/questions/attributionrun.h"
#include "core/interventions/positions.h"
#include "core/why/lenses/lens.h"
#include "core/why/names.h"

namespace headscope::app {

namespace {

constexpr std::size_t kLongestGrid = 2048; // tokens: every layer's stream and cell of them is kept

// What a text adds behind a prompt; nothing where it changes how the prompt is cut.
std::vector<int> tokensBehind(const Opened& model, const Prompt& prompt, const text::Encoding& encoding)
{
    const auto whole = encodePrompt(model, prompt.text + prompt.answer, originOf(prompt));
    if (prompt.answer.empty() || !whole.has_value() || whole->ids.size() <= encoding.ids.size()
        || !std::equal(encoding.ids.begin(), encoding.ids.end(), whole->ids.begin()))
        return {};
    return {whole->ids.begin() + std::ssize(encoding.ids), whole->ids.end()};
}

template <typename Reply> void tellAnswer(Reply& reply, const engine::Question& question)
{
    reply.answerToken = question.shared;
    reply.answerTokens = std::max(1, static_cast<int>(question.answerTokens.size()));
}

DirectValue valueOf(const lm::ModelSpec& spec, const why::DirectPart& part)
{
    DirectValue value{.name = why::nameOf(spec, part)};
    if (part.kind == why::DirectPart::Kind::Head) {
        value.kind = DirectValue::Kind::Head;
        const bool two = spec.layers[static_cast<std::size_t>(part.layer)].mixers.size() > 1;
        value.head = {part.layer, two ? part.site : why::Site::Any, part.head};
        value.attention = part.site == why::Site::Attention;
    } else if (part.kind == why::DirectPart::Kind::Mlp) {
        value.kind = DirectValue::Kind::Mlp;
        value.head.layer = part.layer;
    }
    return value;
}

} // namespace

Result<engine::Question> questionOf(const Opened& model, const Prompt& prompt, const text::Encoding& encoding,
                                    const tasks::TaskSet* set)
{
    if (set && prompt.sample >= 0 && prompt.sample < static_cast<int>(set->examples.size())) {
        const engine::Reader reader{*model.tokenizer, startOf(model.startToken, originOf(*set, prompt.sample))};
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

Result<why::Recording> PromptRun::record(const Control& control) const
{
    if (question.ids.size() > kLongestGrid)
        return inputError("The prompt has " + std::to_string(question.ids.size()) + " tokens; analyses of every layer "
                          + "and position are shown up to " + std::to_string(kLongestGrid) + ".");
    return why::record(*model->loaded.model, question.ids, base, control);
}

Result<PromptRun> promptRun(Models& models, const WhyQuestion& question)
{
    const auto read = models.read(question.state.side, question.prompt);
    if (!read.has_value())
        return read.error();
    const auto& [model, encoding] = *read;
    PromptRun asked{.model = model, .encoding = encoding, .question = {}, .base = {}};
    if (!question.prompt.task.empty()) // known: the prompt has just been encoded by it
        asked.set = models.taskSet(question.prompt.task, model.get()).value();
    auto known = questionOf(*model, question.prompt, asked.encoding, asked.set);
    if (!known.has_value())
        return known.error();
    asked.question = std::move(*known);
    if (question.asked.answer) {
        asked.question.answer = question.asked.answer;
        asked.question.wrong.clear();
    }
    if (question.asked.distractor)
        asked.question.wrong = {*question.asked.distractor};
    const auto there =
        interventions::checkPositions(question.state.ablation, static_cast<int>(asked.question.ids.size()));
    if (!there.has_value())
        return there.error();
    auto base = lm::resolve(question.state.ablation, model->spec(), model->donors);
    if (!base.has_value())
        return base.error();
    asked.base = std::move(*base);
    return asked;
}

Result<RecordedRun> recordedRun(Models& models, const WhyQuestion& question, const Control& control)
{
    auto asked = promptRun(models, question);
    if (!asked.has_value())
        return asked.error();
    auto run = asked->record(control);
    return run.has_value() ? Result<RecordedRun>({std::move(*asked), std::move(*run)})
                           : Result<RecordedRun>(run.error());
}

namespace {

// What a token's log-probability was at each layer and position with all heads on.
Result<std::vector<float>> withoutAblation(const PromptRun& asked, int token, const why::JacobianLens* fitted,
                                           const Control& control)
{
    const auto plain = lm::resolve({}, asked.model->spec(), asked.model->donors);
    if (!plain.has_value())
        return plain.error();
    const auto run = why::record(*asked.model->loaded.model, asked.question.ids, *plain, control);
    if (!run.has_value())
        return run.error();
    const auto lens = why::lens(*asked.model->loaded.model, *run, {1, token, fitted}, control);
    if (!lens.has_value())
        return lens.error();
    std::vector<float> before;
    for (const why::LensCell& cell : lens->cells)
        before.push_back(cell.logProbability);
    return before;
}

// The lens in a file, read again only where its content has changed; null: the logit lens.
Result<const why::JacobianLens*> fittedLens(Opened& model, const std::string& file)
{
    if (file.empty())
        return nullptr;
    const std::string content = file + '\n' + contentOfLens(file);
    if (model.fitted.first != content) {
        auto read = why::readWholeLens(file, model.spec(), model.subject.model.hash);
        if (!read.has_value())
            return read.error();
        model.fitted = {content, std::move(*read)};
    }
    return &model.fitted.second;
}

Result<LensReply> readLens(Models& models, const LensRequest& question, const Control& control)
{
    const auto asked = recordedRun(models, question, control);
    if (!asked.has_value())
        return asked.error();
    const lm::Model& model = *asked->model->loaded.model;
    const auto fitted = fittedLens(*asked->model, question.file);
    if (!fitted.has_value())
        return fitted.error();
    const auto lens = why::lens(model, asked->run, {1, asked->question.answer, *fitted}, control);
    if (!lens.has_value())
        return lens.error();
    LensReply reply{
        .record = std::make_shared<sessions::AnalysisRecord>(lensRecord(
            questionState(*asked->model, question.state.ablation),
            {asked->question, 0, lens->positions - 1, *fitted ? why::lensHash(**fitted) : std::string()}, *lens)),
        .ablation = question.state.ablation,
        .asked = question.asked,
        .file = question.file,
        .ids = asked->question.ids,
        .layers = lens->layers};
    if (!question.asked.answer)
        tellAnswer(reply, asked->question);
    const text::Tokenizer& tokenizer = *asked->model->tokenizer;
    for (const int id : reply.ids)
        reply.tokens.push_back(engine::tokenText(tokenizer, id));
    const int last = lens->positions - 1;
    const int followed = asked->question.answer.value_or(lens->at(lens->layers - 1, last).top.front().id);
    if (asked->question.answer)
        reply.followed = engine::tokenText(tokenizer, followed);
    reply.firstLayer = why::firstTopLayer(*lens, last, followed).value_or(-1);
    for (const why::LensCell& cell : lens->cells)
        reply.points.push_back(cell.top.empty() ? LensPoint()
                                                : LensPoint{engine::tokenText(tokenizer, cell.top.front().id),
                                                            cell.top.front().id, cell.top.front().probability,
                                                            cell.entropy, cell.rank, cell.logProbability});
    // A model that is cut short has other layers than the whole one, and they cannot be compared.
    if (asked->question.answer && !question.state.ablation.empty()) {
        auto before = withoutAblation(*asked, followed, *fitted, control);
        if (!before.has_value())
            return before.error();
        if (before->size() == reply.points.size())
            reply.before = std::move(*before);
    }
    return reply;
}

// The first samples of the prompt's task that a question can be made of.
std::vector<engine::Question> questionsOf(const PromptRun& asked, int most, int& leftOut)
{
    std::vector<engine::Question> questions;
    for (int sample = 0; sample < std::min<int>(most, static_cast<int>(asked.set->examples.size())); ++sample) {
        const engine::Reader reader{*asked.model->tokenizer,
                                    startOf(asked.model->startToken, originOf(*asked.set, sample))};
        auto question = engine::questionOf(*asked.set, sample, reader);
        if (question.has_value() && question->ids.size() <= kLongestGrid)
            questions.push_back(std::move(*question));
        else
            ++leftOut;
    }
    return questions;
}

Result<DirectReply> readDirect(Models& models, const WhyQuestion& question, const Control& control)
{
    const auto asked = promptRun(models, question);
    if (!asked.has_value())
        return asked.error();
    DirectReply reply{.record = {}, .ablation = question.state.ablation, .asked = question.asked};
    std::vector<engine::Question> questions{asked->question};
    if (question.samples > 1) {
        if (!asked->set)
            return inputError(
                "A prompt of your own is not a task; choose a sample of a benchmark to average over more.");
        questions = questionsOf(*asked, question.samples, reply.leftOut);
        if (questions.empty())
            return inputError("No sample of " + question.prompt.task
                              + " has an answer that differs from the other choices.");
    } else if (asked->question.ids.size() > kLongestGrid) {
        return asked->record(control).error();
    }
    const auto all = engine::attribute(*asked->model->loaded.model, asked->base, questions, false, control);
    if (!all.has_value())
        return all.error();
    if (control.stopped())
        return cancelledError();
    const text::Tokenizer& tokenizer = *asked->model->tokenizer;
    reply.record = std::make_shared<sessions::AnalysisRecord>(
        attributionRecord(questionState(*asked->model, question.state.ablation), questions, *all));
    reply.answer = engine::tokenText(tokenizer, all->metric.answer);
    reply.distractor = engine::tokenText(tokenizer, all->metric.distractor);
    reply.prompts = all->prompts;
    reply.difference = all->difference;
    reply.capped = all->capped;
    reply.silentSites = static_cast<int>(all->silent.size());
    if (!question.asked.answer)
        tellAnswer(reply, questions.front());
    for (std::size_t i = 0; i < all->parts.size(); ++i) {
        reply.values.push_back(valueOf(asked->model->spec(), all->parts[i]));
        reply.values.back().mean = all->means[i];
    }
    return reply;
}

Result<SourcesReply> readSources(Models& models, const WhyQuestion& question, const interventions::HeadRef& head,
                                 const Control& control)
{
    const auto asked = recordedRun(models, question, control);
    if (!asked.has_value())
        return asked.error();
    const lm::Model& model = *asked->model->loaded.model;
    const auto metric = asked->metric();
    if (!metric.has_value())
        return metric.error();
    const lm::MixerSpec* mixer = asked->model->spec().layers[static_cast<std::size_t>(head.layer)].find(head.site);
    if (!mixer)
        return inputError("The model has no such head.");
    auto values = why::sourceParts(model, asked->base, asked->run, *metric, {head.layer, mixer->site()}, head.head);
    if (!values.has_value())
        return values.error();
    return SourcesReply{.question = question,
                        .head = head,
                        .tokens = tokenized(question.prompt.text, asked->encoding),
                        .values = std::move(*values),
                        .answer = engine::tokenText(*asked->model->tokenizer, metric->answer),
                        .distractor = engine::tokenText(*asked->model->tokenizer, metric->distractor)};
}

} // namespace

Job<LensReply> jobOf(const LensRequest& request)
{
    return inOneGo(engine::Urgency::Preview, readLens, request);
}

Job<DirectReply> jobOf(const DirectRequest& request)
{
    return inOneGo(engine::Urgency::Preview, readDirect, request);
}

Job<SourcesReply> jobOf(const SourcesRequest& request)
{
    return {.urgency = engine::Urgency::Preview, .work = [request](Models& models, const Control& control) {
                return readSources(models, request.of, request.head, control);
            }};
}

} // namespace headscope::app
