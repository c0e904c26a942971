// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the weights of heads say without any text (Elhage et al. 2021, "A Mathematical Framework for Transformer
// Circuits"): copying score, composition of two heads, and the directions that a head reads and writes. Norm weights
// are folded in with LayerNorm's centring; biases and rotation are left out. An SSM's x, B and C stand for value, key
// and query. Worker thread; products are in fp64 and of P x P factors, never D x D for a pair.

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/lm/model.h"

#include <vector>

namespace headscope::why {

using lm::Site;

/// OV = output value and QK = query^T key of a head, as factors in fp64.
struct HeadFactors {
    at::Tensor query, key; ///< [P or N, D]; undefined where there are none, or they pass a norm of their own
    at::Tensor value;      ///< [P, D]
    at::Tensor output;     ///< [D, P]
};

/// Fails where heads read more than the stream (Zamba2's shared attention reads the embedding too).
[[nodiscard]] Result<std::vector<HeadFactors>> headFactors(const lm::Model& model, int layer, Site site);

/// Factors of all heads of a layer's mixer.
struct LayerFactors {
    int layer = 0;
    lm::MixerKind kind = lm::MixerKind::Attention;
    Site site = Site::Attention;
    std::vector<HeadFactors> heads;
};

struct ModelFactors {
    std::vector<LayerFactors> layers;   ///< from the first on
    std::vector<std::string> undefined; ///< why mixers were left out, a sentence each
};

/// Of every mixer whose weights can be read so. Fails where none can.
[[nodiscard]] Result<ModelFactors> modelFactors(const lm::Model& model, const Control& control = {});

/// From what a head reads of tokens to the logits that it writes to. Of a large vocabulary it takes most of the time of
/// copying scores, and is the same for all heads.
struct VocabularyMap {
    at::Tensor middle; ///< E'^T U', [D, D]
};
[[nodiscard]] Result<VocabularyMap> vocabularyMap(const lm::Model& model, const Control& control = {});
/// Re(sum) / sum of magnitudes of the eigenvalues of U' OV E': 1 copies, -1 suppresses. For each head.
[[nodiscard]] std::vector<double> copyingScores(const VocabularyMap& vocabulary, const std::vector<HeadFactors>& heads);

enum class Composition { Query, Key, Value };

/// |second OV_a| / (|second| |OV_a|) in the Frobenius norm, second = QK^T, QK or OV of the receiver b. By sender, then
/// receiver. Fails for queries and keys where the receiver has no QK.
[[nodiscard]] Result<std::vector<std::vector<double>>>
compositionScores(const std::vector<HeadFactors>& senders, const std::vector<HeadFactors>& receivers, Composition kind);
/// What random matrices of the same width score: about 1 / sqrt(D).
[[nodiscard]] double randomComposition(const lm::Model& model);

/// One singular direction of a head's OV or QK and the tokens nearest to its two ends.
struct SingularDirection {
    double value = 0;
    std::vector<std::pair<int, double>> read;  ///< embedding rows that the right end reads; QK: those of the key
    std::vector<std::pair<int, double>> write; ///< unembedding rows that the left end raises; QK: those of the query
};

enum class HeadMatrix { OutputValue, QueryKey };

/// The first `count` directions, each with its `tokens` nearest tokens, largest first. The sign of a direction is the
/// one that makes the largest read product positive.
[[nodiscard]] Result<std::vector<SingularDirection>> singularDirections(const lm::Model& model, const HeadFactors& head,
                                                                        HeadMatrix matrix, int count, int tokens);

} // namespace headscope::why
