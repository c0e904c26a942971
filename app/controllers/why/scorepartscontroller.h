// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The attribution of the shown head's attention score: for the cell chosen by the user, otherwise for the strongest in
// the shown row; measured while the page is visible. GUI thread.

#include "app/backend/door.h"
#include "app/backend/values/scoreparts.h"
#include "app/state/windowstate.h"
#include "widgets/pattern/card/patternpage.h"
#include "widgets/why/parts/scorepartsview.h"

#include <QObject>

#include <array>
#include <optional>

namespace headscope::gui {

class ScorePartsController : public QObject
{
    Q_OBJECT

public:
    ScorePartsController(WindowState& state, app::Door& door, widgets::PatternPage& patterns,
                         widgets::ScorePartsPage& page, QObject* parent);

Q_SIGNALS:
    /// The user asked about a cell: the page should be shown.
    void pageWanted();

private:
    /// A query and a key.
    using Place = std::pair<int, int>;
    [[nodiscard]] std::optional<Place> strongest(Side side) const;
    void refresh(Side side);
    void show(Side side, const std::shared_ptr<const app::ScorePartsReply>& reply);

    WindowState& m_state;
    app::Door& m_door;
    widgets::PatternPage& m_patterns;
    widgets::ScorePartsPage& m_page;
    std::array<std::optional<Place>, 2> m_asked; ///< by a click; nothing: the strongest
};

} // namespace headscope::gui
