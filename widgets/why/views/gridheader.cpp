// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/views/gridheader.h"

#include "widgets/look/theme.h"
#include "widgets/why/views/gridmodel.h"

#include <QPainter>

#include <algorithm>

namespace headscope::widgets {

namespace {

constexpr int kBarHeight = 20, kBesideName = 6, kThinnest = 2; // pixels
constexpr int kRowLetters = 14, kColumnLetters = 7;            // of a name

} // namespace

GridHeader::GridHeader(Qt::Orientation orientation, GridModel* model, QWidget* parent)
    : QHeaderView(orientation, parent), m_model(model)
{
    setSectionResizeMode(QHeaderView::Fixed);
    setMinimumSectionSize(kThinnest);
    setSectionsClickable(true);
    setHighlightSections(false);
    setAccessibleName(orientation == Qt::Vertical ? tr("Rows") : tr("Columns"));
}

int GridHeader::roomOf(const GridLine& line) const
{
    return fontMetrics().horizontalAdvance(line.name) + 2 * kBesideName;
}

void GridHeader::measure()
{
    const bool vertical = orientation() == Qt::Vertical;
    const auto& lines = vertical ? m_model->grid().rows : m_model->grid().columns;
    const int most = (vertical ? kRowLetters : kColumnLetters) * fontMetrics().averageCharWidth();
    m_widest = 0;
    m_counts = false;
    for (const GridLine& line : lines) {
        if (m_widest < most) // thousands of tokens are not all measured
            m_widest = std::max(m_widest, std::min(most, fontMetrics().horizontalAdvance(line.name)));
        m_counts = m_counts || line.count >= 0;
    }
    if (vertical)
        setFixedWidth(m_widest + 2 * kBesideName);
    else
        setFixedHeight(sizeHint().height());
}

QSize GridHeader::sizeHint() const
{
    const int line = fontMetrics().height();
    return orientation() == Qt::Vertical ? QSize(m_widest + 2 * kBesideName, 0)
                                         : QSize(0, m_counts ? 2 * line + kBarHeight + 2 : line + kBesideName);
}

// Every section has a name where there is room, else every second, fifth, tenth ...
int GridHeader::stride() const
{
    const int last = count() - 1; // the first may be wider than the others
    const int size = last >= 0 ? std::max(sectionSize(last), 1) : 1;
    const int needed = orientation() == Qt::Vertical ? fontMetrics().height() - 3 : m_widest + kBesideName;
    int stride = 1;
    for (int step = 0; stride * size < needed; ++step)
        stride = stride * (step % 3 == 1 ? 5 : 4) / 2; // 1, 2, 5, 10, 20, 50 ...
    return stride;
}

void GridHeader::paintEvent(QPaintEvent*)
{
    QPainter painter(viewport());
    const Theme theme = themeOf(palette());
    painter.fillRect(viewport()->rect(), theme.base);
    const bool vertical = orientation() == Qt::Vertical;
    const int room = vertical ? viewport()->height() : viewport()->width(), every = stride();
    for (int section = 0; section < count(); ++section) {
        const int start = sectionViewportPosition(section), size = sectionSize(section);
        if (start + size * every < 0 || start > room)
            continue;
        paintSection(painter, section,
                     vertical ? QRect(0, start, viewport()->width(), size)
                              : QRect(start, 0, size, viewport()->height()),
                     section % every == 0 ? every : 0, theme);
    }
}

void GridHeader::paintSection(QPainter& painter, int section, const QRect& place, int span, const Theme& theme) const
{
    const GridLine* line = m_model->line(section, orientation());
    const bool vertical = orientation() == Qt::Vertical, strong = line && line->strong, off = line && line->off;
    const int height = fontMetrics().height();
    if (line && line->count >= 0)
        paintBar(painter, *line, place, theme);
    if (span > 0 || strong) {
        QFont letters = font();
        letters.setBold(strong);
        painter.setFont(letters);
        painter.setPen(off ? theme.cross : strong ? theme.text : theme.muted);
        const int room = vertical ? place.width() - kBesideName : std::max(span, 1) * place.width();
        const QString name = QFontMetrics(letters).elidedText(
            m_model->headerData(section, orientation(), Qt::DisplayRole).toString(), Qt::ElideRight, room);
        QRect box(place.left() + kBesideName / 2, place.center().y() - height / 2, room, height);
        if (!vertical) {
            box = QRect(place.center().x() - room / 2, 1, room, height);
            if (line && line->count >= 0 && span > 0)
                painter.drawText(box.translated(0, height), Qt::AlignCenter, QString::number(line->count));
        }
        painter.drawText(box, vertical ? Qt::AlignVCenter | Qt::AlignLeft : Qt::AlignCenter, name);
    }
    if (!off)
        return;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme.cross, 2, Qt::SolidLine, Qt::RoundCap));
    const QRect box = place.adjusted(2, 2, -3, -3);
    painter.drawLine(box.topLeft(), box.bottomRight());
    painter.drawLine(box.topRight(), box.bottomLeft());
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void GridHeader::paintBar(QPainter& painter, const GridLine& line, const QRect& place, const Theme& theme) const
{
    const QRect room(place.left(), 2 * fontMetrics().height(), place.width() - 1, kBarHeight);
    const int high = std::max(line.count > 0 ? 1 : 0, static_cast<int>(line.share * kBarHeight));
    painter.fillRect(QRect(room.left(), room.bottom() - high + 1, room.width(), high),
                     line.id < 0 ? theme.muted : sideColor(theme, sideOf(m_model->grid().scale)));
    painter.fillRect(QRect(room.left(), room.bottom() + 1, room.width(), 1), theme.faint);
}

} // namespace headscope::widgets
