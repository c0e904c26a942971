// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The text that a model reads: a text of the user's own or an example of a task, and what precedes it. Any thread.

#include "app/workbench/models/openmodel.h"
#include "core/tasks/task.h"

#include <string>
#include <vector>

namespace headscope::app {

/// Where a prompt comes from, which decides about the start token.
enum class PromptOrigin {
    OwnText,
    Conversation,   ///< as a chat template wrote it, with the start token where it wants one
    TaskRow,        ///< an example of a benchmark, encoded as the benchmark's rows are
    KvRetrievalRow, ///< the same, of a task whose rows are encoded with the tokenizer's special tokens
    GeneratedRow,   ///< the same, of a task whose rows start by the model's own rule
};

/// An example as a person looks at it.
struct TaskPrompt {
    std::string text;                     ///< without the blanks at its end: they belong to the answer
    std::string source;                   ///< "toy_kv:pairs=8, sample 3"
    std::vector<tasks::Segment> segments; ///< byte ranges of text
    std::string answer;                   ///< as it follows the text, blanks before it included
    PromptOrigin origin = PromptOrigin::TaskRow;
};

/// The rule of the start token for prompts of an origin.
[[nodiscard]] engine::BosPolicy startOf(StartToken token, PromptOrigin origin);

[[nodiscard]] PromptOrigin originOf(const tasks::TaskSet& set, int sample);
/// Fails for a sample that the task does not have.
[[nodiscard]] Result<TaskPrompt> promptOf(const tasks::TaskSet& set, int sample);

/// The ids that the model reads.
[[nodiscard]] Result<text::Encoding> encodePrompt(const OpenModel& open, const std::string& text, PromptOrigin origin);
[[nodiscard]] Result<text::Encoding> encodePrompt(const text::Tokenizer& tokenizer, StartToken token,
                                                  const std::string& text, PromptOrigin origin);

} // namespace headscope::app
