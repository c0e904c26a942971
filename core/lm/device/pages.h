// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Memory of the processor that is asked of the system a page at a time, beside what the heap gives. Any thread.

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace headscope::lm {

/// uint8 [bytes], whatever was there before, in pages of 2 MB where the system has them: looking up where a page lies
/// is a quarter of what reading weights token by token takes in small ones, and the first touch of small ones costs
/// more than what is written.
[[nodiscard]] at::Tensor inLargePages(std::int64_t bytes);

/// uint8 [bytes] that goes back to the system when it is freed. In the heap what is soon freed would leave a hole
/// under whatever small thing came after it, too small for the next of its kind.
[[nodiscard]] at::Tensor inOwnPages(std::int64_t bytes);

/// Many tensors beside each other in large pages, which live as long as the last of them. One thread at a time.
class LargePages
{
public:
    [[nodiscard]] at::Tensor bytes(std::int64_t count); ///< uint8 [count], of any values, aligned to a cache line

private:
    at::Tensor m_chunk;
    std::int64_t m_used = 0;
};

} // namespace headscope::lm
