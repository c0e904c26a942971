// SPDX-License-Identifier: GPL-3.0-or-later
// Fuzz target: the input is the pickle of a PyTorch file. What is accepted must lie within the storages it names.

#include "core/io/pytorch/pickle.h"

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
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    for (const io::PickleScope scope : {io::PickleScope::Weights, io::PickleScope::Everything}) {
        const auto tables = io::readPickle(text, scope);
        if (!tables.has_value()) {
            require(!tables.error().message.empty() && tables.error().message.find('\n') == std::string::npos,
                    "an error that is no clause");
            continue;
        }
        require(!tables->tensors.empty(), "a table without tensors");
        for (const io::PickledTensor& tensor : tables->tensors) {
            require(io::tensorBytes(tensor.dtype, tensor.shape).has_value(), "a size that does not fit");
            __int128 last = tensor.offset;
            bool empty = false;
            for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
                last += static_cast<__int128>(tensor.shape[i] - 1) * tensor.strides[i];
                empty = empty || tensor.shape[i] == 0;
            }
            require(empty || (last >= 0 && last < static_cast<__int128>(tensor.storageElements)),
                    "a tensor outside its storage");
        }
    }
    return 0;
}
