// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Activation patching of one model: a sentence, a map, and the joint effect of selected cells. GUI
// thread.

#include "widgets/why/patch/patchlookview.h"
#include "widgets/why/patch/patchmodel.h"

#include <QTimer>
#include <QWidget>

class QLabel;
class QSplitter;
class QTableView;

namespace headscope::widgets {

class PatchView : public QWidget
{
    Q_OBJECT

public:
    explicit PatchView(QWidget* parent = nullptr);

    void setTitle(const QString& title);
    /// Sets the cost of a run; empty: unknown.
    void setCost(const QString& cost);
    [[nodiscard]] QString cost() const;
    /// Sets the map. `headline`: the result in one line.
    void setPatches(PatchData patches, const QString& sentence, const QString& headline = {});
    /// Clears the view and shows the reason.
    void setProblem(const QString& sentence) { setPatches({}, sentence); }
    [[nodiscard]] PatchModel* model() const { return m_model; }
    [[nodiscard]] QTableView* table() const { return m_table; }
    [[nodiscard]] PatchLookView* look() const { return m_look; }
    /// Puts the joint effect of selected cells below the map instead of beside it.
    void setUpright(bool upright);
    [[nodiscard]] QString sentence() const;
    [[nodiscard]] QString headline() const;
    /// Returns the other prompt, with its differences in brackets.
    [[nodiscard]] QString difference() const;
    /// Returns the selected cells as row and column.
    [[nodiscard]] QList<std::pair<int, int>> chosen() const;

protected:
    void changeEvent(QEvent* event) override;

Q_SIGNALS:
    /// Cells were clicked or dragged over.
    void cellsChosen();
    /// "L2H5": a head was double-clicked.
    void headChosen(const QString& name);

private:
    void fitLetters();
    void arrange();
    void fitRows();

    PatchModel* m_model;
    QTableView* m_table;
    PatchLookView* m_look;
    QSplitter* m_parts; ///< map and joint effect
    QLabel *m_title, *m_cost, *m_headline, *m_sentence;
    PromptDifference* m_difference;
    QTimer m_chosen; ///< ends a drag after a short rest
};

} // namespace headscope::widgets
