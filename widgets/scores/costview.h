// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The cost of an ablation, one benchmark below the other: change, confidence interval and a tick for the chance level.
// GUI thread.

#include "widgets/look/fade.h"
#include "widgets/scores/scoreboardmodel.h"

#include <QHash>
#include <QListView>
#include <QStyledItemDelegate>

namespace headscope::widgets {

/// Paints name and difference, a track from 0 to 1 with an open dot for the baseline and a full one for the current
/// score, and the test in words. Worse is red, better green, undecided grey.
class CostDelegate : public QStyledItemDelegate
{
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    /// Returns the height of a benchmark with a track.
    [[nodiscard]] static int lineHeight(const QFont& font);
};

/// Returns "250 of 256 now wrong · p = 1e-75", "no change seen (n = 11)", "about 0.93 from 64 of 256".
[[nodiscard]] QString costWords(const ScoreboardRow& row);

class CostView : public QListView
{
    Q_OBJECT

public:
    CostView(ScoreboardModel* model, QWidget* parent = nullptr);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    /// Returns the position of the full dot of a benchmark: between old and new score while it moves after a change.
    [[nodiscard]] double dotOf(const ScoreboardRow& row) const;

Q_SIGNALS:
    void benchmarkChosen(const QString& id);

protected:
    void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void share();

    QHash<QString, double> m_from; ///< the previous positions of the dots
    Fade m_fade;
};

} // namespace headscope::widgets
