// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/device/pages.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>

#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace headscope::lm {

namespace {

std::int64_t roundedUp(std::int64_t bytes, std::int64_t to)
{
    return (bytes + to - 1) / to * to;
}

// Gives back the pages that lie within, of memory that stays reserved.
void giveBack([[maybe_unused]] std::byte* memory, [[maybe_unused]] std::int64_t bytes)
{
#ifdef __linux__
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE)),
               begin = reinterpret_cast<std::uintptr_t>(memory);
    const std::uintptr_t first = (begin + page - 1) / page * page,
                         end = (begin + static_cast<std::uintptr_t>(bytes)) / page * page;
    if (first < end)
        madvise(reinterpret_cast<void*>(first), end - first, MADV_DONTNEED);
#endif
}

} // namespace

at::Tensor inLargePages(std::int64_t bytes)
{
#ifdef __linux__
    constexpr std::int64_t kPage = std::int64_t{2} << 20;
    const auto whole = static_cast<std::size_t>(roundedUp(bytes, kPage));
    if (void* const memory = std::aligned_alloc(static_cast<std::size_t>(kPage), whole)) {
        madvise(memory, whole, MADV_HUGEPAGE); // a wish
        return at::from_blob(
            memory, {bytes}, [](void* p) { std::free(p); }, at::TensorOptions(at::kByte));
    }
#endif
    return at::empty({bytes}, at::TensorOptions(at::kByte));
}

at::Tensor inOwnPages(std::int64_t bytes)
{
#ifdef __linux__
    const auto size = static_cast<std::size_t>(bytes);
    void* const memory =
        bytes > 0 ? mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : MAP_FAILED;
    if (memory != MAP_FAILED)
        return at::from_blob(
            memory, {bytes}, [size](void* p) { munmap(p, size); }, at::TensorOptions(at::kByte));
#endif
    return at::empty({bytes}, at::TensorOptions(at::kByte));
}

at::Tensor LargePages::bytes(std::int64_t count)
{
    constexpr std::int64_t kChunk = std::int64_t{32} << 20, kLine = 64; // what is not touched takes no memory
    const std::int64_t room = m_chunk.defined() ? m_chunk.numel() - m_used : 0;
    if (count > room) {
        m_chunk = inLargePages(std::max(count, kChunk));
        m_used = 0;
    }
    auto* const memory = static_cast<std::byte*>(m_chunk.data_ptr()) + m_used;
    m_used = std::min(roundedUp(m_used + count, kLine), m_chunk.numel());
    return at::from_blob(
        memory, {count}, [chunk = m_chunk, memory, count](void*) { giveBack(memory, count); },
        at::TensorOptions(at::kByte));
}

} // namespace headscope::lm
