// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Measures how much memory tensors use while something runs. Worker thread.

#include <c10/core/Device.h>

#include <cstdint>

namespace headscope::lm {

/// Counts the bytes of tensors on one device; on the CPU from the process's first meter onwards (a few nanoseconds per
/// tensor). Meters may be nested.
class MemoryMeter
{
public:
    explicit MemoryMeter(c10::Device device = c10::kCPU);
    ~MemoryMeter();
    MemoryMeter(const MemoryMeter&) = delete;
    MemoryMeter& operator=(const MemoryMeter&) = delete;

    /// Returns the peak since this meter was made, in bytes beyond what was allocated then.
    [[nodiscard]] std::int64_t peak() const;

private:
    c10::Device m_device;
    std::int64_t m_start = 0, m_outerPeak = 0;
};

} // namespace headscope::lm
