// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What is asked of a survey of many texts, and what it gives: plain values without tensors. Any thread.

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
    std::vector<std::string> tasks; ///< whose prompts are texts too
    int window = 128;
    std::int64_t tokens = 100'000; ///< at most this many; 0: all
};

/// A text of the survey as a prompt.
struct SurveyPrompt {
    std::string text;
    bool same = false; ///< the model reads the same tokens of it, so that positions are those of the survey
};

struct SurveyReply {
    interventions::InterventionSet ablation;
    std::string provenance;  ///< "tiny-transformer, llama, fp32, cpu"
    double unknownShare = 0; ///< of the first words, that the vocabulary lacks
    std::int64_t known = 0;  ///< tokens that the session had
    sessions::StoredSurvey survey;
    std::vector<SurveyPrompt> prompts{}; ///< by index of the survey's texts
    UniformScores uniform{};
    FactSheet costs{}; ///< what the session knows of removing these heads
    SurveySource asked{};
    std::vector<std::string> problems{}; ///< why it is not kept there, a sentence each
};

/// What else is asked of heads: what weights and probes say of all, and what the removal of these costs.
struct HeadFactsOptions {
    SurveySource texts;
    std::vector<interventions::HeadRef> heads; ///< empty: all
    std::vector<std::string> tasks;            ///< besides next tokens
    int limit = 0;                             ///< examples of each; 0: all
};

struct HeadFactsReply {
    interventions::InterventionSet ablation;
    FactSheet sheet;
};

/// Every head over many texts; reported now and then without places, the last time with them and finished. Yields to
/// everything else; what is measured is stored, and resumed when it is asked again.
struct SurveyQuestion {
    using Reply = SurveyReply;
    ModelState state;
    SurveySource ask;
};
[[nodiscard]] Job<SurveyReply> jobOf(const SurveyQuestion& request);

/// What weights and probes say of heads, and what removing each costs on benchmarks and on next tokens of the same
/// texts. Yields to everything else.
struct HeadFactsRequest {
    using Reply = HeadFactsReply;
    ModelState state;
    HeadFactsOptions ask;
};
[[nodiscard]] Job<HeadFactsReply> jobOf(const HeadFactsRequest& request);

} // namespace headscope::app
