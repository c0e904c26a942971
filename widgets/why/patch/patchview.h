// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What one model makes of one prompt with parts of another's run put in: a sentence, a map, and what becomes of chosen
// cells together. GUI thread.

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
    /// What a start would take; empty: not known.
    void setCost(const QString& cost);
    [[nodiscard]] QString cost() const;
    /// `headline`: what they say in one line.
    void setPatches(PatchData patches, const QString& sentence, const QString& headline = {});
    /// Nothing is shown, and this is why.
    void setProblem(const QString& sentence) { setPatches({}, sentence); }
    [[nodiscard]] PatchModel* model() const { return m_model; }
    [[nodiscard]] QTableView* table() const { return m_table; }
    [[nodiscard]] PatchLookView* look() const { return m_look; }
    /// What becomes of chosen cells is below the map instead of beside it.
    void setUpright(bool upright);
    [[nodiscard]] QString sentence() const;
    [[nodiscard]] QString headline() const;
    /// The other prompt, with what it has in other words in brackets.
    [[nodiscard]] QString difference() const;
    /// Cells that are chosen, as row and column.
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

    PatchModel* m_model;
    QTableView* m_table;
    PatchLookView* m_look;
    QSplitter* m_parts; ///< map and look
    QLabel *m_title, *m_cost, *m_headline, *m_sentence;
    PromptDifference* m_difference;
    QTimer m_chosen; ///< a drag is over when it has rested
};

} // namespace headscope::widgets
