// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Fits a Jacobian lens to texts and writes it to a file; resumes an interrupted fit. Lives on the thread that runs the
// model.

#include "app/workbench/models/lensfitrequest.h"
#include "app/workbench/models/openmodel.h"
#include "core/why/lenses/jacobianfile.h"

#include <chrono>
#include <optional>
#include <vector>

namespace headscope::app {

class LensFitting
{
public:
    /// Reads the prompts, and the data that an interrupted fit left beside the output. Fails if no prompt is longer
    /// than the skipped positions, for layers that do not exist, and if the interrupted fit had other settings.
    [[nodiscard]] static Result<LensFitting> open(const OpenModel& open, LensFitRequest request,
                                                  const Control& control);

    [[nodiscard]] int prompts() const { return static_cast<int>(m_prompts.size()); }
    /// Returns the number of prompts finished so far, including those of an interrupted fit.
    [[nodiscard]] int done() const { return m_fit->sums().prompts; }
    /// Returns the number of windows of the texts that were left out as too short.
    [[nodiscard]] int leftOut() const { return m_leftOut; }
    /// Returns the memory needed in addition to the model.
    [[nodiscard]] std::int64_t bytes() const;
    /// Returns the remaining time, estimated from a few timed rows.
    [[nodiscard]] Result<double> seconds() const;
    /// Processes the next prompt, or writes the file after the last one and returns false. A stopped step adds nothing
    /// and can be repeated.
    [[nodiscard]] Result<bool> step(const Control& control);
    /// Stores the progress beside the file, for a fit that ends before the last prompt.
    [[nodiscard]] Result<void> keep() const;
    /// Runs all steps; stores the progress if one fails or is stopped.
    [[nodiscard]] Result<void> run(const Control& control);
    [[nodiscard]] why::JacobianLens lens() const { return m_fit->mean(); }
    [[nodiscard]] Result<LensQuality> quality(const why::JacobianLens& lens, const Control& control) const;
    /// Returns the file beside the output that contains the progress.
    [[nodiscard]] static std::filesystem::path unfinishedPath(const std::filesystem::path& output);

private:
    explicit LensFitting(LensFitRequest request) : m_request(std::move(request)) {}
    [[nodiscard]] Result<void> readPrompts(const Control& control);
    [[nodiscard]] Result<void> loadUnfinished();
    [[nodiscard]] const std::vector<int>& longestPrompt() const;

    LensFitRequest m_request;
    std::vector<std::vector<int>> m_prompts, m_heldOut;
    const OpenModel* m_open = nullptr;
    int m_leftOut = 0;
    why::LensOrigin m_origin;
    std::unique_ptr<const lm::Edits> m_none; ///< no interventions
    std::unique_ptr<why::JacobianFit> m_fit;
    std::optional<std::chrono::steady_clock::time_point> m_kept; ///< nothing: progress is stored after the next prompt
};

} // namespace headscope::app
