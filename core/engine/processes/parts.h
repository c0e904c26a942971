// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What one process hands to another, as bytes: rows of a benchmark. Reading takes nothing on trust:
// every length is compared with the bytes that are there before anything is made. Any thread.

#include "core/base/result.h"
#include "core/tasks/outcome.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope::engine {

using OutcomeRow =
    std::pair<std::size_t, tasks::Outcome>; ///< index of the example (of a chunk of several states: behind all those of
                                            ///< the states before it), and its outcome

[[nodiscard]] std::string packRows(const std::vector<OutcomeRow>& rows);
/// Fails for bytes that packRows() does not write.
[[nodiscard]] Result<std::vector<OutcomeRow>> unpackRows(std::string_view bytes);

} // namespace headscope::engine
