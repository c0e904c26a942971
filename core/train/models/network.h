// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The tiny networks in training: attention or discrete Mamba-2 layers, each followed by a SwiGLU MLP. Has its own
// forward pass because training has other needs than measuring: fused masks, few rows, autograd, one patterns list. A
// test compares it with core/lm's result on the exported folder. Training thread only.

#include "core/tasks/toy/toyrandom.h"

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace headscope::train {

struct NetworkShape {
    std::string layers = "AAAA"; ///< a letter per layer: A attention, W attention over the last `window` tokens, S SSM
    int window = 16;             ///< attention window of W layers, including the token itself
    bool fullRotates = true;     ///< A layers use rotary positions; beside W layers they need not
    int vocabulary = 390;
    int hidden = 128; ///< D
    int heads = 8;    ///< H
    int headDim = 16; ///< P
    int mlp = 256;
    double ropeBase = 10000.0;
    double normEps = 1e-5;
    double embeddingStd = 0.3;
    bool tied = false; ///< one table for input and output; the input is scaled by sqrt(D)
    // SSM layers:
    int state = 16;         ///< N
    int convWidth = 1;      ///< K; 1: each channel is only scaled and shifted
    double decayLow = -6.0; ///< initial decay biases of the heads are evenly spaced from low to high
    double decayHigh = 1.0;
    double matchBiasStd = 0.5; ///< initial standard deviation of the biases of B and C
    double matchScale = 1.0;   ///< factor of the initial projections of B and C
    bool matchedStart = true;  ///< C starts as a copy of B, so that a token matches itself
};

/// One trained tensor. Weight decay applies to matrices, not to vectors.
struct Parameter {
    std::string name;
    at::Tensor value;
    bool decays = true;
};

/// Values read from the stream, and added to it, between two layers. Positions are out of all B * T.
struct Halfway {
    int layers = 0;                    ///< after this many layers; 0: nowhere
    at::Tensor places;                 ///< int64 [W]: read out by the last norm and the token table; undefined: nowhere
    at::Tensor* logits = nullptr;      ///< [W, V]
    at::Tensor toldPlaces, toldTokens; ///< int64 [G]: a token's vector is added there, scaled to the stream; or none
};

struct ForwardOptions {
    at::Tensor rows;                   ///< int64 [R]: logits at these positions only; undefined: at all
    std::vector<at::Tensor> headScale; ///< one per layer, [H] or [B, H]; empty: all 1
    int lastRowOff = -1;               ///< layer whose matrices are zero in the last position's row; -1: none
    /// Receives one [B, H, T, T] per layer: softmax rows, or an SSM's |M| with rows normalised to sum 1.
    std::vector<at::Tensor>* patterns = nullptr;
    at::Tensor flat; ///< int64 [S]: logits at these of all B * T positions, text by text; excludes rows
    Halfway halfway; ///< excludes rows
};

class Network
{
public:
    /// Makes a network with initial weights drawn from `random`.
    Network(const NetworkShape& shape, tasks::ToyRandom& random, at::Device device = at::kCPU);

    /// Returns logits [B, T, V], [B, R, V] with rows, or [S, V] with flat. ids: int64 [B, T].
    [[nodiscard]] at::Tensor logits(const at::Tensor& ids, const ForwardOptions& options = {}) const;

    [[nodiscard]] const NetworkShape& shape() const { return m_shape; }
    [[nodiscard]] int layerCount() const { return static_cast<int>(m_shape.layers.size()); }
    [[nodiscard]] std::vector<Parameter>& parameters() { return m_parameters; }
    [[nodiscard]] const std::vector<Parameter>& parameters() const { return m_parameters; }
    [[nodiscard]] at::Tensor parameter(const std::string& name) const;
    [[nodiscard]] at::Device device() const { return m_embedding.device(); }
    [[nodiscard]] std::int64_t parameterCount() const;

    /// Return the output projection's slices, a view [D, H, P], and the value rows of the heads, a view [H, P, D].
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
    struct Step; ///< data that one forward pass shares between layers

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
