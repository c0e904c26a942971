// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Takes the experts of a layer in the layouts that families use. Worker thread.

#include "core/lm/experts.h"
#include "core/lm/families/decoder.h"

namespace headscope::lm {

struct ExpertShape {
    int count = 1;  ///< E
    int chosen = 1; ///< k
    int inner = 1;  ///< I, of one expert
};

/// Reads num_experts_per_tok and the given keys of count and width, and checks them against each other.
[[nodiscard]] ExpertShape readExperts(Config& config, const char* countKey, int count, int chosen, const char* innerKey,
                                      int inner);

/// Reads sigmoid scores with a choice from the best groups: `groupsKey` and topk_group, checked against the experts.
struct GroupDefaults {
    int groups = 1, chosen = 1;
    int best = 2; ///< a group's score is the sum of this many of its best experts
    const char* groupsKey = "n_group";
};
[[nodiscard]] Routing readGroups(Config& config, const ExpertShape& shape, const GroupDefaults& defaults);

struct ExpertNames {
    const char* gate = "gate_proj";
    const char* up = "up_proj";
    const char* down = "down_proj";
};
/// Takes a gated MLP under these names.
[[nodiscard]] Mlp takeNamedMlp(Weights& weights, const std::string& prefix, const DecoderConfig& c,
                               const ExpertNames& names);
/// Takes one tensor per expert and map: experts.N.gate_proj.weight ... below `prefix`.
[[nodiscard]] std::vector<Mlp> takeExperts(Weights& weights, const std::string& prefix, const DecoderConfig& c,
                                           const ExpertShape& shape, const ExpertNames& names = {});

/// Takes one tensor for all experts: `both` [E, 2 I, D], gate before up, and `down` [E, D, I].
[[nodiscard]] std::vector<Mlp> takeStackedExperts(Weights& weights, const std::string& both, const std::string& down,
                                                  const DecoderConfig& c, const ExpertShape& shape);

/// Takes Granite's experts: block_sparse_moe, beside an MLP that runs for every token if there is one.
[[nodiscard]] std::shared_ptr<const Experts> takeGraniteExperts(Weights& weights, const std::string& prefix,
                                                                const DecoderConfig& c, const ExpertShape& shape,
                                                                std::optional<Mlp> shared);

/// The keys of DeepSeek-V3's experts, for related models with another kind of attention.
struct GroupedExperts {
    ExpertShape shape;
    Routing routing;
    int sharedInner = 1;
    int dense = 0; ///< this many first layers have no experts
};
struct GroupedExpertDefaults {
    int count = 1, dense = 0;
    bool normalised = true;
};
[[nodiscard]] GroupedExperts readGroupedExperts(Config& config, const GroupedExpertDefaults& defaults);
/// Takes the experts of a layer, or its MLP, into `block`. `corrected`: the choice has its own bias.
void takeGroupedFeedForward(Weights& weights, const std::string& prefix, const DecoderConfig& c,
                            const GroupedExperts& experts, bool dense, DecoderBlockParts& block, bool corrected = true);

/// The keys by which Qwen's families specify which layers have experts, and how many.
struct QwenExperts {
    ExpertShape shape;
    bool none = false;
    int sharedInner = 1;
    int every = 1;          ///< the last of every this many layers has experts
    std::vector<int> dense; ///< layers without experts nevertheless
    bool normalised = false;
};
[[nodiscard]] QwenExperts readQwenExperts(Config& config, int count, int chosen, int inner, bool normalised = false);
/// Takes the experts of the layer, or its MLP, into `block`.
void takeQwenFeedForward(Weights& weights, const std::string& prefix, const DecoderConfig& c,
                         const QwenExperts& experts, int layer, bool shared, DecoderBlockParts& block);

} // namespace headscope::lm
