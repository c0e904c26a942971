// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Runs a recipe: phases copying, tasks, pruning; can be stopped and resumed bit for bit. Owned by one thread.

#include "core/base/progress.h"
#include "core/train/lessons.h"
#include "core/train/models/exportmodel.h"
#include "core/train/recipe.h"
#include "core/train/trainingstate.h"

#include <filesystem>
#include <functional>
#include <string>

namespace headscope::train {

struct TrainerOptions {
    std::filesystem::path folder; ///< folder of training states; empty: none are written
    at::Device device = at::kCPU;
    std::function<void(const std::string&)> log; ///< one line at a time; may be empty
};

class Trainer
{
public:
    /// Without `lessons`, uses the toy tasks.
    Trainer(Recipe recipe, TrainerOptions options, std::unique_ptr<Lessons> lessons = {});

    /// Takes the initial weights from a trained Transformer, observed on `text` (warmstart.h). Before the first step.
    [[nodiscard]] Result<void> startFrom(const std::filesystem::path& model, const std::vector<std::int32_t>& text);
    /// Resumes from the training state of a network of the same shape. This trainer's own recipe stays in force.
    [[nodiscard]] Result<void> resume(const std::filesystem::path& trainingState);
    /// Trains to the end. When stopped, writes the training state first and returns an Error of kind Cancelled.
    /// `moreSteps`: maximum number of steps, after which the training state is written; 0: no limit.
    [[nodiscard]] Result<void> run(const Control& control = {}, int moreSteps = 0);
    /// Runs one optimizer step and its consequences (curriculum, pruning, phases). Writes no files.
    void step();
    [[nodiscard]] Result<void> save(const std::filesystem::path& trainingState) const;

    [[nodiscard]] bool finished() const { return m_state.step >= m_state.lastStep; }
    [[nodiscard]] const TrainingState& state() const { return m_state; }
    [[nodiscard]] const Recipe& recipe() const { return m_recipe; }
    [[nodiscard]] const Network& network() const { return m_network; }
    [[nodiscard]] HeadScales scales() const; ///< remaining factor of each head after fades
    /// Writes the model at this step; training continues from the same weights.
    [[nodiscard]] Result<void> exportCheckpoint(const std::filesystem::path& folder, const ExportOptions& options);
    /// Rounds the weights to bf16, for a model stored in bf16.
    void roundWeightsToBf16();
    /// Writes finished fades into the weights: a head whose factor is 0 gets a zero output slice.
    void settleFades();

private:
    struct Losses {
        at::Tensor all;    ///< minimized loss
        at::Tensor scored; ///< nats per scored token
        at::Tensor right;  ///< 1 where the greedy token is the right one, 0 elsewhere
    };
    [[nodiscard]] double rate() const;
    [[nodiscard]] Losses loss(const Lesson& lesson, const std::vector<at::Tensor>& factors) const;
    void train(Task task, const std::vector<at::Tensor>& scales);
    [[nodiscard]] at::Tensor dropped(std::int64_t texts, std::int64_t heads, double dropout);
    [[nodiscard]] double headDropout(Task task, std::size_t layer, const at::Tensor& scales) const;
    void updatePhases();
    void considerDuplicates();
    void keepFewHeads();
    void optimize(double rate);
    void log(const std::string& line) const;
    [[nodiscard]] double& running(Task task) { return m_state.running[static_cast<std::size_t>(task)]; }
    [[nodiscard]] double running(Task task) const { return m_state.running[static_cast<std::size_t>(task)]; }
    [[nodiscard]] TrainingTensors tensors() const;
    [[nodiscard]] std::string describe() const;
    [[nodiscard]] Result<void> look(bool test) const;
    [[nodiscard]] int expectedEnd() const;

    Recipe m_recipe;
    TrainerOptions m_options;
    tasks::ToyRandom m_random;
    Network m_network;
    std::unique_ptr<Lessons> m_lessons;
    LearningCurve m_curve;
    std::vector<at::Tensor> m_firstMoments, m_secondMoments; ///< one per parameter
    TrainingState m_state;
    std::string m_pendingState; ///< name of a training state requested by a phase change
};

} // namespace headscope::train
