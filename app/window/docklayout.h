// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The docks of the window and where they are: hidden beside the welcome page, as they were left, or as they first
// stood. GUI thread.

#include <QByteArray>
#include <QList>
#include <QObject>
#include <QTimer>

class QDockWidget;
class QJsonObject;
class QMainWindow;
class QMenu;

namespace headscope::gui {

class ExplorerPage;

class DockLayout : public QObject
{
    Q_OBJECT

public:
    DockLayout(QMainWindow& window, ExplorerPage& page);

    /// The explorer is shown: its docks come back as they were left.
    void showAll();
    /// The welcome page is shown.
    void hideAll();
    void reset();
    void showCharts();
    /// While a tour is open its band is shown.
    void setTouring(bool on);
    /// Entries that show and hide the docks.
    void addTo(QMenu& menu);
    /// Where the docks are is remembered from day to day.
    void remember();

    /// What a session keeps: plain numbers by the names of the docks. Empty while the docks are hidden.
    [[nodiscard]] QByteArray arrangement() const;
    /// Arranges the docks so, at once or as soon as they are shown. Every number is held to its bounds.
    void arrange(const QByteArray& arrangement);

Q_SIGNALS:
    /// A while after the last change, so that dragging a dock is one.
    void changed();

private:
    /// `term`: what the glossary says beside the title; empty: nothing.
    QDockWidget* make(const QString& title, const QString& term, const char* name, QWidget* content,
                      Qt::DockWidgetArea area);
    void makeDocks();
    void makeTour();
    void showTour();
    void hideTour();
    void watch();
    void firstSizes();
    /// Pixels that the words in a dock's column need.
    [[nodiscard]] int columnWidth(QDockWidget* dock) const;
    void firstPlaces();
    [[nodiscard]] int aroundScores() const;
    void makeRoomForLetters();
    bool eventFilter(QObject* watched, QEvent* event) override;
    void arrangeWanted();
    void place(QDockWidget* dock, const QJsonObject& wanted);

    QMainWindow& m_window;
    ExplorerPage& m_page;
    QDockWidget* m_heads = nullptr;
    QDockWidget* m_runs = nullptr;
    QDockWidget* m_charts = nullptr;
    QDockWidget* m_scores = nullptr;
    QDockWidget* m_tour = nullptr;
    QList<QDockWidget*> m_docks; ///< all but the tour's band
    bool m_shown = false;
    bool m_touring = false;
    QList<int> m_heights;   ///< of m_docks without the tour; empty: it is not shown
    QByteArray m_first;     ///< the state when the docks were first shown
    QByteArray m_left;      ///< the state while the welcome page is shown
    QByteArray m_leftDocks; ///< the same as sizes, of the window as it was
    QByteArray m_wanted;    ///< of the session, until the docks are shown
    QTimer m_pause;
};

} // namespace headscope::gui
