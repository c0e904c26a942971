// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the window explores models with: every widget, made and named once, and what fills them. The patterns are this
// widget, or the scores in detail in their place; the others are put into the frame by their owner. GUI thread.

#include "app/window/windowparts.h"

#include <QStackedWidget>

class QTabWidget;

namespace headscope::app {
class Door;
class SessionDoor;
} // namespace headscope::app

namespace headscope::gui {

class Explorer;
class WindowState;

class ExplorerPage : public QStackedWidget
{
    Q_OBJECT

public:
    ExplorerPage(app::Door& worker, app::SessionDoor& door, WindowState& state, QWidget* parent = nullptr);

    [[nodiscard]] const Parts& parts() const { return m_parts; }
    [[nodiscard]] Explorer* explorer() const { return m_explorer; }

    /// Both head maps, one above the other.
    [[nodiscard]] QWidget* maps() const { return m_maps; }
    [[nodiscard]] QTabWidget* charts() const { return m_charts; }
    /// The table of scores and the answers that changed, in the place of the maps.
    void showDetails();
    void showPatterns();
    /// Layers and parts of the answers, in the place of the maps.
    void showWhy() { showWhy(m_parts.why->layers()); }
    /// One of their pages: patching, edges, weights ...
    void showWhy(QWidget* page);
    /// Which experts of this layer tokens go to.
    void showExperts(int layer);
    /// Every head on many texts, in the place of the maps.
    void showSurvey() { setCurrentWidget(m_parts.survey); }

protected:
    void resizeEvent(QResizeEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void makeCentre();
    void makeMaps();
    void makeDetails();
    void makeCharts();
    void explainParts();
    /// What the models write on lies over the lower end of this page, and pushes nothing away.
    void placeContinuation();

    Parts m_parts;
    QWidget* m_maps = nullptr;
    QWidget* m_details = nullptr;
    QTabWidget* m_charts = nullptr;
    Explorer* m_explorer = nullptr;
};

} // namespace headscope::gui
