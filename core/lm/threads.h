// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Processor threads of tensor work. Call before the first tensor.

namespace headscope::lm {

void setThreads(int count);
[[nodiscard]] int threads();

} // namespace headscope::lm
