// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Writes analyses: as tensors named like those in the golden models' files, or as a table. Main thread.

#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace headscope::cli {

struct NamedTensor {
    std::string name; ///< "patch.attn.L2"
    std::vector<std::int64_t> shape;
    std::vector<float> values; ///< row-major
};

struct AnalysisResult {
    std::vector<std::vector<std::string>> table; ///< the first row is the header; written as CSV
    std::vector<NamedTensor> tensors;
    std::string provenance;
    std::string pairs{}; ///< JSON: prompts and answers of the compared pairs; empty: there were none
};

/// Fails for a suffix other than .safetensors and .csv; call it before the work.
[[nodiscard]] Result<void> checkAnalysisPaths(const std::vector<std::string>& paths);
[[nodiscard]] Result<void> writeAnalysis(const std::vector<std::string>& paths, const AnalysisResult& result);

} // namespace headscope::cli
