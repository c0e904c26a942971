// SPDX-License-Identifier: GPL-3.0-or-later
// Fuzz target: the first byte chooses a checkpoint of tests/data/packed, the rest is its config.json (highest bit: the
// header of its weights). What is refused is one sentence, what is accepted loads and runs.

#include "core/io/safetensors/checkpoint.h"
#include "core/lm/load.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
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

bool refused(const Error& error)
{
    require(error.message.ends_with('.') && error.message.find('\n') == std::string::npos,
            "an error that is no sentence");
    return true;
}

std::string readAll(const fs::path& path)
{
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

struct Packed {
    std::string config;
    std::string data; ///< of the weights, behind their header
    std::shared_ptr<const io::Checkpoint> checkpoint;
};

const std::vector<Packed>& models()
{
    static const auto all = [] {
        std::vector<fs::path> folders;
        for (const auto& entry : fs::directory_iterator(fs::path(HEADSCOPE_SOURCE_DIR) / "tests" / "data" / "packed"))
            folders.push_back(entry.path());
        std::sort(folders.begin(), folders.end());
        std::vector<Packed> read;
        for (const fs::path& folder : folders) {
            const std::string weights = readAll(folder / "model.safetensors");
            std::uint64_t header = 0;
            std::memcpy(&header, weights.data(), sizeof header);
            read.push_back({readAll(folder / "config.json"), weights.substr(sizeof header + header),
                            *io::Checkpoint::open(folder)});
        }
        return read;
    }();
    return all;
}

/// The weights with this header, where they can be opened.
std::shared_ptr<const io::Checkpoint> withHeader(const Packed& model, std::string_view header)
{
    static const fs::path folder = fs::temp_directory_path() / ("headscope-fuzz-" + std::to_string(getpid()));
    fs::remove_all(folder);
    fs::create_directories(folder);
    const std::uint64_t size = header.size();
    std::ofstream(folder / "model.safetensors", std::ios::binary)
            .write(reinterpret_cast<const char*>(&size), sizeof size)
        << header << model.data;
    const auto opened = io::Checkpoint::open(folder);
    return !opened.has_value() && refused(opened.error()) ? nullptr : *opened;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size < 1)
        return 0;
    constexpr std::uint8_t kHeader = 0x80;
    const Packed& model = models()[(data[0] & ~kHeader) % models().size()];
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    const bool header = (data[0] & kHeader) != 0;
    const auto checkpoint = header ? withHeader(model, text) : model.checkpoint;
    const auto config = lm::Config::parse(header ? model.config : std::string(text));
    if (!checkpoint || (!config.has_value() && refused(config.error())))
        return 0;
    const auto loaded = lm::load(*config, checkpoint, {"cpu", "fp32"});
    if (!loaded.has_value() && refused(loaded.error()))
        return 0;
    const at::NoGradGuard noGrad;
    const lm::ModelSpec& spec = loaded->model->spec();
    const std::int64_t length = spec.endsThere ? std::min(3, spec.maxPositions) : 3;
    if (length < 1)
        return 0;
    const at::Tensor ids = at::arange(length, at::kLong).remainder(spec.vocabulary).unsqueeze(0);
    const at::Tensor logits = loaded->model->logits(ids);
    require(logits.size(1) == length && logits.size(2) == spec.vocabulary, "logits of another shape");
    return 0;
}
