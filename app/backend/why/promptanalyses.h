// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The analyses of one prompt that the window shows. Worker thread only.

#include "app/backend/models.h"
#include "app/backend/values/why.h"
#include "app/notebook/analysisrecord.h"
#include "core/engine/questions/question.h"

namespace headscope::app {

/// Returns the question to the model: the sample's answer and its best wrong choice or, for a text of the user's own,
/// the tokens that the model finds most probable.
[[nodiscard]] Result<engine::Question> questionOf(const Opened& model, const Prompt& prompt,
                                                  const text::Encoding& encoding, const tasks::TaskSet* set);

/// Returns the arguments that identify the question of an analysis.
[[nodiscard]] inline QuestionState questionState(const Opened& model, const interventions::InterventionSet& set)
{
    return {model.subject, model.spec(), *model.tokenizer, set};
}

/// A prompt on an open model, with its question and the edits of the models.
struct PromptRun {
    std::shared_ptr<Opened> model;
    text::Encoding encoding;
    engine::Question question;
    const tasks::TaskSet* set = nullptr; ///< of the prompt; null: a text of the user's own
    lm::Edits base;

    /// Runs the prompt and records its activations. Fails for a prompt that is too long to be shown.
    [[nodiscard]] Result<why::Recording> record(const Control& control) const;
};

/// Prepares a prompt. Tokens chosen by the user take precedence over the sample's.
[[nodiscard]] Result<PromptRun> promptRun(Models& models, const WhyQuestion& question);

/// The same with its recorded run.
struct RecordedRun : PromptRun {
    why::Recording run;

    [[nodiscard]] Result<why::Metric> metric() const { return engine::metricOf(question, run, *model->loaded.model); }
};
[[nodiscard]] Result<RecordedRun> recordedRun(Models& models, const WhyQuestion& question, const Control& control);

} // namespace headscope::app
