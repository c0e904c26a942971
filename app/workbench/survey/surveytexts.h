// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which texts heads are measured on: files, folders and prompts of tasks, as windows of tokens. Lives on the thread
// that runs the model.

#include "app/workbench/models/openmodel.h"
#include "core/survey/survey.h"
#include "core/tasks/registry.h"

#include <string>
#include <vector>

namespace headscope::app {

/// Which texts are surveyed, and how.
struct SurveyRequest {
    std::vector<std::filesystem::path> texts; ///< folders, .txt and .jsonl files
    std::vector<std::string> tasks;           ///< tasks whose prompts are texts too, with their right answers
    tasks::TaskOptions taskOptions;
    int window = 128;
    std::int64_t tokens = 1'000'000; ///< 0: all
    std::uint64_t seed = 0;
    survey::PlaceCounts places;
    std::vector<interventions::HeadRef> heads; ///< empty: all
    interventions::InterventionSet ablation;
};

/// What a vocabulary makes of the first texts, known before the run.
struct VocabularyShare {
    std::int64_t tokens = 0;
    std::int64_t unknown = 0; ///< tokens that stand for words it lacks, and words that it has no token for
    [[nodiscard]] double share() const
    {
        return tokens > 0 ? static_cast<double>(unknown) / static_cast<double>(tokens) : 0;
    }
};

/// Texts made ready to be read.
struct SurveyTexts {
    survey::Windows windows;
    std::string source; ///< for people: names of files and tasks, and how many bytes
    std::string hash;   ///< of all texts
    VocabularyShare vocabulary;
};

/// Reads through the texts. Fails with the sentence of TextSource or the task, and for words that cannot be spelled.
[[nodiscard]] Result<SurveyTexts> openTexts(const OpenModel& open, const SurveyRequest& request,
                                            const Control& control);

/// The prompts of a task with their right answers, as texts of a model with this tokenizer whose segments are the
/// task's.
[[nodiscard]] Result<std::vector<survey::GivenText>> textsOf(const std::string& task, const tasks::TaskOptions& options,
                                                             const text::Tokenizer& tokenizer);

} // namespace headscope::app
