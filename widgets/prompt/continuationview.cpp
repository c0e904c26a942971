// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/prompt/continuationview.h"

#include "core/base/printable.h"
#include "widgets/look/boxes/flowlayout.h"
#include "widgets/look/escape.h"
#include "widgets/look/fixedfont.h"
#include "widgets/look/labels/elidedlabel.h"
#include "widgets/look/plaintext.h"
#include "widgets/pattern/patterndata.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QStyle>
#include <QTextBlock>
#include <QToolButton>
#include <QToolTip>
#include <QVBoxLayout>

#include <algorithm>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

constexpr int kPopoverLetters = 70; // in the width of the popover

/// Line breaks are told, not made: the line stays a line.
QString shownText(const QString& text)
{
    QString shown = QString::fromStdString(headscope::visible(text.toStdString()));
    return shown.replace(u'\n', u"⏎ "_s).replace(u'\t', u"⇥"_s);
}

} // namespace

ContinuationText::ContinuationText(Side side, QWidget* parent) : QTextEdit(parent), m_side(side)
{
    setReadOnly(true);
    setFrameShape(QFrame::NoFrame);
    setFont(fixedFont()); // the family alone: the size is the window's
    setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    setTabChangesFocus(true);
    setMouseTracking(true);
    viewport()->setMouseTracking(true);
    document()->setDocumentMargin(1);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setAccessibleName(side == Side::A ? tr("Continuation of model A") : tr("Continuation of model B"));
    setAccessibleDescription(tr("Arrow keys move from token to token and show the alternatives."));
    setWhatsThis(tr("The model's continuation of the prompt, with heads ablated as in the head map. The stronger the "
                    "shade of a token, the less certain the model was. Point at a token to see the alternatives."));
    connect(this, &QTextEdit::cursorPositionChanged, this, [this] {
        if (!hasFocus())
            return;
        const int at = textCursor().position();
        const auto found = std::upper_bound(m_ends.begin(), m_ends.end(), at);
        Q_EMIT wordPointedAt(found == m_ends.end() ? static_cast<int>(m_ends.size()) - 1
                                                   : static_cast<int>(found - m_ends.begin()));
    });
    fitHeight();
}

QSize ContinuationText::sizeHint() const
{
    return {400, fontMetrics().lineSpacing() + 4};
}

QString ContinuationText::plainText() const
{
    QString text;
    for (const ContinuedWord& word : m_words)
        text += word.text;
    return text;
}

void ContinuationText::write(const ContinuedWord& word)
{
    const Theme theme = themeOf(palette());
    QTextCharFormat format;
    format.setForeground(theme.text);
    format.setBackground(
        mixed(theme.base, sideColor(theme, m_side), 0.45 * (1 - std::clamp(word.probability, 0.0, 1.0))));
    QTextCursor end(document());
    end.movePosition(QTextCursor::End);
    end.insertText(shownText(word.text), format);
    m_ends.push_back(end.position());
}

void ContinuationText::append(const std::vector<ContinuedWord>& words)
{
    for (const ContinuedWord& word : words) {
        m_words.push_back(word);
        write(word);
    }
    fitHeight();
}

void ContinuationText::clearWords()
{
    m_words.clear();
    m_ends.clear();
    clear();
    fitHeight();
}

void ContinuationText::rewrite()
{
    m_ends.clear();
    clear();
    for (const ContinuedWord& word : m_words)
        write(word);
    fitHeight();
}

int ContinuationText::wordAt(const QPoint& at) const
{
    const QTextCursor cursor = cursorForPosition(at);
    const QRect spot = cursorRect(cursor);
    // The nearest position is also found from far away; outside the text there is no word.
    if (m_ends.empty() || at.y() > cursorRect(QTextCursor(document()->lastBlock())).bottom() + spot.height() * kLines)
        return -1;
    const int position = spot.left() > at.x() ? cursor.position() - 1 : cursor.position();
    const auto found = std::upper_bound(m_ends.begin(), m_ends.end(), position);
    return found == m_ends.end() ? -1 : static_cast<int>(found - m_ends.begin());
}

QString ContinuationText::candidatesText(int word) const
{
    if (word < 0 || word >= static_cast<int>(m_words.size()))
        return {};
    const ContinuedWord& chosen = m_words[static_cast<std::size_t>(word)];
    QString rows;
    const QColor bar = sideColor(themeOf(palette()), m_side);
    for (const auto& [text, probability] : chosen.candidates) {
        const bool taken = tokenQuoted(text) == tokenQuoted(chosen.text);
        rows +=
            u"<tr><td align=right>%1&nbsp;</td><td>%2&nbsp;</td><td><span style='color:%3'>%4</span></td></tr>"_s.arg(
                taken ? u"<b>%1</b>"_s.arg(tokenQuoted(text).toHtmlEscaped()) : tokenQuoted(text).toHtmlEscaped(),
                QString::number(probability, 'f', 3), bar.name(),
                QString(std::max(1, static_cast<int>(probability * 20 + 0.5)), u'█'));
    }
    return tr("<b>Token %1</b>: probability %2").arg(word + 1).arg(chosen.probability, 0, 'f', 3)
           + u"<table>%1</table>"_s.arg(rows);
}

void ContinuationText::mouseMoveEvent(QMouseEvent* event)
{
    QTextEdit::mouseMoveEvent(event);
    const int word = wordAt(event->position().toPoint());
    if (word >= 0)
        QToolTip::showText(event->globalPosition().toPoint(), candidatesText(word), this);
    else
        QToolTip::hideText();
    Q_EMIT wordPointedAt(word);
}

void ContinuationText::leaveEvent(QEvent* event)
{
    QTextEdit::leaveEvent(event);
    Q_EMIT wordPointedAt(-1);
}

void ContinuationText::changeEvent(QEvent* event)
{
    QTextEdit::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        rewrite();
}

void ContinuationText::resizeEvent(QResizeEvent* event)
{
    QTextEdit::resizeEvent(event);
    fitHeight();
}

int ContinuationText::heightOf(int lines) const
{
    const int line = fontMetrics().lineSpacing();
    return std::clamp(static_cast<int>(document()->size().height()) + 2, line + 4, lines * line + 4);
}

void ContinuationText::setMostLines(int lines)
{
    m_mostLines = lines;
    fitHeight();
}

void ContinuationText::fitHeight()
{
    setFixedHeight(heightOf(m_mostLines));
}

ContinuationView::ContinuationView(QWidget* parent)
    : Card(parent), m_go(new QToolButton(this)),
      m_sampling(this, 16, tr("Tokens to add"), tr("Maximum number of tokens to add")),
      m_appends(new QCheckBox(tr("append as it appears"), this))
{
    setAccessibleName(tr("Continuation"));
    m_appends->setToolTip(
        tr("Append each token to the prompt as it appears, so that it becomes a row of the maps; where "
           "two models are open, the chosen one continues"));
    auto* close = new QToolButton(this);
    close->setText(u"✕"_s);
    close->setAutoRaise(true);
    close->setToolTip(tr("Close"));
    close->setAccessibleName(tr("Close the continuation"));

    auto* lines = new QVBoxLayout;
    lines->setSpacing(2);
    for (const Side side : kSides) {
        line(side) = makeLine(side);
        lines->addWidget(line(side).row);
    }
    auto* fields = new QWidget(this);
    auto* settings = new FlowLayout(fields);
    settings->setSpacing(4);
    for (QWidget* field : {static_cast<QWidget*>(m_go), static_cast<QWidget*>(m_sampling.tokens()),
                           static_cast<QWidget*>(m_sampling.temperature()), static_cast<QWidget*>(m_appends)})
        settings->addWidget(field);
    auto* top = new QHBoxLayout;
    top->addWidget(fields, 1);
    top->addWidget(close, 0, Qt::AlignTop);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(kMargin, kMargin, kMargin, kMargin);
    layout->setSpacing(3);
    layout->addLayout(top);
    layout->addLayout(lines);
    connect(m_go, &QToolButton::clicked, this, [this] {
        if (running())
            Q_EMIT stopRequested();
        else
            Q_EMIT continueRequested();
    });
    connect(close, &QToolButton::clicked, this, &ContinuationView::dismiss);
    refresh();
    restyle();
    hide();
}

ContinuationView::Line ContinuationView::makeLine(Side side)
{
    Line made;
    made.row = new QWidget(this);
    made.name = new ElidedLabel(made.row);
    made.text = new ContinuationText(side, made.row);
    made.note = new ElidedLabel(made.row);
    made.take = new QToolButton(made.row);
    made.take->setText(tr("append to prompt"));
    made.take->setToolTip(tr("Append this text to the prompt"));
    made.take->setAccessibleName(side == Side::A ? tr("Append the continuation of A to the prompt")
                                                 : tr("Append the continuation of B to the prompt"));
    made.take->setAutoRaise(true);
    auto* heading = new QHBoxLayout;
    heading->setSpacing(6);
    heading->addWidget(made.name, 1);
    heading->addWidget(made.note);
    heading->addWidget(made.take);
    auto* layout = new QVBoxLayout(made.row);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(heading);
    layout->addWidget(made.text);
    connect(made.take, &QToolButton::clicked, this,
            [this, text = made.text] { Q_EMIT takeOverRequested(text->plainText()); });
    made.row->hide();
    return made;
}

int ContinuationView::tokens() const
{
    return m_sampling.tokens()->value();
}

double ContinuationView::temperature() const
{
    return m_sampling.temperature()->value();
}

bool ContinuationView::isAppending() const
{
    return m_appends->isChecked();
}

void ContinuationView::begin(Side side, const QString& state)
{
    Line& at = line(side);
    at.text->clearWords();
    at.name->setText((side == Side::A ? tr("A continues") : tr("B continues")) + u" · "_s + state);
    at.note->clear();
    at.running = true;
    at.row->show();
    show();
    refresh();
}

void ContinuationView::append(Side side, const std::vector<ContinuedWord>& words)
{
    line(side).text->append(words);
    refresh();
}

void ContinuationView::finish(Side side, const QString& note)
{
    line(side).running = false;
    line(side).note->setText(note);
    refresh();
}

void ContinuationView::removeSide(Side side)
{
    line(side).running = false;
    line(side).text->clearWords();
    line(side).row->hide();
    refresh();
}

void ContinuationView::refresh()
{
    m_go->setText(running() ? u"■ "_s + tr("Stop") : tr("Again"));
    m_go->setToolTip(running() ? tr("Stop; the text so far is kept") : tr("Continue the prompt again (Ctrl+Return)"));
    m_go->setAccessibleName(running() ? tr("Stop the continuation") : tr("Continue the prompt again"));
    for (Line& each : m_lines)
        each.take->setEnabled(!each.running && !each.text->words().empty());
}

void ContinuationView::restyle()
{
    const Theme theme = themeOf(palette());
    for (const Side side : kSides) {
        setInk(line(side).name, sideColor(theme, side));
        setMuted(line(side).note);
    }
}

QSize ContinuationView::fitInto(const QSize& room)
{
    const int wide = std::min(room.width(), kPopoverLetters * fontMetrics().averageCharWidth());
    int around = layout()->totalHeightForWidth(wide);
    for (const Line& each : m_lines)
        around -= each.row->isHidden() ? 0 : each.text->height();
    const auto highWith = [&](int lines) {
        int high = around;
        for (const Line& each : m_lines)
            high += each.row->isHidden() ? 0 : each.text->heightOf(lines);
        return high;
    };
    int lines = ContinuationText::kLines;
    while (lines > 1 && highWith(lines) > room.height())
        --lines;
    for (const Line& each : m_lines)
        each.text->setMostLines(lines);
    return {wide, std::min(highWith(lines), room.height())};
}

void ContinuationView::dismiss()
{
    Q_EMIT stopRequested();
    hide();
    Q_EMIT closed();
}

bool ContinuationView::event(QEvent* event)
{
    keepEscape(event);
    return Card::event(event);
}

void ContinuationView::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape)
        return dismiss();
    Card::keyPressEvent(event);
}

void ContinuationView::changeEvent(QEvent* event)
{
    Card::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        restyle();
}

} // namespace headscope::widgets
