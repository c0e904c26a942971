// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How fast this processor multiplies, measured once and kept, and how long a model takes by that. Takes some of the
// processor's time when first asked. Any thread.

#include "core/lm/spec.h"

#include <filesystem>
#include <string>

namespace headscope::app {

/// lm::timesAsFastAsFp32(), measured once and kept in `cache` (empty: nowhere) for the processor and the library.
[[nodiscard]] double keptTimesAsFast(const std::string& type, const std::filesystem::path& cache);

/// lm::productRate(), kept alike.
[[nodiscard]] double keptProductRate(const std::string& type, const std::filesystem::path& cache);

/// The same of that many threads; 0: one a core.
[[nodiscard]] double operationsASecond(const std::string& type, int threads, const std::filesystem::path& cache);

/// Multiplications and additions of a pass over one text of that many tokens, up to its last logits: each weight twice
/// a token, and what attention takes. Of experts all are counted, so that it is the most there can be.
[[nodiscard]] double passOperations(const lm::ModelSpec& spec, std::int64_t length);

} // namespace headscope::app
