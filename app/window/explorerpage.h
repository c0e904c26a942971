// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the window explores models with: every widget, made and named once, and what fills them. The patterns are this
// widget; the others are put into the frame by whoever owns it. GUI thread.

#include "app/gui/parts.h"

#include <QSplitter>

class QTabWidget;

namespace headscope::gui {

class BackendClient;
class Explorer;
class WindowState;

class ExplorerPage : public QSplitter
{
    Q_OBJECT

public:
    ExplorerPage(BackendClient& client, WindowState& state, QWidget* parent = nullptr);

    [[nodiscard]] const Parts& parts() const { return m_parts; }
    [[nodiscard]] Explorer* explorer() const { return m_explorer; }

    /// Both head maps, one above the other.
    [[nodiscard]] QSplitter* maps() const { return m_maps; }
    /// The scores and, below them, the answers that changed.
    [[nodiscard]] QSplitter* board() const { return m_board; }
    [[nodiscard]] QTabWidget* charts() const { return m_charts; }

private:
    void makeCentre();
    void makeMaps();
    void makeBoard();
    void makeCharts();
    void explainParts();

    Parts m_parts;
    QSplitter* m_maps = nullptr;
    QSplitter* m_board = nullptr;
    QTabWidget* m_charts = nullptr;
    Explorer* m_explorer = nullptr;
};

} // namespace headscope::gui
