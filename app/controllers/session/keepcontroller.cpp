// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/session/keepcontroller.h"

#include "app/backend/session/keeprequests.h"
#include "app/present/scores/recordpresenters.h"
#include "app/present/text.h"

namespace headscope::gui {

void KeepController::keep()
{
    if (!m_door.facts())
        return m_state.notify({.text = tr("No session is open; create one with File > New session.")});
    m_door.write<void>(
        this, app::keepShown(shownRecords(m_state)), [this, path = m_door.facts()->path](const Result<void>& kept) {
            if (!kept.has_value())
                return m_state.showError(kept.error());
            m_state.notify({.text = tr("Stored the maps on the screen in %1.").arg(text(path.string()))});
        });
}

} // namespace headscope::gui
