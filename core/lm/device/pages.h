// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// CPU memory requested from the system in pages, outside the heap. Any thread.

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace headscope::lm {

/// Returns uninitialized uint8 [bytes] in pages of 2 MB where the system has them: with small pages, address
/// translation takes a quarter of the time of reading weights token by token, and first touching them costs more than
/// the writes themselves.
[[nodiscard]] at::Tensor inLargePages(std::int64_t bytes);

/// Returns uint8 [bytes] that goes back to the system when freed. On the heap, a short-lived buffer would leave a hole
/// below any small allocation made after it, too small for the next buffer of its kind.
[[nodiscard]] at::Tensor inOwnPages(std::int64_t bytes);

/// Many tensors beside each other in large pages. The memory of one goes back with it, a page at a time. One thread at
/// a time.
class LargePages
{
public:
    [[nodiscard]] at::Tensor bytes(std::int64_t count); ///< uninitialized uint8 [count], aligned to a cache line

private:
    at::Tensor m_chunk;
    std::int64_t m_used = 0;
};

} // namespace headscope::lm
