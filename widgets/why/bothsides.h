// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A view for each model; the second is shown if a second model is open. GUI thread.

#include "core/base/side.h"
#include "widgets/why/besidesplitter.h"

#include <array>
#include <type_traits>

namespace headscope::widgets {

template <typename View> class BothSides
{
public:
    BothSides() : m_splitter(new BesideSplitter)
    {
        for (const Side side : kSides) {
            if constexpr (std::is_constructible_v<View, Side>)
                m_views[indexOf(side)] = new View(side);
            else
                m_views[indexOf(side)] = new View;
            m_splitter->addWidget(m_views[indexOf(side)]);
        }
        m_views[indexOf(Side::B)]->hide();
        if constexpr (requires(View * view) { view->setUpright(true); })
            for (View* view : m_views)
                QObject::connect(m_splitter, &BesideSplitter::arranged, view, &View::setUpright);
    }

    /// Returns the widget for a layout, which then owns it.
    [[nodiscard]] BesideSplitter* widget() const { return m_splitter; }
    [[nodiscard]] View* view(Side side) const { return m_views[indexOf(side)]; }

private:
    BesideSplitter* m_splitter;
    std::array<View*, 2> m_views{};
};

} // namespace headscope::widgets
