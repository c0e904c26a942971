// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Memory that a model's caches need, from its spec alone. Any thread.

#include "core/lm/spec.h"

#include <ATen/ATen.h>

namespace headscope::lm {

/// Bytes of keys, values, convolution windows and states for one sequence of `length` tokens. Keys, values and windows
/// are kept in `dtype`, SSM states in fp32.
[[nodiscard]] std::int64_t cacheBytes(const ModelSpec& spec, std::int64_t length, at::ScalarType dtype);

} // namespace headscope::lm
