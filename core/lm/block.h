// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A layer of the residual stream. DecoderBlock serves all families whose layer is norm, mixer, norm, MLP in sequence or
// in parallel; the others bring a block of their own in their family file. Worker thread.

#include "core/lm/mixers/mixer.h"
#include "core/lm/ops.h"

#include <memory>

namespace headscope::lm {

/// What a layer can be restarted from when nothing before its heads' outputs changes.
struct LayerActivations {
    at::Tensor
        stream; ///< behind the mixer; where the MLP runs beside it or the layer can not be restarted: behind the layer
    at::Tensor z; ///< what the output projection read; undefined: the run can go on behind the layer, not restart in it
};

/// What one layer is given besides the stream.
struct BlockCall {
    const BatchShape& batch;
    const LayerEdits* edits = nullptr; ///< null: none (never `skip` or `donor`: the model handles those)
    SiteCapture* attention = nullptr;
    SiteCapture* ssm = nullptr;
    SiteState* attentionState = nullptr;
    SiteState* ssmState = nullptr;
    at::Tensor embedding;  ///< [B, T, D]: the stream at the start (Zamba2 reads it in every hybrid layer)
    bool rowsOnly = false; ///< last layer: only batch.rows are wanted
    LayerActivations* activations = nullptr; ///< out, by blocks that can be restarted; null: not wanted

    [[nodiscard]] MixerCall mixerCall(Site site) const
    {
        const bool isAttention = site == Site::Attention;
        return {batch, edits ? &edits->site(site) : nullptr, isAttention ? attention : ssm,
                isAttention ? attentionState : ssmState};
    }
    [[nodiscard]] bool skips(Site site) const
    {
        return edits && (site == Site::Attention ? edits->skipAttention : edits->skipSsm);
    }
    [[nodiscard]] bool skipsMlp() const { return edits && edits->skipMlp; }
};

class Block
{
public:
    virtual ~Block() = default;
    /// stream: [B, T, D]. Returns the stream after the layer, [B, T, D], or [B, R, D] when call.rowsOnly.
    [[nodiscard]] virtual at::Tensor forward(const at::Tensor& stream, BlockCall& call) const = 0;
    /// Whether resume() gives what forward() would with these edits (null: none).
    [[nodiscard]] virtual bool canResume(const LayerEdits* /*edits*/) const { return false; }
    /// The stream after the layer, from what forward() kept of a run without edits.
    [[nodiscard]] virtual at::Tensor resume(const LayerActivations& kept, const LayerEdits* /*edits*/) const
    {
        return kept.stream;
    }
};

struct DecoderBlockParts {
    Norm inputNorm;
    std::shared_ptr<const Mixer> mixer;
    std::optional<Norm> postMixerNorm; ///< Gemma-2: norms the mixer's output
    std::optional<Norm> mlpNorm;       ///< none: the MLP reads the input norm's output (Phi)
    std::optional<Mlp> mlp;
    std::optional<Norm> postMlpNorm;
    bool parallel = false;           ///< GPT-NeoX, Phi: mixer and MLP read the same stream
    double residualMultiplier = 1.0; ///< Granite
};

class DecoderBlock : public Block
{
public:
    explicit DecoderBlock(DecoderBlockParts parts) : m_p(std::move(parts)) {}
    [[nodiscard]] at::Tensor forward(const at::Tensor& stream, BlockCall& call) const override;
    [[nodiscard]] bool canResume(const LayerEdits* edits) const override;
    [[nodiscard]] at::Tensor resume(const LayerActivations& kept, const LayerEdits* edits) const override;

private:
    [[nodiscard]] at::Tensor headChange(const at::Tensor& z, const SiteEdits& edits) const;
    DecoderBlockParts m_p;
};

} // namespace headscope::lm
