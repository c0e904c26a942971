// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A layer of the residual stream. DecoderBlock serves all families whose layer is norm, mixer, norm, MLP in sequence or
// in parallel; the others bring a block of their own in their family file. Worker thread.

#include "core/lm/experts.h"
#include "core/lm/mixers/mixer.h"
#include "core/lm/ops.h"

#include <memory>

namespace headscope::lm {

/// What a layer can be restarted from when nothing before its heads' outputs changes.
struct LayerActivations {
    at::Tensor
        stream;   ///< behind the mixer; where the MLP runs beside it or the layer cannot be restarted: behind the layer
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
    OtherInput other;                        ///< some parts of the heads read another stream
    at::Tensor heads;           ///< z of a block that takes it, [B, T, H*P]: its mixer does not run; undefined: it runs
    Choices* choices = nullptr; ///< out: what the router chose, by blocks with experts; null: not wanted

    [[nodiscard]] MixerCall mixerCall(Site site) const
    {
        const bool isAttention = site == Site::Attention;
        MixerCall call{batch, edits ? &edits->site(site) : nullptr, isAttention ? attention : ssm,
                       isAttention ? attentionState : ssmState};
        call.embedding = embedding;
        return call;
    }
    /// The same, with what its parts read of the other stream; `read` makes a mixer's input of a stream.
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
};

/// z of a layer's sites at one position, [B, H*P]; undefined: there is no such site, or it was left out.
struct HeadOutputs {
    at::Tensor attention, ssm;
    [[nodiscard]] at::Tensor& site(Site which) { return which == Site::Attention ? attention : ssm; }
    [[nodiscard]] const at::Tensor& site(Site which) const { return which == Site::Attention ? attention : ssm; }
};

/// What the heads write into the stream, seen along a direction: head h writes z_h . along_h.
struct HeadsAlong {
    HeadOutputs along;   ///< [B, H*P]; undefined: the site writes nothing into the stream itself
    at::Tensor constant; ///< [B]: what the mixers write besides, whatever z is: biases
};

/// A mixer and the norm through which it reads the stream; null: the layer has none, or it reads more than the stream.
struct SiteReader {
    const Mixer* mixer = nullptr;
    const Norm* norm = nullptr;
};

class Block
{
public:
    virtual ~Block() = default;
    /// stream: [B, T, D]. Returns the stream after the layer, [B, T, D], or [B, R, D] when call.rowsOnly.
    [[nodiscard]] virtual at::Tensor forward(const at::Tensor& stream, BlockCall& call) const = 0;
    /// How the heads' outputs arrive in the stream along `direction` [B, D]. Norms behind the mixers are held at the
    /// scale that they have for this z, so that what arrives is a sum over heads.
    [[nodiscard]] virtual HeadsAlong headsAlong(const HeadOutputs& z, const at::Tensor& direction) const = 0;
    [[nodiscard]] virtual SiteReader reader(Site site) const = 0;
    /// Through what heads of the site read, as bits of InputPart; 0: there are none.
    [[nodiscard]] virtual unsigned inputParts(Site site) const
    {
        const Mixer* mixer = reader(site).mixer;
        return mixer ? mixer->inputParts() : 0;
    }
    /// Whether heads of the site write into the stream; else they only feed another mixer of their layer.
    [[nodiscard]] virtual bool writes(Site site) const { return reader(site).mixer != nullptr; }
    /// Whether it resumes from its heads' outputs, BlockCall::heads.
    [[nodiscard]] virtual bool takesHeads() const { return false; }
    /// Whether the MLP reads the same stream as the mixer, and not what the mixer made of it.
    [[nodiscard]] virtual bool mlpBesideMixer() const { return false; }
    /// Whether there is an MLP that writes into the stream.
    [[nodiscard]] virtual bool mlpWrites() const = 0;
    /// Whether resume() gives what forward() would with these edits (null: none).
    [[nodiscard]] virtual bool canResume(const LayerEdits* /*edits*/) const { return false; }
    /// The experts of the MLP; null: it is one.
    [[nodiscard]] virtual const Experts* experts() const { return nullptr; }
    /// The stream after the layer, from what forward() kept of a run without edits.
    [[nodiscard]] virtual at::Tensor resume(const LayerActivations& kept, const LayerEdits* /*edits*/) const
    {
        return kept.stream;
    }
    /// The stream after the layer when all of it is left out.
    [[nodiscard]] virtual at::Tensor skipped(const at::Tensor& stream) const { return stream; }
    /// Columns of the stream behind the layer, of `before` in front of it.
    [[nodiscard]] virtual std::int64_t columnsBehind(std::int64_t before) const { return before; }
    /// Whether the layer adds to its stream and does nothing else to it, so that the last stream is a sum of what was
    /// written (not MiniMax, whose layers pass a norm on, nor Gemma 4, whose layers have a factor).
    [[nodiscard]] virtual bool addsToStream() const { return true; }
    /// Whether what it asks of a GPU can be recorded and repeated (LayerGraphs).
    [[nodiscard]] virtual bool isRecordable() const { return !experts(); } // those choose
};

/// Whether nothing reads what the head writes: its part of the output projection is zero.
[[nodiscard]] bool isPruned(const Block& block, Site site, int head);

struct DecoderBlockParts {
    Norm inputNorm;
    std::shared_ptr<const Mixer> mixer; ///< null: the layer is its MLP, which reads the input norm's output
    std::optional<Norm> postMixerNorm;  ///< Gemma-2: norms the mixer's output
    std::optional<Norm> mlpNorm;        ///< none: the MLP reads the input norm's output (Phi)
    at::Tensor mlpShift; ///< RWKV-7: the share of the token before in what the MLP reads, [D]; undefined: none
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
    [[nodiscard]] bool takesHeads() const override { return m_p.mixer != nullptr; }
    [[nodiscard]] const Experts* experts() const override { return m_p.experts.get(); }
    [[nodiscard]] bool mlpBesideMixer() const override { return m_p.parallel; }
    [[nodiscard]] bool mlpWrites() const override { return m_p.mlp || m_p.experts; }
    [[nodiscard]] bool canResume(const LayerEdits* edits) const override;
    [[nodiscard]] at::Tensor resume(const LayerActivations& kept, const LayerEdits* edits) const override;

private:
    [[nodiscard]] at::Tensor feedForward(const at::Tensor& x, const LayerEdits* edits,
                                         Choices* choices = nullptr) const;
    [[nodiscard]] at::Tensor mlpAlone(const at::Tensor& stream, const BlockCall& call) const;
    [[nodiscard]] at::Tensor headChange(const at::Tensor& z, const SiteEdits& edits) const;
    DecoderBlockParts m_p;
};

} // namespace headscope::lm
