// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How much of a large model runs at one time on the processor, so that something else can come in between. Any thread.

#include "core/lm/spec.h"

#include <cstdint>

namespace headscope::engine {

/// So few tokens that one product of a layer, of which there is none larger than about a third of its weights, takes a
/// tenth of a second on two cores: what a person looks at comes between two of them. Of models under about a hundred
/// million parameters it is not a limit.
[[nodiscard]] std::int64_t stepTokens(const lm::ModelSpec& spec);

} // namespace headscope::engine
