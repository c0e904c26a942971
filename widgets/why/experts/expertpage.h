// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which experts the tokens of a prompt go to in both models, of a layer that is chosen for both. GUI thread.

#include "widgets/why/analysispage.h"
#include "widgets/why/analysisview.h"
#include "widgets/why/views/gridview.h"

class QComboBox;
class QToolButton;

namespace headscope::widgets {

enum class ExpertOrder {
    Number,
    Tokens ///< that take the most come first; with nothing ablated, so that no ablation moves a column
};

/// The experts of one model.
class ExpertView : public AnalysisView
{
    Q_OBJECT

public:
    explicit ExpertView(QWidget* parent = nullptr);

    void setExperts(GridData experts, const QString& sentence);
    /// Nothing is shown, and this is why.
    void setProblem(const QString& sentence) { setExperts({}, sentence); }
    [[nodiscard]] GridView* grid() const { return m_grid; }

Q_SIGNALS:
    /// An expert was clicked.
    void switchRequested(int expert, bool off);
    void saveRequested();

private:
    void toggle(int column);

    GridView* m_grid;
    QToolButton* m_save;
};

class ExpertPage : public SidesPage<ExpertView>
{
    Q_OBJECT

public:
    explicit ExpertPage(QWidget* parent = nullptr);

    void setShown(Side side, bool shown) { view(side)->setVisible(shown); }
    /// Sets the available layers; the current one is kept if it is among them.
    void setLayers(const QList<int>& layers);
    /// Returns the chosen layer; -1: there is none.
    [[nodiscard]] int layer() const;
    void setLayer(int layer);
    [[nodiscard]] ExpertOrder order() const;
    void setOrder(ExpertOrder order);

Q_SIGNALS:
    /// Another layer, or another order.
    void choiceChanged();

private:
    QComboBox *m_layer, *m_order;
};

} // namespace headscope::widgets
