// SPDX-License-Identifier: GPL-3.0-or-later
// Fuzz target: the input is a file of a Jacobian lens, for the model of tests/data/lenses/published.pt. What is refused
// is one sentence, what is accepted has matrices of the model's width.

#include "core/why/lenses/jacobianfile.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <unistd.h>

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
    static const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("headscope-fuzz-" + std::to_string(getpid()));
    constexpr int kHidden = 32;
    constexpr std::size_t kLayers = 3;
    lm::ModelSpec spec;
    spec.hidden = kHidden;
    spec.layers.resize(kLayers);
    std::filesystem::create_directories(folder);
    const std::filesystem::path file = folder / "lens.pt";
    std::ofstream(file, std::ios::binary)
        .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    const auto lens = why::readLens(file, spec, std::string(64, 'a'));
    if (!lens.has_value()) {
        require(lens.error().message.ends_with('.') && lens.error().message.find('\n') == std::string::npos,
                "an error that is no sentence");
        return 0;
    }
    require(lens->prompts >= 0, "a negative number of prompts");
    require(why::lensHash(lens->lens).size() == 64, "a lens without a hash");
    return 0;
}
