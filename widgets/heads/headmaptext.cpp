// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/heads/headmaptext.h"

#include "widgets/look/numbertext.h"

#include <QBuffer>

#include <cmath>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

QString imageHtml(const QImage& image)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    image.save(&buffer, "PNG");
    return u"<br><img width=\"96\" height=\"96\" src=\"data:image/png;base64,%1\">"_s.arg(
        QString::fromLatin1(bytes.toBase64()));
}

QString valueText(const HeadCell& cell, const HeadMetric& metric)
{
    const QString text = compactText(cell.value);
    return metric.estimated.contains(cell.span) ? HeadMapModel::tr("≈ %1 (estimate)").arg(text) : text;
}

QString offText(const HeadCell& cell)
{
    return cell.off >= 1 ? HeadMapModel::tr("ablated")
           : cell.off > 0
               ? HeadMapModel::tr("%1 of %2 ablated").arg(std::lround(cell.off * cell.span.count)).arg(cell.span.count)
           : cell.partly ? HeadMapModel::tr("changed at some tokens only, or by a factor")
                         : QString();
}

QString whatOffMeans(HeadKind kind)
{
    return kind == HeadKind::Attention ? HeadMapModel::tr("ablated: zero before the output projection")
           : kind == HeadKind::Ssm
               ? HeadMapModel::tr("ablated: zero after any gate and norm, before the output projection")
               : HeadMapModel::tr("ablated: zero after the gate, before the output projection");
}

} // namespace

QString accessibleText(const HeadCell& cell, const HeadMetric& metric)
{
    QString text = cell.span.text();
    if (!std::isnan(cell.value))
        text += u", %1 %2"_s.arg(metric.name, valueText(cell, metric));
    if (!cell.tag.words.isEmpty())
        text += u", "_s + cell.tag.words;
    if (cell.off >= 1)
        text += HeadMapModel::tr(", off");
    else if (cell.off > 0)
        text += HeadMapModel::tr(", partly ablated");
    else if (cell.partly)
        text += HeadMapModel::tr(", changed in part");
    return text;
}

QString tooltip(const HeadCell& cell, const HeadRow& row, const HeadMetric& metric)
{
    const HeadSpan& span = cell.span;
    QString html = u"<b>%1</b>"_s.arg(span.text());
    if (!cell.name.isEmpty())
        html += u" “%1”"_s.arg(cell.name.toHtmlEscaped());
    if (cell.mark == "G"_L1)
        html += u" · "_s + HeadMapModel::tr("gather head");
    else if (cell.mark == "A"_L1)
        html += u" · "_s + HeadMapModel::tr("aggregate head");
    if (!cell.tag.letters.isEmpty())
        html += u"<br><b>%1</b>: %2"_s.arg(cell.tag.letters.toHtmlEscaped(), cell.tag.words.toHtmlEscaped());
    html += u"<br>"_s
            + (span.kind == HeadKind::Attention ? HeadMapModel::tr("attention")
                                                : HeadMapModel::tr("SSM, hidden attention"));
    if (span.first < row.groups.size())
        html += u" · "_s + row.groups.at(span.first).toHtmlEscaped();
    if (!row.note.isEmpty())
        html += u" · "_s + row.note.toHtmlEscaped();
    if (!metric.name.isEmpty())
        html += u"<br>%1: <b>%2</b> %3"_s.arg(metric.name.toHtmlEscaped(),
                                              std::isnan(cell.value) ? HeadMapModel::tr("not measured")
                                                                     : valueText(cell, metric),
                                              metric.unit.toHtmlEscaped());
    if (!cell.note.isEmpty())
        html += u"<br>"_s + cell.note.toHtmlEscaped();
    if (span.count > 1)
        html += u"<br>"_s + HeadMapModel::tr("%1 channels; the strongest decides the colour").arg(span.count);
    if (const QString off = offText(cell); !off.isEmpty())
        html += u"<br>"_s + off;
    html += u"<br>"_s + whatOffMeans(span.kind);
    if (!cell.thumbnail.isNull())
        html += imageHtml(cell.thumbnail);
    return html;
}

} // namespace headscope::widgets
