// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/scoring/sidebyside.h"

#include <ATen/core/grad_mode.h>

#include <future>
#include <vector>

#include <omp.h>

namespace headscope::engine {

void sideBySide(std::size_t count, const std::function<void(std::size_t)>& run)
{
    const auto alone = [&run](std::size_t index) {
        omp_set_num_threads(1); // of this thread
        const at::NoGradGuard noGrad;
        run(index);
    };
    std::vector<std::future<void>> others; // they are waited for, whatever is thrown
    for (std::size_t index = 1; index < count; ++index)
        others.push_back(std::async(std::launch::async, alone, index));
    if (count > 0)
        run(0);
    for (std::future<void>& other : others)
        other.get();
}

} // namespace headscope::engine
