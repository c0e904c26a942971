// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Folds the docks at the sides of the window to rails while an analysis has the place of the maps, and unfolds them as
// they were. Sides unfolded by the user stay unfolded. GUI thread.

#include <QHash>
#include <QList>
#include <QObject>
#include <QSize>

class QDockWidget;
class QMainWindow;

namespace headscope::widgets {
class CardDock;
class Rail;
} // namespace headscope::widgets

namespace headscope::gui {

class SideRails : public QObject
{
    Q_OBJECT

public:
    /// The rails are beside the window's central widget.
    SideRails(QMainWindow& window, const QList<widgets::CardDock*>& docks);

    /// Whether an analysis is shown.
    void setAnalysing(bool on);
    /// Folds the sides that the person has not unfolded; nothing beside the maps.
    void fold();
    /// Unfolds both sides before changes to all docks; call fold() afterwards.
    void unfold();
    /// Unfolds the side of the dock that holds this widget.
    void reveal(const QWidget* widget);
    [[nodiscard]] bool isFolded(QDockWidget* dock) const { return m_folded.contains(dock); }
    /// Returns its size; if folded, its size before folding.
    [[nodiscard]] QSize sizeOf(QDockWidget* dock) const;
    /// The sides that the person keeps unfolded.
    [[nodiscard]] Qt::DockWidgetAreas open() const { return m_open; }
    void setOpen(Qt::DockWidgetAreas open);

Q_SIGNALS:
    void unfolded();
    void changed(); ///< by the person

private:
    struct Before {
        QSize size;
        bool inFront = false; ///< of those that share its place
    };
    void makeRails();
    void setSide(QDockWidget* dock, bool open);
    void foldSide(Qt::DockWidgetArea side);
    void unfoldSide(Qt::DockWidgetArea side);
    [[nodiscard]] bool canFold(QDockWidget* dock) const;
    void showButtons();

    QMainWindow& m_window;
    QList<widgets::CardDock*> m_docks;
    QHash<Qt::DockWidgetArea, widgets::Rail*> m_rails;
    QHash<QDockWidget*, Before> m_folded;
    Qt::DockWidgetAreas m_open;
    bool m_analysing = false;
};

} // namespace headscope::gui
