// SPDX-License-Identifier: GPL-3.0-or-later
// Fuzz target: the input is a GGUF file. What is accepted must lie within it, and blocks must not overlap its end.

#include "core/io/gguf/blocks.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

using namespace headscope;

namespace {

void require(bool holds, const char* what)
{
    if (holds)
        return;
    std::fprintf(stderr, "broken: %s\n", what);
    std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto header = io::parseGgufHeader(std::as_bytes(std::span(data, size)));
    if (!header.has_value()) {
        require(!header.error().message.empty() && header.error().message.find('\n') == std::string::npos,
                "an error that is no clause");
        return 0;
    }
    for (const io::GgufTensor& tensor : header->tensors) {
        const auto bytes = io::ggmlBytes(tensor.type, tensor.shape);
        require(bytes.has_value() && tensor.end - tensor.begin == *bytes, "a tensor of another size");
        require(tensor.begin <= tensor.end && tensor.end <= size, "a tensor outside the file");
        if (*bytes == 0)
            continue;
        float numbers[256];
        io::decodeBlock(tensor.type,
                        std::as_bytes(std::span(data, size)).data() + tensor.end - io::blockBytes(tensor.type),
                        numbers);
    }
    return 0;
}
