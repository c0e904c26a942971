// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The texts of a survey: files, folders and prompts of tasks, as windows of tokens. Lives on the thread that runs the
// model.

#include "app/workbench/models/openmodel.h"
#include "core/survey/survey.h"
#include "core/tasks/registry.h"

#include <string>
#include <vector>

namespace headscope::app {

/// The texts to survey, and the settings.
struct SurveyRequest {
    std::vector<std::filesystem::path> texts; ///< folders, .txt and .jsonl files
    std::vector<std::string> tasks;           ///< tasks whose prompts, with their right answers, are added to the texts
    tasks::TaskOptions taskOptions;
    int window = 128;
    std::int64_t tokens = 1'000'000; ///< 0: all
    std::uint64_t seed = 0;
    survey::PlaceCounts places;
    std::vector<interventions::HeadRef> heads; ///< empty: all
    interventions::InterventionSet ablation;
};

/// The coverage of the first texts by the vocabulary, known before the run.
struct VocabularyShare {
    std::int64_t tokens = 0;
    std::int64_t unknown = 0; ///< tokens for words outside the vocabulary, and words without a token
    [[nodiscard]] double share() const
    {
        return tokens > 0 ? static_cast<double>(unknown) / static_cast<double>(tokens) : 0;
    }
};

/// Texts prepared for reading.
struct SurveyTexts {
    survey::Windows windows;
    std::string source; ///< description for people: names of files and tasks, and number of bytes
    std::string hash;   ///< of all texts
    VocabularyShare vocabulary;
};

/// Reads through the texts. Fails with the error of TextSource or the task, and for words that cannot be tokenized.
[[nodiscard]] Result<SurveyTexts> openTexts(const OpenModel& open, const SurveyRequest& request,
                                            const Control& control);

/// Returns the prompts of a task with their right answers, as texts for a model with this tokenizer, with the task's
/// segments.
[[nodiscard]] Result<std::vector<survey::GivenText>> textsOf(const std::string& task, const tasks::TaskOptions& options,
                                                             const text::Tokenizer& tokenizer);

} // namespace headscope::app
