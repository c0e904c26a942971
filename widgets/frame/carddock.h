// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A dock that looks like a card: the heading of the card moves the dock. GUI thread.

#include <QDockWidget>

class QToolButton;

namespace headscope::widgets {

class CardDock : public QDockWidget
{
    Q_OBJECT

public:
    static constexpr int kBetween = 2; ///< px on either side of what separates docks
    static constexpr int kEdge = 6;    ///< px between a card and the window's edge
    /// `term`: of the glossary, explained beside the heading. `content`: its actions are in the heading's menu.
    CardDock(const QString& title, const QString& term, QWidget* content, QWidget* parent);

    /// In the heading, towards the window's edge; hidden until its side can be folded.
    [[nodiscard]] QToolButton* foldButton() const { return m_fold; }

Q_SIGNALS:
    void foldRequested(); ///< of its side of the window

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    /// Returns the margins of the card within the dock, to the edge of the window and to its neighbours.
    [[nodiscard]] QMargins around() const;
    void fit();

    QWidget* m_title;
    QWidget* m_page;
    QToolButton* m_fold;
};

} // namespace headscope::widgets
