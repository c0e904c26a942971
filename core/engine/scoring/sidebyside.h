// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Batches of a model so small that threads of one operation would wait for each other longer than they compute: each
// runs on one thread, some of them at the same time.

#include <cstddef>
#include <functional>
#include <memory>

namespace c10 {
class ThreadPool;
}

namespace headscope::engine {

class SideBySide
{
public:
    /// `threads`: of the processor, the caller's among them.
    explicit SideBySide(int threads);
    ~SideBySide();
    SideBySide(const SideBySide&) = delete;
    SideBySide& operator=(const SideBySide&) = delete;

    [[nodiscard]] int threads() const { return m_threads; }
    /// Calls `run` for 0 to count - 1, the first on the calling thread, and returns when all are done. `count`: at most
    /// threads(). Only the calling thread gives way meanwhile. Throws what the first of them threw.
    void operator()(std::size_t count, const std::function<void(std::size_t)>& run);

private:
    int m_threads = 1;
    std::unique_ptr<c10::ThreadPool> m_others; ///< made when they are needed first
};

} // namespace headscope::engine
