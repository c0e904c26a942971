// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The weight analyses of one model, which need no text: heads that copy, heads that compose with the shown head, and
// the tokens of its singular directions. GUI thread.

#include "widgets/why/analysispage.h"
#include "widgets/why/analysisview.h"
#include "widgets/why/views/gridsview.h"
#include "widgets/why/views/tabledview.h"

namespace headscope::widgets {

/// Pictures of layers and heads, and the tables of the same numbers.
struct WeightsData {
    GridData copying;
    QStringList parts;              ///< "through q": titles of `composed`
    std::vector<GridData> composed; ///< with the head that is shown, by what the receiver reads through
    Numbers copies;                 ///< head, score
    Numbers pairs;                  ///< sender, receiver, through, score, above random
    Numbers directions;             ///< matrix, singular value, reads, writes
};

class WeightsView : public AnalysisView
{
    Q_OBJECT

public:
    explicit WeightsView(QWidget* parent = nullptr);

    void setWeights(WeightsData weights, const QString& sentence);
    /// Clears the view and shows the reason.
    void setProblem(const QString& sentence) { setWeights({}, sentence); }
    [[nodiscard]] TabledView* copying() const { return m_copies; }
    [[nodiscard]] TabledView* composed() const { return m_pairs; }
    [[nodiscard]] NumberTable* directions() const { return m_directions; }

Q_SIGNALS:
    /// "L2H5": its row was double-clicked.
    void headChosen(const QString& name);
    /// A cell of a picture was.
    void cellChosen(int row, int column);

private:
    GridView* m_copying;
    GridsView* m_composed;
    TabledView *m_copies, *m_pairs;
    NumberTable* m_directions;
};

using WeightsPage = SidesPage<WeightsView>;

} // namespace headscope::widgets
