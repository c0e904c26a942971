// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The menu Figure: figures for papers, patterns kept for later, charts and numbers saved. GUI thread.

#include "core/base/result.h"
#include "core/base/side.h"

#include <QObject>
#include <QStringList>

#include <optional>

class QMenuBar;

namespace headscope::app {
class SessionDoor;
}

namespace headscope::widgets {
class TabledView;
class ThemedChart;
} // namespace headscope::widgets

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
    /// Opens the dialog with a figure of an analysis page.
    void openFigure(const QString& name);

private:
    FigureDesk& made();
    /// Returns the figures of what the page shows.
    [[nodiscard]] QStringList onScreen() const;
    void save(widgets::ThemedChart* chart);
    void saveNumbers(const widgets::TabledView& view);
    void announceSaved(const Result<void>& written, const QString& path);

    ExplorerPage& m_page;
    app::SessionDoor& m_door;
    QWidget* m_window;
    FigureDesk* m_desk = nullptr;
};

} // namespace headscope::gui
