// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/fitting.h"

#include <QTextLayout>

#include <algorithm>
#include <cmath>
#include <vector>

namespace headscope::widgets {

QString fitting(const QStringList& forms, const QFontMetricsF& metrics, double room)
{
    const auto found =
        std::ranges::find_if(forms, [&](const QString& form) { return metrics.horizontalAdvance(form) <= room; });
    return found != forms.end() ? *found : metrics.elidedText(forms.value(forms.size() - 1), Qt::ElideRight, room);
}

QStringList withoutLastParts(const QString& text, const QString& between)
{
    QStringList forms{text};
    for (qsizetype end = text.lastIndexOf(between); end > 0; end = text.lastIndexOf(between, end - 1))
        forms.append(text.left(end));
    return forms;
}

QString partsFitting(const QString& text, const QString& between, const QFontMetricsF& metrics, double room)
{
    std::vector<qsizetype> ends; // of the parts
    for (qsizetype end = text.indexOf(between, 1); end > 0; end = text.indexOf(between, end + 1))
        ends.push_back(end);
    ends.push_back(text.size());
    const auto fits = [&](qsizetype end) { return metrics.horizontalAdvance(text.left(end)) <= room; };
    const auto tooLong = std::ranges::partition_point(ends, fits);
    return tooLong == ends.begin() ? metrics.elidedText(text.left(ends.front()), Qt::ElideRight, room)
                                   : text.left(*(tooLong - 1));
}

WrappedLines wrapped(const QString& text, const QFont& font, double width, int lines)
{
    const QString words = text.simplified();
    QTextLayout layout(words, font);
    QTextOption wrap;
    wrap.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    layout.setTextOption(wrap);
    WrappedLines result;
    layout.beginLayout();
    for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
        line.setLineWidth(width);
        const QString rest = words.mid(line.textStart());
        if (result.lines.size() + 1 == lines) {
            result.elided = line.textStart() + line.textLength() < words.size();
            result.lines.append(result.elided ? QFontMetricsF(font).elidedText(rest, Qt::ElideRight, width) : rest);
            break;
        }
        result.lines.append(rest.left(line.textLength()));
    }
    layout.endLayout();
    return result;
}

int roomForDigits(QString text, const QFontMetricsF& metrics)
{
    QChar widest = u'0';
    for (char16_t digit = u'1'; digit <= u'9'; ++digit)
        if (metrics.horizontalAdvance(digit) > metrics.horizontalAdvance(widest))
            widest = digit;
    for (QChar& letter : text)
        if (letter.isDigit())
            letter = widest;
    return static_cast<int>(std::ceil(metrics.horizontalAdvance(text))) + 2;
}

} // namespace headscope::widgets
