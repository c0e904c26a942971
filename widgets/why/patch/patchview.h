// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Activation patching of one model: a sentence, a map, and the joint effect of selected cells. GUI
// thread.

#include "widgets/why/analysisview.h"
#include "widgets/why/patch/patchedrunview.h"
#include "widgets/why/patch/promptdifference.h"
#include "widgets/why/views/gridview.h"

#include <QTimer>

class QSplitter;

namespace headscope::widgets {

class PatchView : public AnalysisView
{
    Q_OBJECT

public:
    explicit PatchView(QWidget* parent = nullptr);

    /// What a start would take; empty: not known.
    void setCost(const QString& cost);
    [[nodiscard]] QString cost() const;
    /// `pair`: whose runs are compared. `headline`: what the effects say in one line.
    void setPatches(GridData patches, const PromptPair& pair, const QString& sentence, const QString& headline);
    /// Nothing is shown, and this is why.
    void setProblem(const QString& sentence) { setPatches({}, {}, sentence, {}); }
    [[nodiscard]] GridView* grid() const { return m_grid; }
    [[nodiscard]] PatchedRunView* look() const { return m_look; }
    /// Puts the joint effect of selected cells below the map instead of beside it.
    void setUpright(bool upright);
    [[nodiscard]] QString headline() const;
    /// Returns the other prompt, with its differences in brackets.
    [[nodiscard]] QString difference() const;

protected:
    void changeEvent(QEvent* event) override;

Q_SIGNALS:
    /// Cells were clicked or dragged over.
    void cellsChosen();

private:
    void fitLetters();
    void arrange();

    GridView* m_grid;
    PatchedRunView* m_look;
    QSplitter* m_parts; ///< map and look
    QLabel *m_cost, *m_headline;
    PromptDifference* m_difference;
    QTimer m_chosen; ///< ends a drag after a short rest
};

} // namespace headscope::widgets
