// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A loaded model: embedding, layers, final norm, head, and the one forward pass that everything uses.
// Worker thread; tensors never leave it.

#include "core/base/progress.h"
#include "core/lm/block.h"
#include "core/lm/device/layergraphs.h"
#include "core/lm/spec.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace headscope::lm {

/// What to capture from a run; an empty capture costs nothing.
struct Capture {
    bool residual = false;                             ///< the stream before each layer and after the last
    bool wantChoices = false;                          ///< store the routers' choices
    std::map<std::pair<int, Site>, SiteCapture> sites; ///< layer and site (Attention or Ssm) to its capture

    std::vector<at::Tensor> residuals; ///< out: [L+1] of [B, T, D]; entry l is the input of layer l
    std::map<int, Choices> choices;    ///< out: for each layer whose experts run, N = B*T
};

/// Keys, values and states of all layers, for continuing a sequence.
struct State {
    std::int64_t length = 0;
    std::map<std::pair<int, Site>, SiteState> sites;
};

struct RunOptions {
    const Edits* edits = nullptr; ///< null: none
    Capture* capture = nullptr;
    State* state = nullptr;           ///< null: the whole sequence at once
    at::Tensor lastPositions;         ///< int64 [B]; undefined: T-1
    at::Tensor rows;                  ///< int64 [B, R]: logits only here; undefined: everywhere
    const DeviceTree* tree = nullptr; ///< ids are the packed tokens of a tree, [1, N]; null: B prompts
    std::map<int, LayerActivations>* activations = nullptr; ///< in: layers to store; out: their activations; null: none
    LayerGraphs* graphs =
        nullptr; ///< for layers without edits of a batch that lives as long as they do: its tree and rows; null: none
    std::stop_token stop; ///< checked between layers; the result is then undefined (an undefined tensor)
};

/// A second embedding of which each layer reads its part (Gemma 4), from the token and from its first embedding.
struct PerLayerEmbedding {
    at::Tensor table;       ///< [V, L*P]; undefined: none
    Linear projection;      ///< [L*P, D]
    Norm norm;              ///< over P
    std::int64_t width = 0; ///< P
    /// Returns the columns that follow the D columns of the embedding, [B, T, L*P]. ids [B, T], stream [B, T, D].
    [[nodiscard]] at::Tensor operator()(const at::Tensor& ids, const at::Tensor& stream) const;
};

/// Layers [first, last) of a model that is spread over several devices.
struct PlacedLayers {
    at::Device device = at::kCPU;
    int first = 0, last = 0;
    std::int64_t bytes = 0; ///< size of their weights; on the first device including those outside the layers
};

struct ModelParts {
    ModelSpec spec;
    at::Tensor embedding;         ///< [V, D]
    at::Tensor positionEmbedding; ///< GPT-2: [positions, D]; else undefined
    double embeddingMultiplier = 1.0;
    Norm embeddingNorm{.kind = NormKind::None}; ///< BLOOM: applied to each embedding row
    std::vector<std::shared_ptr<const Block>> blocks;
    Norm finalNorm;
    Linear head; ///< [V, D]
    double logitMultiplier = 1.0;
    double logitSoftCap = 0.0;
    bool streamInFp32 = false; ///< Mamba families with residual_in_fp32
    std::function<void()>
        afterLayer; ///< releases pages read from weights that stay in their file; empty: weights are in memory
    PerLayerEmbedding perLayer;
    std::vector<PlacedLayers> placement; ///< empty: all on one device
    std::optional<std::int64_t> allowed; ///< bytes that runs may use beside the weights; nothing: all free memory
};

class Model
{
public:
    explicit Model(ModelParts parts) : m_p(std::move(parts)) {}

    [[nodiscard]] const ModelSpec& spec() const { return m_p.spec; }
    /// Returns the device of the embedding and of everything that callers see.
    [[nodiscard]] at::Device device() const { return m_p.embedding.device(); }
    /// Returns all devices of the model; that of the embedding first.
    [[nodiscard]] std::vector<at::Device> devices() const;
    [[nodiscard]] at::ScalarType dtype() const { return m_p.embedding.scalar_type(); }

    /// Runs the model on ids, int64 [B, T]. Returns logits [B, T, V], or [B, R, V] with options.rows; fp32.
    [[nodiscard]] at::Tensor logits(const at::Tensor& ids, const RunOptions& options = {}) const;

    // The three steps of logits(), for callers that restart in the middle (the engine).
    /// Returns the stream [B, T, D], followed by the columns of the second embedding if there is one.
    [[nodiscard]] at::Tensor embed(const at::Tensor& ids, const RunOptions& options) const;
    /// Runs layers [first, last). `embedding` is embed()'s result (Zamba2 reads it).
    [[nodiscard]] at::Tensor runLayers(at::Tensor stream, int first, int last, const at::Tensor& embedding,
                                       const RunOptions& options) const;
    /// Returns the embedding rows of tokens, normed if the family does so: [..., D].
    [[nodiscard]] at::Tensor tokenRows(const at::Tensor& ids) const;
    [[nodiscard]] at::Tensor unembed(const at::Tensor& stream) const; ///< final norm and head, fp32

    /// Returns the columns of the stream before each layer and after the last: more than D if extra ones are carried.
    [[nodiscard]] std::vector<std::int64_t> streamColumns() const;

    /// Returns whether resume() can replace running the layer with its edits.
    [[nodiscard]] bool canResume(int layer, const LayerEdits* edits) const;
    /// Returns the stream after `layer` with its edits (null: none), from activations stored in a run without edits.
    [[nodiscard]] at::Tensor resume(int layer, const LayerActivations& kept, const LayerEdits* edits) const;

    [[nodiscard]] const ModelParts& parts() const { return m_p; }

private:
    ModelParts m_p;
};

} // namespace headscope::lm
