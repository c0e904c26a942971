// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The user's settings for running models and measuring results: the same for both programs, with the same effect on
// results. Any thread.

#include "core/base/result.h"
#include "core/engine/scoring/pairs/boundaryrule.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace headscope::app {

/// Whether a start token precedes the input of a model.
enum class StartToken {
    Automatic,   ///< before a text of the user's own by the tokenizer's rule, before benchmark rows by their rules
    Never,       ///< never
    AsTokenizer, ///< always by the tokenizer's rule
    Always,      ///< always, even against the tokenizer's rule
};

struct Settings {
    std::string device = "auto"; ///< auto, cpu, cuda, cuda:i
    std::string dtype = "auto";  ///< auto (fp32 on the processor, the stored dtype on a GPU), fp32, bf16, fp16
    int threads = 0;             ///< of the processor; 0: one for tiny models, otherwise one per core
    std::int64_t memory = 0;     ///< upper limit of bytes for weights and runs; 0: all free memory
    std::int64_t keptPacked = 8'000'000'000; ///< limit of cached quantized weights in bytes; 0: none are cached
    StartToken startToken = StartToken::Automatic;
    engine::Boundary boundary = engine::Boundary::Harness; ///< if a tokenizer merges context and continuation
    int examples = 0;                                      ///< upper limit of scored examples per task; 0: all
    double stopWidth = 0; ///< a state is scored until the sign of its change is decided, or until the 95 % interval of
                          ///< the change is narrower than this; 0: on all rows
    double stopLevel = 0.95;     ///< confidence level at which the sign counts as decided
    std::uint64_t orderSeed = 0; ///< for the order in which the examples of a benchmark run; does not affect results
    std::uint64_t seed = 0;      ///< for generated tasks and sampled words; 0: the default of each task
    std::filesystem::path dataFolder;  ///< benchmark files; empty: the sample rows that ship with the program
    std::filesystem::path wordsFolder; ///< word lists of kv_retrieval; empty: the default location

    bool operator==(const Settings&) const = default;
};

/// Returns "automatic", "never", "default", "always".
[[nodiscard]] const char* name(StartToken token);
[[nodiscard]] Result<StartToken> parseStartToken(std::string_view text);

/// Parses "12GB", "512 MiB" or bytes: KB, MB, GB, TB are powers of 1000, KiB, MiB, GiB, TiB of 1024.
[[nodiscard]] Result<std::int64_t> parseMemory(std::string_view text);

/// Fails for settings with which no model can be opened: device, dtype, threads, memory.
[[nodiscard]] Result<void> check(const Settings& settings);

/// Returns whether open models must be reopened for the change to apply; otherwise it applies to the next request.
[[nodiscard]] bool reopensModels(const Settings& before, const Settings& after);

} // namespace headscope::app
