// SPDX-License-Identifier: GPL-3.0-or-later
// What knocking edges out costs, by the window of layers that they are knocked out in. Worker thread only.

#include "app/backend/models.h"
#include "app/backend/values/sweep.h"
#include "app/backend/why/promptanalyses.h"
#include "core/why/knockout.h"

namespace headscope::app {

namespace {

Result<SweepReply> readSweep(Models& models, const SweepQuestion& question, const Control& control)
{
    const auto asked = recordedRun(models, question.of, {control.stop, {}});
    if (!asked.has_value())
        return asked.error();
    const lm::Model& model = *asked->model->loaded.model;
    const auto metric = asked->metric();
    if (!metric.has_value())
        return metric.error();
    const why::KnockoutSweep sweep{question.queries, question.keys, question.beforeSoftmax, question.width};
    const auto windows = why::knockoutSweep(model, asked->base, asked->question.ids, *metric, sweep, control);
    if (!windows.has_value())
        return windows.error();
    SweepReply reply{.question = question,
                     .record = std::make_shared<sessions::AnalysisRecord>(
                         knockoutRecord(questionState(*asked->model, question.of.state.ablation), asked->question,
                                        *metric, sweep, asked->run.difference(*metric), *windows)),
                     .answer = engine::tokenText(*asked->model->tokenizer, metric->answer),
                     .distractor = engine::tokenText(*asked->model->tokenizer, metric->distractor),
                     .tokens = {metric->answer, metric->distractor},
                     .difference = asked->run.difference(*metric)};
    for (const why::KnockoutWindow& window : *windows)
        reply.windows.push_back({window.first, window.last, window.difference});
    return reply;
}

} // namespace

Job<SweepReply> jobOf(const SweepQuestion& request)
{
    return inOneGo(engine::Urgency::Score, readSweep, request);
}

} // namespace headscope::app
