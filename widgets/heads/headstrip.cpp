// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/heads/headstrip.h"

#include "widgets/look/theme.h"

#include <QPainter>
#include <QScrollBar>
#include <QStandardItemModel>
#include <QStyledItemDelegate>
#include <QWheelEvent>

#include <algorithm>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

constexpr int kPictureRole = Qt::UserRole + 1;
constexpr int kOffRole = Qt::UserRole + 2;
constexpr int kPad = 4;
constexpr int kSmallestOfAll = 40, kLargestOfAll = 200; // pixels of a picture among those of all heads

class PictureDelegate : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const Theme theme = themeOf(option.palette);
        const bool chosen = option.state.testFlag(QStyle::State_Selected);
        painter->save();
        const auto* strip = qobject_cast<const HeadStrip*>(option.widget);
        const int side = strip ? strip->side() : HeadStrip::kSide;
        const QRect box(option.rect.center().x() - side / 2, option.rect.top() + kPad, side, side);
        const QImage picture = index.data(kPictureRole).value<QImage>();
        painter->fillRect(box, theme.unused); // seen where a picture has no cells, whatever theme it was made under
        if (!picture.isNull())
            painter->drawImage(box, picture);
        painter->setRenderHint(QPainter::Antialiasing);
        if (index.data(kOffRole).toBool()) {
            painter->setPen(QPen(theme.cross, 2.2, Qt::SolidLine, Qt::RoundCap));
            const QRectF corner(box.right() - 15, box.top() + 4, 11, 11);
            painter->drawLine(corner.topLeft(), corner.bottomRight());
            painter->drawLine(corner.topRight(), corner.bottomLeft());
        }
        painter->setBrush(Qt::NoBrush);
        painter->setPen(QPen(chosen ? option.palette.color(QPalette::Highlight) : theme.faint, chosen ? 2.5 : 1));
        painter->drawRect(QRectF(box).adjusted(-1, -1, 1, 1));
        QFont font = option.font;
        font.setBold(chosen);
        painter->setFont(font);
        painter->setPen(chosen ? theme.text : theme.muted);
        painter->drawText(QRect(box.left(), box.bottom() + 2, box.width(), option.fontMetrics.height()),
                          Qt::AlignCenter, index.data().toString());
        painter->restore();
    }
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const override
    {
        if (const auto* strip = qobject_cast<const QListView*>(option.widget); strip && !strip->gridSize().isEmpty())
            return strip->gridSize();
        return {HeadStrip::kSide + 2 * kPad, HeadStrip::kSide + 2 * kPad + option.fontMetrics.height()};
    }
};

} // namespace

HeadStrip::HeadStrip(QWidget* parent) : QListView(parent), m_items(new QStandardItemModel(this))
{
    setModel(m_items);
    setItemDelegate(new PictureDelegate(this));
    setFlow(QListView::LeftToRight);
    setWrapping(false);
    setUniformItemSizes(true);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setSelectionMode(QAbstractItemView::SingleSelection);
    setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff); // the wheel and the keys do; pictures are worth the height
    setResizeMode(QListView::Adjust);
    setFrameShape(QFrame::NoFrame);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Thumbnails of the heads"));
    connect(this, &QListView::clicked, this, &HeadStrip::choose);
    connect(this, &QListView::activated, this, &HeadStrip::choose);
}

QSize HeadStrip::sizeHint() const
{
    return {600, kSide + 2 * kPad + fontMetrics().height() + 2};
}

void HeadStrip::setWrapped(bool wrapped)
{
    setWrapping(wrapped);
    setSizePolicy(QSizePolicy::Expanding, wrapped ? QSizePolicy::Expanding : QSizePolicy::Fixed);
    spread();
}

void HeadStrip::setAcross(int heads)
{
    m_across = heads;
    setWrapped(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
}

// Lines of a layer each, where they are wide enough to be seen; then as high as all lines fit.
void HeadStrip::spreadAll()
{
    const int frame = 2 * kPad, words = fontMetrics().height(), bar = verticalScrollBar()->sizeHint().width();
    const int room = width() - bar - 2, across = std::clamp(room / (kSmallestOfAll + frame), 1, m_across);
    const int lines = (headCount() + across - 1) / across;
    m_side = std::clamp(std::min(room / across - frame, height() / std::max(lines, 1) - frame - words), kSmallestOfAll,
                        kLargestOfAll);
    setGridSize({room / across, m_side + frame + words});
}

void HeadStrip::spread()
{
    if (m_across > 0)
        return spreadAll();
    const int least = kSide + 2 * kPad, count = std::max(1, headCount());
    setGridSize(isWrapping() ? QSize() : QSize(std::max(least, viewport()->width() / count), sizeHint().height() - 2));
}

void HeadStrip::resizeEvent(QResizeEvent* event)
{
    spread();
    QListView::resizeEvent(event);
}

void HeadStrip::wheelEvent(QWheelEvent* event)
{
    if (isWrapping() || event->angleDelta().x() != 0)
        return QListView::wheelEvent(event);
    horizontalScrollBar()->setValue(horizontalScrollBar()->value() - event->angleDelta().y());
    event->accept();
}

void HeadStrip::setHeads(const QList<HeadSpan>& heads, const QList<HeadSpan>& off)
{
    m_items->clear();
    m_heads = heads;
    for (const HeadSpan& head : heads) {
        auto* item = new QStandardItem(head.text());
        const bool isOff = off.contains(head);
        item->setData(isOff, kOffRole);
        item->setAccessibleText(isOff ? tr("%1, off").arg(head.text()) : head.text());
        m_items->appendRow(item);
    }
    spread();
}

void HeadStrip::setPicture(const HeadSpan& head, const QImage& picture)
{
    const qsizetype row = m_heads.indexOf(head);
    if (row >= 0)
        m_items->item(static_cast<int>(row))->setData(picture, kPictureRole);
}

bool HeadStrip::hasPicture(int place) const
{
    return m_items->item(place) && m_items->item(place)->data(kPictureRole).isValid();
}

bool HeadStrip::hasAllPictures() const
{
    for (int place = 0; place < headCount(); ++place)
        if (!hasPicture(place))
            return false;
    return true;
}

void HeadStrip::setCurrentHead(const HeadSpan& head)
{
    const qsizetype row = m_heads.indexOf(head);
    if (row >= 0)
        setCurrentIndex(m_items->index(static_cast<int>(row), 0));
    else
        clearSelection();
}

void HeadStrip::choose(const QModelIndex& index)
{
    if (index.isValid())
        Q_EMIT headChosen(m_heads.at(index.row()));
}

} // namespace headscope::widgets
