// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// From a folder to a running model, with the checks before the memory is spent. Worker thread.

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/lm/config.h"
#include "core/lm/model.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace headscope::io {
class Checkpoint;
}

namespace headscope::lm {

/// Tokens of the text that must fit beside the weights.
inline constexpr std::int64_t kForecastLength = 128;

struct LoadOptions {
    std::string device = "auto";        ///< auto, cpu, cuda, cuda:i
    std::string dtype = "auto";         ///< auto (fp32 on the CPU, the stored one on CUDA), fp32, bf16, fp16
    int layerLimit = 0;                 ///< number of first layers to build; 0: all
    std::int64_t memoryLimit = 0;       ///< bytes that may be used; 0: what the system says is available
    std::filesystem::path adapter = {}; ///< folder of a LoRA adapter that is merged into the weights; empty: none
    std::int64_t keptPacked = 0; ///< bytes that quantized weights of all models take in the cache folder at most; 0:
                                 ///< none are kept
    std::int64_t keptFrom = 1'000'000'000; ///< bytes of stored weights above which they are kept: smaller ones are
                                           ///< packed as fast as they are verified
};

struct LoadedModel {
    std::shared_ptr<const Model> model;
    std::string contentHash;   ///< of config.json and all bytes of the weights
    std::string formerHash;    ///< of large weights: their identity in sessions of earlier versions; else empty
    std::string adapter;       ///< "LoRA, rank 8"; empty: none
    std::string packing;       ///< how the file packs the weights: "AWQ 4 bit g64"; empty: it does not
    std::string dtype;         ///< "fp32", "bf16", "fp16"
    std::string device;        ///< "cpu", "cuda:0"
    std::int64_t bytes = 0;    ///< of the weights in the run's dtype
    std::int64_t resident = 0; ///< of those in memory at one time: less where they stay in their file
    std::vector<std::string> warnings;
};

/// Checks names, shapes, counts and the memory forecast first (no memory), then loads tensor by tensor. Where the
/// weights and a text of kForecastLength tokens do not fit, weights stored in the run's own type stay in their file on
/// the CPU; otherwise it fails.
[[nodiscard]] Result<LoadedModel> load(const std::filesystem::path& folder, const LoadOptions& options,
                                       const Control& control = {});

/// Only config and shapes: what the model is and what it would need. Costs no weight memory.
[[nodiscard]] Result<LoadedModel> inspect(const std::filesystem::path& folder, const LoadOptions& options);

/// The same for a config and a checkpoint that are open.
[[nodiscard]] Result<LoadedModel> load(Config config, std::shared_ptr<const io::Checkpoint> checkpoint,
                                       const LoadOptions& options, const Control& control = {});
[[nodiscard]] Result<LoadedModel> inspect(Config config, std::shared_ptr<const io::Checkpoint> checkpoint,
                                          const LoadOptions& options);

/// What a config alone describes: every layer, and the number of parameters of the architecture. No weights are needed.
[[nodiscard]] Result<ModelSpec> describe(Config config);

/// The first of bf16, int8 and int4 in which the model would fit into memory as a whole where it does not in the dtype
/// of `options`; empty: none.
[[nodiscard]] std::string smallerType(const std::filesystem::path& folder, LoadOptions options);

/// Whether what inspect() found fits into memory as a whole, or the sentence that says by how much it does not. On the
/// CPU load() may still leave weights that are stored in the run's own type in their file.
[[nodiscard]] Result<void> checkMemory(const LoadedModel& inspected, const LoadOptions& options);

} // namespace headscope::lm
