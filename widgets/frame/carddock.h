// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A dock that looks like a card: the heading of the card moves the dock. GUI thread.

#include <QDockWidget>

namespace headscope::widgets {

class CardDock : public QDockWidget
{
    Q_OBJECT

public:
    static constexpr int kBetween = 2; ///< px on either side of the separator between docks
    /// `term`: glossary term explained beside the heading. `content`: its actions are in the menu of the heading.
    CardDock(const QString& title, const QString& term, QWidget* content, QWidget* parent);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    /// Returns the margins of the card within the dock, to the edge of the window and to its neighbours.
    [[nodiscard]] QMargins around() const;
    void fit();

    QWidget* m_title;
    QWidget* m_page;
};

} // namespace headscope::widgets
