// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/memorymeter.h"

#include <c10/core/CPUAllocator.h>

#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstring>

namespace headscope::lm {

namespace {

std::atomic<std::int64_t> s_held = 0, s_peak = 0;

/// The tensor library's own memory, counted. A block from before is given back uncounted: each knows how it was made.
class Counting final : public c10::Allocator
{
public:
    static void install()
    {
        static Counting counting; // as long as the process: blocks refer to it
        static_cast<void>(counting);
    }
    c10::DataPtr allocate(std::size_t bytes) override
    {
        c10::DataPtr block = s_inner->allocate(bytes);
        const std::int64_t held = s_held += static_cast<std::int64_t>(malloc_usable_size(block.get()));
        for (std::int64_t peak = s_peak; held > peak && !s_peak.compare_exchange_weak(peak, held);) { }
        static_cast<void>(block.compare_exchange_deleter(s_inner->raw_deleter(), &release));
        return block;
    }
    [[nodiscard]] c10::DeleterFnPtr raw_deleter() const override { return &release; }
    void copy_data(void* to, const void* from, std::size_t count) const override { std::memcpy(to, from, count); }

private:
    Counting() { c10::SetCPUAllocator(this, kPriority); }
    static void release(void* block)
    {
        s_held -= static_cast<std::int64_t>(malloc_usable_size(block));
        s_inner->raw_deleter()(block);
    }
    static constexpr std::uint8_t kPriority = 100;
    inline static c10::Allocator* const s_inner = c10::GetCPUAllocator();
};

} // namespace

MemoryMeter::MemoryMeter()
{
    Counting::install();
    m_start = s_held;
    m_outerPeak = s_peak.exchange(m_start);
}

MemoryMeter::~MemoryMeter()
{
    s_peak = std::max<std::int64_t>(s_peak, m_outerPeak);
}

std::int64_t MemoryMeter::peak() const { return s_peak - m_start; }

} // namespace headscope::lm
