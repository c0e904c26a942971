// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/family.h"

#include "core/lm/families/families.h"
#include "core/lm/familykind.h"

#include <algorithm>
#include <array>

namespace headscope::lm {

namespace {

struct Entry {
    const char* name; ///< config's model_type, or the name Config::family() gives
    FamilyBuilder build;
    FamilyKind kind = FamilyKind::Transformer;
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
    Entry{"mamba", buildMamba, FamilyKind::Ssm},
    Entry{"falcon_mamba", buildFalconMamba, FamilyKind::Ssm},
    Entry{"mamba2", buildMamba2, FamilyKind::Ssm},
    Entry{"llamba", buildLlamba, FamilyKind::Ssm},
    Entry{"zamba2", buildZamba2, FamilyKind::Hybrid},
    Entry{"hybrid_llamba", buildHybridLlamba, FamilyKind::Hybrid},
    Entry{"bamba", buildBamba, FamilyKind::Hybrid},
    Entry{"jamba", buildJamba, FamilyKind::Hybrid},
    Entry{"granitemoehybrid", buildGraniteHybrid, FamilyKind::Hybrid},
    Entry{"falcon_h1", buildFalconH1, FamilyKind::Hybrid},
    Entry{"qwen3_next", buildQwen3Next, FamilyKind::Hybrid},
    Entry{"mamba_original", buildMambaOriginal, FamilyKind::Ssm},
    Entry{"mamba2_original", buildMamba2Original, FamilyKind::Ssm},
};

const Entry* find(const std::string& name)
{
    const auto found =
        std::find_if(kFamilies.begin(), kFamilies.end(), [&name](const Entry& entry) { return name == entry.name; });
    return found == kFamilies.end() ? nullptr : &*found;
}

} // namespace

FamilyBuilder findFamily(const std::string& name)
{
    const Entry* entry = find(name);
    return entry ? entry->build : nullptr;
}

std::optional<FamilyKind> familyKind(const std::string& family)
{
    const Entry* entry = find(family);
    return entry ? std::optional(entry->kind) : std::nullopt;
}

std::vector<std::string> familyNames()
{
    std::vector<std::string> names;
    for (const Entry& entry : kFamilies)
        names.emplace_back(entry.name);
    return names;
}

} // namespace headscope::lm
