// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a head reads in a run with activations of another put in; see patching.h. Worker thread.

#include "core/why/paths/patching.h"

namespace headscope::why {

/// The matrix of a head in `into` with a set taken from `from`, [T, T], fp32 on the host. Of an SSM without D and gate.
[[nodiscard]] Result<at::Tensor> patchedMatrix(const lm::Model& model, const lm::Edits& base, const Recording& into,
                                               const Recording& from, const PatchSet& set, const Where& where, int head,
                                               const Control& control = {});

} // namespace headscope::why
