// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How much of a large model runs at once on the CPU, so that other work can run in between. Any thread.

#include "core/lm/spec.h"

#include <cstdint>

namespace headscope::engine {

/// Returns so few tokens that one product of a layer, none of which is larger than about a third of its weights, takes
/// a tenth of a second on two cores: interactive work can run between two products. For models under about a hundred
/// million parameters it imposes no limit.
[[nodiscard]] std::int64_t stepTokens(const lm::ModelSpec& spec);

} // namespace headscope::engine
