// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Two prompts of one length that ask different things, for patching one run with the other. Any thread.

#include "core/engine/questions/question.h"
#include "core/tasks/exchange.h"

#include <filesystem>

namespace headscope::engine {

struct PromptPair {
    std::string source;
    std::vector<int> clean, corrupt;
    std::optional<int> answer{}, distractor{}; ///< nothing: what each run finds most probable
    int answerToken = 0, answerTokens = 1;     ///< which token of the answer that is, and of how many
};

struct PairsOfTask {
    std::vector<PromptPair> pairs;
    tasks::Exchange exchange = tasks::Exchange::Name;
    int leftOut = 0; ///< samples whose counterpart has another number of tokens, the same answer, or does not exist
};

/// Each sample of a task with its counterpart (sample -1: all); the distractor is the counterpart's answer, of answers
/// of several tokens the first that differs, behind those that both begin with. Exchange
/// nothing: the first that the first sample has the pieces for. Fails where no pair can be made.
[[nodiscard]] Result<PairsOfTask> pairsOf(const tasks::TaskSet& set, int sample,
                                          std::optional<tasks::Exchange> exchange, const Reader& reader);

/// A line of a file of pairs as it is written.
struct WrittenPair {
    std::string clean, corrupt;
    std::optional<std::string> answer, distractor;
};
/// JSONL with the fields clean, corrupt, answer, distractor. Fails with the line that does not fit.
[[nodiscard]] Result<std::vector<WrittenPair>> readPairs(const std::filesystem::path& file);

} // namespace headscope::engine
