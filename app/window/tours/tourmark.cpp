// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/tours/tourmark.h"

#include "widgets/look/theme.h"

#include <QEvent>
#include <QPainter>

namespace headscope::gui {

TourMark::TourMark(Kind kind, QWidget* over) : QWidget(over), m_kind(kind)
{
    if (kind == Kind::Frame)
        setAttribute(Qt::WA_TransparentForMouseEvents);
    else
        setAccessibleName(kind == Kind::Later ? tr("Hidden until a later step") : tr("Hidden until you answer"));
    over->installEventFilter(this);
    setGeometry(over->rect());
    raise();
    show();
}

void TourMark::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const widgets::Theme theme = widgets::themeOf(palette());
    if (m_kind == Kind::Frame) {
        painter.setPen(QPen(theme.crosshair, 3));
        painter.drawRoundedRect(QRectF(rect()).adjusted(2, 2, -2, -2), 6, 6);
        return;
    }
    painter.fillRect(rect(), theme.raised);
    painter.setPen(theme.muted);
    painter.drawText(rect().adjusted(12, 12, -12, -12), Qt::AlignCenter | Qt::TextWordWrap,
                     m_kind == Kind::Later ? tr("A later step asks about this.") : tr("Answer the question first."));
}

bool TourMark::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Resize)
        setGeometry(parentWidget()->rect());
    else if (event->type() == QEvent::ChildAdded)
        raise();
    return QWidget::eventFilter(watched, event);
}

} // namespace headscope::gui
