// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a model is, layer by layer, in family-neutral words: the one structure that every family fills. Any thread.

#include "core/interventions/intervention.h"

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

/// Whether every channel is a head of its own, of width 1.
[[nodiscard]] constexpr bool headsAreChannels(MixerKind kind)
{
    return kind == MixerKind::Mamba1 || kind == MixerKind::ShortConvolution || kind == MixerKind::GatedRecurrence;
}

/// Whether a head keeps of each token a part that no state carries: D of the Mambas, the bonus of RWKV-7. It is on
/// the diagonal of its matrix.
[[nodiscard]] constexpr bool keepsOwnToken(MixerKind kind)
{
    return kind == MixerKind::Mamba1 || kind == MixerKind::Mamba2 || kind == MixerKind::DiscreteMamba2
           || kind == MixerKind::Rwkv7;
}

/// One mixer of a layer: the thing that has heads.
struct MixerSpec {
    MixerKind kind = MixerKind::Attention;
    int heads = 0;
    int kvHeads = 0;    ///< attention: key/value heads; SSM: groups that share B and C
    int headDim = 0;    ///< P
    int state = 0;      ///< N; 0 for attention
    int keyDim = 0;     ///< attention: the width of queries and keys where it is not P (latent attention); else 0
    bool sinks = false; ///< attention: a part of each row goes to nothing, so that what is left sums to less than 1
    int convWidth = 0;
    int sharedBlock = -1; ///< Zamba2: number of the shared block that this mixer's weights come from

    [[nodiscard]] bool channels() const { return headsAreChannels(kind); }
    [[nodiscard]] Site site() const { return kind == MixerKind::Attention ? Site::Attention : Site::Ssm; }
};

struct LayerSpec {
    std::vector<MixerSpec> mixers; ///< one, attention then SSM, or none (Nemotron-H: the layer is an MLP)
    bool mlp = true;
    int experts = 0;           ///< of the MLP; 0: it is one
    int chosenExperts = 0;     ///< of them for a token
    bool sharedExpert = false; ///< one more runs for every token; several of them are one of their width together

    [[nodiscard]] const MixerSpec* find(Site site) const
    {
        for (const MixerSpec& mixer : mixers)
            if (site == Site::Any || mixer.site() == site)
                return &mixer;
        return nullptr;
    }
};

struct ModelSpec {
    std::string family;     ///< config's model_type, or "llamba", "hybrid_llamba"
    int hidden = 0;         ///< D
    int vocabulary = 0;     ///< V: rows of the embedding
    int maxPositions = 0;   ///< 0: no limit
    bool endsThere = false; ///< longer texts are refused; else a rotation continues, as in the references
    bool tiedHead = false;
    int rotatedByLengthPast = 0; ///< longer texts turn every position by the length of the whole text; 0: none does
    bool readsAnew = false; ///< Phi-3: a text that is written on past that is read from its start, as the reference
                            ///< does; else what was read stays as it was turned
    std::int64_t parameters = 0; ///< shared tensors once, a tied head not at all
    std::vector<LayerSpec> layers;
    std::vector<int> bosIds, eosIds;
};

} // namespace headscope::lm
