// SPDX-License-Identifier: GPL-3.0-or-later
// Fuzz target: the input is a model.safetensors.index.json beside two small shards. What opens must name only tensors
// that are there.

#include "core/io/checkpoint.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

using namespace headscope;
namespace fs = std::filesystem;

namespace {

void require(bool holds, const char* what)
{
    if (holds)
        return;
    std::fprintf(stderr, "broken: %s\n", what);
    std::abort();
}

/// One F32 tensor of two numbers.
void writeShard(const fs::path& path, const std::string& tensor)
{
    const std::string header = "{\"" + tensor + "\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}";
    std::ofstream out(path, std::ios::binary);
    for (std::size_t i = 0; i < 8; ++i)
        out.put(static_cast<char>(header.size() >> (8 * i) & 0xff));
    out << header << std::string(8, '\0');
}

const fs::path& folder()
{
    static const fs::path path = [] {
        fs::path made = fs::temp_directory_path() / ("headscope-fuzz-index-" + std::to_string(getpid()));
        fs::create_directories(made);
        writeShard(made / "a.safetensors", "x");
        writeShard(made / "b.safetensors", "y");
        return made;
    }();
    return path;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    std::ofstream(folder() / "model.safetensors.index.json", std::ios::binary)
        .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    const auto checkpoint = io::Checkpoint::open(folder());
    if (!checkpoint.has_value()) {
        require(checkpoint.error().message.ends_with('.'), "an error that is no sentence");
        return 0;
    }
    require(!(*checkpoint)->names().empty(), "a checkpoint without tensors");
    for (const std::string& name : (*checkpoint)->names()) {
        const auto tensor = (*checkpoint)->find(name);
        require(tensor.has_value() && tensor->bytes.size() == 8, "a tensor that is not there");
    }
    require(!(*checkpoint)->contentHash().empty(), "no hash");
    return 0;
}
