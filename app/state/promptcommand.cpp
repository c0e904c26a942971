// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/state/promptcommand.h"

#include <utility>

namespace headscope::gui {

PromptCommand::PromptCommand(WindowState& state, app::Prompt before, app::Prompt after, const QString& what, bool typed)
    : QUndoCommand(what), m_state(state), m_before(std::move(before)), m_after(std::move(after)), m_typed(typed)
{
}

void PromptCommand::undo()
{
    m_state.setPrompt(m_before);
}

void PromptCommand::redo()
{
    m_state.setPrompt(m_after);
}

int PromptCommand::id() const
{
    return m_typed ? 1 : -1;
}

bool PromptCommand::mergeWith(const QUndoCommand* next)
{
    m_after = static_cast<const PromptCommand*>(next)->m_after; // only a typed one has this id
    return true;
}

} // namespace headscope::gui
