// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Softmax attention for every Transformer family: grouped queries, rotary embedding, windows, caps, query/key norms.
// Worker thread.

#include "core/lm/mixers/mixer.h"
#include "core/lm/ops.h"

namespace headscope::lm {

struct AttentionWeights {
    Linear query;  ///< [H*P, in]
    Linear key;    ///< [G*P, in]
    Linear value;  ///< [G*P, in]
    Linear fused;  ///< GPT-NeoX: [H*3P, in], by head q, k, v; instead of the three above. weight undefined: none
    Linear output; ///< [D, H*P]
    std::optional<Norm> queryNorm, keyNorm; ///< over P, before the rotation
    Linear outputGate; ///< Qwen3-Next: [H*P, in]; z is multiplied by its sigmoid. weight undefined: none
    Rope rope;
    double scale = 1.0;         ///< of q k^T
    double softCap = 0.0;       ///< 0: none; else cap * tanh(scores / cap)
    double keyMultiplier = 1.0; ///< Falcon-H1
    int window = 0;             ///< 0: none; visible iff t - window < s <= t
    bool softmaxInFp32 = true;
};

class Attention : public Mixer
{
public:
    Attention(MixerSpec spec, AttentionWeights weights) : m_spec(spec), m_w(std::move(weights)) {}
    [[nodiscard]] at::Tensor forward(const at::Tensor& input, MixerCall& call, bool rowsOnly) const override;
    [[nodiscard]] const MixerSpec& spec() const override { return m_spec; }
    [[nodiscard]] const Linear& output() const override { return m_w.output; }
    [[nodiscard]] HeadMaps headMaps(int head) const override;

private:
    struct Rows;
    void norm(at::Tensor& q, at::Tensor& k) const;
    void patternRows(const at::Tensor& input, SiteCapture& capture) const;
    [[nodiscard]] at::Tensor packedRows(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, MixerCall& call,
                                        bool fewRows) const;
    [[nodiscard]] at::Tensor textByText(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, MixerCall& call,
                                        bool fewRows) const;
    [[nodiscard]] at::Tensor inTiles(at::Tensor q, at::Tensor k, at::Tensor v, MixerCall& call, bool fewRows,
                                     const TreePaths* groups = nullptr) const;
    [[nodiscard]] at::Tensor rotated(const at::Tensor& x, const TokenTree& tree,
                                     const std::vector<std::int64_t>* rows) const;
    [[nodiscard]] at::Tensor tile(const Rows& rows, std::int64_t begin, std::int64_t end, MixerCall& call,
                                  bool rowsOnly) const;
    MixerSpec m_spec;
    AttentionWeights m_w;
};

} // namespace headscope::lm
