// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The edges into and out of a part of one model: a sentence, the circuit as a graph, the edges as a table, and the
// numbers of the selected edge. GUI thread.

#include "core/base/side.h"
#include "widgets/why/analysisview.h"
#include "widgets/why/edges/edgegraph.h"
#include "widgets/why/views/tabledview.h"

class QLineEdit;
class QToolButton;

namespace headscope::widgets {

class EdgeView : public AnalysisView
{
    Q_OBJECT

public:
    explicit EdgeView(Side side, QWidget* parent = nullptr);

    /// What a start would take; empty: not known.
    void setCost(const QString& cost);
    [[nodiscard]] QString cost() const;
    /// Returns the part in question as typed: "L2H5", "L1.mlp", "embed", "logits".
    [[nodiscard]] QString part() const;
    void setPart(const QString& name);
    void setEdges(EdgeData edges, const QString& sentence);
    /// Clears the view and shows the reason.
    void setProblem(const QString& sentence) { setEdges({}, sentence); }
    void select(int edge);

    [[nodiscard]] EdgeGraph* graph() const { return m_graph; }
    [[nodiscard]] NumberTable* table() const { return m_parts->table(); }
    /// The table is below the graph instead of beside it.
    void setUpright(bool upright);
    /// The other prompt, with what it has in other words in brackets.
    [[nodiscard]] QString difference() const;
    /// Returns the numbers of the selected edge; empty: none.
    [[nodiscard]] QString chosen() const;

Q_SIGNALS:
    void partEntered();
    void partChanged();
    /// A part of the graph was double-clicked.
    void partChosen(const QString& name);
    void saveRequested();

private:
    void makeTop();

    EdgeGraph* m_graph;
    TabledView* m_parts; ///< graph and table
    PromptDifference* m_difference;
    QLabel *m_cost, *m_chosen;
    QLineEdit* m_part;
    QToolButton* m_save;
};

} // namespace headscope::widgets
