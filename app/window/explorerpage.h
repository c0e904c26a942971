// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The widgets for exploring models, each created and named once, and the explorer that fills them. This widget shows
// the patterns, or the detailed scores in their place; the others are placed in the frame by their owner. GUI thread.

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

    /// Returns both head maps, one above the other.
    [[nodiscard]] QWidget* maps() const { return m_maps; }
    [[nodiscard]] QTabWidget* charts() const { return m_charts; }
    /// Shows the table of scores and the changed answers, in place of the maps.
    void showDetails();
    void showPatterns();
    /// Shows layers and parts of the answers, in place of the maps.
    void showWhy() { showWhy(m_parts.why->layers()); }
    /// Shows one of their pages: patching, edges, weights ...
    void showWhy(QWidget* page);
    /// Shows the experts of this layer that tokens are routed to.
    void showExperts(int layer);
    /// Shows the survey of every head over many texts, in place of the maps.
    void showSurvey() { setCurrentWidget(m_parts.survey); }
    /// Whether such an analysis is in the place of the maps.
    [[nodiscard]] bool showsAnalysis() const
    {
        return currentWidget() == m_parts.why || currentWidget() == m_parts.survey;
    }

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
    /// What the models write lies over the right end of this page, and pushes nothing away: below the headings of the
    /// maps, where they are mostly empty, or at the lower end of another page.
    void placeContinuation();

    Parts m_parts;
    QWidget* m_maps = nullptr;
    QWidget* m_details = nullptr;
    QTabWidget* m_charts = nullptr;
    Explorer* m_explorer = nullptr;
};

} // namespace headscope::gui
