// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The progress of a run, step by step: a CSV file in its folder of training states, for figures. Training thread.

#include "core/base/result.h"
#include "core/train/trainingstate.h"

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headscope::train {

/// Scores of a test on held-out texts by name, in a fixed order.
using NamedScores = std::vector<std::pair<std::string, double>>;

/// Name of the file.
inline constexpr const char* kLearningCurveFile = "curve.csv";

/// One row per evaluation: step, core-seconds, learning rate, tokens read, running accuracy and loss of each kind of
/// text, and the scores if it was tested, otherwise empty cells. Losses are nats per scored token.
class LearningCurve
{
public:
    explicit LearningCurve(std::filesystem::path file) : m_file(std::move(file)) {}

    /// Removes rows after `step`: a killed run resumes from its last state, which is older than its last row.
    [[nodiscard]] Result<void> cutAfter(int step) const;
    [[nodiscard]] Result<void> add(const TrainingState& state, double rate, const NamedScores& tested) const;

private:
    std::filesystem::path m_file;
};

/// The file of a curve as columns by name; empty cells are nullopt.
struct LearningCurveRows {
    std::vector<std::string> names;
    std::vector<std::vector<std::optional<double>>> rows;

    /// Returns pairs of `x` and `y` where both exist.
    [[nodiscard]] std::vector<std::pair<double, double>> points(const std::string& x, const std::string& y) const;
};
[[nodiscard]] Result<LearningCurveRows> readLearningCurve(const std::filesystem::path& file);

} // namespace headscope::train
