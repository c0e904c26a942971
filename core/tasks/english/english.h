// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Benchmark examples for the small English models: word_kv, passage_mc, ioi, induction, facts. Values; any
// thread.

#include "core/base/result.h"
#include "core/tasks/english/englishtexts.h"
#include "core/tasks/example.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::tasks {

/// The parsed name of one of these tasks.
struct EnglishTask {
    enum class Kind { WordKv, PassageMc, IndirectObject, Induction, Facts };
    Kind kind = Kind::WordKv;
    int pairs = 8; ///< WordKv: 1 to 90
    english::QueryForm form = english::QueryForm::Quoted;
    std::string name; ///< including its settings: "word_kv:pairs=8"
};

/// Parses "word_kv" (also "word_kv:pairs=8"; "word_kv_plain": the key without quotation marks; "word_kv_short": the key
/// and a colon), "passage_mc", "ioi", "induction" or "facts"; fails for anything else with a list of what is expected.
[[nodiscard]] Result<EnglishTask> parseEnglishTask(std::string_view name);

/// Returns the number of examples without a limit.
[[nodiscard]] int defaultCount(const EnglishTask& task);

/// Vocabulary size of the small English models.
inline constexpr int kEnglishVocabulary = 2048;

/// Returns whether the name, without its settings, is one of these tasks.
[[nodiscard]] bool isEnglishTask(std::string_view name);

/// Returns the words and names reserved for benchmarks, which no training text with a question uses: `words` minus
/// those in the sentences themselves. Fails with fewer than 270 words.
[[nodiscard]] Result<english::Pools> benchmarkPools(const std::vector<std::string>& words);

/// Makes `limit` examples (0: 256, or all 300 facts), one question each, scored by the log-likelihood of one
/// continuation, so that accuracy is "every token of the answer is the model's first choice". Segments are byte ranges
/// of the context. The same name, words and seed give the same examples everywhere.
[[nodiscard]] Result<std::vector<Example>> englishExamples(std::string_view name, const std::vector<std::string>& words,
                                                           int limit = 0, std::uint64_t seed = 1234);

} // namespace headscope::tasks
