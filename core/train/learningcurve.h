// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a run has learned, step by step: a CSV file in its folder of training states, for figures. Training thread.

#include "core/base/result.h"
#include "core/train/trainingstate.h"

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headscope::train {

/// What a test on held-out texts found, each with its name, in a fixed order.
using NamedScores = std::vector<std::pair<std::string, double>>;

/// What the file is called.
inline constexpr const char* kLearningCurveFile = "curve.csv";

/// One row a look: step, core-seconds, learning rate, tokens read, running accuracy and loss of each kind of text, and
/// where it was tested the scores, else nothing. Losses are nats a scored token.
class LearningCurve
{
public:
    explicit LearningCurve(std::filesystem::path file) : m_file(std::move(file)) {}

    /// Drops rows after `step`: a run that was killed resumes from its last state, which is older than its last row.
    [[nodiscard]] Result<void> cutAfter(int step) const;
    [[nodiscard]] Result<void> add(const TrainingState& state, double rate, const NamedScores& tested) const;

private:
    std::filesystem::path m_file;
};

/// A curve's file as columns by name; an empty cell is none.
struct LearningCurveRows {
    std::vector<std::string> names;
    std::vector<std::vector<std::optional<double>>> rows;

    /// Pairs of `x` and `y` where both are there.
    [[nodiscard]] std::vector<std::pair<double, double>> points(const std::string& x, const std::string& y) const;
};
[[nodiscard]] Result<LearningCurveRows> readLearningCurve(const std::filesystem::path& file);

} // namespace headscope::train
