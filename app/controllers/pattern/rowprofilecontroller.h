// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One row of each map as bars over its tokens: the locked one, otherwise the last. GUI thread.

#include "app/backend/door.h"
#include "app/state/windowstate.h"
#include "widgets/pattern/card/patternpage.h"

#include <QObject>

#include <array>

namespace headscope::gui {

class PatternLinks;

class RowProfileController : public QObject
{
    Q_OBJECT

public:
    RowProfileController(WindowState& state, app::Door& door, widgets::PatternPage& page, PatternLinks& links,
                         QObject* parent);

private:
    void show(Side side);
    void mark(Side side, int token, int partner);
    void pointAt(Side side, int token);

    WindowState& m_state;
    app::Door& m_door;
    widgets::PatternPage& m_page;
    std::array<std::shared_ptr<const app::PatternRows>, 2> m_exact; ///< the exact row of a pooled map
};

} // namespace headscope::gui
