// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Lets the prompt grow by what a model writes behind it, so that the queries of new tokens become rows of the maps
// while they appear. All of it is one step of the undo stack. GUI thread.

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
    /// Shows what came; while the maps still read what was shown before, it waits for the next part.
    void add(const app::ContinuationPart& part);
    /// Shows the rest; undo takes back all of it.
    void end(const QString& what);
    [[nodiscard]] bool isGrowing() const { return m_before.has_value(); }
    /// The prompt was changed meanwhile, which ends the growth as it is.
    [[nodiscard]] bool isOvertaken() const { return m_before && m_state.prompt() != m_shown; }
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
