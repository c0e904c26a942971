// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/block.h"

#include "core/lm/along.h"
#include "core/lm/mixers/attention.h"
#include "core/lm/mixers/ssm.h"
#include "core/lm/tree/treemixing.h"
#include "core/lm/weights/packedweight.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>

namespace headscope::lm {

namespace {

// a + b in the memory of b, which is fresh; under autograd in memory of its own.
at::Tensor addInto(const at::Tensor& a, at::Tensor b)
{
    const bool graph = at::GradMode::is_enabled() && (a.requires_grad() || b.requires_grad());
    return graph || a.scalar_type() != b.scalar_type() ? a + b : b.add_(a);
}

} // namespace

bool isPruned(const Block& block, Site site, int head)
{
    const at::NoGradGuard noGrad;
    const Mixer* const mixer = block.reader(site).mixer;
    if (!mixer || head < 0 || head >= mixer->spec().heads)
        return false;
    const std::int64_t width = mixer->spec().headDim;
    return at::count_nonzero(inputsOf(mixer->output().weight, head * width, width)).item<std::int64_t>() == 0;
}

at::Tensor DecoderBlock::forward(const at::Tensor& stream, BlockCall& call) const
{
    if (const at::Tensor next = nextRow(stream, call); next.defined())
        return next;
    const auto kept = [&](const at::Tensor& x) { return call.rowsOnly ? gatherRows(x, call.batch.rows) : x; };
    const at::ScalarType streamType = stream.scalar_type();
    if (!m_p.mixer)
        return mlpAlone(kept(stream), call);
    const auto read = [&](const at::Tensor& x) { // an fp32 stream is rounded here, as in Mamba
        return m_p.inputNorm(m_p.inputNorm.weight.defined() ? x.to(m_p.inputNorm.weight.scalar_type()) : x);
    };

    // 1. The mixer reads the whole sequence; from here on only the wanted rows are carried.
    const bool shifts = m_p.mlpShift.defined() && mlpWrites() && !call.skipsMlp(); // its MLP reads every token before
    const bool fewRows = call.rowsOnly && !shifts;
    at::Tensor out = shifts ? stream : kept(stream);
    at::Tensor normed;
    const bool mlpReadsInput = m_p.parallel && mlpWrites() && !m_p.mlpNorm;
    const Site site = m_p.mixer->spec().site();
    if ((!call.skips(site) && !call.heads.defined()) || mlpReadsInput)
        normed = read(stream);
    if (!call.skips(site)) {
        at::Tensor mixed;
        if (call.heads.defined()) {
            mixed = m_p.mixer->output()(fewRows ? kept(call.heads) : call.heads);
        } else {
            MixerCall mixerCall = call.mixerCall(site, read);
            if (call.activations && canResume(nullptr))
                mixerCall.keptZ = &call.activations->z;
            mixed = m_p.mixer->forward(normed, mixerCall, fewRows);
            if (mixerCall.wantsMatrixOnly())
                return fewRows ? out : kept(out); // nobody reads what comes after the matrix
        }
        if (m_p.postMixerNorm)
            mixed = (*m_p.postMixerNorm)(mixed);
        out = addInto(out, scaled(mixed).to(streamType));
    }
    if (call.activations && !m_p.parallel && canResume(nullptr))
        call.activations->stream = out;
    if (!mlpWrites() || call.skipsMlp())
        return out;
    if (shifts) {
        const at::Tensor shifted = shiftedBefore((*m_p.mlpNorm)(out), m_p.mlpShift,
                                                 call.ssmState ? &call.ssmState->mlp : nullptr, call.batch.tree);
        return addInto(kept(out), (*m_p.mlp)(kept(shifted)).to(streamType));
    }

    // 2. The MLP: after the mixer, or beside it from the same stream.
    const at::Tensor mlpStream = m_p.parallel ? kept(stream) : out;
    return behindMlp(out, m_p.mlpNorm ? (*m_p.mlpNorm)(mlpStream) : kept(normed), call.edits, call.choices);
}

at::Tensor DecoderBlock::scaled(const at::Tensor& x) const
{
    return m_p.residualMultiplier == 1.0 ? x : x * m_p.residualMultiplier;
}

// The next token of one text without tensors; undefined: the layer, or what is asked of it, needs them.
at::Tensor DecoderBlock::nextRow(const at::Tensor& stream, const BlockCall& call) const
{
    const auto* const attention = dynamic_cast<const Attention*>(m_p.mixer.get());
    const RowOperations row(stream.scalar_type());
    if (!attention || m_p.parallel || m_p.mlpShift.defined() || (mlpWrites() && !m_p.mlpNorm) || !call.isBare()
        || !RowOperations::take(stream) || !attention->acceptsRow(row))
        return {};
    const bool rowMlp = m_p.mlp && row.take(*m_p.mlp);
    const std::int64_t width = stream.size(-1);
    std::vector<float> memory(static_cast<std::size_t>(3 * width));
    float *const x = memory.data(), *const normed = x + width, *const own = normed + width;
    const auto addOwn = [&](const std::optional<Norm>& norm) {
        if (norm)
            row.apply(*norm, own, own, 1, width);
        if (m_p.residualMultiplier != 1.0)
            row.multiply(own, m_p.residualMultiplier, width);
        row.add(own, x, width);
    };
    row.read(stream, x);
    row.apply(m_p.inputNorm, x, normed, 1, width);
    attention->nextRow(row, normed, call.batch.offset, *call.attentionState, own);
    addOwn(m_p.postMixerNorm);
    if (rowMlp) {
        row.apply(*m_p.mlpNorm, x, normed, 1, width);
        row.apply(*m_p.mlp, normed, own);
        addOwn(m_p.postMlpNorm);
    }
    at::Tensor out = at::empty_like(stream);
    row.write(x, width, out.data_ptr());
    return rowMlp || !mlpWrites() ? out : behindMlp(out, (*m_p.mlpNorm)(out), call.edits, call.choices);
}

// out with what the MLP makes of x added.
at::Tensor DecoderBlock::behindMlp(const at::Tensor& out, const at::Tensor& x, const LayerEdits* edits,
                                   Choices* choices) const
{
    at::Tensor mlpOut = feedForward(x, edits, choices);
    if (m_p.postMlpNorm)
        mlpOut = (*m_p.postMlpNorm)(mlpOut);
    return addInto(out, scaled(mlpOut).to(out.scalar_type()));
}

at::Tensor DecoderBlock::mlpAlone(const at::Tensor& stream, const BlockCall& call) const
{
    if (call.skipsMlp())
        return stream;
    const at::Tensor& weight = m_p.inputNorm.weight;
    const at::Tensor normed = m_p.inputNorm(weight.defined() ? stream.to(weight.scalar_type()) : stream);
    return addInto(stream, feedForward(normed, call.edits, call.choices).to(stream.scalar_type()));
}

at::Tensor DecoderBlock::feedForward(const at::Tensor& x, const LayerEdits* edits, Choices* choices) const
{
    if (!m_p.experts)
        return (*m_p.mlp)(x);
    if (choices)
        *choices = m_p.experts->chooseAll(x);
    return (*m_p.experts)(x, edits ? edits->expertScale : at::Tensor());
}

HeadsAlong DecoderBlock::headsAlong(const HeadOutputs& z, const at::Tensor& direction) const
{
    HeadsAlong seen;
    seen.constant = at::zeros({direction.size(0)}, direction.options());
    if (!m_p.mixer)
        return seen;
    const Site site = m_p.mixer->spec().site();
    const at::Tensor& heads = z.site(site);
    if (!heads.defined())
        return seen;
    Along before{direction * m_p.residualMultiplier, seen.constant};
    if (m_p.postMixerNorm)
        before = alongNorm(*m_p.postMixerNorm, m_p.mixer->output()(heads), before.direction);
    const Along first = alongLinear(m_p.mixer->output(), before.direction);
    seen.along.site(site) = first.direction;
    seen.constant = before.constant + first.constant;
    return seen;
}

SiteReader DecoderBlock::reader(Site site) const
{
    if (!m_p.mixer || site != m_p.mixer->spec().site())
        return {};
    return {m_p.mixer.get(), &m_p.inputNorm, m_p.postMixerNorm ? &*m_p.postMixerNorm : nullptr};
}

bool DecoderBlock::canResume(const LayerEdits* edits) const
{
    if (!m_p.mixer || m_p.postMixerNorm || m_p.mixer->output().adapterIn.defined()
        || (mlpWrites() && ((!m_p.parallel && !m_p.mlpNorm) || m_p.mlpShift.defined())))
        return false;
    if (!edits)
        return true;
    const SiteEdits& site = edits->site(m_p.mixer->spec().site());
    const bool everySampleAlike = std::all_of(site.replace.begin(), site.replace.end(), [](const ReplaceHead& r) {
        return r.value.defined() && r.value.dim() == 1;
    });
    return !edits->skip && !edits->skipAttention && !edits->skipSsm && !edits->skipMlp && !edits->donor
           && !edits->steers() && !(m_p.parallel && edits->expertScale.defined()) && everySampleAlike
           && !(site.scale.defined() && site.scale.dim() != 1) && !site.byPosition() && !site.preNormScale.defined()
           && !site.touchesMatrix();
}

// What the edits change of the mixer's output: only the heads they touch are multiplied with their columns.
at::Tensor DecoderBlock::headChange(const at::Tensor& z, const SiteEdits& edits) const
{
    const std::int64_t headDim = m_p.mixer->spec().headDim;
    const at::Tensor& weight = m_p.mixer->output().weight;
    const at::Tensor factors = edits.scale.defined() ? edits.scale : at::ones({m_p.mixer->spec().heads});
    std::vector<at::Tensor> changes, columns;
    for (int head = 0; head < m_p.mixer->spec().heads; ++head) {
        const double factor = factors[head].item<double>();
        const at::Tensor own = z.narrow(-1, head * headDim, headDim);
        at::Tensor now = own;
        for (const ReplaceHead& replace : edits.replace)
            if (replace.head == head)
                now = replace.value.to(z.scalar_type());
        if (factor == 1.0 && now.is_same(own))
            continue;
        changes.push_back(now.is_same(own) ? own * (factor - 1.0) : (now * factor - own));
        columns.push_back(inputsOf(weight, head * headDim, headDim));
    }
    if (changes.empty())
        return {};
    return changes.size() == 1 ? linearOf(changes.front(), columns.front())
                               : linearOf(at::cat(changes, -1), at::cat(columns, 1));
}

at::Tensor DecoderBlock::resume(const LayerActivations& kept, const LayerEdits* edits) const
{
    at::Tensor out = kept.stream;
    if (edits)
        if (const at::Tensor change = headChange(kept.z, edits->site(m_p.mixer->spec().site())); change.defined())
            out = addInto(out, scaled(change).to(out.scalar_type()));
    if (m_p.parallel || !mlpWrites())
        return out;
    return behindMlp(out, (*m_p.mlpNorm)(out), edits);
}

} // namespace headscope::lm
