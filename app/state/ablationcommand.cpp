// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/state/ablationcommand.h"

namespace headscope::gui {

AblationCommand::AblationCommand(WindowState& state, Side side, interventions::InterventionSet after,
                                 const QString& what)
    : QUndoCommand(what), m_state(state), m_side(side), m_model(state.side(side).model->hash),
      m_before(state.side(side).ablation), m_after(std::move(after))
{
}

void AblationCommand::undo()
{
    if (m_state.hasModel(m_side) && m_state.side(m_side).model->hash == m_model)
        m_state.setAblation(m_side, m_before);
}

void AblationCommand::redo()
{
    if (m_state.hasModel(m_side) && m_state.side(m_side).model->hash == m_model)
        m_state.setAblation(m_side, m_after);
}

} // namespace headscope::gui
