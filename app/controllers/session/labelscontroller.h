// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The user's names and colours of heads: shown on both maps, and stored in the session with the model. GUI thread.

#include "app/backend/session/sessiondoor.h"
#include "app/state/windowstate.h"
#include "sessions/records.h"
#include "widgets/heads/headmappanel.h"

#include <QObject>

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace headscope::gui {

class LabelsController : public QObject
{
    Q_OBJECT

public:
    using Maps = std::array<widgets::HeadMapPanel*, 2>;
    LabelsController(WindowState& state, app::SessionDoor& door, const Maps& maps, QObject* parent);

private:
    /// Changes the labels of some heads of a side's model.
    void label(Side side, const QList<widgets::HeadSpan>& heads,
               std::optional<std::string> sessions::LabelChange::*field, const std::string& value);
    void put(Side side, const std::string& modelHash, const std::vector<sessions::LabelChange>& changes);
    void read(Side side);
    void forget();
    void show(Side side);

    WindowState& m_state;
    app::SessionDoor& m_door;
    Maps m_maps;
    int m_session = 0; ///< a running number: names from another session are not reverted in this one
    std::map<std::string, std::map<std::string, sessions::HeadLabel>> m_labels; ///< by model hash, then by head
};

} // namespace headscope::gui
