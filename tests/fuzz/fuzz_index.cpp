// SPDX-License-Identifier: GPL-3.0-or-later
// Fuzz target: the input is a model.safetensors.index.json. What is accepted must place every tensor in a file beside
// it.

#include "core/io/safetensors/shardindex.h"

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
    const auto index = io::ShardIndex::parse({reinterpret_cast<const char*>(data), size});
    if (!index.has_value()) {
        require(index.error().message.ends_with('.') && index.error().message.find('\n') == std::string::npos,
                "an error that is no sentence");
        return 0;
    }
    require(!index->shardOf.empty(), "an index without tensors");
    for (const auto& [tensor, shard] : index->shardOf)
        require(!shard.empty() && shard != "." && shard != ".." && shard.find('/') == std::string::npos
                    && shard.find('\0') == std::string::npos,
                "a shard outside the folder");
    return 0;
}
