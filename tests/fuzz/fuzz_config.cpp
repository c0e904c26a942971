// SPDX-License-Identifier: GPL-3.0-or-later
// Fuzz target: the first byte chooses a golden checkpoint, the rest is the config.json beside it. Any refusal must be
// one sentence; what is accepted must load and run (the highest bit leaves that out: most of the time is spent there).

#include "core/io/safetensors/checkpoint.h"
#include "core/lm/device/forecast.h"
#include "core/lm/load.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
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

void requireSentence(const Error& error)
{
    require(error.message.ends_with('.') && error.message.find('\n') == std::string::npos,
            "an error that is no sentence");
}

const std::vector<std::shared_ptr<const io::Checkpoint>>& checkpoints()
{
    static const auto all = [] {
        std::vector<fs::path> folders;
        for (const auto& entry :
             fs::recursive_directory_iterator(fs::path(HEADSCOPE_SOURCE_DIR) / "tests" / "data" / "golden"))
            if (entry.path().filename() == "config.json")
                folders.push_back(entry.path().parent_path());
        std::sort(folders.begin(), folders.end());
        std::vector<std::shared_ptr<const io::Checkpoint>> opened;
        for (const fs::path& folder : folders)
            opened.push_back(*io::Checkpoint::open(folder));
        return opened;
    }();
    return all;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size < 1 || checkpoints().empty())
        return 0;
    constexpr std::uint8_t kOnlyInspect = 0x80;
    const auto& checkpoint = checkpoints()[(data[0] & ~kOnlyInspect) % checkpoints().size()];
    const auto config = lm::Config::parse({reinterpret_cast<const char*>(data) + 1, size - 1});
    if (!config.has_value()) {
        requireSentence(config.error());
        return 0;
    }
    const auto inspected = lm::inspect(*config, checkpoint, {"cpu", "fp32"});
    if (!inspected.has_value()) {
        requireSentence(inspected.error());
        return 0;
    }
    const lm::ModelSpec& spec = inspected->model->spec();
    require(!spec.layers.empty() && spec.vocabulary > 0, "a model without layers or words");
    require(lm::cacheBytes(spec, 4096, at::kFloat) >= 0, "a negative cache");
    if (data[0] & kOnlyInspect)
        return 0;
    const auto loaded = lm::load(*config, checkpoint, {"cpu", "fp32"});
    require(loaded.has_value(), "what was inspected does not load");
    const at::NoGradGuard noGrad;
    const std::int64_t length = spec.endsThere ? std::min(3, spec.maxPositions) : 3;
    if (length < 1)
        return 0;
    const at::Tensor ids = (at::arange(length, at::kLong) % spec.vocabulary).unsqueeze(0);
    const at::Tensor logits = loaded->model->logits(ids);
    require(logits.size(1) == length && logits.size(2) == spec.vocabulary, "logits of another shape");
    return 0;
}
