// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Inputs for probing heads: tokens for repeated sequences, and rows of a task for the retrieval score. Any
// thread.

#include "core/engine/questions/question.h"
#include "core/why/probes.h"

namespace headscope::engine {

/// Returns the start token and every token that has text and is not special.
[[nodiscard]] why::RepeatedTokens repeatedTokens(const text::Tokenizer& tokenizer, const lm::ModelSpec& spec,
                                                 std::uint64_t seed);

/// Returns each example with its right answer appended and the segments of its prompt as token ranges. Fails for a task
/// whose examples mark no segment that contains the answer.
[[nodiscard]] Result<std::vector<why::RetrievalRow>> retrievalRows(const tasks::TaskSet& set, const Reader& reader);

} // namespace headscope::engine
