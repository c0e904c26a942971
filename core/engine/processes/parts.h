// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What one process hands to another, as bytes: rows of a benchmark, measured heads. Reading takes nothing on trust:
// every length is compared with the bytes that are there before anything is made. Any thread.

#include "core/engine/ranking/rank.h"
#include "core/tasks/outcome.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope::engine {

using OutcomeRow = std::pair<std::size_t, tasks::Outcome>; ///< index of the example, and its outcome

[[nodiscard]] std::string packRows(const std::vector<OutcomeRow>& rows);
/// Fails for bytes that packRows() does not write.
[[nodiscard]] Result<std::vector<OutcomeRow>> unpackRows(std::string_view bytes);

[[nodiscard]] std::string packHeads(const std::vector<RankedHead>& heads);
/// Fails for bytes that packHeads() does not write.
[[nodiscard]] Result<std::vector<RankedHead>> unpackHeads(std::string_view bytes);

} // namespace headscope::engine
