// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The state of a training run, and the file from which it resumes bit for bit: a safetensors file with weights, both
// AdamW moments and, as JSON in its metadata, the rest. Training thread.

#include "core/base/result.h"
#include "core/train/models/pruning.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headscope::train {

/// Kinds of texts; names and prose only for the small English models.
enum class Task { Copy, Kv, Mc, Completion, Names, Prose };
inline constexpr int kTaskCount = 6;
inline constexpr const char* kTaskNames[kTaskCount] = {"copy", "kv", "mc", "completion", "names", "prose"};

/// Everything in a run that is not a tensor.
struct TrainingState {
    int step = 0;                                  ///< finished steps
    int lastStep = 0;                              ///< currently planned last step
    bool copyingOnly = true;                       ///< phase 1
    bool copying = true;                           ///< copy texts are still in the mix
    int copyWords = 0;                             ///< growing copy texts: current maximum number of words
    int pairs = 0;                                 ///< current maximum dictionary size
    int keyWords = 0, values = 0;                  ///< their current vocabulary
    int mcWords = 0;                               ///< small English models: current number of option words; 0: all
    int pruningStep = 0;                           ///< step at which phase 3 began; 0: not yet
    std::array<double, kTaskCount> running{};      ///< running accuracies
    std::array<double, kTaskCount> losses{};       ///< running losses of scored tokens
    std::array<std::int64_t, kTaskCount> tokens{}; ///< seen in training so far
    std::vector<Fade> fades;
    double seconds = 0;                  ///< wall time so far, over all sessions
    double coreSeconds = 0;              ///< CPU time of the program so far
    std::string random;                  ///< state of the generator
    std::optional<std::uint64_t> seed{}; ///< of the recipe that the file was written with; empty: the file has none
};

/// Name of the file that run() writes last.
inline constexpr const char* kTrainingStateFile = "training-state.safetensors";

/// Weights and moments by name, fp32.
using TrainingTensors = std::vector<std::pair<std::string, at::Tensor>>;

[[nodiscard]] Result<void> writeTrainingState(const std::filesystem::path& path, const TrainingState& state,
                                              const TrainingTensors& tensors, const std::string& recipeJson);
/// Overwrites `tensors` in place, after the file was checked completely against their names and shapes.
[[nodiscard]] Result<TrainingState> readTrainingState(const std::filesystem::path& path,
                                                      const TrainingTensors& tensors);

} // namespace headscope::train
