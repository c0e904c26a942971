// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/scoring/sidebyside.h"

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/thread_pool.h>

#include <algorithm>
#include <exception>
#include <latch>
#include <vector>

namespace headscope::engine {

SideBySide::SideBySide(int threads) : m_threads(std::max(threads, 1)) {}

SideBySide::~SideBySide() = default;

void SideBySide::operator()(std::size_t count, const std::function<void(std::size_t)>& run)
{
    if (count > 1 && !m_others)
        m_others = std::make_unique<c10::ThreadPool>(m_threads - 1, -1, [] { at::set_num_threads(1); });
    std::vector<std::exception_ptr> thrown(count);
    std::latch others(static_cast<std::ptrdiff_t>(count > 0 ? count - 1 : 0));
    const auto one = [&](std::size_t index) {
        try {
            const at::NoGradGuard noGrad;
            run(index);
        } catch (...) {
            thrown[index] = std::current_exception();
        }
    };
    for (std::size_t index = 1; index < count; ++index)
        m_others->run([&, index] {
            one(index);
            others.count_down();
        });
    if (count > 0)
        one(0);
    others.wait();
    for (const std::exception_ptr& exception : thrown)
        if (exception)
            std::rethrow_exception(exception);
}

} // namespace headscope::engine
