// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What is asked of a survey of many texts, and what it gives: plain values without tensors. Any thread.

#include "core/interventions/intervention.h"
#include "sessions/surveyrecords.h"

#include <cstdint>
#include <string>
#include <vector>

namespace headscope::app {

struct SurveyAsk {
    std::vector<std::string> texts; ///< files and folders
    std::vector<std::string> tasks; ///< whose prompts are texts too
    int window = 128;
    std::int64_t tokens = 100'000; ///< so many are enough; 0: all
};

struct SurveyReply {
    interventions::InterventionSet ablation;
    std::string provenance;  ///< "tiny-transformer, llama, fp32, cpu"
    double unknownShare = 0; ///< of the first words, that the vocabulary lacks
    std::int64_t known = 0;  ///< tokens that the session had
    sessions::StoredSurvey survey;
};

} // namespace headscope::app
