// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The weight analyses of both models, one above the other. GUI thread.

#include "widgets/why/bothsides.h"
#include "widgets/why/weightsview.h"

class QPushButton;

namespace headscope::widgets {

class WeightsPage : public QWidget
{
    Q_OBJECT

public:
    explicit WeightsPage(QWidget* parent = nullptr);

    [[nodiscard]] WeightsView* view(Side side) const { return m_both.view(side); }
    void setRunning(bool running);

Q_SIGNALS:
    void weighRequested();
    void stopRequested();
    /// The page became visible: its results may be outdated.
    void shown();

protected:
    void showEvent(QShowEvent* event) override;

private:
    BothSides<WeightsView> m_both;
    QPushButton* m_run;
    bool m_running = false;
};

} // namespace headscope::widgets
