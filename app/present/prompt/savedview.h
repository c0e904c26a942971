// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the window shows, as a session remembers it: models, what was off, heads, prompt. Pure functions; any thread.

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
    bool named = false; ///< not kept: a model was named for this side, so this one is not opened
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
/// JSON.
[[nodiscard]] std::string viewText(const SavedView& view);
/// The text may be anybody's: what cannot be understood is left out.
[[nodiscard]] SavedView viewFrom(const std::string& text);

} // namespace headscope::gui
