// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How much memory tensors take while something runs. Worker thread.

#include <c10/core/Device.h>

#include <cstdint>

namespace headscope::lm {

/// Counts the bytes behind tensors of one device; on the processor from the first meter of the process on (some
/// nanoseconds a tensor). Meters may be nested.
class MemoryMeter
{
public:
    explicit MemoryMeter(c10::Device device = c10::kCPU);
    ~MemoryMeter();
    MemoryMeter(const MemoryMeter&) = delete;
    MemoryMeter& operator=(const MemoryMeter&) = delete;

    /// The most that was held at one time since this meter was made, beyond what was held then.
    [[nodiscard]] std::int64_t peak() const;

private:
    c10::Device m_device;
    std::int64_t m_start = 0, m_outerPeak = 0;
};

} // namespace headscope::lm
