// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The Figure menu: figures for papers, saved patterns, saved charts. GUI thread.

#include "core/base/side.h"

#include <QObject>
#include <QStringList>

#include <optional>

class QMenuBar;

namespace headscope::app {
class SessionDoor;
}

namespace headscope::widgets {
class ThemedChart;
}

namespace headscope::gui {

class ExplorerPage;
class FigureDesk;

class FigureMenu : public QObject
{
    Q_OBJECT

public:
    FigureMenu(QMenuBar& bar, ExplorerPage& page, app::SessionDoor& door, QWidget* window);
    /// Null before the dialog was opened.
    [[nodiscard]] FigureDesk* desk() const { return m_desk; }

    /// Opens the dialog with the map of this side, or with everything on the screen.
    void openDesk(std::optional<Side> map = {});

private:
    /// The figures that show what is seen of the page.
    [[nodiscard]] QStringList onScreen() const;
    void save(widgets::ThemedChart* chart);

    ExplorerPage& m_page;
    app::SessionDoor& m_door;
    QWidget* m_window;
    FigureDesk* m_desk = nullptr;
};

} // namespace headscope::gui
