// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What benchmarks are called in tables and reports. Pure functions; any thread.

#include <string>
#include <string_view>

namespace headscope::experiments {

/// "MMLU", "KV retrieval, 16 pairs"; of the shipped models' words "toy KV retrieval, 16 pairs", "toy multiple choice".
/// A task that is not known is shown by its own name; empty for none.
[[nodiscard]] std::string benchmarkName(std::string_view task);

} // namespace headscope::experiments
