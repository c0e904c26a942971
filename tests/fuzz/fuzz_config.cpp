// SPDX-License-Identifier: GPL-3.0-or-later
// Fuzz target: the first byte chooses a golden checkpoint, the rest is the config.json beside it. Any refusal must be one
// sentence; what is accepted must load and run.

#include "core/lm/forecast.h"
#include "core/lm/load.h"

#include <ATen/core/grad_mode.h>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string_view>

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

const std::vector<fs::path>& checkpoints()
{
    static const std::vector<fs::path> all = [] {
        std::vector<fs::path> found;
        for (const auto& entry : fs::recursive_directory_iterator(fs::path(HEADSCOPE_SOURCE_DIR) / "tests" / "data" / "golden"))
            if (entry.path().filename() == "config.json")
                found.push_back(entry.path().parent_path());
        std::sort(found.begin(), found.end());
        return found;
    }();
    return all;
}

/// A folder for each process, holding a config.json and a link to the chosen weights.
const fs::path& folder()
{
    static const fs::path path = fs::temp_directory_path() / ("headscope-fuzz-config-" + std::to_string(getpid()));
    return path;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size < 1 || checkpoints().empty())
        return 0;
    static std::size_t linked = ~std::size_t{0};
    const std::size_t chosen = data[0] % checkpoints().size();
    fs::create_directories(folder());
    if (linked != chosen || !fs::exists(folder() / "model.safetensors")) {
        fs::remove(folder() / "model.safetensors");
        fs::create_symlink(checkpoints()[chosen] / "model.safetensors", folder() / "model.safetensors");
        linked = chosen;
    }
    std::ofstream(folder() / "config.json", std::ios::binary).write(reinterpret_cast<const char*>(data) + 1, static_cast<std::streamsize>(size - 1));
    const auto inspected = lm::inspect(folder(), {"cpu", "fp32"});
    if (!inspected.has_value()) {
        require(inspected.error().message.ends_with('.') && inspected.error().message.find('\n') == std::string::npos, "an error that is no sentence");
        return 0;
    }
    const lm::ModelSpec& spec = inspected->model->spec();
    require(!spec.layers.empty() && spec.vocabulary > 0, "a model without layers or words");
    require(lm::cacheBytes(spec, 4096, at::kFloat) >= 0, "a negative cache");
    const auto loaded = lm::load(folder(), {"cpu", "fp32"});
    require(loaded.has_value(), "what was inspected does not load");
    const at::NoGradGuard noGrad;
    const at::Tensor ids = (at::arange(3, at::kLong) % spec.vocabulary).unsqueeze(0);
    const at::Tensor logits = loaded->model->logits(ids);
    require(logits.size(1) == 3 && logits.size(2) == spec.vocabulary, "logits of another shape");
    return 0;
}
