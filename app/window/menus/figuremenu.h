// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The menu Figure: figures for papers, patterns kept for later, charts saved. GUI thread.

#include <QObject>

class QMenuBar;

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
    FigureMenu(QMenuBar& bar, ExplorerPage& page, QWidget* window);
    /// Null until the dialog was opened once.
    [[nodiscard]] FigureDesk* desk() const { return m_desk; }

private:
    void openDesk();
    void save(widgets::ThemedChart* chart);

    ExplorerPage& m_page;
    QWidget* m_window;
    FigureDesk* m_desk = nullptr;
};

} // namespace headscope::gui
