// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Where a training run stands, and the file it is continued from bit for bit: a safetensors file with weights, both
// AdamW moments and, as JSON in its metadata, the rest. Training thread.

#include "core/base/result.h"
#include "core/train/models/pruning.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace headscope::train {

/// Kinds of texts; names and prose only in the small English models.
enum class Task { Copy, Kv, Mc, Completion, Names, Prose };
inline constexpr int kTaskCount = 6;
inline constexpr const char* kTaskNames[kTaskCount] = {"copy", "kv", "mc", "completion", "names", "prose"};

/// Everything of a run that is not a tensor.
struct TrainingState {
    int step = 0;                                  ///< finished steps
    int lastStep = 0;                              ///< where the run ends as things stand
    bool copyingOnly = true;                       ///< phase 1
    bool copying = true;                           ///< copy texts are still in the mix
    int copyWords = 0;                             ///< growing copy texts: the present largest number of words
    int pairs = 0;                                 ///< largest dictionaries at present
    int keyWords = 0, values = 0;                  ///< their vocabulary at present
    int mcWords = 0;                               ///< small English models: words of options at present; 0: all
    int pruningStep = 0;                           ///< step at which phase 3 began; 0: not yet
    std::array<double, kTaskCount> running{};      ///< running accuracies
    std::array<double, kTaskCount> losses{};       ///< running losses of scored tokens
    std::array<std::int64_t, kTaskCount> tokens{}; ///< seen in training so far
    std::vector<Fade> fades;
    double seconds = 0;     ///< wall time so far, over all sittings
    double coreSeconds = 0; ///< processor time of the program so far
    std::string random;     ///< state of the generator
};

/// What the file is called that run() writes last.
inline constexpr const char* kTrainingStateFile = "training-state.safetensors";

/// Weights and moments by name, fp32.
using TrainingTensors = std::vector<std::pair<std::string, at::Tensor>>;

[[nodiscard]] Result<void> writeTrainingState(const std::filesystem::path& path, const TrainingState& state,
                                              const TrainingTensors& tensors, const std::string& recipeJson);
/// Overwrites `tensors` in place, after everything in the file has been checked against their names and shapes.
[[nodiscard]] Result<TrainingState> readTrainingState(const std::filesystem::path& path,
                                                      const TrainingTensors& tensors);

} // namespace headscope::train
