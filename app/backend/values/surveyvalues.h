// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Requests for a survey of heads over many texts, and their replies: plain values without tensors. Any thread.

#include "app/workbench/heads/headfacts.h"
#include "core/interventions/intervention.h"
#include "sessions/surveyrecords.h"

#include <cstdint>
#include <string>
#include <vector>

namespace headscope::app {

template <typename Reply> struct Job;

struct SurveySource {
    std::vector<std::string> texts; ///< files and folders
    std::vector<std::string> tasks; ///< tasks whose prompts are added to the texts
    int window = 128;
    std::int64_t tokens = 100'000; ///< upper limit; 0: all
};

/// A text of the survey as a prompt.
struct SurveyPrompt {
    std::string text;
    bool same = false; ///< the model tokenizes it to the same tokens, so that positions match those of the survey
};

struct SurveyReply {
    interventions::InterventionSet ablation;
    std::string provenance;  ///< "tiny-transformer, llama, fp32, cpu"
    double unknownShare = 0; ///< share of the first words that are missing from the vocabulary
    std::int64_t known = 0;  ///< tokens whose results were already in the session
    sessions::StoredSurvey survey;
    std::vector<SurveyPrompt> prompts{}; ///< by index of the survey's texts
    UniformScores uniform{};
    FactSheet costs{}; ///< stored costs of removing these heads
    SurveySource asked{};
    std::vector<std::string> problems{}; ///< why results are not stored in the session, one sentence each
};

/// Further facts about heads to measure: weight and probe scores of all heads, and the cost of removing these.
struct HeadFactsOptions {
    SurveySource texts;
    std::vector<interventions::HeadRef> heads; ///< empty: all
    std::vector<std::string> tasks;            ///< in addition to next-token prediction
    int limit = 0;                             ///< examples per task; 0: all
};

struct HeadFactsReply {
    interventions::InterventionSet ablation;
    FactSheet sheet;
};

/// Surveys every head over many texts. Sends intermediate replies without places, and a final one with them. Yields to
/// all other requests; results are stored as they are measured, and a repeated request resumes from them.
struct SurveyQuestion {
    using Reply = SurveyReply;
    ModelState state;
    SurveySource ask;
};
[[nodiscard]] Job<SurveyReply> jobOf(const SurveyQuestion& request);

/// Requests weight and probe scores of heads, and the cost of removing each on benchmarks and on next tokens of the
/// same texts. Yields to all other requests.
struct HeadFactsRequest {
    using Reply = HeadFactsReply;
    ModelState state;
    HeadFactsOptions ask;
};
[[nodiscard]] Job<HeadFactsReply> jobOf(const HeadFactsRequest& request);

} // namespace headscope::app
