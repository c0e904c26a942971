// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The scoreboard: the cost of the ablated heads on each benchmark, and its significance. GUI thread.

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

/// The sentence and the plot; the table with its copy buttons is details(), shown if there is room for it.
class ScoreboardView : public QWidget
{
    Q_OBJECT

public:
    explicit ScoreboardView(QWidget* parent = nullptr);
    [[nodiscard]] ScoreboardModel* model() const { return m_model; }
    [[nodiscard]] QTableView* table() const { return m_table; }
    [[nodiscard]] CostView* cost() const { return m_cost; }
    /// Returns the table with its copy buttons. Hidden in this widget until it is moved elsewhere.
    [[nodiscard]] QWidget* details() const { return m_details; }

    /// "A with 1 head off"
    void setState(const QString& text);
    /// Sets the sentence on the cost of an ablation; empty: nothing is ablated.
    void setSentence(const QString& text);
    /// "re-scored 1,068 examples in 0.41 s · from layer 2 on"
    void setFootnote(const QString& text);
    /// Sets the number of changed examples of the chosen benchmark; -1: there is nothing to compare.
    void setFlips(int count);
    void setFlipsOpen(bool open);
    /// Returns the height at which this many benchmarks with a track are visible.
    [[nodiscard]] int heightOf(int benchmarks) const;
    QSize sizeHint() const override;

Q_SIGNALS:
    /// The benchmark whose line was chosen.
    void benchmarkChosen(const QString& id);
    /// The benchmark to score first; empty: none.
    void pinRequested(const QString& id);
    void flipsToggled(bool open);
    void tableRequested();
    void keepRunRequested();
    void benchmarksRequested();
    /// Download the real files of this benchmark, of which only sample rows are present.
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
    QPushButton* m_get; ///< created with the details
    QWidget* m_details;
    CostView* m_cost;
    QLabel* m_state;
    QLabel* m_sentence;
    QLabel* m_key;
    ElidedLabel* m_footnote;
    QPushButton* m_flips;
};

} // namespace headscope::widgets
