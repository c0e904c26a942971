// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The input of a training step: texts of one kind at a time, drawn by recipe and curriculum. Training thread.

#include "core/train/learningcurve.h"
#include "core/train/measurements.h"
#include "core/train/trainingstate.h"

#include <memory>
#include <vector>

namespace headscope::train {

struct Recipe;

/// Intermediate words of two-step answers, and where they are given to the network. int64, positions out of all B * T.
struct HalfwayWords {
    at::Tensor places, tokens;         ///< [W]: to be readable early in the network; undefined: none
    at::Tensor toldPlaces, toldTokens; ///< [G]
};

/// One forward pass: texts of equal length and their scored positions.
struct Lesson {
    at::Tensor ids; ///< int64 [B, T]
    // One of the two is set; the token after each of these positions is scored.
    at::Tensor rows; ///< int64 [R], the same in every text
    at::Tensor flat; ///< int64 [S], of all B * T positions

    HalfwayWords halfway; ///< together with flat, or none
    at::Tensor others;    ///< int64 [U] with flat: tokens not asked for, trained with weight allTokens; or none

    double allTokens = 0.0; ///< weight of the loss on all tokens (with flat: on the others) beside that on scored ones
    double weight = 1.0;
    bool counts = true; ///< included in the running accuracy that controls the curriculum
};

class Lessons
{
public:
    virtual ~Lessons() = default;
    /// Returns the kinds of texts of the next step, in the order in which they are drawn.
    [[nodiscard]] virtual std::vector<Task> tasks(const TrainingState& state) const = 0;
    [[nodiscard]] virtual Lesson draw(Task task, const TrainingState& state, tasks::ToyRandom& random) = 0;
    /// Returns whether a share of these texts is read without the heads of layers A (PruningRecipe::fullDropout).
    [[nodiscard]] virtual bool local(Task /*task*/) const { return false; }
    /// Returns from how many words options are drawn when all are in use (TrainingState::mcWords); 0: a fixed set.
    [[nodiscard]] virtual int mostWords() const { return 0; }
    /// Evaluates the network on test texts; the names and their order are always the same.
    [[nodiscard]] virtual NamedScores test(const Network& network, const HeadScales& scales) const = 0;
};

/// Returns the toy tasks of the tiny models.
[[nodiscard]] std::unique_ptr<Lessons> makeToyLessons(const Recipe& recipe, at::Device device);

} // namespace headscope::train
