// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The view of the window as stored in a session: models, ablations, heads, prompt. Pure functions; any thread.

#include "app/state/windowstate.h"

#include <array>
#include <optional>
#include <set>
#include <string>

namespace headscope::gui {

struct SavedSide {
    std::string model; ///< folder or name
    std::string hash;
    std::string type; ///< ModelSummary::wantedType
    interventions::InterventionSet ablation;
    std::string metric;
    std::optional<interventions::HeadRef> head;
    bool named = false; ///< not stored: another model was named for this side, so this one is not opened
};

struct SavedView {
    std::array<std::optional<SavedSide>, 2> sides;
    std::set<std::string> unfollowed;
    std::string pinned; ///< WindowState::pinned()
    std::string prompt;
    std::string task; ///< empty: free text
    int sample = 0;
    std::vector<text::ChatMessage> turns{}; ///< of a conversation
};

[[nodiscard]] SavedView savedView(const WindowState& state);
/// Returns the view as JSON.
[[nodiscard]] std::string viewText(const SavedView& view);
/// Parses text of unknown origin: invalid parts are left out.
[[nodiscard]] SavedView viewFrom(const std::string& text);

} // namespace headscope::gui
