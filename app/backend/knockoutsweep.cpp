// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/backend/knockoutsweep.h"

#include "app/backend/promptanalyses.h"
#include "core/why/knockout.h"

namespace headscope::app {

Result<SweepReply> readSweep(Backend::State& state, const SweepQuestion& question, const Control& control)
{
    const auto asked = askedPrompt(state, question.of);
    if (!asked.has_value())
        return asked.error();
    const auto run = asked->record({control.stop, {}});
    if (!run.has_value())
        return run.error();
    const lm::Model& model = *asked->model->loaded.model;
    const auto metric = engine::metricOf(asked->question, *run, model);
    if (!metric.has_value())
        return metric.error();
    const auto windows =
        why::knockoutSweep(model, asked->base, asked->question.ids, *metric,
                           {question.queries, question.keys, question.beforeSoftmax, question.width}, control);
    if (!windows.has_value())
        return windows.error();
    SweepReply reply{.question = question,
                     .answer = engine::tokenText(*asked->model->tokenizer, metric->answer),
                     .distractor = engine::tokenText(*asked->model->tokenizer, metric->distractor),
                     .difference = run->difference(*metric)};
    for (const why::KnockoutWindow& window : *windows)
        reply.windows.push_back({window.first, window.last, window.difference});
    return reply;
}

} // namespace headscope::app
