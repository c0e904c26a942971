// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Analyses of head weights without any prompt (Elhage et al. 2021, "A Mathematical Framework for Transformer
// Circuits"): copying score, composition of two heads, and the directions that a head reads and writes. Norm weights
// are folded in with LayerNorm's centring; biases and rotation are omitted. An SSM's x, B and C stand for value, key
// and query. Worker thread; products are in fp64 and of P x P factors, never D x D for a pair.

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/lm/model.h"

#include <vector>

namespace headscope::why {

using lm::Site;

/// OV = output value and QK = query^T key of a head, as factors in fp64.
struct HeadFactors {
    at::Tensor query, key; ///< [P or N, D]; undefined if there are none, or they have their own norm
    at::Tensor value;      ///< [P, D]
    at::Tensor output;     ///< [D, P]
};

/// Returns the factors of a site's heads. Fails if they read more than the stream (Zamba2: the embedding, too).
[[nodiscard]] Result<std::vector<HeadFactors>> headFactors(const lm::Model& model, int layer, Site site);

/// Factors of all heads of a layer's mixer.
struct LayerFactors {
    int layer = 0;
    lm::MixerKind kind = lm::MixerKind::Attention;
    Site site = Site::Attention;
    std::vector<HeadFactors> heads;
};

struct ModelFactors {
    std::vector<LayerFactors> layers;   ///< from the first layer on
    std::vector<std::string> undefined; ///< why mixers were omitted, one sentence each
};

/// Returns the factors of every mixer whose weights have this form. Fails if none has.
[[nodiscard]] Result<ModelFactors> modelFactors(const lm::Model& model, const Control& control = {});

/// The map from tokens read to logits written. For a large vocabulary it takes most of the time of copying scores, and
/// is the same for all heads.
struct VocabularyMap {
    at::Tensor middle; ///< E'^T U', [D, D]
};
[[nodiscard]] Result<VocabularyMap> vocabularyMap(const lm::Model& model, const Control& control = {});
/// Returns Re(sum) / sum of magnitudes of the eigenvalues of U' OV E' per head: 1 copies, -1 suppresses.
[[nodiscard]] std::vector<double> copyingScores(const VocabularyMap& vocabulary, const std::vector<HeadFactors>& heads);

enum class Composition { Query, Key, Value };

/// Returns |second OV_a| / (|second| |OV_a|) in the Frobenius norm, second = QK^T, QK or OV of the receiver b, by
/// sender, then receiver. Fails for queries and keys if the receiver has no QK.
[[nodiscard]] Result<std::vector<std::vector<double>>>
compositionScores(const std::vector<HeadFactors>& senders, const std::vector<HeadFactors>& receivers, Composition kind);
/// Returns the score of random matrices of the same width: about 1 / sqrt(D).
[[nodiscard]] double randomComposition(const lm::Model& model);

/// One singular direction of a head's OV or QK and the tokens nearest to its two ends.
struct SingularDirection {
    double value = 0;
    std::vector<std::pair<int, double>> read;  ///< embedding rows read by the right end; QK: those of the key
    std::vector<std::pair<int, double>> write; ///< unembedding rows raised by the left end; QK: those of the query
};

enum class HeadMatrix { OutputValue, QueryKey };

/// Returns the first `count` directions, each with its `tokens` nearest tokens, largest first. The sign of a direction
/// makes the largest read product positive.
[[nodiscard]] Result<std::vector<SingularDirection>> singularDirections(const lm::Model& model, const HeadFactors& head,
                                                                        HeadMatrix matrix, int count, int tokens);

} // namespace headscope::why
