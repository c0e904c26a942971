// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/heads/headmapmodel.h"

#include "widgets/heads/headmaptext.h"
#include "widgets/look/plaintext.h"

#include <QColor>

#include <algorithm>
#include <cmath>
#include <ranges>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kHalfStroke = 0.5; // a stroke through the cell

} // namespace

QString HeadSpan::text() const
{
    const QChar letter = kind == HeadKind::Channels ? u'C' : u'H';
    const QString start = u"L%1%2%3"_s.arg(layer).arg(letter).arg(first);
    return count > 1 ? start + u"-%1"_s.arg(first + count - 1) : start;
}

HeadMapModel::HeadMapModel(QObject* parent) : QAbstractTableModel(parent) {}

HeadMapModel::Key HeadMapModel::keyOf(int layer, HeadKind kind, int head)
{
    return static_cast<Key>(layer) << 40 | static_cast<Key>(kind) << 32 | static_cast<Key>(static_cast<quint32>(head));
}

void HeadMapModel::setRows(std::vector<HeadRow> rows)
{
    beginResetModel();
    m_rows = std::move(rows);
    m_lines.clear();
    m_columns = 0;
    m_twoKinds = false;
    m_floor = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        m_lines.push_back({i, 0, m_rows[i].heads, std::max(1, m_rows[i].block), -1});
        m_columns = std::max(m_columns, cellsOf(m_lines.back()));
        m_twoKinds = m_twoKinds || m_rows[i].kind != m_rows.front().kind;
    }
    m_metric = {};
    for (Line& line : m_lines)
        order(line);
    m_off.clear();
    m_partly.clear();
    m_marks.clear();
    m_tags.clear();
    m_names.clear();
    m_labelColors.clear();
    m_thumbnails.clear();
    measureRange();
    endResetModel();
}

void HeadMapModel::measureRange()
{
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const auto& row : m_metric.values)
        for (const float value : row)
            if (std::isfinite(value)) {
                low = std::min(low, static_cast<double>(value));
                high = std::max(high, static_cast<double>(value));
            }
    if (!(low <= high)) {
        low = 0;
        high = 1;
    }
    if (m_metric.isSigned) {
        const double magnitude = std::max({std::abs(low), std::abs(high), 1e-12});
        low = -magnitude;
        high = magnitude;
    } else if (high - low < 1e-12) {
        low = std::min(0.0, low);
        high = std::max(low + 1e-12, high);
    }
    m_low = low;
    m_high = std::max(high, m_metric.atLeast);
}

void HeadMapModel::setMetric(HeadMetric metric)
{
    if (metric.name != m_metric.name)
        m_floor = std::numeric_limits<double>::quiet_NaN(); // a value of the other metric
    m_metric = std::move(metric);
    measureRange();
    valuesChanged();
}

void HeadMapModel::valuesChanged()
{
    if (m_sorted)
        reorder();
    changed({ValueRole, ColorRole, HiddenRole, Qt::ToolTipRole, Qt::AccessibleTextRole});
}

const HeadMetric& HeadMapModel::metric() const
{
    static const HeadMetric none;
    return m_valuesShown ? m_metric : none;
}

void HeadMapModel::setFloor(double floor)
{
    m_floor = floor;
    changed({HiddenRole});
}

void HeadMapModel::setSorted(bool sorted)
{
    if (sorted == m_sorted)
        return;
    m_sorted = sorted;
    reorder();
    Q_EMIT headerDataChanged(Qt::Horizontal, 0, std::max(0, m_columns - 1));
}

void HeadMapModel::order(Line& line) const
{
    line.order.clear();
    if (!m_sorted)
        return;
    std::vector<double> strength;
    for (int cell = 0; cell < cellsOf(line); ++cell) {
        const double value = valueOf(spanOf(line, cell), line.source);
        strength.push_back(std::isnan(value) ? -1 : std::abs(value));
        line.order.push_back(cell);
    }
    std::stable_sort(line.order.begin(), line.order.end(), [&](int a, int b) {
        return strength[static_cast<std::size_t>(a)] > strength[static_cast<std::size_t>(b)];
    });
}

QList<HeadSpan> HeadMapModel::strongest(int count) const
{
    std::vector<std::pair<double, HeadSpan>> heads;
    for (const Line& line : m_lines)
        for (int cell = 0; line.parent < 0 && cell < cellsOf(line); ++cell)
            if (const HeadSpan span = spanOf(line, cell); !std::isnan(valueOf(span, line.source)))
                heads.emplace_back(std::abs(valueOf(span, line.source)),
                                   HeadSpan{span.layer, span.kind, span.first, 1});
    std::ranges::stable_sort(heads, std::ranges::greater(), &std::pair<double, HeadSpan>::first);
    QList<HeadSpan> strongest;
    for (const auto& [value, head] : heads | std::views::take(count))
        strongest.append(head);
    return strongest;
}

void HeadMapModel::reorder()
{
    Q_EMIT layoutAboutToBeChanged();
    const QModelIndexList before = persistentIndexList();
    QList<HeadSpan> heads;
    for (const QModelIndex& index : before)
        heads.append(spanAt(index));
    for (Line& line : m_lines)
        order(line);
    QModelIndexList after;
    for (qsizetype i = 0; i < before.size(); ++i) {
        const Line& line = m_lines[static_cast<std::size_t>(before[i].row())];
        int column = before[i].column();
        for (int c = 0; c < cellsOf(line); ++c)
            if (spanAt(index(before[i].row(), c)) == heads[i])
                column = c;
        after.append(index(before[i].row(), column));
    }
    changePersistentIndexList(before, after);
    Q_EMIT layoutChanged();
}

void HeadMapModel::setOff(const QList<HeadSpan>& off, const QList<HeadSpan>& partly)
{
    m_off.clear();
    m_partly.clear();
    for (const HeadSpan& span : off)
        for (int i = 0; i < span.count; ++i)
            m_off.insert(keyOf(span.layer, span.kind, span.first + i));
    for (const HeadSpan& span : partly)
        for (int i = 0; i < span.count; ++i)
            if (const Key key = keyOf(span.layer, span.kind, span.first + i); !m_off.contains(key))
                m_partly.insert(key);
    changed({OffRole, Qt::ToolTipRole, Qt::AccessibleTextRole});
}

void HeadMapModel::setMarksShown(bool shown)
{
    if (std::exchange(m_marksShown, shown) != shown)
        changed({MarkRole, Qt::ToolTipRole, Qt::AccessibleTextRole});
}

void HeadMapModel::setValuesShown(bool shown)
{
    if (std::exchange(m_valuesShown, shown) != shown)
        valuesChanged();
}

void HeadMapModel::setMarks(const QList<HeadSpan>& gather, const QList<HeadSpan>& aggregate)
{
    m_marks.clear();
    for (const HeadSpan& span : gather)
        for (int i = 0; i < span.count; ++i)
            m_marks.insert(keyOf(span.layer, span.kind, span.first + i), u"G"_s);
    for (const HeadSpan& span : aggregate)
        for (int i = 0; i < span.count; ++i)
            m_marks.insert(keyOf(span.layer, span.kind, span.first + i), u"A"_s);
    changed({MarkRole, Qt::ToolTipRole, Qt::AccessibleTextRole});
}

void HeadMapModel::setTags(const QList<HeadTag>& tags)
{
    m_tags.clear();
    for (const HeadTag& tag : tags)
        m_tags.insert(keyOf(tag.head.layer, tag.head.kind, tag.head.first), tag);
    changed({TagRole, Qt::ToolTipRole, Qt::AccessibleTextRole});
}

// A block of channels stands for the first of them that has one.
HeadTag HeadMapModel::tagOf(const HeadSpan& span) const
{
    for (int i = 0; i < span.count && !m_tags.isEmpty(); ++i)
        if (const auto tag = m_tags.constFind(keyOf(span.layer, span.kind, span.first + i)); tag != m_tags.constEnd())
            return *tag;
    return {};
}

void HeadMapModel::setName(const HeadSpan& head, const QString& name)
{
    const Key key = keyOf(head.layer, head.kind, head.first);
    if (name.isEmpty())
        m_names.remove(key);
    else
        m_names.insert(key, name);
    changed({NameRole, Qt::ToolTipRole, Qt::AccessibleTextRole});
}

void HeadMapModel::setLabelColor(const HeadSpan& head, const QColor& color)
{
    const Key key = keyOf(head.layer, head.kind, head.first);
    if (color.isValid())
        m_labelColors.insert(key, color);
    else
        m_labelColors.remove(key);
    changed({LabelColorRole});
}

void HeadMapModel::setThumbnail(const HeadSpan& head, const QImage& image)
{
    m_thumbnails.insert(keyOf(head.layer, head.kind, head.first), image);
    const QModelIndex index = indexOf(head);
    if (index.isValid())
        Q_EMIT dataChanged(index, index, {Qt::ToolTipRole});
}

void HeadMapModel::clearThumbnails()
{
    m_thumbnails.clear();
}

void HeadMapModel::changed(const QList<int>& roles)
{
    if (!m_lines.empty() && m_columns > 0)
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, m_columns - 1), roles);
}

HeadSpan HeadMapModel::spanAt(const QModelIndex& index) const
{
    if (!index.isValid())
        return {0, HeadKind::Attention, 0, 0};
    const Line& line = m_lines[static_cast<std::size_t>(index.row())];
    const auto column = static_cast<std::size_t>(index.column());
    return spanOf(line, column < line.order.size() ? line.order[column] : index.column());
}

HeadSpan HeadMapModel::spanOf(const Line& line, int cell) const
{
    const HeadRow& row = m_rows[line.source];
    const int start = cell * line.block;
    return {row.layer, row.kind, line.first + start, std::clamp(line.heads - start, 0, line.block)};
}

QModelIndex HeadMapModel::indexOf(const HeadSpan& head) const
{
    QModelIndex found;
    for (int r = 0; r < rowCount(); ++r) {
        const Line& line = m_lines[static_cast<std::size_t>(r)];
        const HeadRow& row = m_rows[line.source];
        const int offset = head.first - line.first;
        if (row.layer == head.layer && row.kind == head.kind && offset >= 0 && offset < line.heads) {
            int column = offset / line.block;
            if (const auto at = std::find(line.order.begin(), line.order.end(), column); at != line.order.end())
                column = static_cast<int>(at - line.order.begin());
            found = index(r, column); // an opened block's own line wins over the block
        }
    }
    return found;
}

HeadSpan HeadMapModel::rowSpan(int row) const
{
    const Line& line = m_lines[static_cast<std::size_t>(row)];
    return {m_rows[line.source].layer, m_rows[line.source].kind, line.first, line.heads};
}

double HeadMapModel::offPart(const HeadSpan& span) const
{
    int off = 0;
    for (int i = 0; i < span.count; ++i)
        off += m_off.contains(keyOf(span.layer, span.kind, span.first + i)) ? 1 : 0;
    return span.count > 0 ? static_cast<double>(off) / span.count : 0;
}

bool HeadMapModel::isPartly(const HeadSpan& span) const
{
    for (int i = 0; i < span.count && !m_partly.isEmpty(); ++i)
        if (m_partly.contains(keyOf(span.layer, span.kind, span.first + i)))
            return true;
    return false;
}

bool HeadMapModel::allOff(const HeadSpan& span) const
{
    return span.count > 0 && offPart(span) >= 1;
}

bool HeadMapModel::canOpen(const QModelIndex& index) const
{
    return spanAt(index).count > 1;
}

void HeadMapModel::setBlockOpen(const QModelIndex& index, bool open)
{
    const HeadSpan span = spanAt(index);
    if (span.count <= 1 || data(index, OpenRole).toBool() == open)
        return;
    const auto at = [this](int row) -> const Line& { return m_lines[static_cast<std::size_t>(row)]; };
    const std::size_t source = at(index.row()).source;
    int first = index.row() + 1;
    while (first < rowCount() && at(first).parent >= 0 && at(first).parent < span.first)
        ++first;
    if (open) {
        const int lines = (span.count + m_columns - 1) / m_columns;
        beginInsertRows({}, first, first + lines - 1);
        for (int i = 0; i < lines; ++i) {
            const int start = i * m_columns;
            Line line{source, span.first + start, std::min(m_columns, span.count - start), 1, span.first};
            order(line);
            m_lines.insert(m_lines.begin() + first + i, line);
        }
        endInsertRows();
    } else {
        int end = first;
        while (end < rowCount() && at(end).parent == span.first)
            ++end;
        beginRemoveRows({}, first, end - 1);
        m_lines.erase(m_lines.begin() + first, m_lines.begin() + end);
        endRemoveRows();
    }
    Q_EMIT dataChanged(index, index, {OpenRole});
}

int HeadMapModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_lines.size());
}

int HeadMapModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : m_columns;
}

double HeadMapModel::valueOf(const HeadSpan& span, std::size_t source) const
{
    if (source >= metric().values.size())
        return kNaN;
    const std::vector<float>& values = metric().values[source];
    double strongest = kNaN; // a block shows its strongest channel
    for (int i = span.first; i < span.first + span.count && i < static_cast<int>(values.size()); ++i) {
        const double value = values[static_cast<std::size_t>(i)];
        if (std::isfinite(value) && (std::isnan(strongest) || std::abs(value) > std::abs(strongest)))
            strongest = value;
    }
    return strongest;
}

QVariant HeadMapModel::colorOf(double value) const
{
    if (std::isnan(value))
        return {};
    return QColor(colorAt(colorMap(), (value - m_low) / (m_high - m_low)));
}

QString HeadMapModel::markOf(const HeadSpan& span) const
{
    const Key key = keyOf(span.layer, span.kind, span.first);
    for (int i = 0; m_marksShown && i < span.count; ++i)
        if (const auto mark = m_marks.constFind(key + static_cast<Key>(i)); mark != m_marks.constEnd())
            return *mark;
    return {};
}

HeadCell HeadMapModel::cellAt(const QModelIndex& index) const
{
    const HeadSpan span = spanAt(index);
    const std::size_t source = m_lines[static_cast<std::size_t>(index.row())].source;
    const Key key = keyOf(span.layer, span.kind, span.first);
    HeadCell cell{.span = span,
                  .value = valueOf(span, source),
                  .mark = markOf(span),
                  .tag = tagOf(span),
                  .off = offPart(span),
                  .partly = isPartly(span),
                  .name = m_names.value(key),
                  .note = {},
                  .thumbnail = m_thumbnails.value(key)};
    if (source < metric().notes.size() && span.count == 1)
        if (const auto& notes = metric().notes[source]; span.first < static_cast<int>(notes.size()))
            cell.note = notes[static_cast<std::size_t>(span.first)];
    return cell;
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
    case MarkRole: return markOf(span);
    case TagRole: return tagOf(span).letters;
    case OpenRole:
        if (span.count == 1)
            return false;
        for (int row = index.row() + 1; row < rowCount() && m_lines[static_cast<std::size_t>(row)].parent >= 0; ++row)
            if (m_lines[static_cast<std::size_t>(row)].parent == span.first)
                return true;
        return false;
    case Qt::ToolTipRole: return tooltip(cellAt(index), m_rows[line.source], metric());
    case Qt::AccessibleTextRole: return accessibleText(cellAt(index), metric());
    default: return {};
    }
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
        return plainText(tr("Layer %1: click to ablate or restore all heads").arg(row.layer)
                         + (row.note.isEmpty() ? QString() : u"\n"_s + row.note));
    default: return {};
    }
}

Qt::ItemFlags HeadMapModel::flags(const QModelIndex& index) const
{
    return spanAt(index).count > 0
               ? Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsEditable | Qt::ItemNeverHasChildren
               : Qt::ItemFlags(Qt::NoItemFlags);
}

bool HeadMapModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    const HeadSpan span = spanAt(index);
    if (role != Qt::EditRole || span.count == 0)
        return false;
    const QString name = value.toString().trimmed();
    setName(span, name);
    Q_EMIT nameEdited(span, name);
    return true;
}

} // namespace headscope::widgets
