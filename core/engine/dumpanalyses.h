// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The keys of analyses: logit lens, direct attribution, patching and weights, in the layout of the golden models.
// Worker thread.

#include "core/why/recording.h"

#include <optional>
#include <string>

namespace headscope::engine {

/// Inputs of the analyses of one file.
struct AnalysisInput {
    std::vector<int> clean, corrupt;
    why::Metric metric;
};

/// Returns the error for a key that is unknown or that the model does not have.
[[nodiscard]] Error unknownDumpKey(const std::string& key);

class AnalysisDump
{
public:
    AnalysisDump(const lm::Model& model, AnalysisInput input);

    /// Returns whether an analysis has this key: difference, lens, dla, patch, patch_last, noise, copying, composition.
    [[nodiscard]] static bool has(const std::string& key);
    /// Computes a key's tensor, for the first eight heads if it is per head. Fails for a key that the model lacks.
    [[nodiscard]] Result<at::Tensor> value(const std::string& key);

private:
    struct Heads;
    [[nodiscard]] Result<void> record();
    [[nodiscard]] Result<at::Tensor> lens() const;
    [[nodiscard]] Result<at::Tensor> direct(const std::string& key) const;
    [[nodiscard]] Result<at::Tensor> patchedHeads(const std::string& key) const;
    [[nodiscard]] Result<at::Tensor> patchedStream() const;
    [[nodiscard]] Result<at::Tensor> weights(const std::string& key) const;
    [[nodiscard]] Result<Heads> headsOf(const std::string& key) const;

    const lm::Model& m_model;
    AnalysisInput m_input;
    lm::Edits m_base; ///< no edits
    std::optional<why::Recording> m_clean, m_corrupt;
};

} // namespace headscope::engine
