// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Appends a model's output to the prompt as it is generated, so that the queries of new tokens become rows of the maps
// at once. All of it is one undo step. GUI thread.

#include "app/backend/door.h"
#include "app/state/windowstate.h"

#include <optional>
#include <string>

namespace headscope::gui {

class PromptGrowth
{
public:
    PromptGrowth(WindowState& state, app::Door& door) : m_state(state), m_door(door) {}

    void begin();
    /// Appends a part, or delays it until the next one while the maps still process the previous text.
    void add(const app::ContinuationPart& part);
    /// Appends the rest; undo reverts all of it.
    void end(const QString& what);
    [[nodiscard]] bool isGrowing() const { return m_before.has_value(); }
    /// Returns whether the prompt was changed meanwhile, which ends the growth.
    [[nodiscard]] bool isSuperseded() const { return m_before && m_state.prompt() != m_shown; }
    void forget() { m_before.reset(); }

private:
    void show();

    WindowState& m_state;
    app::Door& m_door;
    std::optional<app::Prompt> m_before;
    app::Prompt m_shown;
    std::string m_written;
};

} // namespace headscope::gui
