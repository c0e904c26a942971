// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A benchmark run through a model's chat template, as in lm-evaluation-harness v0.4.7 (core/tasks/README.md). Any
// thread.

#include "core/base/result.h"
#include "core/tasks/task.h"
#include "core/text/chattemplate.h"

namespace headscope::engine {

/// Turns every context into a conversation: the task's description as the system message if there is one, the rest as
/// one user message, and the header of the answer. Choices lose the delimiter before them; the start of the answer that
/// arc_challenge_chat gives moves after the header. The texts contain their special tokens, including a BOS: score
/// them with BosPolicy::Never. Segments are dropped, as their positions have changed. Adds a note that names the
/// template. Fails for tasks that have no meaning as a chat: a separate context for each choice, and KV retrieval's
/// own pairing.
[[nodiscard]] Result<void> applyChatTemplate(tasks::TaskSet& set, const text::ChatTemplate& chat);

} // namespace headscope::engine
