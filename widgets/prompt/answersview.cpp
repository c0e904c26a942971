// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/prompt/answersview.h"

#include "widgets/look/numbertext.h"
#include "widgets/look/plaintext.h"
#include "widgets/look/theme.h"
#include "widgets/pattern/card/patternheading.h"

#include <QEvent>
#include <QPainter>

#include <algorithm>
#include <utility>

namespace headscope::widgets {

using namespace Qt::StringLiterals;
using Verdict = ModelAnswer::Verdict;

namespace {

constexpr double kAnswerSize = 1.55; // of the window's font
constexpr double kWaiting = 0.4;     // opacity
constexpr int kMostLikely = 4, kGap = 8, kLikelyBar = 3, kLeastToken = 62, kMostToken = 124;

QString verdictText(Verdict verdict)
{
    switch (verdict) {
    case Verdict::Unknown: return {};
    case Verdict::Right: return AnswersView::tr("right");
    case Verdict::Wrong: return AnswersView::tr("wrong");
    case Verdict::WasRight: return AnswersView::tr("was right");
    }
    return {};
}

QColor verdictInk(const Theme& theme, Verdict verdict)
{
    switch (verdict) {
    case Verdict::Unknown: return theme.text;
    case Verdict::Right: return theme.good;
    case Verdict::Wrong:
    case Verdict::WasRight: return theme.bad;
    }
    return theme.text;
}

} // namespace

AnswersView::AnswersView(QWidget* parent) : QWidget(parent)
{
    setAccessibleName(tr("Answers"));
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void AnswersView::setAnswer(Side side, const ModelAnswer& answer)
{
    m_lines[indexOf(side)] = {answer, false};
    tell();
}

void AnswersView::setWaiting(Side side)
{
    m_lines[indexOf(side)].waiting = true;
    update();
}

void AnswersView::clear(Side side)
{
    if (!m_lines[indexOf(side)].answer)
        return;
    m_lines[indexOf(side)] = {};
    tell();
}

// For screen readers and the tooltip.
void AnswersView::tell()
{
    QStringList words;
    for (const Side side : kSides)
        if (const auto& answer = m_lines[indexOf(side)].answer) {
            QStringList parts{tr("%1 answers %2").arg(side == Side::A ? u"A"_s : u"B"_s, answer->said)};
            if (!answer->before.isEmpty())
                parts += tr("with all heads on %1").arg(answer->before);
            if (const QString verdict = verdictText(answer->verdict); !verdict.isEmpty())
                parts += verdict;
            for (const auto& [token, probability] : answer->likely)
                parts += token + u' ' + percentText(probability);
            words += parts.join(u", "_s);
        }
    setAccessibleDescription(words.join(u". "_s));
    setToolTip(plainText(words.join(u'\n')));
    update();
}

QFont AnswersView::answerFont() const
{
    QFont large = font();
    large.setBold(true);
    large.setPointSizeF(font().pointSizeF() * kAnswerSize);
    return large;
}

int AnswersView::lineHeight() const
{
    return QFontMetrics(answerFont()).height() + 4;
}

// Room for two lines from the first: nothing moves when an answer comes.
QSize AnswersView::sizeHint() const
{
    return {30 * fontMetrics().horizontalAdvance(u'x') + kMostLikely * kLeastToken, 2 * lineHeight()};
}

QSize AnswersView::minimumSizeHint() const
{
    return {14 * fontMetrics().horizontalAdvance(u'x'), sizeHint().height()};
}

void AnswersView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        updateGeometry();
}

void AnswersView::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    QRect place(0, 0, width(), lineHeight());
    for (const Side side : kSides)
        if (m_lines[indexOf(side)].answer) {
            paintLine(painter, side, place);
            place.translate(0, lineHeight());
        }
}

void AnswersView::paintLine(QPainter& painter, Side side, const QRect& place) const
{
    const Line& line = m_lines[indexOf(side)];
    const Theme theme = themeOf(palette());
    const QFontMetrics metrics = fontMetrics();
    painter.setOpacity(line.waiting ? kWaiting : 1);
    painter.setFont(font());
    QRect rest = place;
    const auto write = [&](const QString& words, const QColor& ink, int widest) {
        const QFontMetrics now = painter.fontMetrics();
        const QString fits = now.elidedText(words, Qt::ElideRight, widest);
        painter.setPen(ink);
        painter.drawText(rest, Qt::AlignLeft | Qt::AlignVCenter, fits);
        rest.setLeft(rest.left() + now.horizontalAdvance(fits) + kGap);
    };
    const int across = metrics.height() + 4; // the letter stands in a disc
    QFont bold = font();
    bold.setBold(true);
    painter.setFont(bold);
    paintPill(painter, QRectF(place.left(), place.center().y() - across / 2.0, across, across),
              {side == Side::A ? u"A"_s : u"B"_s, Qt::NoPen, sideGround(theme, side), sideColor(theme, side)});
    rest.setLeft(rest.left() + across + kGap);
    painter.setFont(font());
    if (rest.width() > kMostLikely * kLeastToken)
        write(tr("answers"), theme.muted, rest.width());
    const QString verdict = verdictText(line.answer->verdict);
    int verdictRoom = 0; // the same for both lines, so that what stands before them is in columns
    for (const Line& each : m_lines)
        if (each.answer)
            verdictRoom = std::max(verdictRoom, metrics.horizontalAdvance(verdictText(each.answer->verdict)));
    painter.setPen(verdictInk(theme, line.answer->verdict));
    painter.drawText(place, Qt::AlignRight | Qt::AlignVCenter, verdict);
    rest.setRight(rest.right() - verdictRoom - kGap);
    painter.setFont(answerFont());
    write(line.answer->said, verdictInk(theme, line.answer->verdict), rest.width() / 2);
    if (!line.answer->before.isEmpty()) {
        QFont struck = font();
        struck.setStrikeOut(true);
        painter.setFont(struck);
        write(line.answer->before, theme.muted, rest.width() / 3);
    }
    paintLikely(painter, side, *line.answer, rest);
    painter.setOpacity(1);
}

// The likeliest tokens with bars below them, as many as there is room for, from the right.
void AnswersView::paintLikely(QPainter& painter, Side side, const ModelAnswer& answer, const QRect& place) const
{
    const Theme theme = themeOf(palette());
    QFont small = font();
    small.setPointSizeF(font().pointSizeF() * 0.85);
    painter.setFont(small);
    const QFontMetrics metrics = painter.fontMetrics();
    int across = kLeastToken; // as the widest of both lines needs: columns stand below each other
    for (const Line& line : m_lines)
        if (line.answer)
            for (const auto& [token, probability] : line.answer->likely)
                across = std::max(across, metrics.horizontalAdvance(token)
                                              + metrics.horizontalAdvance(percentText(probability)) + 3 + kGap);
    across = std::min(across, kMostToken);
    const auto count = std::min<qsizetype>({answer.likely.size(), kMostLikely, place.width() / across});
    QRect cell(place.right() - static_cast<int>(count) * across, place.top(), across - kGap, place.height());
    for (qsizetype i = 0; i < count; ++i) {
        const auto& [token, probability] = answer.likely[i];
        const QRect words = cell.adjusted(0, 1, 0, -kLikelyBar - 4);
        const QString share = percentText(probability);
        painter.setPen(theme.muted);
        painter.drawText(words, Qt::AlignRight | Qt::AlignVCenter, share);
        painter.setPen(theme.text);
        painter.drawText(
            words, Qt::AlignLeft | Qt::AlignVCenter,
            metrics.elidedText(token, Qt::ElideRight, cell.width() - metrics.horizontalAdvance(share) - 3));
        QRect bar(cell.left(), cell.bottom() - kLikelyBar - 1, cell.width(), kLikelyBar);
        painter.fillRect(bar, theme.faint);
        bar.setWidth(std::max(1, static_cast<int>(bar.width() * std::clamp(probability, 0.0, 1.0))));
        painter.fillRect(bar, sideColor(theme, side));
        cell.translate(across, 0);
    }
}

} // namespace headscope::widgets
