// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a model's weights take in memory, derived from its config alone. Worker thread.

#include "core/lm/config.h"

#include <cstdint>
#include <string>

namespace headscope::lm {

/// Bytes of the weights that a config describes in a run of `dtype`: fp32, bf16, fp16, int8 or int4 (of the last two
/// only maps and tables are packed).
[[nodiscard]] Result<std::int64_t> weightBytes(Config config, const std::string& dtype);

} // namespace headscope::lm
