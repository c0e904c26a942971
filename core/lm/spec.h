// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The family-neutral description of a model, layer by layer, which every family fills. Any thread.

#include "core/interventions/intervention.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace headscope::lm {

using interventions::Site;

enum class MixerKind {
    Attention,
    Mamba1,
    Mamba2,
    DiscreteMamba2,
    GatedDeltaNet,
    ShortConvolution,
    GatedRecurrence,
    LightningAttention,
    KimiDelta,
    Mlstm,
    Rwkv7
};

/// "attention", "mamba1", "mamba2", "discrete_mamba2", "gated_delta_net", "short_convolution", "gated_recurrence",
/// "lightning_attention", "kimi_delta", "mlstm", "rwkv7"
[[nodiscard]] const char* name(MixerKind kind);

/// Returns whether every channel is a head of width 1.
[[nodiscard]] constexpr bool headsAreChannels(MixerKind kind)
{
    return kind == MixerKind::Mamba1 || kind == MixerKind::ShortConvolution || kind == MixerKind::GatedRecurrence;
}

/// Returns whether a head adds a part of each token that no state carries: D of the Mambas, the bonus of RWKV-7. It is
/// on the diagonal of the matrix.
[[nodiscard]] constexpr bool keepsOwnToken(MixerKind kind)
{
    return kind == MixerKind::Mamba1 || kind == MixerKind::Mamba2 || kind == MixerKind::DiscreteMamba2
           || kind == MixerKind::Rwkv7;
}

/// One mixer of a layer, with its heads.
struct MixerSpec {
    MixerKind kind = MixerKind::Attention;
    int heads = 0;
    int kvHeads = 0;    ///< attention: key/value heads; SSM: groups that share B and C
    int headDim = 0;    ///< P
    int state = 0;      ///< N; 0 for attention
    int keyDim = 0;     ///< attention: width of queries and keys if not P (latent attention); else 0
    bool sinks = false; ///< attention: a sink takes a share of each row, so that the rest sums to less than 1
    int convWidth = 0;
    int sharedBlock = -1; ///< Zamba2: number of the shared block that this mixer's weights come from

    [[nodiscard]] bool channels() const { return headsAreChannels(kind); }
    [[nodiscard]] Site site() const { return kind == MixerKind::Attention ? Site::Attention : Site::Ssm; }
    [[nodiscard]] bool sameHeads(const MixerSpec& other) const
    {
        return kind == other.kind && heads == other.heads && headDim == other.headDim;
    }
};

struct LayerSpec {
    std::vector<MixerSpec> mixers; ///< one, attention then SSM, or none (Nemotron-H: the layer is an MLP)
    bool mlp = true;
    int experts = 0;           ///< number of experts of the MLP; 0: dense
    int chosenExperts = 0;     ///< experts chosen per token
    bool sharedExpert = false; ///< one more runs for every token; several are merged into one of their total width

    [[nodiscard]] const MixerSpec* find(Site site) const
    {
        for (const MixerSpec& mixer : mixers)
            if (site == Site::Any || mixer.site() == site)
                return &mixer;
        return nullptr;
    }
    [[nodiscard]] bool sameHeads(const LayerSpec& other) const
    {
        return std::ranges::equal(mixers, other.mixers,
                                  [](const MixerSpec& a, const MixerSpec& b) { return a.sameHeads(b); });
    }
};

struct ModelSpec {
    std::string family;     ///< config's model_type, or "llamba", "hybrid_llamba"
    int hidden = 0;         ///< D
    int vocabulary = 0;     ///< V: rows of the embedding
    int maxPositions = 0;   ///< 0: no limit
    bool endsThere = false; ///< longer prompts are rejected; false: rotations continue, as in the references
    bool tiedHead = false;
    int rotatedByLengthPast = 0; ///< longer prompts rotate every position by their total length; 0: none do
    bool readsAnew = false; ///< Phi-3: a prompt that grows beyond that is re-read from its start, as in the reference;
                            ///< false: cached rotations remain
    std::int64_t parameters = 0; ///< shared tensors count once, a tied head does not count
    std::vector<LayerSpec> layers;
    std::vector<int> bosIds, eosIds;
    std::vector<int> stopIds; ///< tokens that end generation: from generation_config.json or a GGUF, else `eosIds`
};

} // namespace headscope::lm
