// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Edits that cannot change an answer, because nothing reads the heads they touch. Worker thread.

#include "core/lm/model.h"

#include <map>
#include <utility>

namespace headscope::engine {

/// Heads of a model whose columns of the output projection are all zero, as pruning leaves them. Each head is looked at
/// once, when it is first edited.
class UnreadHeads
{
public:
    explicit UnreadHeads(const lm::Model& model) : m_model(model) {} ///< the model outlives it

    /// `edits` without the layers in which they only touch such heads: the stream is the same to the last bit, so a run
    /// with such a cut is the run without it. Layers that cannot be restarted stay.
    [[nodiscard]] lm::Edits withoutThem(lm::Edits edits);

private:
    using Head = std::pair<int, int>; ///< layer, head
    [[nodiscard]] bool changesNothing(int layer, const lm::LayerEdits& edits);
    const lm::Model& m_model;
    std::map<Head, bool> m_unread;
};

} // namespace headscope::engine
