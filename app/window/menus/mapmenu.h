// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The context menu of a map, for copying and saving it. GUI thread.

#include "app/backend/values/patternvalues.h"
#include "core/base/side.h"

#include <QObject>

class QMenu;
class QWidget;

namespace headscope::app {
class Door;
}

namespace headscope::gui {

class ExplorerPage;

class MapMenu : public QObject
{
    Q_OBJECT

public:
    MapMenu(ExplorerPage& page, app::Door& door, QWidget* window);
    /// Returns the entries for the map of a side; owned by `parent`.
    [[nodiscard]] QMenu* menuFor(Side side, QWidget* parent);

Q_SIGNALS:
    void figureRequested(headscope::Side side);

private:
    void copyPicture(Side side);
    void copyValues(Side side);
    void save(Side side);
    /// Saves the maps of all heads of a layer, or with -1 of the model, in the current state.
    void saveAll(Side side, int layer);
    /// Returns false for a model that is not open, as in a session from another machine.
    [[nodiscard]] bool canRead(Side side) const;

    void saved(const app::SavedMaps& maps);

    ExplorerPage& m_page;
    app::Door& m_door;
    QWidget* m_window;
};

} // namespace headscope::gui
