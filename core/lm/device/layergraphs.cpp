// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/device/layergraphs.h"

#include <exception>

namespace headscope::lm {

at::Tensor LayerGraphs::run(int layer, bool rowsOnly, const at::Tensor& stream, const Forward& forward)
{
    Entry& entry = m_entries[{layer, rowsOnly}];
    if (!entry.recording && (!entry.ran || m_pool->left == 0 || stream.numel() > m_pool->buffer.numel())) {
        entry.ran = true;
        return forward(stream);
    }
    const auto inBuffer = [pool = m_pool.get()](const at::Tensor& like) {
        return pool->buffer.narrow(0, 0, like.numel()).view(like.sizes());
    };
    const at::Tensor buffer = inBuffer(stream);
    if (!buffer.is_alias_of(stream))
        buffer.copy_(stream);
    if (!entry.recording) {
        try {
            entry.recording = m_pool->record([forward, buffer, rowsOnly, inBuffer, &entry] {
                const at::Tensor out = forward(buffer);
                entry.out = rowsOnly ? out : inBuffer(out).copy_(out); // it may be wider than what the layer read
            });
        } catch (const std::exception& fault) { // the run itself can go on, and its owner tells why it is slower
            m_pool->fault = fault.what();
            m_pool->left = 0;
            return forward(buffer);
        }
        --m_pool->left;
        ++m_pool->made;
    }
    ++m_pool->replays;
    entry.recording->replay();
    return entry.out;
}

} // namespace headscope::lm
