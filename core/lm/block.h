// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A layer of the residual stream. DecoderBlock serves all families whose layers are norm, mixer, norm, MLP in sequence
// or in parallel; other families define their own block in their family file. Worker thread.

#include "core/lm/experts.h"
#include "core/lm/mixers/mixer.h"
#include "core/lm/ops.h"

#include <memory>

namespace headscope::lm {

/// Activations from which a layer can be restarted when nothing before its heads' outputs changes.
struct LayerActivations {
    at::Tensor
        stream;   ///< after the mixer; if the MLP runs in parallel or the layer cannot be restarted: after the layer
    at::Tensor z; ///< input of the output projection; undefined: a run can resume after the layer, not within it
};

/// Inputs of one layer besides the stream.
struct BlockCall {
    const BatchShape& batch;
    const LayerEdits* edits = nullptr; ///< null: no edits (never `skip` or `donor`: the model handles those)
    SiteCapture* attention = nullptr;
    SiteCapture* ssm = nullptr;
    SiteState* attentionState = nullptr;
    SiteState* ssmState = nullptr;
    at::Tensor embedding;  ///< [B, T, D]: the stream at the start (Zamba2 reads it in every hybrid layer)
    bool rowsOnly = false; ///< last layer: compute only batch.rows
    LayerActivations* activations = nullptr; ///< out, filled by blocks that can be restarted; null: not needed
    OtherInput other;                        ///< some input parts of the heads read another stream
    at::Tensor heads;           ///< [B, T, H*P]: z in place of the mixer's, if the block accepts it; undefined: run it
    Choices* choices = nullptr; ///< out: the router's choices, from blocks with experts; null: not needed

    [[nodiscard]] MixerCall mixerCall(Site site) const
    {
        const bool isAttention = site == Site::Attention;
        MixerCall call{batch, edits ? &edits->site(site) : nullptr, isAttention ? attention : ssm,
                       isAttention ? attentionState : ssmState};
        call.embedding = embedding;
        return call;
    }
    /// Returns the same with the inputs that parts read from the other stream; `read` turns a stream into mixer input.
    template <typename Read> [[nodiscard]] MixerCall mixerCall(Site site, const Read& read) const
    {
        MixerCall call = mixerCall(site);
        if (other.parts != 0 && other.site == site) {
            call.otherInput = read(other.stream);
            call.otherParts = other.parts;
        }
        return call;
    }
    [[nodiscard]] bool skips(Site site) const
    {
        return edits && (site == Site::Attention ? edits->skipAttention : edits->skipSsm);
    }
    [[nodiscard]] bool skipsMlp() const { return edits && edits->skipMlp; }
    /// Whether it continues a text with nothing to change and nothing to keep.
    [[nodiscard]] bool isBare() const
    {
        return attentionState && !edits && !attention && !ssm && !activations && other.parts == 0 && !heads.defined()
               && !batch.tree && (!rowsOnly || batch.rows.numel() == 1);
    }
};

/// z of a layer's sites at one position, [B, H*P]; undefined: the site does not exist or was omitted.
struct HeadOutputs {
    at::Tensor attention, ssm;
    [[nodiscard]] at::Tensor& site(Site which) { return which == Site::Attention ? attention : ssm; }
    [[nodiscard]] const at::Tensor& site(Site which) const { return which == Site::Attention ? attention : ssm; }
};

/// Contribution of the heads to the stream along a direction: head h writes z_h . along_h.
struct HeadsAlong {
    HeadOutputs along;   ///< [B, H*P]; undefined: the site writes nothing into the stream itself
    at::Tensor constant; ///< [B]: what the mixers write independently of z (biases)
};

/// A mixer and the norm before it; null: the layer has none, or the mixer reads more than the stream.
struct SiteReader {
    const Mixer* mixer = nullptr;
    const Norm* norm = nullptr;
    const Norm* postNorm = nullptr; ///< of the mixer's output; null: none
};

class Block
{
public:
    virtual ~Block() = default;
    /// Runs the layer on the stream [B, T, D]. Returns the stream after it, [B, T, D], or [B, R, D] if call.rowsOnly.
    [[nodiscard]] virtual at::Tensor forward(const at::Tensor& stream, BlockCall& call) const = 0;
    /// Maps the heads' outputs to their effect on the stream along `direction` [B, D]. Norms after the mixers keep the
    /// scale they have for this z, so that the effect is a sum over heads.
    [[nodiscard]] virtual HeadsAlong headsAlong(const HeadOutputs& z, const at::Tensor& direction) const = 0;
    [[nodiscard]] virtual SiteReader reader(Site site) const = 0;
    /// Returns the inputs that heads of the site have, as bits of InputPart; 0: none.
    [[nodiscard]] virtual unsigned inputParts(Site site) const
    {
        const Mixer* mixer = reader(site).mixer;
        return mixer ? mixer->inputParts() : 0;
    }
    /// Returns whether heads of the site write into the stream; otherwise they only feed another mixer of their layer.
    [[nodiscard]] virtual bool writes(Site site) const { return reader(site).mixer != nullptr; }
    /// Returns whether the block can resume from its heads' outputs, BlockCall::heads.
    [[nodiscard]] virtual bool acceptsHeads() const { return false; }
    /// Returns whether the MLP reads the same stream as the mixer rather than the stream after the mixer.
    [[nodiscard]] virtual bool mlpBesideMixer() const { return false; }
    /// Returns whether the layer has an MLP that writes into the stream.
    [[nodiscard]] virtual bool mlpWrites() const = 0;
    /// Returns whether resume() gives the same result as forward() with these edits (null: none).
    [[nodiscard]] virtual bool canResume(const LayerEdits* /*edits*/) const { return false; }
    /// Returns the experts of the MLP; null: the MLP is dense.
    [[nodiscard]] virtual const Experts* experts() const { return nullptr; }
    /// Returns the stream after the layer, from the activations that forward() stored in a run without edits.
    [[nodiscard]] virtual at::Tensor resume(const LayerActivations& kept, const LayerEdits* /*edits*/) const
    {
        return kept.stream;
    }
    /// Returns the stream after the layer if the whole layer is skipped.
    [[nodiscard]] virtual at::Tensor skipped(const at::Tensor& stream) const { return stream; }
    /// Returns the number of columns of the stream after the layer, given the number before it.
    [[nodiscard]] virtual std::int64_t columnsBehind(std::int64_t before) const { return before; }
    /// Returns whether the layer only adds to its stream, so that the last stream is a sum of all contributions (false
    /// for MiniMax, whose layers pass on a normed stream, and Gemma 4, whose layers have a factor).
    [[nodiscard]] virtual bool addsToStream() const { return true; }
    /// Returns whether the layer's GPU work can be recorded and replayed (LayerGraphs).
    [[nodiscard]] virtual bool isRecordable() const { return !experts(); } // what experts do depends on their input
};

/// Returns whether the head's part of the output projection is zero, so that nothing reads its output.
[[nodiscard]] bool isPruned(const Block& block, Site site, int head);

struct DecoderBlockParts {
    Norm inputNorm;
    std::shared_ptr<const Mixer> mixer; ///< null: the layer is only an MLP, which reads the input norm's output
    std::optional<Norm> postMixerNorm;  ///< Gemma-2: norms the mixer's output
    std::optional<Norm> mlpNorm;        ///< none: the MLP reads the input norm's output (Phi)
    at::Tensor mlpShift; ///< RWKV-7: share of the previous token in the MLP's input, [D]; undefined: none
    std::optional<Mlp> mlp;
    std::shared_ptr<const Experts> experts; ///< instead of the MLP
    std::optional<Norm> postMlpNorm;
    bool parallel = false;           ///< GPT-NeoX, Phi: mixer and MLP read the same stream
    double residualMultiplier = 1.0; ///< Granite
};

class DecoderBlock : public Block
{
public:
    explicit DecoderBlock(DecoderBlockParts parts) : m_p(std::move(parts)) {}
    [[nodiscard]] at::Tensor forward(const at::Tensor& stream, BlockCall& call) const override;
    [[nodiscard]] HeadsAlong headsAlong(const HeadOutputs& z, const at::Tensor& direction) const override;
    [[nodiscard]] SiteReader reader(Site site) const override;
    [[nodiscard]] const Mixer* mixer() const { return m_p.mixer.get(); }
    [[nodiscard]] bool acceptsHeads() const override { return m_p.mixer != nullptr; }
    [[nodiscard]] const Experts* experts() const override { return m_p.experts.get(); }
    [[nodiscard]] bool mlpBesideMixer() const override { return m_p.parallel; }
    [[nodiscard]] bool mlpWrites() const override { return m_p.mlp || m_p.experts; }
    [[nodiscard]] bool canResume(const LayerEdits* edits) const override;
    [[nodiscard]] at::Tensor resume(const LayerActivations& kept, const LayerEdits* edits) const override;

private:
    [[nodiscard]] at::Tensor feedForward(const at::Tensor& x, const LayerEdits* edits,
                                         Choices* choices = nullptr) const;
    [[nodiscard]] at::Tensor scaled(const at::Tensor& x) const;
    [[nodiscard]] at::Tensor nextRow(const at::Tensor& stream, const BlockCall& call) const;
    [[nodiscard]] at::Tensor behindMlp(const at::Tensor& out, const at::Tensor& x, const LayerEdits* edits,
                                       Choices* choices = nullptr) const;
    [[nodiscard]] at::Tensor mlpAlone(const at::Tensor& stream, const BlockCall& call) const;
    [[nodiscard]] at::Tensor headChange(const at::Tensor& z, const SiteEdits& edits) const;
    DecoderBlockParts m_p;
};

} // namespace headscope::lm
