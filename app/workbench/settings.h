// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a person may set about how models run and how results are measured: the same for both programs, and the same
// value means the same numbers in both. Any thread.

#include "core/base/result.h"
#include "core/engine/scoring/pairs/boundaryrule.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace headscope::app {

/// Whether a start token precedes what a model reads.
enum class StartToken {
    Automatic,   ///< before a text of the user's own as the tokenizer does it, before benchmark rows as their rules say
    Never,       ///< nowhere
    AsTokenizer, ///< everywhere as the tokenizer does it
    Always,      ///< everywhere, also where the tokenizer would not
};

struct Settings {
    std::string device = "auto"; ///< auto, cpu, cuda, cuda:i
    std::string dtype = "auto";  ///< auto (fp32 on the processor, the stored one on a GPU), fp32, bf16, fp16
    int threads = 0;             ///< of the processor; 0: one for tiny models, else one a core
    std::int64_t memory = 0;     ///< bytes that weights and runs may take; 0: what is free
    std::int64_t keptPacked =
        8'000'000'000; ///< bytes of quantized weights in the cache folder at most; 0: none are kept
    StartToken startToken = StartToken::Automatic;
    engine::Boundary boundary = engine::Boundary::Harness; ///< where a tokenizer merges context and continuation
    int examples = 0;                                      ///< of each task that are scored at most; 0: all
    double stopWidth = 0; ///< a state is scored until the sign of its change is decided, or until the 95 % interval of
                          ///< the change is narrower than this; 0: on all rows
    double stopLevel = 0.95;     ///< at which the sign counts as decided
    std::uint64_t orderSeed = 0; ///< of the order in which the examples of a benchmark run; no result depends on it
    std::uint64_t seed = 0;      ///< of generated tasks and sampled words; 0: each task's own
    std::filesystem::path dataFolder;  ///< benchmark files; empty: the sample rows that ship with the program
    std::filesystem::path wordsFolder; ///< word lists of kv_retrieval; empty: where they are looked for by default

    bool operator==(const Settings&) const = default;
};

/// "automatic", "never", "default", "always".
[[nodiscard]] const char* name(StartToken token);
[[nodiscard]] Result<StartToken> parseStartToken(std::string_view text);

/// Bytes of "12GB", "512 MiB" or a bare number: KB, MB, GB, TB are powers of 1000, KiB, MiB, GiB, TiB of 1024.
[[nodiscard]] Result<std::int64_t> parseMemory(std::string_view text);

/// A value that no model could be opened with is refused in a sentence: device, dtype, threads, memory.
[[nodiscard]] Result<void> check(const Settings& settings);

/// Whether models that are open have to be opened again for the change to count; otherwise the next request counts.
[[nodiscard]] bool reopensModels(const Settings& before, const Settings& after);

} // namespace headscope::app
