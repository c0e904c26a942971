// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// An overview of all experiments: one card each, with the result of every choice of models as a small picture, verdict,
// age and cost. GUI thread.

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
    /// Shows one sentence on requested runs that are not finished; empty: none. `canGoOn`: they are not running.
    void setWaiting(const QString& sentence, bool canGoOn);
    /// Returns the buttons of the cards, in the shelf's order; a card without a report has a single one.
    [[nodiscard]] std::vector<QToolButton*> results() const;
    [[nodiscard]] QString waiting() const;

Q_SIGNALS:
    void chosen(int experiment, int report); ///< report -1: there is none yet
    void allRequested();
    void reportRequested();
    void resumeRequested();
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
    std::vector<QWidget*> m_all; ///< one card each
    int m_columns = 0;
};

} // namespace headscope::gui
