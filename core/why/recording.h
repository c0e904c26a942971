// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One prompt's run, kept: what every analysis of this room starts from. Worker thread.

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/lm/model.h"

#include <map>
#include <span>
#include <utility>
#include <vector>

namespace headscope::why {

using lm::Site;

/// What is asked of a run: logit(answer) - logit(distractor) at the last position.
struct Metric {
    int answer = 0;
    int distractor = 0;
};

/// A layer and one of its mixers.
using Where = std::pair<int, Site>;

/// What layers and heads did with one text, under the edits of a base state.
struct Recording {
    at::Tensor ids;       ///< int64 [1, T]
    at::Tensor embedding; ///< [1, T, D]
    std::vector<at::Tensor>
        streams; ///< [1, T, D]: what layer l reads (behind its steering); the last: what the norm reads
    std::map<Where, at::Tensor> z; ///< [1, T, H*P] after the base's edits; sites that were skipped are not there
    at::Tensor logits;             ///< fp32 [V], of the last position

    [[nodiscard]] std::int64_t length() const { return ids.size(1); }
    [[nodiscard]] int layers() const { return static_cast<int>(streams.size()) - 1; }
    [[nodiscard]] double difference(const Metric& metric) const;
};

/// int64 [1, T] on the model's device. Fails for no ids, ids that the model does not have, and more tokens than it has
/// positions.
[[nodiscard]] Result<at::Tensor> tokensOf(const lm::Model& model, const std::vector<int>& ids);

/// Fails where tokensOf() does.
[[nodiscard]] Result<Recording> record(const lm::Model& model, const std::vector<int>& ids, const lm::Edits& base,
                                       const Control& control = {});

/// Prompts of one length, in their order, for patches of their last position's logits: of the last stream that position
/// alone is there, [1, 1, D]. Fails where tokensOf() and checkLengths() do.
[[nodiscard]] Result<std::vector<Recording>> recordToPatch(const lm::Model& model,
                                                           std::span<const std::vector<int>> prompts,
                                                           const lm::Edits& base, const Control& control = {});
/// Fails for prompts of different length.
[[nodiscard]] Result<void> checkLengths(std::int64_t clean, std::int64_t corrupt);

/// Of some tokens (empty: all) the most probable at the last position that is not `besides`.
[[nodiscard]] int mostProbable(const Recording& run, const std::vector<int>& among, int besides);

/// Fails for a token that the model does not have, and for an answer that is its own distractor.
[[nodiscard]] Result<void> check(const Metric& metric, const lm::Model& model);

/// A run of one layer or more under the base's edits, from a stream that already has the first layer's steering.
class LayerRun
{
public:
    LayerRun(const lm::Model& model, const lm::Edits& base, at::Tensor embedding)
        : m_model(&model), m_base(&base), m_embedding(std::move(embedding))
    {
    }
    /// The same with another embedding for each run of a batch, [B, T, D].
    [[nodiscard]] LayerRun with(at::Tensor embedding) const { return {*m_model, *m_base, std::move(embedding)}; }

    /// The base's edits of a layer, without steering, to add to.
    [[nodiscard]] lm::LayerEdits edits(int layer) const;
    /// The block that runs as this layer.
    [[nodiscard]] const lm::Block& block(int layer) const;
    [[nodiscard]] const lm::MixerSpec& mixer(int layer, Site site) const
    {
        return *m_model->spec().layers[static_cast<std::size_t>(layer)].find(site);
    }
    /// stream: [B, T, D] as layer `layer` reads it. Returns what the next layer reads, its steering included.
    [[nodiscard]] at::Tensor step(const at::Tensor& stream, int layer, const lm::LayerEdits& edits,
                                  lm::Capture* capture = nullptr) const;
    /// The same on the way to logits of the last position: of the last layer that position alone, [B, 1, D].
    [[nodiscard]] at::Tensor stepToLogits(const at::Tensor& stream, int layer, const lm::LayerEdits& edits) const;
    /// The same from z of the heads, [B, T, H*P], after all edits. Of a block that takes it.
    [[nodiscard]] at::Tensor headsToLogits(const at::Tensor& stream, const at::Tensor& z, int layer) const;
    /// The stream behind the mixer, without the layer's MLP.
    [[nodiscard]] at::Tensor behindMixer(const at::Tensor& stream, int layer, lm::LayerEdits edits,
                                         lm::Capture* capture = nullptr) const;
    /// What the layer's MLP writes in such a run.
    [[nodiscard]] at::Tensor mlpWrite(const at::Tensor& stream, int layer, const lm::LayerEdits& edits) const;
    /// z of a site whose parts in `other` read another stream, [B, T, H*P].
    [[nodiscard]] at::Tensor rerouted(const at::Tensor& stream, int layer, const lm::LayerEdits& edits,
                                      const lm::OtherInput& other) const;
    /// What the layer's MLP writes if it reads `stream`.
    [[nodiscard]] at::Tensor mlpOf(const at::Tensor& stream, int layer) const;
    /// From what `layer` reads to fp32 logits of the last position, [B, V]; undefined when stopped.
    [[nodiscard]] at::Tensor toLogits(at::Tensor stream, int layer, const std::stop_token& stop) const;

private:
    [[nodiscard]] at::Tensor plain(const at::Tensor& stream, int layer, const lm::LayerEdits& edits,
                                   lm::RunOptions options) const;
    [[nodiscard]] at::Tensor embeddingFor(const at::Tensor& stream) const;
    [[nodiscard]] at::Tensor steered(const at::Tensor& stream, int layer) const;
    const lm::Model* m_model;
    const lm::Edits* m_base;
    at::Tensor m_embedding; ///< [1, T, D], or one a run
};

} // namespace headscope::why
