// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/prompt/promptedit.h"

#include "widgets/look/theme.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QCompleter>
#include <QKeyEvent>
#include <QMimeData>
#include <QMouseEvent>
#include <QPainter>
#include <QTextBlock>
#include <QTextDocumentFragment>
#include <QTextLayout>

#include <algorithm>

namespace headscope::widgets {

namespace {

constexpr qreal kWordRadius = 3, kWordGap = 0.5; // pixels; the gap is above and below
constexpr qsizetype kLongestRunOn = 4000;        // one paragraph is laid out as a whole at each key

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

void PromptEdit::paintEvent(QPaintEvent* event)
{
    QPainter painter(viewport());
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    for (const QTextEdit::ExtraSelection& piece : extraSelections())
        if (piece.format.hasProperty(kBox)) {
            painter.setBrush(piece.format.colorProperty(kBox));
            paintBox(painter, piece.cursor, event->rect());
        }
    if (isHintShown()) {
        painter.setFont(QApplication::font());
        painter.setPen(themeOf(palette()).muted);
        painter.drawText(viewport()->rect().adjusted(0, 0, -4, 0), Qt::AlignRight | Qt::AlignBottom,
                         tr("click to edit"));
    }
    painter.end();
    PlainEdit::paintEvent(event);
}

bool PromptEdit::isHintShown() const
{
    const double below = blockBoundingGeometry(document()->lastBlock()).translated(contentOffset()).bottom();
    return !hasFocus() && !document()->isEmpty() && viewport()->height() - below >= fontMetrics().height();
}

void PromptEdit::focusInEvent(QFocusEvent* event)
{
    PlainEdit::focusInEvent(event);
    viewport()->update();
}

void PromptEdit::focusOutEvent(QFocusEvent* event)
{
    PlainEdit::focusOutEvent(event);
    viewport()->update();
}

// One box in each line, around words alone: spaces and line ends stay between the boxes.
void PromptEdit::paintBox(QPainter& painter, QTextCursor words, const QRect& area) const
{
    const auto isGap = [this](int place) {
        const QChar c = document()->characterAt(place);
        return c.isSpace() || c == kLineEnd;
    };
    int begin = words.selectionStart(), end = words.selectionEnd();
    while (begin < end && isGap(begin))
        ++begin;
    while (begin < end && isGap(end - 1))
        --end;
    const int lastBlock = firstVisibleBlock().blockNumber() + area.bottom() / fontMetrics().lineSpacing() + 1;
    for (QTextBlock block = document()->findBlock(begin);
         block.isValid() && block.position() < end && block.blockNumber() <= lastBlock; block = block.next()) {
        if (block.blockNumber() < firstVisibleBlock().blockNumber())
            continue;
        const QPointF place = blockBoundingGeometry(block).translated(contentOffset()).topLeft();
        for (int i = 0; i < block.layout()->lineCount(); ++i) {
            const QTextLine line = block.layout()->lineAt(i);
            const int from = std::max(begin - block.position(), line.textStart()),
                      to = std::min(end - block.position(), line.textStart() + line.textLength());
            if (from >= to)
                continue;
            const qreal left = line.cursorToX(from), right = line.cursorToX(to);
            painter.drawRoundedRect(
                QRectF(left, line.y() + kWordGap, right - left, line.height() - 2 * kWordGap).translated(place),
                kWordRadius, kWordRadius);
        }
    }
}

QString PromptEdit::real(QString text) const
{
    return m_runsOn ? text.replace(kLineEnd, u'\n') : text;
}

} // namespace headscope::widgets
