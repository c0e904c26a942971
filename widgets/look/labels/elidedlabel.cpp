// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/labels/elidedlabel.h"

#include "widgets/look/fitting.h"
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

void ElidedLabel::setForms(const QStringList& forms)
{
    m_shorter = forms.mid(1);
    setText(forms.value(0));
    update();
}

QString ElidedLabel::shown() const
{
    return fitting(QStringList{oneLine()} + m_shorter, QFontMetricsF(font()), contentsRect().width());
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
                          isEnabled(), shown(), foregroundRole());
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
