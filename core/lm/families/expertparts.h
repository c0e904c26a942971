// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Takes the experts of a layer in the ways in which families store them. Worker thread.

#include "core/lm/experts.h"
#include "core/lm/families/decoder.h"

namespace headscope::lm {

struct ExpertShape {
    int count = 1;  ///< E
    int chosen = 1; ///< k
    int inner = 1;  ///< I, of one expert
};

/// num_experts_per_tok and the given keys of count and width, checked against each other.
[[nodiscard]] ExpertShape readExperts(Config& config, const char* countKey, int count, int chosen, const char* innerKey,
                                      int inner);

/// Sigmoids as scores and a choice from the best groups: `groupsKey` and topk_group, checked against the experts.
struct GroupDefaults {
    int groups = 1, chosen = 1;
    int best = 2; ///< a group counts as much as the sum of its best that many
    const char* groupsKey = "n_group";
};
[[nodiscard]] Routing readGroups(Config& config, const ExpertShape& shape, const GroupDefaults& defaults);

struct ExpertNames {
    const char* gate = "gate_proj";
    const char* up = "up_proj";
    const char* down = "down_proj";
};
/// An MLP with a gate under these names.
[[nodiscard]] Mlp takeNamedMlp(Weights& weights, const std::string& prefix, const DecoderConfig& c,
                               const ExpertNames& names);
/// One tensor an expert and map: experts.N.gate_proj.weight ... below `prefix`.
[[nodiscard]] std::vector<Mlp> takeExperts(Weights& weights, const std::string& prefix, const DecoderConfig& c,
                                           const ExpertShape& shape, const ExpertNames& names = {});

/// One tensor for all: `both` [E, 2 I, D], gate before up, and `down` [E, D, I].
[[nodiscard]] std::vector<Mlp> takeStackedExperts(Weights& weights, const std::string& both, const std::string& down,
                                                  const DecoderConfig& c, const ExpertShape& shape);

/// Granite's experts: block_sparse_moe, beside an MLP that runs for every token where there is one.
[[nodiscard]] std::shared_ptr<const Experts> takeGraniteExperts(Weights& weights, const std::string& prefix,
                                                                const DecoderConfig& c, const ExpertShape& shape,
                                                                std::optional<Mlp> shared);

/// The keys of DeepSeek-V3's experts where its relatives have others' attention.
struct GroupedExperts {
    ExpertShape shape;
    Routing routing;
    int sharedInner = 1;
    int dense = 0; ///< the first that many layers have none
};
struct GroupedExpertDefaults {
    int count = 1, dense = 0;
    bool normalised = true;
};
[[nodiscard]] GroupedExperts readGroupedExperts(Config& config, const GroupedExpertDefaults& defaults);
/// The experts of a layer, or its MLP, into `block`. `corrected`: the choice has a bias of its own.
void takeGroupedFeedForward(Weights& weights, const std::string& prefix, const DecoderConfig& c,
                            const GroupedExperts& experts, bool dense, DecoderBlockParts& block, bool corrected = true);

/// The keys by which Qwen's families say which layers have experts, and how many.
struct QwenExperts {
    ExpertShape shape;
    bool none = false;
    int sharedInner = 1;
    int every = 1;          ///< the last of that many layers has them
    std::vector<int> dense; ///< but not these
    bool normalised = false;
};
[[nodiscard]] QwenExperts readQwenExperts(Config& config, int count, int chosen, int inner, bool normalised = false);
/// The experts of the layer, or its MLP, into `block`.
void takeQwenFeedForward(Weights& weights, const std::string& prefix, const DecoderConfig& c,
                         const QwenExperts& experts, int layer, bool shared, DecoderBlockParts& block);

} // namespace headscope::lm
