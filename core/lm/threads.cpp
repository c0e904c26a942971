// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/threads.h"

#include <ATen/Parallel.h>

namespace headscope::lm {

void setThreads(int count) { at::set_num_threads(count); }
int threads() { return at::get_num_threads(); }

} // namespace headscope::lm
