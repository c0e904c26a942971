// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What an analysis writes: tensors named as the golden models' files name them, or a table. Main thread.

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
    std::string pairs{}; ///< JSON: prompts and answers of the pairs that were compared; empty: none were
};

/// Fails for a suffix other than .safetensors and .csv, before anything is computed.
[[nodiscard]] Result<void> checkAnalysisPaths(const std::vector<std::string>& paths);
[[nodiscard]] Result<void> writeAnalysis(const std::vector<std::string>& paths, const AnalysisResult& result);

} // namespace headscope::cli
