// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/family.h"

#include "core/lm/families/families.h"
#include "core/lm/familykind.h"

#include <algorithm>
#include <array>
#include <limits>

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
    Entry{"qwen2_vl_text", buildQwen2},
    Entry{"qwen2_5_vl_text", buildQwen2},
    Entry{"qwen3_vl_text", buildQwen3},
    Entry{"gpt2", buildGpt2},
    Entry{"gpt_neox", buildGptNeox},
    Entry{"phi", buildPhi},
    Entry{"gemma2", buildGemma2},
    Entry{"gemma3_text", buildGemma3},
    Entry{"gemma3n_text", buildGemma3n},
    Entry{"gemma4_text", buildGemma4},
    Entry{"smollm3", buildSmolLm3},
    Entry{"olmo2", buildOlmo2},
    Entry{"olmo3", buildOlmo3},
    Entry{"phi3", buildPhi3},
    Entry{"stablelm", buildStableLm},
    Entry{"cohere", buildCohere},
    Entry{"cohere2", buildCohere2},
    Entry{"glm", buildGlm},
    Entry{"glm4", buildGlm4},
    Entry{"granite", buildGranite},
    Entry{"falcon", buildFalcon},
    Entry{"bloom", buildBloom},
    Entry{"mpt", buildMpt},
    Entry{"opt", buildOpt},
    Entry{"starcoder2", buildStarCoder2},
    Entry{"arcee", buildArcee},
    Entry{"seed_oss", buildSeedOss},
    Entry{"ernie4_5", buildErnie45},
    Entry{"helium", buildHelium},
    Entry{"exaone4", buildExaone4},
    Entry{"gpt_neo", buildGptNeo},
    Entry{"gptj", buildGptj},
    Entry{"codegen", buildCodeGen},
    Entry{"gpt_bigcode", buildGptBigCode},
    Entry{"apertus", buildApertus},
    Entry{"hunyuan_v1_dense", buildHunyuanDense},
    Entry{"nanochat", buildNanochat},
    Entry{"mixtral", buildMixtral},
    Entry{"qwen2_moe", buildQwen2Moe},
    Entry{"qwen3_moe", buildQwen3Moe},
    Entry{"olmoe", buildOlmoe},
    Entry{"gpt_oss", buildGptOss},
    Entry{"granitemoe", buildGraniteMoe},
    Entry{"deepseek_v2", buildDeepseekV2},
    Entry{"deepseek_v3", buildDeepseekV3},
    Entry{"kimi_k2", buildDeepseekV3},
    Entry{"deepseek_v32", buildDeepseekV32},
    Entry{"glm4_moe", buildGlm4Moe},
    Entry{"dots1", buildDots1},
    Entry{"ernie4_5_moe", buildErnie45Moe},
    Entry{"minimax_m2", buildMiniMaxM2},
    Entry{"llama4_text", buildLlama4},
    Entry{"mamba", buildMamba, FamilyKind::Ssm},
    Entry{"falcon_mamba", buildFalconMamba, FamilyKind::Ssm},
    Entry{"mamba2", buildMamba2, FamilyKind::Ssm},
    Entry{"llamba", buildLlamba, FamilyKind::Ssm},
    Entry{"xlstm", buildXlstm, FamilyKind::Ssm},
    Entry{"rwkv7", buildRwkv7, FamilyKind::Ssm},
    Entry{"zamba", buildZamba, FamilyKind::Hybrid},
    Entry{"zamba2", buildZamba2, FamilyKind::Hybrid},
    Entry{"hybrid_llamba", buildHybridLlamba, FamilyKind::Hybrid},
    Entry{"bamba", buildBamba, FamilyKind::Hybrid},
    Entry{"jamba", buildJamba, FamilyKind::Hybrid},
    Entry{"granitemoehybrid", buildGraniteHybrid, FamilyKind::Hybrid},
    Entry{"falcon_h1", buildFalconH1, FamilyKind::Hybrid},
    Entry{"qwen3_next", buildQwen3Next, FamilyKind::Hybrid},
    Entry{"qwen3_5_text", buildQwen3Next, FamilyKind::Hybrid},
    Entry{"qwen3_5_moe_text", buildQwen3Next, FamilyKind::Hybrid},
    Entry{"lfm2", buildLfm2, FamilyKind::Hybrid},
    Entry{"lfm2_moe", buildLfm2, FamilyKind::Hybrid},
    Entry{"nemotron_h", buildNemotronH, FamilyKind::Hybrid},
    Entry{"recurrent_gemma", buildRecurrentGemma, FamilyKind::Hybrid},
    Entry{"minimax", buildMiniMax, FamilyKind::Hybrid},
    Entry{"olmo_hybrid", buildOlmoHybrid, FamilyKind::Hybrid},
    Entry{"kimi_linear", buildKimiLinear, FamilyKind::Hybrid},
    Entry{"mamba_original", buildMambaOriginal, FamilyKind::Ssm},
    Entry{"mamba2_original", buildMamba2Original, FamilyKind::Ssm},
};

const Entry* find(const std::string& name)
{
    const auto found =
        std::find_if(kFamilies.begin(), kFamilies.end(), [&name](const Entry& entry) { return name == entry.name; });
    return found == kFamilies.end() ? nullptr : &*found;
}

// The line a family belongs to: its name up to the first digit or underscore.
std::string lineOf(const std::string& name)
{
    return name.substr(0, name.find_first_of("0123456789_-."));
}

// How many keys of a config a family leaves unread, by building one layer without weights; a mistake counts as some
// more.
std::size_t unreadBy(const Entry& entry, const Config& config)
{
    constexpr std::size_t kMistake = 3;
    Config asOther(config.json());
    Weights weights = Weights::shapesOnly(at::kFloat);
    try {
        static_cast<void>(entry.build(asOther, weights, 1));
    } catch (const std::exception&) { // sizes of no tensor
        return std::numeric_limits<std::size_t>::max();
    }
    return asOther.unread().size() + (asOther.error() ? kMistake : 0);
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

std::vector<std::string> nearestFamilies(const Config& config, const std::string& name)
{
    std::vector<std::pair<std::pair<bool, std::size_t>, std::string>> ranked;
    for (const Entry& entry : kFamilies)
        ranked.push_back({{lineOf(entry.name) != lineOf(name), unreadBy(entry, config)}, entry.name});
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::string> names;
    for (std::size_t i = 0; i < 3; ++i)
        names.push_back(ranked[i].second);
    return names;
}

std::vector<std::string> familyNames()
{
    std::vector<std::string> names;
    for (const Entry& entry : kFamilies)
        names.emplace_back(entry.name);
    return names;
}

} // namespace headscope::lm
