// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/patch/promptdifference.h"

#include "widgets/look/plaintext.h"
#include "widgets/look/theme.h"
#include "widgets/pattern/patterndata.h"

#include <QPainter>

#include <algorithm>

namespace headscope::widgets {

namespace {

constexpr qsizetype kAround = 3; // tokens told on each side of a difference
constexpr double kMark = 0.35;   // of the other side's colour behind what differs
const QString kLeftOut = QStringLiteral("…");

QString titleOf(const PromptPair& pair)
{
    return pair.first ? PromptDifference::tr("Other prompt of the first pair:") : PromptDifference::tr("Other prompt:");
}

QString plainOf(const std::vector<PromptPiece>& pieces)
{
    QStringList words;
    for (const PromptPiece& piece : pieces)
        words.append(piece.differs ? QStringLiteral("[%1]").arg(piece.words) : piece.words);
    return words.join(u' ');
}

} // namespace

std::vector<PromptPiece> differencePieces(const PromptPair& pair)
{
    const qsizetype count = std::min(pair.here.size(), pair.there.size());
    const auto differs = [&](qsizetype at) { return pair.here[at] != pair.there[at]; };
    const auto near = [&](qsizetype at) {
        for (qsizetype other = std::max<qsizetype>(at - kAround, 0); other <= std::min(at + kAround, count - 1);
             ++other)
            if (differs(other))
                return true;
        return false;
    };
    std::vector<PromptPiece> pieces;
    bool gap = false;
    for (qsizetype at = 0; at < count; ++at) {
        if (!near(at)) {
            gap = true;
            continue;
        }
        QString words = tokenLabel(pair.there[at]);
        if (gap)
            words.prepend(kLeftOut + u' ');
        const bool joins = !gap && !pieces.empty() && pieces.back().differs == differs(at);
        gap = false;
        if (joins)
            pieces.back().words += u' ' + words;
        else
            pieces.push_back({words, differs(at)});
    }
    if (gap && !pieces.empty())
        pieces.push_back({kLeftOut, false});
    return pieces;
}

PromptDifference::PromptDifference(QWidget* parent) : PlainLabel(parent)
{
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
}

void PromptDifference::setPair(const PromptPair& pair)
{
    if (pair == m_pair)
        return;
    m_pair = pair;
    const auto pieces = differencePieces(pair);
    setText(pieces.empty() ? QString() : titleOf(pair) + u' ' + plainOf(pieces)); // for screen readers
    setToolTip(pieces.empty() ? QString() : plainText(titleOf(pair) + u'\n' + pair.there.join(u' ')));
    update();
}

QSize PromptDifference::sizeHint() const
{
    return {0, fontMetrics().lineSpacing() + 4};
}

void PromptDifference::paintEvent(QPaintEvent*)
{
    const auto pieces = differencePieces(m_pair);
    if (pieces.empty())
        return;
    QPainter painter(this);
    const Theme theme = themeOf(palette());
    const int space = fontMetrics().horizontalAdvance(u' '), end = width();
    int x = 0;
    const auto write = [&](const QString& words, bool marked) {
        QFont font = this->font();
        font.setBold(marked);
        const QFontMetrics metrics(font);
        const QString shown = metrics.elidedText(words, Qt::ElideRight, end - x);
        const int wide = metrics.horizontalAdvance(shown);
        if (marked)
            painter.fillRect(QRect(x - 1, 1, wide + 2, height() - 2), mixed(theme.base, theme.sideB, kMark));
        painter.setFont(font);
        painter.setPen(marked ? theme.text : theme.muted);
        painter.drawText(QRect(x, 0, wide + 1, height()), Qt::AlignVCenter | Qt::TextSingleLine, shown);
        x += wide + space;
        return shown == words && x < end;
    };
    bool more = write(titleOf(m_pair), false);
    for (std::size_t i = 0; more && i < pieces.size(); ++i)
        more = write(pieces[i].words, pieces[i].differs);
}

} // namespace headscope::widgets
