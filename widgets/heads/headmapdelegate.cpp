// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/heads/headmapdelegate.h"

#include "widgets/heads/headmapmodel.h"
#include "widgets/look/theme.h"

#include <QPaintEvent>
#include <QPainter>

#include <algorithm>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

constexpr double kBesideTag = 0.68; // of a cell, for a mark that has a tag below it

void paintMark(QPainter* painter, const QRectF& cell, const QString& mark, const QColor& ink, const QFont& font)
{
    const double side = std::min(cell.width(), cell.height());
    painter->setPen(QPen(ink, side > 20 ? 1.8 : 1.2));
    if (side < 14) { // no room for a letter: a dot for G, a ring for A
        const double r = side * 0.22;
        painter->setBrush(mark == "G"_L1 ? QBrush(ink) : QBrush(Qt::NoBrush));
        painter->drawEllipse(cell.center(), r, r);
        return;
    }
    painter->setBrush(Qt::NoBrush);
    const double radius = side * 0.36;
    painter->drawEllipse(cell.center(), radius, radius);
    QFont bold = font;
    bold.setBold(true);
    bold.setPixelSize(std::max(7, static_cast<int>(radius * 1.15)));
    painter->setFont(bold);
    painter->drawText(cell, Qt::AlignCenter, mark);
}

// The number of the head in a sorted map, in the upper left corner.
void paintNumber(QPainter* painter, const QRectF& cell, const QString& name, QColor ink, const QFont& font)
{
    QFont small = font;
    small.setPixelSize(std::clamp(static_cast<int>(cell.height() * 0.36), 7, 11));
    painter->setFont(small);
    ink.setAlphaF(0.75F);
    painter->setPen(ink);
    painter->drawText(cell.adjusted(2, 0, 0, 0), Qt::AlignLeft | Qt::AlignTop,
                      name.mid(std::max(name.lastIndexOf(u'H'), name.lastIndexOf(u'C')) + 1));
}

// What the head does by its score: in the middle, or below a mark that made room.
void paintTag(QPainter* painter, const QRectF& cell, const QString& letters, bool marked, const QColor& ink,
              const QFont& font)
{
    QFont small = font;
    small.setPixelSize(std::clamp(static_cast<int>(cell.height() * (marked ? 0.4 : 0.46)), 7, 13));
    painter->setFont(small);
    painter->setPen(ink);
    if (!marked)
        return painter->drawText(cell, Qt::AlignCenter, letters);
    painter->drawText(QPointF(cell.right() - QFontMetricsF(small).horizontalAdvance(letters) - 2, cell.bottom() - 2),
                      letters);
}

// The person's own colour: a corner, so that the colour that says the number stays.
void paintCorner(QPainter* painter, const QRectF& cell, const QColor& color)
{
    const double side = std::max(4.0, std::min(cell.width(), cell.height()) * 0.36);
    const QPointF corner = cell.topRight();
    painter->setPen(QPen(Qt::white, 1));
    painter->setBrush(color);
    painter->drawPolygon(QPolygonF{corner, corner - QPointF(side, 0), corner + QPointF(0, side)});
}

void paintCross(QPainter* painter, const QRectF& cell, double off, const QColor& red)
{
    const double side = std::min(cell.width(), cell.height());
    const QRectF box = cell.adjusted(side * 0.14, side * 0.14, -side * 0.14, -side * 0.14);
    const auto lines = [&] {
        painter->drawLine(box.topLeft(), box.bottomRight());
        if (off >= 1) // a block that is only partly off gets one stroke
            painter->drawLine(box.topRight(), box.bottomLeft());
    };
    const double stroke = std::clamp(side * 0.1, 1.3, 3.0);
    painter->setPen(QPen(QColor(255, 255, 255, 200), stroke + 1.6, Qt::SolidLine, Qt::RoundCap));
    lines();
    painter->setPen(QPen(red, stroke, Qt::SolidLine, Qt::RoundCap));
    lines();
}

} // namespace

void HeadMapDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const QString name = index.data(HeadMapModel::TextRole).toString();
    if (name.isEmpty())
        return; // right of the end of a short row
    painter->save();
    const Theme theme = themeOf(option.palette);
    const double gap = std::min(option.rect.width(), option.rect.height()) > 12 ? 2 : 1;
    const QRectF cell = QRectF(option.rect).adjusted(0, 0, -gap, -gap);
    const QVariant color = index.data(HeadMapModel::ColorRole);
    const QColor fill = color.isValid() ? color.value<QColor>() : theme.unused;
    const bool hidden = index.data(HeadMapModel::HiddenRole).toBool();
    painter->fillRect(cell, hidden ? theme.raised : fill);
    painter->setRenderHint(QPainter::Antialiasing);
    if (!color.isValid()) { // not measured: hatched, so that it is not read as a low value
        painter->fillRect(cell, QBrush(theme.faint, Qt::BDiagPattern));
    }
    const double off = index.data(HeadMapModel::OffRole).toDouble();
    const QString mark = index.data(HeadMapModel::MarkRole).toString();
    const QString tag =
        std::min(cell.width(), cell.height()) >= 16 ? index.data(HeadMapModel::TagRole).toString() : QString();
    const QColor ink(inkOn(hidden ? theme.raised.rgb() : fill.rgb()));
    if (!mark.isEmpty())
        paintMark(painter, tag.isEmpty() ? cell : QRectF(cell.topLeft(), cell.size() * kBesideTag), mark, ink,
                  option.font);
    if (!tag.isEmpty())
        paintTag(painter, cell, tag, !mark.isEmpty(), ink, option.font);
    if (index.data(HeadMapModel::SortedRole).toBool() && std::min(cell.width(), cell.height()) >= 16)
        paintNumber(painter, cell, name, QColor(inkOn(hidden ? theme.raised.rgb() : fill.rgb())), option.font);
    if (const auto own = index.data(HeadMapModel::LabelColorRole).value<QColor>(); own.isValid())
        paintCorner(painter, cell, own);
    if (off > 0)
        paintCross(painter, cell, off, theme.cross);
    if (index.data(HeadMapModel::OpenRole).toBool()) {
        painter->setPen(QPen(theme.crosshair, 2));
        painter->drawLine(cell.bottomLeft(), cell.bottomRight());
    }
    painter->setBrush(Qt::NoBrush);
    if (option.state.testFlag(QStyle::State_Selected)) {
        QColor frame = option.palette.color(QPalette::Highlight);
        painter->setPen(QPen(Qt::white, 2.4));
        painter->drawRect(cell.adjusted(1, 1, -1, -1));
        painter->setPen(QPen(frame, 1.4));
        painter->drawRect(cell.adjusted(0.5, 0.5, -0.5, -0.5));
    }
    if (option.state.testFlag(QStyle::State_HasFocus) || index.data(Qt::UserRole).toBool()) {
        painter->setPen(QPen(QColor(inkOn(fill.rgb())), 1));
        painter->drawRect(cell.adjusted(2, 2, -2, -2));
        painter->setPen(QPen(theme.crosshair, 2));
        painter->drawRect(cell.adjusted(0.5, 0.5, -0.5, -0.5));
    }
    painter->restore();
}

void HeadMapDelegate::updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                                           const QModelIndex&) const
{
    const int width = 150, room = editor->parentWidget()->width();
    editor->setGeometry(std::clamp(option.rect.left(), 0, std::max(0, room - width)), option.rect.top(), width,
                        std::max(option.rect.height(), editor->sizeHint().height()));
}

HeadMapHeader::HeadMapHeader(Qt::Orientation orientation, QWidget* parent) : QHeaderView(orientation, parent)
{
    setSectionResizeMode(QHeaderView::Fixed);
    setMinimumSectionSize(4);
    setSectionsClickable(orientation == Qt::Vertical);
    setHighlightSections(false);
    setAccessibleName(orientation == Qt::Vertical ? tr("Layers") : tr("Heads"));
}

QSize HeadMapHeader::sizeHint() const
{
    const QFontMetrics metrics(font());
    if (orientation() == Qt::Horizontal)
        return {0, metrics.height() + 2};
    int widest = metrics.horizontalAdvance(u"L00"_s);
    for (int row = 0; model() && row < model()->rowCount(); ++row)
        widest = std::max(widest, metrics.horizontalAdvance(model()->headerData(row, Qt::Vertical).toString()));
    return {widest + 11, 0};
}

void HeadMapHeader::paintEvent(QPaintEvent*)
{
    // Own painting: labels may be larger than their section, and the style's header look would outshout the map.
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), palette().color(QPalette::Base));
    if (!model())
        return;
    const bool vertical = orientation() == Qt::Vertical;
    const int room = vertical ? viewport()->height() : viewport()->width();
    for (int section = 0; section < count(); ++section) {
        const int start = sectionViewportPosition(section);
        if (start + sectionSize(section) < 0 || start > room)
            continue;
        const QRect rect = vertical ? QRect(0, start, viewport()->width(), sectionSize(section))
                                    : QRect(start, 0, sectionSize(section), viewport()->height());
        paintLabel(painter, rect, section);
    }
}

void HeadMapHeader::paintLabel(QPainter& painter, const QRect& rect, int section) const
{
    const Theme theme = themeOf(palette());
    const bool vertical = orientation() == Qt::Vertical;
    const QFontMetrics metrics(font());
    const auto* heads = qobject_cast<const HeadMapModel*>(model());
    if (vertical && heads && heads->hasTwoKinds()) {
        const auto kind =
            static_cast<HeadKind>(heads->headerData(section, Qt::Vertical, HeadMapModel::KindRole).toInt());
        const QColor color = kind == HeadKind::Attention ? theme.sideA : theme.sideB;
        painter.fillRect(QRect(rect.right() - 4, rect.top(), 3, std::max(1, rect.height() - 1)), color);
    }
    if (vertical && heads && heads->headerData(section, Qt::Vertical, HeadMapModel::SharedRole).toInt() >= 0) {
        // Layers with the same weights carry the same mark.
        constexpr Qt::PenStyle kStyles[] = {Qt::SolidLine, Qt::DotLine, Qt::DashLine};
        const int block = heads->headerData(section, Qt::Vertical, HeadMapModel::SharedRole).toInt();
        painter.setPen(QPen(theme.crosshair, 3, kStyles[block % 3]));
        painter.drawLine(rect.left() + 2, rect.top() + 1, rect.left() + 2, rect.bottom() - 1);
    }
    const int size = sectionSize(section);
    const QString widest = model()->headerData(count() - 1, orientation()).toString();
    const int needed = vertical ? metrics.height() - 3 : metrics.horizontalAdvance(widest) + 6;
    int stride = 1;
    while (stride * size < needed)
        stride *= 2;
    if (section % stride != 0)
        return;
    painter.setFont(font());
    painter.setPen(theme.muted);
    const QString label = model()->headerData(section, orientation()).toString();
    const int top = std::max(0, rect.center().y() - metrics.height() / 2 + 1);
    const QRect box = vertical ? QRect(rect.left(), top, rect.width() - 8, metrics.height())
                               : QRect(rect.center().x() - needed + 1, rect.top(), 2 * needed, rect.height());
    painter.drawText(box, vertical ? Qt::AlignRight | Qt::AlignVCenter : Qt::AlignCenter, label);
}

} // namespace headscope::widgets
