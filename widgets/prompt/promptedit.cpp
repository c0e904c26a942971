// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/prompt/promptedit.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QKeyEvent>
#include <QMimeData>
#include <QMouseEvent>
#include <QTextDocumentFragment>

namespace headscope::widgets {

namespace {

constexpr QChar kLineEnd(0x23CE);         // ⏎ stands for a line's end where lines run on
constexpr qsizetype kLongestRunOn = 4000; // one paragraph is laid out as a whole at each key

} // namespace

PromptEdit::PromptEdit(QCompleter* earlier, QWidget* parent) : PlainEdit(parent), m_earlier(earlier) {}

void PromptEdit::setWhole(const QString& text)
{
    m_runsOn = text.count(u'\n') >= kLines && text.size() <= kLongestRunOn && !text.contains(kLineEnd);
    setPlainText(m_runsOn ? QString(text).replace(u'\n', kLineEnd) : text);
}

QString PromptEdit::whole() const
{
    return real(toPlainText());
}

void PromptEdit::keyPressEvent(QKeyEvent* event)
{
    const bool enters = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if ((enters || event->key() == Qt::Key_Escape || event->key() == Qt::Key_Tab) && m_earlier
        && m_earlier->popup()->isVisible())
        event->ignore();
    else if (enters && m_runsOn && event->modifiers() == Qt::NoModifier)
        insertPlainText(kLineEnd);
    else
        PlainEdit::keyPressEvent(event);
}

void PromptEdit::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton && event->modifiers() == Qt::NoModifier && textCursor().hasSelection())
        setTextCursor(cursorForPosition(event->position().toPoint()));
    PlainEdit::mousePressEvent(event);
}

QMimeData* PromptEdit::createMimeDataFromSelection() const
{
    auto* selected = new QMimeData;
    selected->setText(real(textCursor().selection().toPlainText()));
    return selected;
}

QString PromptEdit::real(QString text) const
{
    return m_runsOn ? text.replace(kLineEnd, u'\n') : text;
}

} // namespace headscope::widgets
