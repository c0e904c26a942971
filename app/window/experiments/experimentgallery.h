// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// All experiments at a glance: a card each, on it what every choice of models gave, with a small picture, verdict, age
// and cost. GUI thread.

#include <QScrollArea>

#include <vector>

class QGridLayout;
class QLabel;
class QPushButton;
class QToolButton;

namespace headscope::experiments {
struct Report;
}

namespace headscope::gui {

class ExperimentShelf;

class ExperimentGallery : public QScrollArea
{
    Q_OBJECT

public:
    explicit ExperimentGallery(QWidget* parent = nullptr);

    void setShelf(const ExperimentShelf& shelf);
    /// What was asked for and is not finished, one sentence; empty: nothing. `canGoOn`: it does not run.
    void setWaiting(const QString& sentence, bool canGoOn);
    /// Buttons of the cards, in the shelf's order; of one without a report a single one.
    [[nodiscard]] std::vector<QToolButton*> results() const;
    [[nodiscard]] QString waiting() const;

Q_SIGNALS:
    void chosen(int experiment, int report); ///< report -1: there is none yet
    void allRequested();
    void reportRequested();
    void goOnRequested();
    void forgetRequested();

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    [[nodiscard]] QWidget* card(const ExperimentShelf& shelf, int index);
    [[nodiscard]] QToolButton* result(const experiments::Report& report) const;
    void arrange();
    void redraw();

    QWidget* m_cards;
    QGridLayout* m_grid;
    QLabel* m_waiting;
    QPushButton *m_goOn, *m_forget, *m_report;
    std::vector<QWidget*> m_all; ///< a card each
    int m_columns = 0;
};

} // namespace headscope::gui
