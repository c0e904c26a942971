// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The experts above their columns: name, how many tokens each takes as a number and a bar, a cross where it is ablated.
// Labels that find no room are left out, every second, fourth ... stays. GUI thread.

#include "core/base/side.h"

#include <QHeaderView>

namespace headscope::widgets {

class ExpertHeader : public QHeaderView
{
    Q_OBJECT

public:
    explicit ExpertHeader(Side side, QWidget* parent = nullptr);
    [[nodiscard]] QSize sizeHint() const override;
    /// What the first section needs where it is the shared expert's; 0: it is none.
    [[nodiscard]] int sharedWidth() const;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void paintExpert(QPainter& painter, int section, const QRect& place, bool labelled) const;
    [[nodiscard]] int sharedSections() const;
    [[nodiscard]] int labelStride(int first, int rows) const;

    Side m_side;
};

} // namespace headscope::widgets
