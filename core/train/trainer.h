// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Runs a recipe: phases copying, tasks, pruning, and can be stopped and continued bit for bit. One thread owns it.

#include "core/base/progress.h"
#include "core/train/lessons.h"
#include "core/train/models/exportmodel.h"
#include "core/train/recipe.h"
#include "core/train/trainingstate.h"

#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace headscope::train {

struct TrainerOptions {
    std::filesystem::path folder; ///< for training states; empty: none are written
    at::Device device = at::kCPU;
    std::function<void(const std::string&)> log; ///< one line at a time; may be empty
};

class Trainer
{
public:
    /// Without `lessons`: the toy tasks.
    Trainer(Recipe recipe, TrainerOptions options, std::unique_ptr<Lessons> lessons = {});

    /// Takes the first weights from a trained Transformer, watched on `text` (warmstart.h). Before the first step.
    [[nodiscard]] Result<void> startFrom(const std::filesystem::path& model, const std::vector<std::int32_t>& text);
    /// Continues from the training state of a network of the same shape. The recipe in force stays this trainer's own.
    [[nodiscard]] Result<void> resume(const std::filesystem::path& trainingState);
    /// Trains to the end. Stopping writes the training state first and returns an Error of kind Cancelled.
    /// `moreSteps`: ends after that many, with the training state written; 0: no limit.
    [[nodiscard]] Result<void> run(const Control& control = {}, int moreSteps = 0);
    /// One optimizer step with everything that follows from it (curriculum, pruning, phases). No files.
    void step();
    [[nodiscard]] Result<void> save(const std::filesystem::path& trainingState) const;

    [[nodiscard]] bool finished() const { return m_state.step >= m_state.lastStep; }
    [[nodiscard]] const TrainingState& state() const { return m_state; }
    [[nodiscard]] const Recipe& recipe() const { return m_recipe; }
    [[nodiscard]] const Network& network() const { return m_network; }
    [[nodiscard]] HeadScales scales() const; ///< what fades have left of each head
    /// Writes the model as it is at this step; training continues from the same weights.
    [[nodiscard]] Result<void> exportCheckpoint(const std::filesystem::path& folder, const ExportOptions& options);
    /// Rounds the weights to bf16 for a model that is stored so.
    void settleBf16();
    /// Writes finished fades into the weights: a head whose factor is 0 gets a zero output slice.
    void settleFades();

private:
    struct Losses {
        at::Tensor all;    ///< what is minimised
        at::Tensor scored; ///< nats a scored token
        at::Tensor right;  ///< 1 where the greedy token is the wanted one, 0 elsewhere
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
    std::vector<at::Tensor> m_firstMoments, m_secondMoments; ///< one a parameter
    TrainingState m_state;
    std::string m_pendingState; ///< name of a training state that a phase change asks for
};

} // namespace headscope::train
