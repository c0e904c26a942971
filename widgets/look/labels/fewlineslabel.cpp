// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/labels/fewlineslabel.h"

#include "widgets/look/plaintext.h"

#include <QHelpEvent>
#include <QPainter>
#include <QStyle>
#include <QToolTip>

namespace headscope::widgets {

FewLinesLabel::FewLinesLabel(int lines, QWidget* parent) : PlainLabel(parent), m_lines(lines)
{
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
}

QSize FewLinesLabel::sizeHint() const
{
    return {0, m_lines * fontMetrics().lineSpacing() + 2};
}

WrappedLines FewLinesLabel::shownLines() const
{
    return wrapped(text(), font(), contentsRect().width(), m_lines);
}

void FewLinesLabel::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    QRect line = contentsRect();
    line.setHeight(fontMetrics().lineSpacing());
    for (const QString& words : shownLines().lines) {
        style()->drawItemText(&painter, line, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, palette(),
                              isEnabled(), words, foregroundRole());
        line.translate(0, line.height());
    }
}

bool FewLinesLabel::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip && isElided()) {
        QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), plainText(text()), this);
        return true;
    }
    return PlainLabel::event(event);
}

} // namespace headscope::widgets
