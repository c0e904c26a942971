// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/elidedlabel.h"

#include "widgets/look/plaintext.h"

#include <QHelpEvent>
#include <QPainter>
#include <QStyle>
#include <QToolTip>

namespace headscope::widgets {

ElidedLabel::ElidedLabel(QWidget* parent) : PlainLabel(parent)
{
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
}

ElidedLabel::ElidedLabel(const QString& text, QWidget* parent) : ElidedLabel(parent)
{
    setText(text);
}

QString ElidedLabel::oneLine() const
{
    return text().simplified();
}

bool ElidedLabel::isElided() const
{
    return fontMetrics().horizontalAdvance(oneLine()) > contentsRect().width();
}

QSize ElidedLabel::minimumSizeHint() const
{
    return {0, PlainLabel::sizeHint().height()};
}

void ElidedLabel::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    style()->drawItemText(&painter, contentsRect(), static_cast<int>(alignment()) | Qt::TextSingleLine, palette(),
                          isEnabled(), fontMetrics().elidedText(oneLine(), Qt::ElideRight, contentsRect().width()),
                          foregroundRole());
}

bool ElidedLabel::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip && toolTip().isEmpty() && isElided()) {
        QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), plainText(text()), this);
        return true;
    }
    return PlainLabel::event(event);
}

} // namespace headscope::widgets
