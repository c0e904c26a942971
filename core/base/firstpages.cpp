// SPDX-License-Identifier: GPL-3.0-or-later
// Before main() the tensor library makes a table of all its operations: 45 MB in small pieces. In large pages they come
// with a fifth of the page faults, which were a sixth of what starting a program took.

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

namespace {

void askForLargePages()
{
    constexpr std::uintptr_t kTable = std::uintptr_t{64} << 20, kPage = std::uintptr_t{2} << 20;
    constexpr std::size_t kPiece = std::size_t{100} << 10;                // two are more than the heap begins with
    mallopt(M_TOP_PAD, static_cast<int>(kTable));                         // until lm::reuseFreedMemory()
    void* volatile pieces[] = {std::malloc(kPiece), std::malloc(kPiece)}; // or the compiler leaves them out
    for (void* const piece : pieces)
        std::free(piece);
    const auto end = reinterpret_cast<std::uintptr_t>(sbrk(0)), begin = (end - kTable + kPage - 1) / kPage * kPage;
    madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE); // a wish
}

// The system calls what stands here before the beginnings of all libraries.
[[gnu::section(".preinit_array"), gnu::used]] void (*const beforeLibraries)() = askForLargePages;

} // namespace

#endif
