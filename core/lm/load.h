// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Loads a model from a folder, with all checks before memory is allocated. Worker thread.

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

/// Tokens of a prompt for which memory must remain beside the weights.
inline constexpr std::int64_t kForecastLength = 128;

struct LoadOptions {
    std::string device = "auto";        ///< auto, cpu, cuda, cuda:i
    std::string dtype = "auto";         ///< auto (fp32 on the CPU, the stored dtype on CUDA), fp32, bf16, fp16
    int layerLimit = 0;                 ///< number of first layers to build; 0: all
    std::int64_t memoryLimit = 0;       ///< bytes that may be used; 0: all available memory
    std::filesystem::path adapter = {}; ///< folder of a LoRA adapter to merge into the weights; empty: none
    std::int64_t keptPacked = 0; ///< maximum bytes of quantized weights of all models in the cache folder; 0: none are
                                 ///< cached
    std::int64_t keptFrom = 1'000'000'000; ///< bytes of stored weights above which they are cached: smaller ones are
                                           ///< packed as fast as they are verified
};

struct LoadedModel {
    std::shared_ptr<const Model> model;
    std::string contentHash;   ///< hash of config.json and all bytes of the weights
    std::string formerHash;    ///< large weights: their identity in sessions of earlier versions; otherwise empty
    std::string adapter;       ///< "LoRA, rank 8"; empty: none
    std::string packing;       ///< quantization of the stored weights: "AWQ 4 bit g64"; empty: not quantized
    std::string dtype;         ///< "fp32", "bf16", "fp16"
    std::string device;        ///< "cpu", "cuda:0"
    std::int64_t bytes = 0;    ///< size of the weights in the run's dtype
    std::int64_t resident = 0; ///< bytes of these in memory at one time: fewer if weights stay in their file
    std::vector<std::string> warnings;
};

/// Checks names, shapes, counts and the memory forecast first (without using memory), then loads tensor by tensor. If
/// the weights and a prompt of kForecastLength tokens do not fit, weights stored in the run's own dtype stay in their
/// file on the CPU; otherwise it fails.
[[nodiscard]] Result<LoadedModel> load(const std::filesystem::path& folder, const LoadOptions& options,
                                       const Control& control = {});

/// Reads only config and shapes: describes the model and its memory needs without allocating weights.
[[nodiscard]] Result<LoadedModel> inspect(const std::filesystem::path& folder, const LoadOptions& options);

/// Do the same for an open config and checkpoint.
[[nodiscard]] Result<LoadedModel> load(Config config, std::shared_ptr<const io::Checkpoint> checkpoint,
                                       const LoadOptions& options, const Control& control = {});
[[nodiscard]] Result<LoadedModel> inspect(Config config, std::shared_ptr<const io::Checkpoint> checkpoint,
                                          const LoadOptions& options);

/// Describes a model from its config alone: every layer, and the architecture's parameter count. Needs no weights.
[[nodiscard]] Result<ModelSpec> describe(Config config);

/// Returns the first of bf16, int8 and int4 in which the whole model would fit into memory if it does not fit in the
/// dtype of `options`; empty: none.
[[nodiscard]] std::string smallerType(const std::filesystem::path& folder, LoadOptions options);

/// Checks whether a model from inspect() fits entirely into memory; the error says how much is missing. On the CPU
/// load() may still leave weights that are stored in the run's own dtype in their file.
[[nodiscard]] Result<void> checkMemory(const LoadedModel& inspected, const LoadOptions& options);

} // namespace headscope::lm
