// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Two prompts of equal length that ask different questions, for patching one run with the other. Any thread.

#include "core/engine/questions/question.h"
#include "core/tasks/exchange.h"

#include <filesystem>

namespace headscope::engine {

struct PromptPair {
    std::string source;
    std::vector<int> clean, corrupt;
    std::optional<int> answer{}, distractor{}; ///< nothing: each run's most probable token
    int answerToken = 0, answerTokens = 1;     ///< index of that token in the answer, and the answer's length
};

struct PairsOfTask {
    std::vector<PromptPair> pairs;
    tasks::Exchange exchange = tasks::Exchange::Name;
    int leftOut = 0; ///< samples whose counterpart differs in length, has the same answer or does not exist
};

/// Returns each sample of a task with its counterpart (sample -1: all); the distractor is the counterpart's answer, for
/// answers of several tokens the first that differs, after their common beginning. Exchange nothing: the first for
/// which the first sample has the required segments. Fails if no pair can be made.
[[nodiscard]] Result<PairsOfTask> pairsOf(const tasks::TaskSet& set, int sample,
                                          std::optional<tasks::Exchange> exchange, const Reader& reader);

/// A line of a file of pairs, as written.
struct WrittenPair {
    std::string clean, corrupt;
    std::optional<std::string> answer, distractor;
};
/// Reads JSONL with the fields clean, corrupt, answer, distractor. Fails with the number of the first invalid line.
[[nodiscard]] Result<std::vector<WrittenPair>> readPairs(const std::filesystem::path& file);

} // namespace headscope::engine
