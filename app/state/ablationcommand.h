// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One step of the undo stack: the ablation set of one model before and after. GUI thread.

#include "app/state/windowstate.h"

#include <QUndoCommand>

namespace headscope::gui {

class AblationCommand : public QUndoCommand
{
public:
    AblationCommand(WindowState& state, Side side, interventions::InterventionSet after, const QString& what);
    void undo() override;
    void redo() override;

private:
    WindowState& m_state;
    Side m_side;
    std::string m_model; ///< hash; on another model the step has no effect
    interventions::InterventionSet m_before, m_after;
};

} // namespace headscope::gui
