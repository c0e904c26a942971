// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/termbutton.h"

#include "widgets/look/plaintext.h"

#include <QToolTip>

namespace headscope::widgets {

TermButton::TermButton(const QString& term, QWidget* parent) : QToolButton(parent), m_term(term)
{
    setText(QStringLiteral("ⓘ"));
    setAutoRaise(true);
    setFocusPolicy(Qt::TabFocus);
    setVisible(false);
    connect(this, &QToolButton::clicked, this,
            [this] { QToolTip::showText(mapToGlobal(QPoint(0, height())), toolTip(), this); });
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
