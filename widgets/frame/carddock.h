// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A dock that looks like a card: its heading is the card's, and drags it. GUI thread.

#include <QDockWidget>

namespace headscope::widgets {

class CardDock : public QDockWidget
{
    Q_OBJECT

public:
    static constexpr int kBetween = 2; ///< px on either side of what separates docks
    /// `term`: of the glossary, explained beside the heading. `content`: its actions are in the heading's menu.
    CardDock(const QString& title, const QString& term, QWidget* content, QWidget* parent);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    /// The card's room within the dock: off the window's edge, and off its neighbours.
    [[nodiscard]] QMargins around() const;
    void fit();

    QWidget* m_title;
    QWidget* m_page;
};

} // namespace headscope::widgets
