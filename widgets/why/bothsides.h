// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A view for each model, one above the other; the second is shown where there is a second model. GUI thread.

#include "core/base/side.h"

#include <QSplitter>

#include <array>

namespace headscope::widgets {

template <typename View> class BothSides
{
public:
    BothSides() : m_splitter(new QSplitter(Qt::Vertical))
    {
        for (const Side side : kSides) {
            m_views[indexOf(side)] = new View;
            m_splitter->addWidget(m_views[indexOf(side)]);
        }
        m_splitter->setChildrenCollapsible(false);
        m_views[indexOf(Side::B)]->hide();
    }

    /// To be put into a layout, which owns it then.
    [[nodiscard]] QSplitter* widget() const { return m_splitter; }
    [[nodiscard]] View* view(Side side) const { return m_views[indexOf(side)]; }

private:
    QSplitter* m_splitter;
    std::array<View*, 2> m_views{};
};

} // namespace headscope::widgets
