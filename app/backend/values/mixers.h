// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Finds the mixer of a model that a head belongs to. Pure functions; any thread.

#include "app/backend/values/modelvalues.h"
#include "app/backend/values/promptvalues.h"

#include <cstddef>
#include <vector>

namespace headscope::app {

/// Returns the mixer of `head`, or null if the model has no such head: files from elsewhere may name any head.
[[nodiscard]] inline const MixerSummary* mixerIn(const std::vector<std::vector<MixerSummary>>& layers,
                                                 const interventions::HeadRef& head)
{
    using interventions::Site;
    if (head.site == Site::Expert || head.layer < 0 || head.layer >= static_cast<int>(layers.size()) || head.head < 0)
        return nullptr;
    for (const MixerSummary& mixer : layers[static_cast<std::size_t>(head.layer)])
        if (head.site == Site::Any || mixer.attention == (head.site == Site::Attention))
            return head.head < mixer.heads ? &mixer : nullptr;
    return nullptr;
}

} // namespace headscope::app
