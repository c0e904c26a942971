// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/backend/why/promptpairs.h"

#include "app/backend/why/promptanalyses.h"
#include "app/workbench/prompt/prompt.h"
#include "app/workbench/prompt/writtenpairs.h"
#include "core/interventions/positions.h"

#include <algorithm>

namespace headscope::app {

namespace {

constexpr double kStepWork = 8e8; // parameters times tokens that a step runs: below 150 ms on two cores
constexpr std::size_t kManyAtOnce = 64;

std::vector<std::string> textsOf(const Opened& model, const std::vector<int>& ids)
{
    std::vector<std::string> texts;
    for (const int id : ids)
        texts.push_back(engine::tokenText(*model.tokenizer, id));
    return texts;
}

Result<std::vector<engine::PromptPair>> pairsOf(Models& models, const Opened& model, const PairQuestion& asked,
                                                int& leftOut)
{
    if (asked.file) {
        if (asked.file->empty())
            return inputError("No file of pairs is chosen; expected lines of JSON with clean and corrupt.");
        auto written = engine::readPairs(*asked.file);
        if (!written.has_value())
            return written.error();
        written->resize(std::min(written->size(), static_cast<std::size_t>(asked.pairs)));
        return encodePairs(model, *written, std::filesystem::path(*asked.file).filename().string());
    }
    const auto encoding = models.encode(model, asked.prompt);
    if (!encoding.has_value())
        return encoding.error();
    const auto set =
        asked.prompt.task.empty() ? Result<const tasks::TaskSet*>(nullptr) : models.taskSet(asked.prompt.task, &model);
    if (!set.has_value())
        return set.error();
    if (!asked.other.empty()) {
        const auto question = questionOf(model, asked.prompt, *encoding, *set);
        if (!question.has_value())
            return question.error();
        const auto other =
            encodePrompt(model, asked.other, *set ? originOf(**set, asked.prompt.sample) : originOf(asked.prompt));
        if (!other.has_value())
            return other.error();
        const std::vector<int>& answer = question->answerTokens;
        return std::vector{engine::PromptPair{.source = "text",
                                              .clean = encoding->ids,
                                              .corrupt = other->ids,
                                              .answer = answer.empty() ? std::nullopt : std::optional(answer.front()),
                                              .answerTokens = std::max(1, static_cast<int>(answer.size()))}};
    }
    if (!*set)
        return inputError("A text of your own has no counterpart; write the other prompt, of as many tokens.");
    const engine::Reader reader{*model.tokenizer, startOf(model.startToken, originOf(**set, asked.prompt.sample))};
    auto made = engine::pairsOf(**set, asked.prompt.sample, asked.exchange, reader);
    if (!made.has_value())
        return made.error();
    const engine::PromptPair& own = made->pairs.front(); // behind the prompt what both answers begin with
    if (own.clean.size() != encoding->ids.size() + static_cast<std::size_t>(own.answerToken)
        || !std::equal(encoding->ids.begin(), encoding->ids.end(), own.clean.begin()))
        return inputError("The sample's text was changed; write the other prompt, of as many tokens.");
    if (asked.pairs > 1) {
        auto all = engine::pairsOf(**set, -1, asked.exchange, reader);
        if (!all.has_value())
            return all.error();
        leftOut = all->leftOut;
        for (engine::PromptPair& pair : all->pairs)
            if (pair.clean != made->pairs.front().clean && std::ssize(made->pairs) < asked.pairs)
                made->pairs.push_back(std::move(pair));
    }
    return std::move(made->pairs);
}

} // namespace

Result<PairedPrompts> pairedPrompts(Models& models, const PairQuestion& question)
{
    const auto model = models.opened(question.state.side);
    if (!model.has_value())
        return model.error();
    PairedPrompts asked{.model = *model, .base = {}, .pairs = {}, .summary = {}};
    auto base = lm::resolve(question.state.ablation, asked.model->spec(), asked.model->donors);
    if (!base.has_value())
        return base.error();
    asked.base = std::move(*base);
    auto pairs = pairsOf(models, *asked.model, question, asked.summary.leftOut);
    if (!pairs.has_value())
        return pairs.error();
    asked.pairs = std::move(*pairs);
    for (const engine::PromptPair& pair : asked.pairs)
        asked.prompts.emplace_back(engine::promptText(*asked.model->tokenizer, pair.clean),
                                   engine::promptText(*asked.model->tokenizer, pair.corrupt));
    if (const auto there =
            interventions::checkPositions(question.state.ablation, static_cast<int>(asked.pairs.front().clean.size()));
        !there.has_value())
        return there.error();
    asked.summary.answerToken = asked.pairs.front().answerToken;
    asked.summary.answerTokens = asked.pairs.front().answerTokens;
    asked.summary.tokens = textsOf(*asked.model, asked.pairs.front().clean);
    asked.summary.otherTokens = textsOf(*asked.model, asked.pairs.front().corrupt);
    const double one =
        static_cast<double>(asked.model->spec().parameters) * static_cast<double>(asked.summary.tokens.size());
    asked.atOnce = std::clamp(static_cast<std::size_t>(kStepWork / std::max(one, 1.0)), std::size_t{1}, kManyAtOnce);
    return asked;
}

void addPairs(PairSummary& summary, const engine::OverPairs& over, const PairedPrompts& asked)
{
    const text::Tokenizer& tokenizer = *asked.model->tokenizer;
    summary.pairs = static_cast<int>(over.metrics.size());
    for (std::size_t i = summary.named.size(); i < over.metrics.size(); ++i)
        summary.named.push_back({asked.prompts[i].first, asked.prompts[i].second,
                                 engine::tokenText(tokenizer, over.metrics[i].answer),
                                 engine::tokenText(tokenizer, over.metrics[i].distractor)});
    summary.answer = summary.named.front().answer;
    summary.distractor = summary.named.front().distractor;
    summary.clean = analysis::meanOf(over.clean).value;
    summary.corrupt = analysis::meanOf(over.corrupt).value;
}

} // namespace headscope::app
