// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Names of benchmarks in tables and reports. Pure functions; any thread.

#include <string>
#include <string_view>

namespace headscope::experiments {

/// Returns "MMLU" or "KV retrieval, 16 pairs"; for the included models "toy KV retrieval, 16 pairs", "toy multiple
/// choice". An unknown task is shown by its own name; empty for none.
[[nodiscard]] std::string benchmarkName(std::string_view task);

} // namespace headscope::experiments
