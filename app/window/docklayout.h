// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The docks of the window and their arrangement: hidden beside the welcome page, as left by the user, or in the default
// arrangement. GUI thread.

#include <QByteArray>
#include <QList>
#include <QObject>
#include <QTimer>

class QDockWidget;
class QJsonObject;
class QMainWindow;
class QMenu;

namespace headscope::widgets {
class CardDock;
}

namespace headscope::gui {

class ExplorerPage;
class SideRails;

class DockLayout : public QObject
{
    Q_OBJECT

public:
    DockLayout(QMainWindow& window, ExplorerPage& page);

    /// Shows the docks as they were left, for the explorer.
    void showAll();
    /// Hides the docks, for the welcome page.
    void hideAll();
    void reset();
    void showCharts();
    /// Shows the band of a tour while one is open.
    void setTouring(bool on);
    /// Unfolds the side that this widget is at, where it is folded.
    void reveal(const QWidget* widget);
    /// Entries that show and hide the docks.
    void addTo(QMenu& menu);
    /// Remembers the arrangement across starts.
    void remember();
    /// Ends a drag of a dock or a separator where the mouse is. Qt 6.4 crashes if docks are rearranged or deleted
    /// during a drag, or while the mouse is over a separator that this removes. Called before each of these.
    void letGo();

    /// Returns the arrangement for a session: plain numbers by dock name. Empty while the docks are hidden.
    [[nodiscard]] QByteArray arrangement() const;
    /// Restores an arrangement, at once or when the docks are shown. Every number is limited to its valid range.
    void arrange(const QByteArray& arrangement);

Q_SIGNALS:
    /// Emitted a moment after the last change, so that dragging a dock counts as one.
    void changed();

private:
    /// `term`: what the glossary says beside the title; empty: nothing.
    widgets::CardDock* make(const QString& title, const QString& term, const char* name, QWidget* content,
                            Qt::DockWidgetArea area);
    void makeDocks();
    void makeTour();
    void showTour();
    void hideTour();
    void watch();
    void firstSizes();
    /// Returns the width in pixels that the texts in a dock's column need.
    [[nodiscard]] int columnWidth(QDockWidget* dock) const;
    void firstPlaces();
    [[nodiscard]] int aroundScores() const;
    void makeRoomForLetters();
    bool eventFilter(QObject* watched, QEvent* event) override;
    void arrangeWanted();
    void place(QDockWidget* dock, const QJsonObject& wanted);

    QMainWindow& m_window;
    ExplorerPage& m_page;
    widgets::CardDock* m_heads = nullptr;
    widgets::CardDock* m_runs = nullptr;
    widgets::CardDock* m_charts = nullptr;
    widgets::CardDock* m_scores = nullptr;
    QDockWidget* m_tour = nullptr;
    QList<QDockWidget*> m_docks; ///< all but the tour's band
    SideRails* m_rails = nullptr;
    bool m_shown = false;
    bool m_touring = false;
    QList<int> m_heights;   ///< of m_docks without the tour; empty: it is not shown
    QByteArray m_first;     ///< the state when the docks were first shown
    QByteArray m_left;      ///< the state while the welcome page is shown
    QByteArray m_leftDocks; ///< the same as sizes, for the window size at that time
    QByteArray m_wanted;    ///< from the session, until the docks are shown
    QTimer m_pause;
};

} // namespace headscope::gui
