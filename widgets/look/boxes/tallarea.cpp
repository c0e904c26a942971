// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/boxes/tallarea.h"

#include <QEvent>
#include <QScrollBar>

namespace headscope::widgets {

namespace {

constexpr int kLeastLines = 4;

} // namespace

TallArea::TallArea(QWidget* page, QWidget* parent) : QScrollArea(parent)
{
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::NoFocus); // what is in it has the focus, and is scrolled to
    setWidget(page);
    page->installEventFilter(this);
}

QSize TallArea::sizeHint() const
{
    return widget()->sizeHint() + QSize(verticalScrollBar()->sizeHint().width(), 0);
}

QSize TallArea::minimumSizeHint() const
{
    return {widget()->minimumSizeHint().width() + verticalScrollBar()->sizeHint().width(),
            std::min(kLeastLines * fontMetrics().lineSpacing(), widget()->minimumSizeHint().height())};
}

bool TallArea::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == widget() && event->type() == QEvent::LayoutRequest)
        updateGeometry();
    return QScrollArea::eventFilter(watched, event);
}

} // namespace headscope::widgets
