// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What heads are probed on: tokens to draw repeated sequences from, and rows of a task for the retrieval score. Any
// thread.

#include "core/engine/questions/question.h"
#include "core/why/probes.h"

namespace headscope::engine {

/// The start token and every token that writes something and is not a special one.
[[nodiscard]] why::RepeatedTokens repeatedTokens(const text::Tokenizer& tokenizer, const lm::ModelSpec& spec,
                                                 std::uint64_t seed);

/// Each example with its right answer behind it and the pieces of its prompt as token ranges. Fails for a task whose
/// examples mark no piece that the answer comes from.
[[nodiscard]] Result<std::vector<why::RetrievalRow>> retrievalRows(const tasks::TaskSet& set, const Reader& reader);

} // namespace headscope::engine
