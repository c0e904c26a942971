// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/device/memorymeter.h"

#include <c10/core/CPUAllocator.h>
#include <c10/core/CachingDeviceAllocator.h>

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
        for (std::int64_t peak = s_peak; held > peak && !s_peak.compare_exchange_weak(peak, held);) {
        }
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

// A GPU's own allocator counts; only its peak can be set back, so what came before that is remembered here.
std::int64_t s_peakBefore = 0;

struct Bytes {
    std::int64_t held = 0, peak = 0;
};

Bytes bytesOn(const c10::Device& device)
{
    if (device.is_cpu())
        return {s_held, s_peak};
    const auto counted = c10::getDeviceAllocator(device.type())
                             ->getDeviceStats(device.index())
                             .allocated_bytes[static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE)];
    return {counted.current, std::max(counted.peak, s_peakBefore)};
}

void setPeak(const c10::Device& device, std::int64_t peak)
{
    if (device.is_cpu()) {
        s_peak = peak;
        return;
    }
    c10::getDeviceAllocator(device.type())->resetPeakStats(device.index());
    s_peakBefore = peak;
}

} // namespace

MemoryMeter::MemoryMeter(c10::Device device) : m_device(device)
{
    if (device.is_cpu())
        Counting::install();
    const Bytes now = bytesOn(device);
    m_start = now.held;
    m_outerPeak = now.peak;
    setPeak(device, now.held);
}

MemoryMeter::~MemoryMeter()
{
    setPeak(m_device, std::max(bytesOn(m_device).peak, m_outerPeak));
}

std::int64_t MemoryMeter::peak() const
{
    return bytesOn(m_device).peak - m_start;
}

} // namespace headscope::lm
