// SPDX-License-Identifier: GPL-3.0-or-later
// Fuzz target: the first byte chooses an adapter of tests/data/adapters, the rest is its adapter_config.json (highest
// bit: its weights). What is refused is one sentence, what is accepted has factors that go together.

#include "core/io/safetensors/adapter.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include <unistd.h>

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

const std::vector<fs::path>& adapters()
{
    static const auto all = [] {
        std::vector<fs::path> folders;
        for (const auto& entry : fs::directory_iterator(fs::path(HEADSCOPE_SOURCE_DIR) / "tests" / "data" / "adapters"))
            folders.push_back(entry.path());
        std::sort(folders.begin(), folders.end());
        return folders;
    }();
    return all;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const fs::path root = fs::temp_directory_path() / ("headscope-fuzz-" + std::to_string(getpid()));
    if (size < 1)
        return 0;
    constexpr std::uint8_t kWeights = 0x80;
    constexpr const char *kConfigFile = "adapter_config.json", *kWeightsFile = "adapter_model.safetensors";
    const std::size_t number = (data[0] & ~kWeights) % adapters().size();
    const bool weights = (data[0] & kWeights) != 0;
    const char* const kept = weights ? kConfigFile : kWeightsFile;
    const fs::path folder = root / (kept + std::to_string(number));
    if (!fs::exists(folder)) { // not copy_file(), which fails where libFuzzer's clock interrupts it
        fs::create_directories(folder);
        std::ofstream(folder / kept, std::ios::binary)
            << std::ifstream(adapters()[number] / kept, std::ios::binary).rdbuf();
    }
    std::ofstream(folder / (weights ? kWeightsFile : kConfigFile), std::ios::binary)
        .write(reinterpret_cast<const char*>(data) + 1, static_cast<std::streamsize>(size) - 1);
    const auto adapter = io::LoraAdapter::open(folder);
    if (!adapter.has_value()) {
        require(adapter.error().message.ends_with('.') && adapter.error().message.find('\n') == std::string::npos,
                "an error that is no sentence");
        return 0;
    }
    require(!(*adapter)->text().empty() && (*adapter)->contentHash().has_value(), "an adapter without a name or hash");
    for (const auto& [name, map] : (*adapter)->maps()) {
        const auto &a = map.a.info.shape, &b = map.b.info.shape;
        require(!name.empty() && a.size() >= 2 && b.size() >= 2 && a[0] == b[1], "factors that do not go together");
        require(std::isfinite(static_cast<float>(map.scale)), "a scale that is no number");
        require(map.a.bytes.size() == map.a.size() && map.b.bytes.size() == map.b.size(), "a factor without its bytes");
    }
    return 0;
}
