// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Fits a Jacobian lens to texts and writes it to a file; continues an interrupted fit. Lives on the thread that runs
// the model.

#include "app/workbench/openmodel.h"
#include "core/why/jacobianfile.h"

#include <set>
#include <vector>

namespace headscope::app {

struct LensFitRequest {
    std::vector<std::filesystem::path> texts; ///< folders, .txt and .jsonl files
    std::filesystem::path output;
    int prompts = 100;    ///< at most
    int length = 128;     ///< tokens of a prompt, at most
    int skip = 16;        ///< positions at its start that do not count
    std::set<int> layers; ///< whose output is read, as files count; empty: all, and the embedding
};

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
    /// Does the rest and writes the file. What was done until it fails or is stopped is kept beside it.
    [[nodiscard]] Result<why::JacobianLens> run(const Control& control);
    /// How often a lens has the model's own answer on top, before each layer, and how often the logit lens has.
    struct Quality {
        std::vector<double> fitted, logit; ///< shares of positions; NaN where the lens has no matrix
        int prompts = 0;
        bool heldOut = false; ///< prompts that the fit did not use; else the texts have no others
    };
    [[nodiscard]] Result<Quality> quality(const why::JacobianLens& lens, const Control& control) const;
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
};

} // namespace headscope::app
