// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// An example as one line of JSON, in the format of headscope-cli requests. Pure functions; any thread.

#include "core/tasks/example.h"

#include <string>
#include <vector>

namespace headscope::tasks {

/// The token ids of one (context, continuation) pair; the continuation is empty for generation.
struct PairTokens {
    std::vector<int> context;
    std::vector<int> continuation;
};

/// Returns {"task", "file", "row", "context" or "contexts", "continuations", "norm_lengths", "gold"} or, for
/// generation, "target", "until", "max_gen_toks"; ASCII, without a line end. With `tokens`, one pair per continuation,
/// also the member "tokens".
[[nodiscard]] std::string requestJson(const Example& example, const std::vector<PairTokens>& tokens = {});

} // namespace headscope::tasks
