// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// An example as one line of JSON, as headscope-cli requests writes it. Pure functions; any thread.

#include "core/tasks/example.h"

#include <string>
#include <vector>

namespace headscope::tasks {

/// The token ids of one (context, continuation) pair; the continuation is empty for generation.
struct PairTokens {
    std::vector<int> context;
    std::vector<int> continuation;
};

/// {"task", "file", "row", "context" or "contexts", "continuations", "norm_lengths", "gold"} or, for generation,
/// "target", "until", "max_gen_toks"; ASCII, without a line end. With `tokens`, one pair a continuation, the member
/// "tokens" too.
[[nodiscard]] std::string requestJson(const Example& example, const std::vector<PairTokens>& tokens = {});

} // namespace headscope::tasks
