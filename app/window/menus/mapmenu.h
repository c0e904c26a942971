// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What is taken away from a map: a right click on it. GUI thread.

#include "core/base/side.h"

#include <QObject>

class QMenu;
class QWidget;

namespace headscope::gui {

class ExplorerPage;

class MapMenu : public QObject
{
    Q_OBJECT

public:
    MapMenu(ExplorerPage& page, QWidget* window);
    /// The entries for the map of a side; owned by `parent`.
    [[nodiscard]] QMenu* menuFor(Side side, QWidget* parent);

Q_SIGNALS:
    void figureRequested();

private:
    void copyPicture(Side side);
    void copyValues(Side side);
    void save(Side side);

    ExplorerPage& m_page;
    QWidget* m_window;
};

} // namespace headscope::gui
