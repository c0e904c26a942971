// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The attribution of attention scores for the shown heads of both models, one above the other. GUI thread.

#include "widgets/why/bothsides.h"
#include "widgets/why/parts/scorepartsview.h"

namespace headscope::widgets {

class ScorePartsPage : public QWidget
{
    Q_OBJECT

public:
    explicit ScorePartsPage(QWidget* parent = nullptr);

    [[nodiscard]] ScorePartsView* view(Side side) const { return m_both.view(side); }

Q_SIGNALS:
    /// The page became visible: its results may be outdated.
    void shown();

protected:
    void showEvent(QShowEvent* event) override;

private:
    BothSides<ScorePartsView> m_both;
};

} // namespace headscope::widgets
