// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Softmax attention for every Transformer family: grouped queries, rotary embedding, windows, caps, query/key norms.
// Worker thread.

#include "core/lm/mixers/alibi.h"
#include "core/lm/mixers/mixer.h"
#include "core/lm/rowoperations.h"

namespace headscope::lm {

/// Latent attention (DeepSeek-V2, arXiv 2405.04434): keys and values are computed from one short vector per token,
/// beside a part of the key that all heads share and that alone is rotated. The rotated dimensions of queries and keys
/// come first.
struct LatentMaps {
    Linear queryDown; ///< [r, in]; weight undefined: the query comes from the input
    Norm queryNorm;
    Linear query;   ///< [H*Q, r or in], Q = rotated + plain
    Linear down;    ///< [c, in]
    Norm norm;      ///< over c
    Linear rotated; ///< [R, in]: the shared part of the key
    Linear key;     ///< [H*(Q-R), c]
    Linear value;   ///< [H*P, c]
};

struct AttentionWeights {
    Linear query; ///< [H*P, in]
    Linear key;   ///< [G*P, in]
    Linear value; ///< [G*P, in]
    Linear fused; ///< GPT-NeoX: [H*3P, in], by head q, k, v; instead of the three above. weight undefined: none
    std::optional<LatentMaps> latent;       ///< instead of all these
    Linear output;                          ///< [D, H*P]
    std::optional<Norm> queryNorm, keyNorm; ///< over P, before the rotation; a weight of [H, P]: one norm per head
    std::optional<Norm> valueNorm;          ///< Gemma 4: over P
    bool normsAllHeads = false;             ///< OLMo-2: the norms are over all of H*P and G*P
    at::Tensor sinks;  ///< gpt-oss: [H], logit of a sink that takes a share of every row; undefined: none
    Linear outputGate; ///< Qwen3-Next: [H*P, in]; z is multiplied by its sigmoid. weight undefined: none
    Rope rope;
    Alibi alibi;
    at::Tensor queryFactor;     ///< Hunyuan: [P], multiplies rotated queries: weights of norms after the rotation
    double scale = 1.0;         ///< multiplies q k^T
    double softCap = 0.0;       ///< 0: none; else cap * tanh(scores / cap)
    double keyMultiplier = 1.0; ///< Falcon-H1
    int window = 0;             ///< 0: none; visible iff t - window < s <= t
    bool softmaxInFp32 = true;
};

class Attention : public MixerOf<AttentionWeights>
{
public:
    using MixerOf::MixerOf;
    [[nodiscard]] at::Tensor forward(const at::Tensor& input, MixerCall& call, bool rowsOnly) const override;
    /// Whether nextRow() does what forward() does with a single token.
    [[nodiscard]] bool acceptsRow(const RowOperations& row) const;
    /// forward() of the token at position `offset` of one text, with nothing to change and nothing to keep but its key
    /// and value. input, out: [D], out before any norm.
    void nextRow(const RowOperations& row, const float* input, std::int64_t offset, SiteState& state, float* out) const;
    [[nodiscard]] HeadMaps headMaps(int head) const override;
    [[nodiscard]] std::optional<Along> scoreAlong(ScoreSide side, int head, const at::Tensor& input,
                                                  const at::Tensor& positions, std::int64_t length,
                                                  const at::Tensor& direction) const override;
    /// Returns the factor of query times key before the cap.
    [[nodiscard]] double scale() const { return m_w.scale; }
    [[nodiscard]] bool capsScores() const { return m_w.softCap > 0; }
    [[nodiscard]] bool normsScores() const { return m_w.latent || m_w.queryNorm || m_w.keyNorm; }
    [[nodiscard]] std::int64_t scoreWidth() const; ///< Q
    [[nodiscard]] int window() const { return m_w.window; }
    /// Returns ALiBi's term in the head's scores of the keys at these positions, fp32 [B]; zeros without ALiBi.
    [[nodiscard]] at::Tensor positionScores(int head, const at::Tensor& positions) const;
    [[nodiscard]] unsigned inputParts() const override
    {
        return kQuery | kKey | kValue | (m_w.outputGate.weight.defined() ? kGate : 0U);
    }

private:
    [[nodiscard]] Along latentAlong(bool query, int head, const std::function<at::Tensor(const Linear&)>& read,
                                    const at::Tensor& along) const;
    struct Projected {
        at::Tensor q, k, v; ///< [B, H, R, Q], [B, G, T, Q], [B, G, T, P]
    };
    [[nodiscard]] Projected project(const at::Tensor& input, const MixerCall& call, bool fewRows) const;
    [[nodiscard]] Projected projectLatent(const at::Tensor& queryInput, const at::Tensor& keyInput,
                                          const at::Tensor& valueInput) const;
    [[nodiscard]] bool canSplitHeads() const; ///< whether some heads can be computed without the others
    [[nodiscard]] bool onlyInTiles() const { return m_w.sinks.defined() || m_w.alibi.defined(); }
    [[nodiscard]] at::Tensor normedQueries(const at::Tensor& q) const;
    [[nodiscard]] at::Tensor weighed(const at::Tensor& rotatedQueries) const;
    [[nodiscard]] at::Tensor normedKeys(const at::Tensor& k) const;
    [[nodiscard]] MatrixRows patternRows(const at::Tensor& input, const std::vector<int>& heads) const;
    [[nodiscard]] at::Tensor packedRows(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, MixerCall& call,
                                        bool fewRows) const;
    [[nodiscard]] at::Tensor textByText(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, MixerCall& call,
                                        bool fewRows) const;
    [[nodiscard]] at::Tensor inTiles(at::Tensor q, at::Tensor k, at::Tensor v, MixerCall& call, bool fewRows,
                                     const TreePaths* groups = nullptr) const;
    [[nodiscard]] at::Tensor rotated(const at::Tensor& x, const TokenTree& tree,
                                     const std::vector<std::int64_t>* rows) const;
};

} // namespace headscope::lm
