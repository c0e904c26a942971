// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/besidesplitter.h"

namespace headscope::widgets {

BesideSplitter::BesideSplitter(QWidget* parent) : QSplitter(Qt::Vertical, parent)
{
    constexpr int kGap = 16; // pixels
    setChildrenCollapsible(false);
    setHandleWidth(kGap);
}

void BesideSplitter::setNeeded(int pixels)
{
    m_needed = pixels;
    arrange();
}

void BesideSplitter::arrange()
{
    int shown = 0;
    for (int i = 0; i < count(); ++i)
        shown += widget(i)->isHidden() ? 0 : 1;
    const bool beside = shown > 1 && width() >= shown * m_needed + handleWidth();
    if (beside == (orientation() == Qt::Horizontal))
        return;
    setOrientation(beside ? Qt::Horizontal : Qt::Vertical);
    setSizes(QList<int>(count(), 1)); // alike
    Q_EMIT arranged(beside);
}

void BesideSplitter::resizeEvent(QResizeEvent* event)
{
    QSplitter::resizeEvent(event);
    arrange();
}

} // namespace headscope::widgets
