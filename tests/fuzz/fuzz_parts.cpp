// SPDX-License-Identifier: GPL-3.0-or-later
// libFuzzer target: any bytes as a part of another process (rows where the first byte is even, else heads) must end in
// values or an error; what is read is written back as the same bytes.
#include "core/engine/processes/parts.h"

#include <cstdint>
#include <cstdlib>

using namespace headscope::engine;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size == 0)
        return 0;
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    if (data[0] % 2 == 0) {
        const auto rows = unpackRows(bytes);
        if (rows.has_value() && packRows(*rows) != bytes)
            std::abort();
    } else {
        const auto heads = unpackHeads(bytes);
        if (heads.has_value() && packHeads(*heads) != bytes)
            std::abort();
    }
    return 0;
}
