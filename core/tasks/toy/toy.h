// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The toy tasks of the included tiny models as benchmark examples: toy_kv, toy_mc, toy_knowledge. Values; any thread.

#include "core/base/result.h"
#include "core/tasks/example.h"
#include "core/tasks/toy/toytexts.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::tasks {

struct ToyOptions {
    int limit = 0; ///< number of examples; 0: 256, or all 300 facts for toy_knowledge (which has no more)
    std::uint64_t seed = 1234;
};

/// The parsed name of a toy task.
struct ToyTask {
    enum class Kind { Kv, Mc, Knowledge };
    Kind kind = Kind::Kv;
    int pairs = 8;    ///< Kv: dictionary size, 1 to 48
    std::string name; ///< including its settings: "toy_kv:pairs=8"
};

/// Parses "toy_kv", "toy_kv:pairs=8", "toy_mc" or "toy_knowledge"; fails for anything else with what is expected.
[[nodiscard]] Result<ToyTask> parseToyTask(std::string_view name);

/// Returns the number of examples without a limit.
[[nodiscard]] int defaultCount(const ToyTask& task);

/// Makes the examples: one long-form query, one question or one statement each, scored by the log-likelihood of one
/// word, so that accuracy is "the greedy word is the right one". Texts are spelled so that, after the start token, the
/// tiny models' tokenizer returns exactly the trained tokens; segments are byte ranges of the context. The same name
/// and seed give the same examples everywhere.
[[nodiscard]] Result<std::vector<Example>> toyExamples(std::string_view name, const ToyOptions& options = {});

/// Returns the same examples as token ids; batch.rows.front() is the position before the word to predict.
[[nodiscard]] Result<toy::Batch> toyBatch(std::string_view name, const ToyOptions& options = {});

/// Returns the text of token ids: words separated by single spaces, none around a newline.
[[nodiscard]] std::string toyText(const std::vector<std::int64_t>& ids);

} // namespace headscope::tasks
