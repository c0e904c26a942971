// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/safetensors/weightsfile.h"

#include "core/io/mapping.h"

#include <bit>
#include <cstring>

#include <sys/mman.h>
#include <unistd.h>

namespace headscope::io {

static_assert(std::endian::native == std::endian::little, "tensor bytes are used as stored, which is little-endian");

std::uint64_t TensorView::size() const
{
    const auto whole = tensorBytes(info.dtype, info.shape);
    return whole.has_value() ? *whole : 0;
}

void TensorView::read(std::uint64_t offset, std::span<std::byte> into) const
{
    if (plain())
        std::memcpy(into.data(), bytes.data() + offset, into.size());
    else
        elements->read(bytes, offset / (dtypeBits(info.dtype) / 8), into);
}

WeightsFile::~WeightsFile()
{
    unmapFile(m_mapping);
}

std::span<const std::byte> WeightsFile::stored(std::size_t tensor) const
{
    const TensorInfo& info = m_tensors[tensor];
    return dataBytes().subspan(static_cast<std::size_t>(info.begin), static_cast<std::size_t>(info.end - info.begin));
}

const std::shared_ptr<const Elements>& WeightsFile::elements(std::size_t tensor) const
{
    static const std::shared_ptr<const Elements> kPlain;
    return m_elements.empty() ? kPlain : m_elements[tensor];
}

void WeightsFile::release(std::span<const std::byte> bytes)
{
    static const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    const auto first = reinterpret_cast<std::uintptr_t>(bytes.data());
    const std::uintptr_t begin = (first + page - 1) / page * page, end = (first + bytes.size()) / page * page;
    if (begin < end) // only whole pages: their neighbours may be in use
        ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

} // namespace headscope::io
