// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <functional>

namespace headscope::engine {

/// Calls `run` for 0 to count - 1 at the same time, each with one thread of the processor, the first on the calling
/// thread, and returns when all are done: for batches of a model so small that threads of one operation would wait for
/// each other longer than they compute. Only the calling thread gives way meanwhile. Throws what one of them threw.
void sideBySide(std::size_t count, const std::function<void(std::size_t)>& run);

} // namespace headscope::engine
