// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The prompt of a model: a text of the user's own or an example of a task, with its start token. Any thread.

#include "app/workbench/models/openmodel.h"
#include "core/tasks/task.h"

#include <string>
#include <vector>

namespace headscope::app {

/// The origin of a prompt, which determines the rule for the start token.
enum class PromptOrigin {
    OwnText,
    Conversation,   ///< formatted by a chat template, which adds the start token if it uses one
    TaskRow,        ///< an example of a benchmark, encoded as the benchmark's rows are
    KvRetrievalRow, ///< the same, for tasks whose rows are encoded with the tokenizer's special tokens
    GeneratedRow,   ///< the same, for tasks whose rows start by the model's own rule
};

/// An example as shown to the user.
struct TaskPrompt {
    std::string text;                     ///< without trailing blanks, which belong to the answer
    std::string source;                   ///< "toy_kv:pairs=8, sample 3"
    std::vector<tasks::Segment> segments; ///< byte ranges of text
    std::string answer;                   ///< as it follows the text, including leading blanks
    PromptOrigin origin = PromptOrigin::TaskRow;
};

/// Returns the start token rule for prompts of an origin.
[[nodiscard]] engine::BosPolicy startOf(StartToken token, PromptOrigin origin);

[[nodiscard]] PromptOrigin originOf(const tasks::TaskSet& set, int sample);
/// Returns an example of a task. Fails for a sample that does not exist.
[[nodiscard]] Result<TaskPrompt> promptOf(const tasks::TaskSet& set, int sample);

/// Returns the token ids of a prompt.
[[nodiscard]] Result<text::Encoding> encodePrompt(const OpenModel& open, const std::string& text, PromptOrigin origin);
[[nodiscard]] Result<text::Encoding> encodePrompt(const text::Tokenizer& tokenizer, StartToken token,
                                                  const std::string& text, PromptOrigin origin);

} // namespace headscope::app
