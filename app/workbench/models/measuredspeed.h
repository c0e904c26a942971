// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The multiplication speed of this processor, measured once and cached, and the duration of a model's passes. Uses
// processor time at the first call. Any thread.

#include "core/lm/spec.h"

#include <filesystem>
#include <string>

namespace headscope::app {

/// Returns lm::speedupOverFp32(), measured once and kept in `cache` (empty: nowhere) for processor and library.
[[nodiscard]] double cachedSpeedup(const std::string& type, const std::filesystem::path& cache);

/// Returns lm::productRate(), cached likewise.
[[nodiscard]] double cachedProductRate(const std::string& type, const std::filesystem::path& cache);

/// The same for that many threads; 0: one per core.
[[nodiscard]] double operationsASecond(const std::string& type, int threads, const std::filesystem::path& cache);

/// Returns the multiplications and additions of a pass over one text of that many tokens, up to its last logits: two
/// per weight and token, plus attention. All experts are counted, so this is an upper bound.
[[nodiscard]] double passOperations(const lm::ModelSpec& spec, std::int64_t length);

} // namespace headscope::app
