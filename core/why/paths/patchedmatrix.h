// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A head's matrix in a run with patched activations; see patching.h. Worker thread.

#include "core/why/paths/patching.h"

namespace headscope::why {

/// Returns a head's matrix in `into` with a set taken from `from`, [T, T], fp32 on the host; SSM: without D and gate.
[[nodiscard]] Result<at::Tensor> patchedMatrix(const lm::Model& model, const lm::Edits& base, const Recording& into,
                                               const Recording& from, const PatchSet& set, const Where& where, int head,
                                               const Control& control = {});

} // namespace headscope::why
