// SPDX-License-Identifier: GPL-3.0-or-later
// libFuzzer target: any bytes as a part of another process must end in
// rows or an error; what is read is written back as the same bytes.
#include "core/engine/processes/parts.h"

#include <cstdint>
#include <cstdlib>

using namespace headscope::engine;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const auto rows = unpackRows(bytes);
    if (rows.has_value() && packRows(*rows) != bytes)
        std::abort();
    return 0;
}
