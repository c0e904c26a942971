// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A stored run of one prompt, from which all analyses of this room start. Worker thread.

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/lm/model.h"

#include <map>
#include <span>
#include <utility>
#include <vector>

namespace headscope::why {

using lm::Site;

/// The measured quantity: logit(answer) - logit(distractor) at the last position.
struct Metric {
    int answer = 0;
    int distractor = 0;
};

/// A layer and one of its mixers.
using Where = std::pair<int, Site>;

/// Activations of all layers and heads for one prompt, under the edits of a base state.
struct Recording {
    at::Tensor ids;       ///< int64 [1, T]
    at::Tensor embedding; ///< [1, T, D]
    std::vector<at::Tensor>
        streams; ///< [1, T, D]: input of layer l (after its steering); the last: input of the final norm
    std::map<Where, at::Tensor> z; ///< [1, T, H*P] after the base's edits; without skipped sites
    at::Tensor logits;             ///< fp32 [V], of the last position

    [[nodiscard]] std::int64_t length() const { return ids.size(1); }
    [[nodiscard]] int layers() const { return static_cast<int>(streams.size()) - 1; }
    [[nodiscard]] double difference(const Metric& metric) const;
};

/// Returns int64 [1, T] on the model's device. Fails for no ids, ids outside the vocabulary, and more tokens than the
/// model has positions.
[[nodiscard]] Result<at::Tensor> tokensOf(const lm::Model& model, const std::vector<int>& ids);

/// Runs the prompt and stores its activations. Fails where tokensOf() fails.
[[nodiscard]] Result<Recording> record(const lm::Model& model, const std::vector<int>& ids, const lm::Edits& base,
                                       const Control& control = {});

/// Records prompts of equal length, in order, for patching the logits of their last position: of the last stream only
/// that position is stored, [1, 1, D]. Fails where tokensOf() and checkLengths() fail.
[[nodiscard]] Result<std::vector<Recording>> recordToPatch(const lm::Model& model,
                                                           std::span<const std::vector<int>> prompts,
                                                           const lm::Edits& base, const Control& control = {});
/// Fails for prompts of different length.
[[nodiscard]] Result<void> checkLengths(std::int64_t clean, std::int64_t corrupt);

/// Returns the most probable of some tokens (empty: all) at the last position, other than `besides`.
[[nodiscard]] int mostProbable(const Recording& run, const std::vector<int>& among, int besides);

/// Fails for a token that the model does not have, and for an answer that is its own distractor.
[[nodiscard]] Result<void> check(const Metric& metric, const lm::Model& model);

/// Runs one or more layers under the base's edits, from a stream that already includes the first layer's steering.
class LayerRun
{
public:
    LayerRun(const lm::Model& model, const lm::Edits& base, at::Tensor embedding)
        : m_model(&model), m_base(&base), m_embedding(std::move(embedding))
    {
    }
    /// Returns a copy with a separate embedding for each run of a batch, [B, T, D].
    [[nodiscard]] LayerRun with(at::Tensor embedding) const { return {*m_model, *m_base, std::move(embedding)}; }

    /// Returns the base's edits of a layer, without steering, to add to.
    [[nodiscard]] lm::LayerEdits edits(int layer) const;
    /// Returns the block that runs as this layer.
    [[nodiscard]] const lm::Block& block(int layer) const;
    [[nodiscard]] const lm::MixerSpec& mixer(int layer, Site site) const
    {
        return *m_model->spec().layers[static_cast<std::size_t>(layer)].find(site);
    }
    /// Runs a layer on its input stream [B, T, D]. Returns the input of the next layer, its steering included.
    /// `added` (may be undefined): added to what the layer writes.
    [[nodiscard]] at::Tensor step(const at::Tensor& stream, int layer, const lm::LayerEdits& edits,
                                  lm::Capture* capture = nullptr, const at::Tensor& added = {}) const;
    /// Runs a layer on the way to logits of the last position: for the last layer only that position, [B, 1, D].
    [[nodiscard]] at::Tensor stepToLogits(const at::Tensor& stream, int layer, const lm::LayerEdits& edits) const;
    /// Runs the same from z of the heads, [B, T, H*P], after all edits. For blocks that accept it.
    [[nodiscard]] at::Tensor headsToLogits(const at::Tensor& stream, const at::Tensor& z, int layer) const;
    /// Returns the stream after the mixer, without the layer's MLP.
    [[nodiscard]] at::Tensor behindMixer(const at::Tensor& stream, int layer, lm::LayerEdits edits,
                                         lm::Capture* capture = nullptr) const;
    /// Returns the output of the layer's MLP in such a run.
    [[nodiscard]] at::Tensor mlpWrite(const at::Tensor& stream, int layer, const lm::LayerEdits& edits) const;
    /// Returns z of a site whose parts in `other` read another stream, [B, T, H*P].
    [[nodiscard]] at::Tensor rerouted(const at::Tensor& stream, int layer, const lm::LayerEdits& edits,
                                      const lm::OtherInput& other) const;
    /// Returns the output of the layer's MLP for the input `stream`.
    [[nodiscard]] at::Tensor mlpOf(const at::Tensor& stream, int layer) const;
    /// Runs from the input of `layer` to fp32 logits of the last position, [B, V]; undefined when stopped.
    [[nodiscard]] at::Tensor toLogits(at::Tensor stream, int layer, const std::stop_token& stop) const;

private:
    [[nodiscard]] at::Tensor plain(const at::Tensor& stream, int layer, const lm::LayerEdits& edits,
                                   lm::RunOptions options) const;
    [[nodiscard]] at::Tensor embeddingFor(const at::Tensor& stream) const;
    [[nodiscard]] at::Tensor steered(const at::Tensor& stream, int layer) const;
    const lm::Model* m_model;
    const lm::Edits* m_base;
    at::Tensor m_embedding; ///< [1, T, D], or one per run
};

} // namespace headscope::why
