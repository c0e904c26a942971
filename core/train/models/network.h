// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The tiny networks as they are trained: attention or discrete Mamba-2 layers, each followed by a SwiGLU MLP. A forward
// pass of its own because training wants other things than measuring: fused masks, few rows, autograd, one patterns
// list. A test holds it to core/lm's result on the exported folder. Training thread only.

#include "core/tasks/toy/toyrandom.h"

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace headscope::train {

struct NetworkShape {
    std::string layers = "AAAA"; ///< one letter a layer: A attention, W attention over the last `window` tokens, S SSM
    int window = 16;             ///< of W layers, the token itself included
    bool fullRotates = true;     ///< A layers know where tokens stand; beside W layers they need not
    int vocabulary = 390;
    int hidden = 128; ///< D
    int heads = 8;    ///< H
    int headDim = 16; ///< P
    int mlp = 256;
    double ropeBase = 10000.0;
    double normEps = 1e-5;
    double embeddingStd = 0.3;
    bool tied = false; ///< one table for reading and writing tokens; what is read is scaled by sqrt(D)
    // SSM layers:
    int state = 16;         ///< N
    int convWidth = 1;      ///< K; 1: each channel is only scaled and shifted
    double decayLow = -6.0; ///< the heads' decay biases start on a line from low to high
    double decayHigh = 1.0;
    double matchBiasStd = 0.5; ///< start of the biases of B and C
    double matchScale = 1.0;   ///< factor on the start of B's and C's projections
    bool matchedStart = true;  ///< C starts as a copy of B, so that a token matches itself
};

/// One trained tensor. Matrices decay, vectors do not.
struct Parameter {
    std::string name;
    at::Tensor value;
    bool decays = true;
};

/// What is read from the stream, and put into it, between two layers. Places are of all B * T positions.
struct Halfway {
    int layers = 0;                    ///< after that many; 0: nowhere
    at::Tensor places;                 ///< int64 [W]: read by the last norm and the table of tokens; undefined: nowhere
    at::Tensor* logits = nullptr;      ///< [W, V]
    at::Tensor toldPlaces, toldTokens; ///< int64 [G]: a token each is added, as large as the stream is there; or none
};

struct ForwardOptions {
    at::Tensor rows;                   ///< int64 [R]: logits at these positions only; undefined: at all
    std::vector<at::Tensor> headScale; ///< one a layer, [H] or [B, H]; empty: all 1
    int lastRowOff = -1; ///< the layer whose matrices have only zeros in the last position's row; -1: none
    /// Filled with one [B, H, T, T] a layer: softmax rows, or an SSM's |M| with rows normalised to sum 1.
    std::vector<at::Tensor>* patterns = nullptr;
    at::Tensor flat; ///< int64 [S]: logits at these of all B * T positions, text by text; without rows
    Halfway halfway; ///< without rows
};

class Network
{
public:
    /// Fresh weights drawn from `random`.
    Network(const NetworkShape& shape, tasks::ToyRandom& random, at::Device device = at::kCPU);

    /// ids: int64 [B, T]. Returns logits [B, T, V], [B, R, V] with rows, or [S, V] with flat.
    [[nodiscard]] at::Tensor logits(const at::Tensor& ids, const ForwardOptions& options = {}) const;

    [[nodiscard]] const NetworkShape& shape() const { return m_shape; }
    [[nodiscard]] int layerCount() const { return static_cast<int>(m_shape.layers.size()); }
    [[nodiscard]] std::vector<Parameter>& parameters() { return m_parameters; }
    [[nodiscard]] const std::vector<Parameter>& parameters() const { return m_parameters; }
    [[nodiscard]] at::Tensor parameter(const std::string& name) const;
    [[nodiscard]] at::Device device() const { return m_embedding.device(); }
    [[nodiscard]] std::int64_t parameterCount() const;

    /// The output projection's slices, a view [D, H, P], and the rows that make the heads' values, a view [H, P, D].
    [[nodiscard]] at::Tensor outputSlices(int layer) const;
    [[nodiscard]] at::Tensor valueSlices(int layer) const;

private:
    struct Layer {
        bool attention = true, windowed = false;
        at::Tensor mixerNorm, mlpNorm;        ///< [D]
        at::Tensor query, key, value;         ///< attention: [H*P, D]
        at::Tensor input;                     ///< SSM: [x H*P, B H*N, C H*N, z H*P, A H; D]
        at::Tensor conv, convBias;            ///< SSM: [K, C], tap 0 is the token itself; [C]
        at::Tensor gateBias, decayBias, skip; ///< SSM: [H*P], [H], [H] (D)
        at::Tensor output;                    ///< [D, H*P]
        at::Tensor gate, up, down;            ///< MLP
    };
    struct Step; ///< what one forward pass shares between layers

    void makeAttention(Layer& layer, const std::string& prefix, tasks::ToyRandom& random);
    void makeSsm(Layer& layer, const std::string& prefix, tasks::ToyRandom& random);
    at::Tensor add(const std::string& name, const at::Tensor& start, bool decays);
    at::Tensor addNormal(const std::string& name, std::vector<std::int64_t> shape, double std,
                         tasks::ToyRandom& random);
    [[nodiscard]] at::Tensor mixAttention(const Layer& layer, const at::Tensor& normed, const Step& step) const;
    [[nodiscard]] at::Tensor lookNear(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) const;
    [[nodiscard]] at::Tensor mixSsm(const Layer& layer, const at::Tensor& normed, const Step& step) const;
    [[nodiscard]] at::Tensor edited(const at::Tensor& y, const Step& step) const;
    [[nodiscard]] at::Tensor passHalfway(const at::Tensor& stream, const Halfway& halfway) const;
    [[nodiscard]] at::Tensor norm(const at::Tensor& x, const at::Tensor& weight) const;

    NetworkShape m_shape;
    at::Device m_target;
    std::vector<Parameter> m_parameters;
    at::Tensor m_embedding, m_finalNorm, m_head;
    std::vector<Layer> m_layers;
    at::Tensor m_cos, m_sin; ///< [positions, P/2]
};

} // namespace headscope::train
