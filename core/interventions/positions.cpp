// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/interventions/positions.h"

#include <algorithm>

namespace headscope::interventions {

namespace {

/// The position that a text has to have for the intervention to do anything; -1: any text.
int needed(const Intervention& intervention)
{
    if (const auto* edit = std::get_if<EditHead>(&intervention))
        return edit->span ? edit->span->first : -1;
    if (const auto* entry = std::get_if<MaskEntry>(&intervention))
        return std::max(entry->query, entry->key);
    if (const auto* mask = std::get_if<MaskSpan>(&intervention))
        return std::max(mask->queries.first, mask->keys.first);
    return -1;
}

} // namespace

Result<void> checkPositions(const InterventionSet& set, int length, std::string_view text)
{
    for (const Intervention& item : set.items())
        if (const int position = needed(item); position >= length)
            return inputError("'" + toText(item) + "' names token " + std::to_string(position) + ", and "
                              + std::string(text) + " has " + std::to_string(length) + ": expected 0 to "
                              + std::to_string(length - 1) + ", or a longer prompt.");
    return {};
}

} // namespace headscope::interventions
