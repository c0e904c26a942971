// SPDX-License-Identifier: GPL-3.0-or-later
// Why a head looks from one token at another. Worker thread only.

#include "app/backend/models.h"
#include "app/backend/values/scoreparts.h"
#include "app/backend/why/promptanalyses.h"
#include "core/why/names.h"

namespace headscope::app {

namespace {

Result<ScorePartsReply> readScore(Models& models, const ScorePartsRequest& request, const Control& control)
{
    const auto run = recordedRun(models, {.state = request.state, .prompt = request.prompt}, control);
    if (!run.has_value())
        return run.error();
    const Opened& model = *run->model;
    const auto mixer = lm::findMixer(model.spec(), request.head);
    if (!mixer.has_value())
        return mixer.error();
    const why::AttentionScoreRequest asked{.where = {request.head.layer, (*mixer)->site()},
                                           .head = request.head.head,
                                           .query = request.query,
                                           .key = request.key};
    const auto all = why::scoreAttribution(*model.loaded.model, run->base, run->run, asked, control);
    if (!all.has_value())
        return all.error();
    const auto token = [&](int position) {
        return engine::tokenText(*model.tokenizer, run->question.ids[static_cast<std::size_t>(position)]);
    };
    ScorePartsReply reply{.question = request,
                          .record = std::make_shared<sessions::AnalysisRecord>(
                              scoreRecord(questionState(model, request.state.ablation), run->question, asked, *all)),
                          .head = why::headName(model.spec(), request.head.layer, (*mixer)->site(), request.head.head),
                          .queryToken = token(request.query),
                          .keyToken = token(request.key),
                          .score = all->score,
                          .share = all->share,
                          .position = all->position,
                          .normed = all->normed,
                          .capped = all->capped,
                          .linearised = all->linearised};
    const auto name = [&](const why::DirectPart& part) { return why::nameOf(model.spec(), part); };
    for (const why::DirectPart& part : all->query)
        reply.queryParts.emplace_back(name(part), part.value);
    for (const why::DirectPart& part : all->key)
        reply.keyParts.emplace_back(name(part), part.value);
    for (const auto& [query, key, value] : all->pairs)
        reply.pairs.push_back({name(all->query[query]), name(all->key[key]), value});
    return reply;
}

} // namespace

Job<ScorePartsReply> jobOf(const ScorePartsRequest& request)
{
    return {.urgency = engine::Urgency::Preview,
            .work = [request](Models& models, const Control& control) { return readScore(models, request, control); }};
}

} // namespace headscope::app
