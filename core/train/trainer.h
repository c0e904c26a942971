// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Runs a recipe: phases copying, tasks, pruning, with checkpoints that continue a run bit for bit. One thread owns it.

#include "core/base/progress.h"
#include "core/train/pruning.h"
#include "core/train/recipe.h"

#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace headscope::train {

enum class Task { Copy, Kv, Mc, Completion };
inline constexpr int kTaskCount = 4;

/// Everything of a run that is not a tensor. Written into checkpoints.
struct RunState {
    int step = 0;                                  ///< finished steps
    int lastStep = 0;                              ///< where the run ends as things stand
    bool copyingOnly = true;                       ///< phase 1
    bool copying = true;                           ///< copy texts are still in the mix
    int copyWords = 0;                             ///< growing copy texts: the present largest number of words
    int pairs = 0;                                 ///< largest dictionaries at present
    int keyWords = 0, values = 0;                  ///< their vocabulary at present
    int pruningStep = 0;                           ///< step at which phase 3 began; 0: not yet
    std::array<double, kTaskCount> running{};      ///< running accuracies
    std::array<double, kTaskCount> losses{};       ///< running losses of scored tokens
    std::array<std::int64_t, kTaskCount> tokens{}; ///< seen in training so far
    std::vector<Fade> fades;
    double seconds = 0;     ///< wall time so far, over all sittings
    double coreSeconds = 0; ///< processor time of the program so far
    std::string random;     ///< state of the generator
};

struct TrainerOptions {
    std::filesystem::path folder; ///< for checkpoints; empty: none are written
    at::Device device = at::kCPU;
    std::function<void(const std::string&)> log; ///< one line at a time; may be empty
};

class Trainer
{
public:
    Trainer(Recipe recipe, TrainerOptions options);

    /// Continues from a checkpoint of the same network shape. The recipe in force stays this trainer's own.
    [[nodiscard]] Result<void> resume(const std::filesystem::path& checkpoint);
    /// Trains to the end. Stopping writes a checkpoint first and returns an Error of kind Cancelled.
    /// `moreSteps`: ends after so many, with a checkpoint; 0: no limit.
    [[nodiscard]] Result<void> run(const Control& control = {}, int moreSteps = 0);
    /// One optimizer step with everything that follows from it (curriculum, pruning, phases). No files.
    void step();
    [[nodiscard]] Result<void> save(const std::filesystem::path& checkpoint) const;

    [[nodiscard]] bool finished() const { return m_state.step >= m_state.lastStep; }
    [[nodiscard]] const RunState& state() const { return m_state; }
    [[nodiscard]] const Recipe& recipe() const { return m_recipe; }
    [[nodiscard]] const Network& network() const { return m_network; }
    [[nodiscard]] HeadScales scales() const; ///< what fades have left of each head
    /// Writes finished fades into the weights: a head whose factor is 0 gets a zero output slice.
    void settleFades();

private:
    [[nodiscard]] double rate() const;
    void train(Task task, const std::vector<at::Tensor>& scales);
    [[nodiscard]] double headDropout(Task task, std::size_t layer, const at::Tensor& scales) const;
    void updatePhases();
    void considerDuplicates();
    void optimize(double rate);
    void log(const std::string& line) const;
    [[nodiscard]] double& running(Task task) { return m_state.running[static_cast<std::size_t>(task)]; }
    [[nodiscard]] double running(Task task) const { return m_state.running[static_cast<std::size_t>(task)]; }
    [[nodiscard]] std::string describe() const;
    [[nodiscard]] int expectedEnd() const;

    Recipe m_recipe;
    TrainerOptions m_options;
    tasks::ToyRandom m_random;
    Network m_network;
    std::vector<at::Tensor> m_firstMoments, m_secondMoments; ///< one a parameter
    RunState m_state;
    std::string m_pendingCheckpoint; ///< name of a checkpoint that a phase change asks for
};

} // namespace headscope::train
