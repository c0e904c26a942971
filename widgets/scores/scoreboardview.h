// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The scoreboard: what the ablated heads cost, on which benchmark, and whether it is more than chance. GUI thread.

#include "widgets/scores/scoreboardmodel.h"

#include <QStyledItemDelegate>
#include <QWidget>

class QAbstractItemView;
class QLabel;
class QPushButton;
class QSortFilterProxyModel;
class QTableView;

namespace headscope::widgets {

class CostView;
class ElidedLabel;

/// Red for drops, green for unchanged, grey for stale numbers, a thin bar under `now` while scores stream in.
class ScoreDelegate : public QStyledItemDelegate
{
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

/// The sentence and the plot; the table with its copies is details(), which is shown where there is room for it.
class ScoreboardView : public QWidget
{
    Q_OBJECT

public:
    explicit ScoreboardView(QWidget* parent = nullptr);
    [[nodiscard]] ScoreboardModel* model() const { return m_model; }
    [[nodiscard]] QTableView* table() const { return m_table; }
    [[nodiscard]] CostView* cost() const { return m_cost; }
    /// The table, with what is copied from it. Hidden inside until it is put elsewhere.
    [[nodiscard]] QWidget* details() const { return m_details; }

    /// "A with 1 head off"
    void setState(const QString& text);
    /// What an ablation cost, in a sentence; empty: nothing is ablated.
    void setSentence(const QString& text);
    /// "re-scored 1,068 examples in 0.41 s · from layer 2 on"
    void setFootnote(const QString& text);
    /// Number of examples of the chosen benchmark that flipped; -1: there is nothing to compare.
    void setFlips(int count);
    void setFlipsOpen(bool open);
    /// Returns the height at which this many benchmarks with a track are visible.
    [[nodiscard]] int heightOf(int benchmarks) const;
    QSize sizeHint() const override;

Q_SIGNALS:
    /// The benchmark whose line was chosen.
    void benchmarkChosen(const QString& id);
    /// To be scored first; empty: none.
    void pinRequested(const QString& id);
    void flipsToggled(bool open);
    void tableRequested();
    void keepRunRequested();
    void benchmarksRequested();
    /// The real files of this benchmark, of which only sample rows are here.
    void filesRequested(const QString& id);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void makeTable();
    [[nodiscard]] QWidget* makeDetails();
    void makePlot();
    void copySelection();
    void openMenu(QAbstractItemView* view, const QPoint& at);
    void refreshGet();
    void refreshKey();
    void requestFiles();
    void restyle();

    ScoreboardModel* m_model;
    QSortFilterProxyModel* m_sorted;
    QTableView* m_table;
    QPushButton* m_get; ///< made with the details
    QWidget* m_details;
    CostView* m_cost;
    QLabel* m_state;
    QLabel* m_sentence;
    QLabel* m_key;
    ElidedLabel* m_footnote;
    QPushButton* m_flips;
};

} // namespace headscope::widgets
