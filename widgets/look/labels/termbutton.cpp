// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/labels/termbutton.h"

#include "widgets/look/plaintext.h"
#include "widgets/look/theme.h"

#include <QPainter>
#include <QToolTip>

namespace headscope::widgets {

namespace {

constexpr int kTermSize = 20;
constexpr double kTermCircle = 6.5; // its radius

} // namespace

TermButton::TermButton(const QString& term, QWidget* parent) : QToolButton(parent), m_term(term)
{
    setAutoRaise(true);
    setFixedSize(kTermSize, kTermSize);
    setFocusPolicy(Qt::TabFocus);
    setVisible(false);
    connect(this, &QToolButton::clicked, this,
            [this] { QToolTip::showText(mapToGlobal(QPoint(0, height())), toolTip(), this); });
}

// Drawn: the typeface of the window has no such sign.
void TermButton::paintEvent(QPaintEvent* event)
{
    QToolButton::paintEvent(event);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QColor ink = themeOf(palette()).muted;
    const QPointF middle = QRectF(rect()).center();
    painter.setPen(QPen(ink, 1.2));
    painter.drawEllipse(middle, kTermCircle, kTermCircle);
    painter.drawLine(middle + QPointF(0, -0.8), middle + QPointF(0, 3.2));
    painter.setPen(Qt::NoPen);
    painter.setBrush(ink);
    painter.drawEllipse(middle + QPointF(0, -3), 0.9, 0.9);
}

void TermButton::setTerm(const QString& term)
{
    m_term = term;
    explain();
}

void TermButton::setGlossary(const QHash<QString, QString>& entries)
{
    m_entries = entries;
    explain();
}

void TermButton::explain()
{
    const QString entry = m_entries.value(m_term);
    setAccessibleName(tr("What is \"%1\"?").arg(m_term));
    setAccessibleDescription(entry);
    setToolTip(plainText(m_term + QStringLiteral(": ") + entry, Lines::Wrapped));
    setVisible(!entry.isEmpty());
}

} // namespace headscope::widgets
