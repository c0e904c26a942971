// SPDX-License-Identifier: GPL-3.0-or-later
// How libFuzzer changes sessions; the smoke test has its own changes and does not link this.
#include <cstddef>
#include <cstdint>
#include <cstring>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

// Most changes of the first page and of lengths are refused at the door; these keep the schema and change what is
// stored.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed)
{
    constexpr std::size_t kPage = 4096;
    if (seed % 4 == 0 || size < 4 * kPage)
        return LLVMFuzzerMutate(data, size, most);
    std::uint8_t window[64];
    const std::size_t from = kPage + (seed / 4) % (size - kPage - sizeof window);
    const std::size_t length = 1 + (seed / 7) % sizeof window;
    std::memcpy(window, data + from, length);
    std::memcpy(data + from, window, LLVMFuzzerMutate(window, length, sizeof window));
    return size;
}
