// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/pattern/card/patternheading.h"

#include "widgets/look/fitting.h"
#include "widgets/pattern/matrixwords.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>

namespace headscope::widgets {

namespace {

constexpr double kTagPadding = 8;
constexpr double kTagPart = 0.6; // of the heading, at most, where what the numbers are has to be cut anyway
constexpr double kTitleGap = 8;

QFont boldOf(QFont font)
{
    font.setBold(true);
    return font;
}

// What the head's name takes of the line.
double nameRoom(const QString& head, const QFont& font)
{
    return QFontMetricsF(boldOf(font)).horizontalAdvance(head) + kTitleGap;
}

} // namespace

QString PatternHeading::tagIn(double room, const QFont& font) const
{
    const QFontMetricsF metrics(font);
    const double left = room - nameRoom(head, font);
    const double least = metrics.horizontalAdvance(shorterWords(meaning).last());
    const auto wide = [&](const QString& form) { return metrics.horizontalAdvance(form) + 3 * kTagPadding; };
    const auto fits = [&](const QString& form) { return wide(form) + least <= left; };
    if (const auto found = std::ranges::find_if(tag, fits); found != tag.end())
        return *found;
    return tag.isEmpty() || wide(tag.last()) > left * kTagPart ? QString() : tag.last();
}

void PatternHeading::paint(QPainter& painter, const QRectF& box, const Theme& theme) const
{
    const QFont font = painter.font();
    const QFontMetricsF metrics(font);
    painter.setFont(boldOf(font));
    painter.setPen(sideColor(theme, side));
    painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter, head);
    painter.setFont(font);
    QRectF rest = box.adjusted(nameRoom(head, font), 0, 0, 0);
    if (const QString words = tagIn(box.width(), font); !words.isEmpty()) {
        const double wide = metrics.horizontalAdvance(words) + 2 * kTagPadding;
        paintPill(painter, {box.right() - wide, box.top(), wide, box.height()},
                  {words, Qt::NoPen, sideGround(theme, side), sideColor(theme, side)});
        rest.setRight(rest.right() - wide - kTagPadding);
    }
    painter.setPen(theme.muted);
    painter.drawText(rest, Qt::AlignLeft | Qt::AlignVCenter,
                     fitting(shorterWords(meaning), metrics, std::max(0.0, rest.width())));
}

void paintPill(QPainter& painter, const QRectF& box, const Pill& pill)
{
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(pill.edge);
    painter.setBrush(pill.ground);
    painter.drawRoundedRect(box, box.height() / 2, box.height() / 2);
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(pill.ink);
    painter.drawText(box, Qt::AlignCenter, pill.words);
}

} // namespace headscope::widgets
