// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Fits a Jacobian lens to texts and writes it to a file; continues an interrupted fit. Lives on the thread that runs
// the model.

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
    /// Reads the prompts, and what an interrupted fit left beside the output. Fails where prompts are no longer than
    /// what is skipped, for layers that are not there, and where the earlier fit was another.
    [[nodiscard]] static Result<LensFitting> open(const OpenModel& open, LensFitRequest request,
                                                  const Control& control);

    [[nodiscard]] int prompts() const { return static_cast<int>(m_prompts.size()); }
    /// Prompts that an interrupted fit has done.
    [[nodiscard]] int done() const { return m_fit->sums().prompts; }
    /// Windows of the texts that are too short and were left out.
    [[nodiscard]] int leftOut() const { return m_leftOut; }
    /// Beside the model.
    [[nodiscard]] std::int64_t bytes() const;
    /// Of what is left, from a few rows that are timed.
    [[nodiscard]] Result<double> seconds() const;
    /// Does the next prompt, or writes the file after the last one; false: it is written. One that is stopped adds
    /// nothing and can be repeated.
    [[nodiscard]] Result<bool> step(const Control& control);
    /// Keeps beside the file what was done, for a fit that ends before the last prompt.
    [[nodiscard]] Result<void> keep() const;
    /// All steps; keeps what was done where one fails or is stopped.
    [[nodiscard]] Result<void> run(const Control& control);
    [[nodiscard]] why::JacobianLens lens() const { return m_fit->mean(); }
    [[nodiscard]] Result<LensQuality> quality(const why::JacobianLens& lens, const Control& control) const;
    /// What is kept beside the output until it is written.
    [[nodiscard]] static std::filesystem::path unfinishedPath(const std::filesystem::path& output);

private:
    explicit LensFitting(LensFitRequest request) : m_request(std::move(request)) {}
    [[nodiscard]] Result<void> readPrompts(const Control& control);
    [[nodiscard]] Result<void> takeUp();
    [[nodiscard]] const std::vector<int>& longestPrompt() const;

    LensFitRequest m_request;
    std::vector<std::vector<int>> m_prompts, m_heldOut;
    const OpenModel* m_open = nullptr;
    int m_leftOut = 0;
    why::LensOrigin m_origin;
    std::unique_ptr<const lm::Edits> m_none; ///< nothing is done to the model
    std::unique_ptr<why::JacobianFit> m_fit;
    std::optional<std::chrono::steady_clock::time_point> m_kept; ///< nothing: the next prompt is kept at once
};

} // namespace headscope::app
