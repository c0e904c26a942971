// SPDX-License-Identifier: GPL-3.0-or-later
// libFuzzer target: the safetensors header parser on arbitrary bytes. The first 8 bytes give the size of the data part.
#include "core/io/safetensors/safetensorsheader.h"

#include <cstdlib>
#include <cstring>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size < 8)
        return 0;
    std::uint64_t dataBytes = 0;
    std::memcpy(&dataBytes, data, 8);
    const auto header =
        headscope::io::parseSafetensorsHeader({reinterpret_cast<const char*>(data) + 8, size - 8}, dataBytes);
    if (!header.has_value())
        return 0;
    // What was accepted must cover the data part exactly, in order.
    std::uint64_t at = 0;
    for (const auto& tensor : header->tensors) {
        const auto bytes = headscope::io::tensorBytes(tensor.dtype, tensor.shape);
        if (tensor.begin != at || !bytes.has_value() || *bytes != tensor.end - tensor.begin)
            std::abort();
        at = tensor.end;
    }
    if (at != dataBytes)
        std::abort();
    return 0;
}
