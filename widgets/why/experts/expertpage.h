// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Expert routing of both models in one layer, chosen for both. GUI thread.

#include "widgets/why/bothsides.h"
#include "widgets/why/experts/expertview.h"

class QComboBox;

namespace headscope::widgets {

class ExpertPage : public QWidget
{
    Q_OBJECT

public:
    explicit ExpertPage(QWidget* parent = nullptr);

    [[nodiscard]] ExpertView* view(Side side) const { return m_both[indexOf(side)]; }
    void setShown(Side side, bool shown) { view(side)->setVisible(shown); }
    /// Sets the available layers; the current one is kept if it is among them.
    void setLayers(const QList<int>& layers);
    /// Returns the chosen layer; -1: there is none.
    [[nodiscard]] int layer() const;
    void setLayer(int layer);
    [[nodiscard]] QComboBox* order() const { return m_order; }

Q_SIGNALS:
    void layerChanged();
    /// The page became visible: its results may be outdated.
    void shown();

protected:
    void showEvent(QShowEvent* event) override;

private:
    QComboBox *m_layer, *m_order;
    std::array<ExpertView*, 2> m_both{};
};

} // namespace headscope::widgets
