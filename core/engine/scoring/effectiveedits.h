// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Edits that can not change an answer, because nothing reads the heads they touch. Worker thread.

#include "core/lm/model.h"

namespace headscope::engine {

/// `edits` without the layers in which they only touch heads whose columns of the output projection are all zero, as
/// pruning leaves them: the stream is the same to the last bit, so a run with such a cut is the run without it. Layers
/// that can not be restarted stay.
[[nodiscard]] lm::Edits effectiveEdits(const lm::Model& model, lm::Edits edits);

} // namespace headscope::engine
