// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Edits that cannot change an answer, because nothing reads the heads they touch. Worker thread.

#include "core/lm/model.h"

#include <map>
#include <utility>

namespace headscope::engine {

/// Heads of a model whose columns of the output projection are all zero, as after pruning. Each head is checked once,
/// when it is first edited.
class UnreadHeads
{
public:
    explicit UnreadHeads(const lm::Model& model) : m_model(model) {} ///< the model must outlive it

    /// Returns `edits` without the layers in which they only touch such heads: the stream is identical to the last bit,
    /// so a run with such an edit equals the run without it. Layers that cannot be restarted stay.
    [[nodiscard]] lm::Edits withoutUnreadHeads(lm::Edits edits);

private:
    using Head = std::pair<int, int>; ///< layer, head
    [[nodiscard]] bool changesNothing(int layer, const lm::LayerEdits& edits);
    const lm::Model& m_model;
    std::map<Head, bool> m_unread;
};

} // namespace headscope::engine
