// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Memory that a model's weights need, computed from its config alone. Worker thread.

#include "core/lm/config.h"

#include <cstdint>
#include <string>

namespace headscope::lm {

/// Returns the bytes of the weights that a config describes in a run of `dtype`: fp32, bf16, fp16, int8 or int4 (with
/// the last two only maps and tables are packed).
[[nodiscard]] Result<std::int64_t> weightBytes(Config config, const std::string& dtype);

} // namespace headscope::lm
