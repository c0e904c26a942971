// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which experts tokens go to in both models, of a layer that is chosen for both. GUI thread.

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
    /// Layers that can be chosen; the chosen one stays where it is among them.
    void setLayers(const QList<int>& layers);
    /// -1: there is none.
    [[nodiscard]] int layer() const;
    void setLayer(int layer);
    [[nodiscard]] QComboBox* order() const { return m_order; }

Q_SIGNALS:
    void layerChanged();
    /// The page came into view: it may be out of date.
    void shown();

protected:
    void showEvent(QShowEvent* event) override;

private:
    QComboBox *m_layer, *m_order;
    std::array<ExpertView*, 2> m_both{};
};

} // namespace headscope::widgets
