// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/block.h"

namespace headscope::lm {

at::Tensor DecoderBlock::forward(const at::Tensor& stream, BlockCall& call) const
{
    const auto kept = [&](const at::Tensor& x) { return call.rowsOnly ? gatherRows(x, call.batch.rows) : x; };
    const auto scaled = [&](const at::Tensor& x) { return m_p.residualMultiplier == 1.0 ? x : x * m_p.residualMultiplier; };
    const at::ScalarType streamType = stream.scalar_type();

    // 1. The mixer reads the whole sequence; from here on only the wanted rows are carried.
    at::Tensor out = kept(stream);
    at::Tensor normed;
    const bool mlpReadsInput = m_p.parallel && m_p.mlp && !m_p.mlpNorm;
    const Site site = m_p.mixer->spec().site();
    if (!call.skips(site) || mlpReadsInput)
        normed = m_p.inputNorm(stream.to(m_p.inputNorm.weight.scalar_type())); // an fp32 stream is rounded here, as in Mamba
    if (!call.skips(site)) {
        MixerCall mixerCall = call.mixerCall(site);
        at::Tensor mixed = m_p.mixer->forward(normed, mixerCall, call.rowsOnly);
        if (m_p.postMixerNorm)
            mixed = (*m_p.postMixerNorm)(mixed);
        out = out + scaled(mixed).to(streamType);
    }
    if (!m_p.mlp || call.skipsMlp())
        return out;

    // 2. The MLP: after the mixer, or beside it from the same stream.
    const at::Tensor mlpStream = m_p.parallel ? kept(stream) : out;
    at::Tensor mlpOut = (*m_p.mlp)(m_p.mlpNorm ? (*m_p.mlpNorm)(mlpStream) : kept(normed));
    if (m_p.postMlpNorm)
        mlpOut = (*m_p.postMlpNorm)(mlpOut);
    return out + scaled(mlpOut).to(streamType);
}

} // namespace headscope::lm
