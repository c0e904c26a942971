// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The experts above their columns: name, number of tokens as a number and a bar, a cross if ablated. If labels do not
// fit, only every second, fourth ... is shown. GUI thread.

#include "core/base/side.h"

#include <QHeaderView>

namespace headscope::widgets {

class ExpertHeader : public QHeaderView
{
    Q_OBJECT

public:
    explicit ExpertHeader(Side side, QWidget* parent = nullptr);
    [[nodiscard]] QSize sizeHint() const override;
    /// Returns the width of the first section if it is the shared expert; 0: it is not.
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
