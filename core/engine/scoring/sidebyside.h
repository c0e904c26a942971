// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <functional>

namespace headscope::engine {

/// Calls `run` for 0 to count - 1 concurrently, each on one CPU thread, the first on the calling thread, and returns
/// when all are done: for batches of a model so small that threads of one operation would wait longer than they
/// compute. Only the calling thread yields meanwhile. Rethrows what one of them threw.
void sideBySide(std::size_t count, const std::function<void(std::size_t)>& run);

} // namespace headscope::engine
