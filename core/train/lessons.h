// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a training step reads: texts of one kind at a time, drawn as the recipe and the curriculum say. Training thread.

#include "core/train/learningcurve.h"
#include "core/train/measurements.h"
#include "core/train/trainingstate.h"

#include <memory>
#include <string>
#include <vector>

namespace headscope::train {

struct Recipe;

/// What stands half way to answers of two steps, and where the network is given it. int64, places of all B * T.
struct HalfwayWords {
    at::Tensor places, tokens;         ///< [W]: found early in the network, or not yet
    at::Tensor toldPlaces, toldTokens; ///< [G]
};

/// One forward pass: texts of equal length and what is scored in them.
struct Lesson {
    at::Tensor ids; ///< int64 [B, T]
    // One of the two; the token after each of these positions is scored.
    at::Tensor rows; ///< int64 [R], the same in every text
    at::Tensor flat; ///< int64 [S], of all B * T positions

    HalfwayWords halfway; ///< beside flat, or none
    at::Tensor others; ///< int64 [U] beside flat: tokens that are not asked for, so that texts go on sensibly; or none

    double allTokens = 0.0; ///< weight of the loss on all tokens (with flat: on the others) beside that on scored ones
    double weight = 1.0;
    bool counts = true; ///< towards the running accuracy that the curriculum goes by
};

class Lessons
{
public:
    virtual ~Lessons() = default;
    /// The kinds of texts of the next step, in the order in which they are drawn.
    [[nodiscard]] virtual std::vector<Task> tasks(const TrainingState& state) const = 0;
    [[nodiscard]] virtual Lesson draw(Task task, const TrainingState& state, tasks::ToyRandom& random) = 0;
    /// Whether a share of these texts is read without the heads of layers A (PruningRecipe::fullDropout).
    [[nodiscard]] virtual bool local(Task /*task*/) const { return false; }
    /// How many words options are taken from when all are (TrainingState::mcWords); 0: always the same ones.
    [[nodiscard]] virtual int mostWords() const { return 0; }
    /// What the network does on test texts; the names and their order are the same every time.
    [[nodiscard]] virtual NamedScores test(const Network& network, const HeadScales& scales) const = 0;
};

/// The toy tasks of the tiny models.
[[nodiscard]] std::unique_ptr<Lessons> makeToyLessons(const Recipe& recipe, at::Device device);

} // namespace headscope::train
