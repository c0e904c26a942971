// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/family.h"

#include "core/lm/families/families.h"

#include <array>

namespace headscope::lm {

namespace {

struct Entry {
    const char* name; ///< config's model_type, or the name Config::family() gives
    FamilyBuilder build;
};

constexpr std::array kFamilies = {
    Entry{"llama", buildLlama},
    Entry{"mistral", buildMistral},
    Entry{"qwen2", buildQwen2},
    Entry{"qwen3", buildQwen3},
    Entry{"gpt2", buildGpt2},
    Entry{"gpt_neox", buildGptNeox},
    Entry{"phi", buildPhi},
    Entry{"gemma2", buildGemma2},
    Entry{"mamba", buildMamba},
    Entry{"falcon_mamba", buildFalconMamba},
    Entry{"mamba2", buildMamba2},
    Entry{"llamba", buildLlamba},
    Entry{"zamba2", buildZamba2},
    Entry{"hybrid_llamba", buildHybridLlamba},
    Entry{"bamba", buildBamba},
    Entry{"jamba", buildJamba},
    Entry{"granitemoehybrid", buildGraniteHybrid},
    Entry{"falcon_h1", buildFalconH1},
    Entry{"qwen3_next", buildQwen3Next},
    Entry{"mamba_original", buildMambaOriginal},
    Entry{"mamba2_original", buildMamba2Original},
};

} // namespace

FamilyBuilder findFamily(const std::string& name)
{
    for (const Entry& entry : kFamilies)
        if (name == entry.name)
            return entry.build;
    return nullptr;
}

std::vector<std::string> familyNames()
{
    std::vector<std::string> names;
    for (const Entry& entry : kFamilies)
        names.emplace_back(entry.name);
    return names;
}

} // namespace headscope::lm
