// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/scoring/pairs/steptokens.h"

#include <algorithm>

namespace headscope::engine {

std::int64_t stepTokens(const lm::ModelSpec& spec)
{
    constexpr std::int64_t kMultiplications = std::int64_t{10'000'000'000};
    constexpr std::int64_t kFewest = 128; // a smaller batch saves nothing that counts
    const std::int64_t inLayers = spec.parameters - std::int64_t{spec.vocabulary} * spec.hidden,
                       layer = inLayers / std::max<std::int64_t>(static_cast<std::int64_t>(spec.layers.size()), 1);
    return std::max(3 * kMultiplications / std::max<std::int64_t>(layer, 1), kFewest);
}

} // namespace headscope::engine
