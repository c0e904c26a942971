// SPDX-License-Identifier: GPL-3.0-or-later
// The half of HeadMapModel that views read: what a cell shows, says and is called.
#include "widgets/heads/headmapmodel.h"

#include "widgets/look/numbertext.h"
#include "widgets/look/plaintext.h"

#include <QBuffer>
#include <QColor>

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

constexpr double kHalfStroke = 0.5; // a stroke through the cell

QString imageHtml(const QImage& image)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    image.save(&buffer, "PNG");
    return u"<br><img width=\"96\" height=\"96\" src=\"data:image/png;base64,%1\">"_s.arg(
        QString::fromLatin1(bytes.toBase64()));
}

} // namespace

QVariant HeadMapModel::colorOf(double value) const
{
    if (std::isnan(value))
        return {};
    return QColor(colorAt(colorMap(), (value - m_low) / (m_high - m_low)));
}

QVariant HeadMapModel::data(const QModelIndex& index, int role) const
{
    const HeadSpan span = spanAt(index);
    if (span.count == 0)
        return {};
    const Line& line = m_lines[static_cast<std::size_t>(index.row())];
    const Key key = keyOf(span.layer, span.kind, span.first);
    switch (role) {
    case TextRole: return span.text();
    case ValueRole: return valueOf(span, line.source);
    case ColorRole: return colorOf(valueOf(span, line.source));
    case OffRole: return isPartly(span) ? std::max(offPart(span), kHalfStroke) : offPart(span);
    case KindRole: return static_cast<int>(span.kind);
    case Qt::EditRole:
    case NameRole: return m_names.value(key);
    case LabelColorRole: return m_labelColors.value(key);
    case SortedRole: return m_sorted;
    case HiddenRole: {
        const double value = valueOf(span, line.source);
        return !std::isnan(m_floor) && !(std::abs(value) >= m_floor);
    }
    case MarkRole:
        for (int i = 0; m_marksShown && i < span.count; ++i)
            if (const auto mark = m_marks.constFind(key + static_cast<Key>(i)); mark != m_marks.constEnd())
                return *mark;
        return QString();
    case TagRole: return tagOf(span).letters;
    case OpenRole:
        if (span.count == 1)
            return false;
        for (int row = index.row() + 1; row < rowCount() && m_lines[static_cast<std::size_t>(row)].parent >= 0; ++row)
            if (m_lines[static_cast<std::size_t>(row)].parent == span.first)
                return true;
        return false;
    case Qt::ToolTipRole: return tooltip(index);
    case Qt::AccessibleTextRole: {
        QString text = span.text();
        if (const double value = valueOf(span, line.source); !std::isnan(value))
            text += u", %1 %2"_s.arg(m_metric.name, valueText(span, value));
        if (const QString words = tagOf(span).words; !words.isEmpty())
            text += u", "_s + words;
        if (offPart(span) >= 1)
            text += tr(", off");
        else if (offPart(span) > 0 || isPartly(span))
            text += tr(", partly off");
        return text;
    }
    default: return {};
    }
}

QString HeadMapModel::valueText(const HeadSpan& span, double value) const
{
    return m_metric.estimated.contains(span) ? tr("≈ %1 (estimate)").arg(compactText(value)) : compactText(value);
}

QString HeadMapModel::offText(const HeadSpan& span) const
{
    const double off = offPart(span);
    return off >= 1         ? tr("ablated")
           : off > 0        ? tr("%1 of %2 ablated").arg(std::lround(off * span.count)).arg(span.count)
           : isPartly(span) ? tr("changed at some tokens only")
                            : QString();
}

QString HeadMapModel::tooltip(const QModelIndex& index) const
{
    const HeadSpan span = spanAt(index);
    const Line& line = m_lines[static_cast<std::size_t>(index.row())];
    const HeadRow& row = m_rows[line.source];
    const Key key = keyOf(span.layer, span.kind, span.first);
    QString html = u"<b>%1</b>"_s.arg(span.text());
    if (const QString name = m_names.value(key); !name.isEmpty())
        html += u" “%1”"_s.arg(name.toHtmlEscaped());
    const QString mark = data(index, MarkRole).toString();
    if (mark == "G"_L1)
        html += u" · "_s + tr("gather head");
    else if (mark == "A"_L1)
        html += u" · "_s + tr("aggregate head");
    if (const HeadTag tag = tagOf(span); !tag.letters.isEmpty())
        html += u"<br><b>%1</b>: %2"_s.arg(tag.letters.toHtmlEscaped(), tag.words.toHtmlEscaped());
    html += u"<br>"_s + (span.kind == HeadKind::Attention ? tr("attention") : tr("SSM, hidden attention"));
    if (span.first < row.groups.size())
        html += u" · "_s + row.groups.at(span.first).toHtmlEscaped();
    if (!row.note.isEmpty())
        html += u" · "_s + row.note.toHtmlEscaped();
    const double value = valueOf(span, line.source);
    if (!m_metric.name.isEmpty())
        html += u"<br>%1: <b>%2</b> %3"_s.arg(m_metric.name.toHtmlEscaped(),
                                              std::isnan(value) ? tr("not measured") : valueText(span, value),
                                              m_metric.unit.toHtmlEscaped());
    if (line.source < m_metric.notes.size() && span.count == 1)
        if (const auto& notes = m_metric.notes[line.source]; span.first < static_cast<int>(notes.size()))
            html += u"<br>"_s + notes[static_cast<std::size_t>(span.first)].toHtmlEscaped();
    if (span.count > 1)
        html += u"<br>"_s + tr("%1 channels; the strongest decides the colour").arg(span.count);
    if (const QString off = offText(span); !off.isEmpty())
        html += u"<br>"_s + off;
    html += u"<br>"_s
            + (span.kind == HeadKind::Attention ? tr("off: its output is zero where the output projection reads it")
               : span.kind == HeadKind::Ssm
                   ? tr("off: its output is zero after any gate and norm, where the output projection reads it")
                   : tr("off: its output is zero after the gate, where the output projection reads it"));
    if (const auto thumbnail = m_thumbnails.constFind(key); thumbnail != m_thumbnails.constEnd())
        html += imageHtml(*thumbnail);
    return html;
}

QVariant HeadMapModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation == Qt::Horizontal)
        return role == Qt::DisplayRole && !m_sorted ? QVariant(section) : QVariant();
    if (section < 0 || section >= rowCount())
        return {};
    const Line& line = m_lines[static_cast<std::size_t>(section)];
    const HeadRow& row = m_rows[line.source];
    switch (role) {
    case Qt::DisplayRole: return line.parent >= 0 ? u"C%1"_s.arg(line.first) : u"L%1"_s.arg(row.layer);
    case KindRole: return static_cast<int>(row.kind);
    case SharedRole: return row.shared;
    case Qt::ToolTipRole:
        return plainText(tr("Layer %1: click switches all of it off or on").arg(row.layer)
                         + (row.note.isEmpty() ? QString() : u"\n"_s + row.note));
    default: return {};
    }
}

} // namespace headscope::widgets
