// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/prompt/answersview.h"

#include "widgets/look/numbertext.h"
#include "widgets/look/plaintext.h"
#include "widgets/look/theme.h"
#include "widgets/pattern/card/patternheading.h"

#include <QEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

using namespace Qt::StringLiterals;
using AnswerVerdict = ModelAnswer::Verdict;

namespace {

constexpr double kAnswerSize = 1.85; // of the window's font
constexpr double kTokenSize = 0.85;  // the same
constexpr double kWaiting = 0.4;     // opacity
constexpr int kMostLikely = 4, kGap = 8, kLikelyBar = 3;

QString verdictText(AnswerVerdict verdict)
{
    switch (verdict) {
    case AnswerVerdict::Unknown: return {};
    case AnswerVerdict::Right: return AnswersView::tr("right");
    case AnswerVerdict::Wrong: return AnswersView::tr("wrong");
    case AnswerVerdict::WasRight: return AnswersView::tr("was right");
    case AnswerVerdict::InPrompt: return AnswersView::tr("in the prompt");
    }
    return {};
}

// Whole pixels, in which the words are not elided.
int pixelsOf(const QString& words, const QFont& font)
{
    return words.isEmpty() ? 0 : static_cast<int>(std::ceil(QFontMetricsF(font).horizontalAdvance(words))) + 1;
}

} // namespace

QColor answerInk(const Theme& theme, ModelAnswer::Verdict verdict)
{
    switch (verdict) {
    case AnswerVerdict::Unknown:
    case AnswerVerdict::InPrompt: return theme.text;
    case AnswerVerdict::Right: return theme.good;
    case AnswerVerdict::Wrong:
    case AnswerVerdict::WasRight: return theme.bad;
    }
    return theme.text;
}

AnswersView::AnswersView(QWidget* parent) : QWidget(parent)
{
    setAccessibleName(tr("Answers"));
    setCursor(Qt::PointingHandCursor);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void AnswersView::setAnswer(Side side, const ModelAnswer& answer)
{
    m_lines[indexOf(side)] = {answer, false};
    describe();
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
    describe();
}

// For screen readers and the tooltip.
void AnswersView::describe()
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
    setToolTip(words.isEmpty()
                   ? QString()
                   : plainText(words.join(u'\n') + u'\n' + tr("Click to continue the prompt (Ctrl+Return)")));
    update();
    Q_EMIT changed();
}

QFont AnswersView::answerFont() const
{
    QFont large = font();
    large.setBold(true);
    large.setPointSizeF(font().pointSizeF() * kAnswerSize);
    return large;
}

QFont AnswersView::tokenFont() const
{
    QFont small = font();
    small.setPointSizeF(font().pointSizeF() * kTokenSize);
    return small;
}

// Three letters and any share.
int AnswersView::leastToken() const
{
    const QFontMetrics metrics(tokenFont());
    return metrics.horizontalAdvance(u"xxx"_s) + metrics.horizontalAdvance(percentText(1)) + 3 + kGap;
}

int AnswersView::lineHeight() const
{
    return QFontMetrics(answerFont()).height() + 4;
}

// Room for two lines from the first: nothing moves when an answer comes.
QSize AnswersView::sizeHint() const
{
    constexpr int kLetters = 35, kPerToken = 62;
    return {
        std::max(minimumSizeHint().width(), kLetters * fontMetrics().horizontalAdvance(u'x') + kMostLikely * kPerToken),
        2 * lineHeight()};
}

// The letter, some of the answer, the likeliest tokens, and any verdict.
QSize AnswersView::minimumSizeHint() const
{
    return {fontMetrics().height() + 4 + QFontMetrics(answerFont()).horizontalAdvance(u"xxx"_s)
                + kMostLikely * leastToken() + pixelsOf(verdictText(AnswerVerdict::WasRight), font()) + 3 * kGap,
            2 * lineHeight()};
}

void AnswersView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        updateGeometry();
}

AnswerLine AnswersView::lineOf(Side side) const
{
    AnswerLine line;
    const auto& answer = m_lines[indexOf(side)].answer;
    if (!answer)
        return line;
    QRect rest(0, side == Side::B && m_lines[0].answer ? lineHeight() : 0, width(), lineHeight());
    const auto take = [&rest](int wide) { // from the left
        const QRect taken(rest.left(), rest.top(), std::clamp(rest.width(), 0, wide), rest.height());
        rest.setLeft(rest.left() + wide + kGap);
        return taken;
    };
    line.letter = take(fontMetrics().height() + 4);
    int verdict = 0, said = 0; // the same for both lines, so that what is between is in columns
    for (const Line& each : m_lines)
        if (each.answer) {
            verdict = std::max(verdict, pixelsOf(verdictText(each.answer->verdict), font()));
            said = std::max(said, pixelsOf(each.answer->said, answerFont()));
        }
    line.verdict = rest;
    line.verdict.setLeft(rest.right() + 1 - pixelsOf(verdictText(answer->verdict), font()));
    rest.setRight(rest.right() - verdict - kGap);
    const int across = acrossToken(rest.width() - std::min(said, rest.width() / 2) - kGap);
    const auto count =
        std::clamp<qsizetype>(rest.width() / across, 0, std::min<qsizetype>(answer->likely.size(), kMostLikely));
    rest.setRight(rest.right() - static_cast<int>(count) * across);
    for (int i = 0; i < count; ++i)
        line.likely.append({rest.right() + 1 + i * across, rest.top(), across - kGap, rest.height()});
    rest.setRight(rest.right() - kGap);
    if (const int word = pixelsOf(tr("answers"), font()); rest.width() >= word + kGap + said)
        line.answers = take(word);
    line.said = take(pixelsOf(answer->said, answerFont()));
    if (rest.width() > pixelsOf(u"xxx"_s, font()) && !answer->before.isEmpty())
        line.before = take(pixelsOf(answer->before, font()));
    return line;
}

// Pixels for each of the likeliest tokens: what the longest of both lines needs, within that room for all of them.
int AnswersView::acrossToken(int room) const
{
    const QFontMetrics metrics(tokenFont());
    int across = leastToken();
    for (const Line& line : m_lines)
        if (line.answer)
            for (const auto& [token, probability] : line.answer->likely)
                across = std::max(across, metrics.horizontalAdvance(token)
                                              + metrics.horizontalAdvance(percentText(probability)) + 3 + kGap);
    return std::max(leastToken(), std::min({across, 2 * leastToken(), room / kMostLikely}));
}

void AnswersView::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton && rect().contains(event->position().toPoint())
        && (m_lines[0].answer || m_lines[1].answer))
        Q_EMIT clicked();
}

void AnswersView::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    for (const Side side : kSides)
        if (m_lines[indexOf(side)].answer)
            paintLine(painter, side);
}

void AnswersView::paintLine(QPainter& painter, Side side) const
{
    const Line& line = m_lines[indexOf(side)];
    const AnswerLine places = lineOf(side);
    const Theme theme = themeOf(palette());
    const QColor ink = answerInk(theme, line.answer->verdict);
    painter.setOpacity(line.waiting ? kWaiting : 1);
    const auto write = [&](const QString& words, const QFont& font, const QColor& color, const QRect& place) {
        painter.setFont(font);
        painter.setPen(color);
        painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(words, Qt::ElideRight, place.width()));
    };
    QFont bold = font(), struck = font();
    bold.setBold(true);
    struck.setStrikeOut(true);
    painter.setFont(bold);
    const double across = places.letter.width(); // the letter stands in a disc
    paintPill(painter, QRectF(places.letter.left(), places.letter.center().y() - across / 2, across, across),
              {side == Side::A ? u"A"_s : u"B"_s, Qt::NoPen, sideGround(theme, side), sideColor(theme, side)});
    write(tr("answers"), font(), theme.muted, places.answers);
    write(line.answer->said, answerFont(), ink, places.said);
    write(line.answer->before, struck, theme.muted, places.before);
    write(verdictText(line.answer->verdict), font(), ink, places.verdict);
    paintLikely(painter, side, places.likely);
    painter.setOpacity(1);
}

void AnswersView::paintLikely(QPainter& painter, Side side, const QList<QRect>& cells) const
{
    const Theme theme = themeOf(palette());
    painter.setFont(tokenFont());
    const QFontMetrics metrics = painter.fontMetrics();
    for (qsizetype i = 0; i < cells.size(); ++i) {
        const QRect& cell = cells.at(i);
        const auto& [token, probability] = m_lines[indexOf(side)].answer->likely[i];
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
    }
}

} // namespace headscope::widgets
