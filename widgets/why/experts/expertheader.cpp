// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/experts/expertheader.h"

#include "widgets/look/theme.h"
#include "widgets/why/experts/expertmodel.h"

#include <QPainter>

#include <algorithm>

namespace headscope::widgets {

namespace {

constexpr int kBarHeight = 20, kBesideLabel = 4; // pixels

} // namespace

ExpertHeader::ExpertHeader(Side side, QWidget* parent) : QHeaderView(Qt::Horizontal, parent), m_side(side)
{
    setSectionResizeMode(QHeaderView::Fixed);
    setMinimumSectionSize(4);
    setSectionsClickable(true);
    setHighlightSections(false);
    setAccessibleName(tr("Experts"));
}

QSize ExpertHeader::sizeHint() const
{
    return {0, 2 * fontMetrics().height() + kBarHeight + 2};
}

void ExpertHeader::paintEvent(QPaintEvent*)
{
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), palette().color(QPalette::Base));
    if (!model() || count() == 0)
        return;
    const int first = sharedSections(), rows = model()->rowCount(), stride = labelStride(first, rows);
    for (int section = 0; section < count(); ++section) {
        const QRect place(sectionViewportPosition(section), 0, sectionSize(section), viewport()->height());
        if (place.right() >= 0 && place.left() <= viewport()->width())
            paintExpert(painter, section, place, section < first || (section - first) % stride == 0);
    }
}

int ExpertHeader::sharedSections() const
{
    return model() && model()->headerData(0, Qt::Horizontal, ExpertModel::SharedRole).toBool() ? 1 : 0;
}

// Every expert has a label where there is room, else every second, fifth, tenth ...
int ExpertHeader::labelStride(int first, int rows) const
{
    const int size = first < count() ? sectionSize(first) : 1;
    const int needed = kBesideLabel
                       + std::max(fontMetrics().horizontalAdvance(QString::number(rows)),
                                  fontMetrics().horizontalAdvance(QStringLiteral("X%1").arg(count() - first - 1)));
    int stride = 1;
    for (int step = 0; stride * size < needed; ++step)
        stride = stride * (step % 3 == 1 ? 5 : 4) / 2; // 1, 2, 5, 10, 20, 50 ...
    return stride;
}

int ExpertHeader::sharedWidth() const
{
    return sharedSections() == 0
               ? 0
               : fontMetrics().horizontalAdvance(model()->headerData(0, Qt::Horizontal, Qt::DisplayRole).toString())
                     + 6 * kBesideLabel; // the first label beside it is wider than its column
}

void ExpertHeader::paintExpert(QPainter& painter, int section, const QRect& place, bool labelled) const
{
    const Theme theme = themeOf(palette());
    const auto told = [&](int role) { return model()->headerData(section, Qt::Horizontal, role); };
    const int tokens = told(ExpertModel::TokensRole).toInt(), line = fontMetrics().height(), rows = model()->rowCount();
    const bool shared = told(ExpertModel::SharedRole).toBool(), off = told(ExpertModel::OffRole).toBool();
    if (labelled) {
        painter.setFont(font());
        const QRect label(place.center().x() - 40, 0, 80, line);
        painter.setPen(off ? theme.cross : theme.text);
        painter.drawText(label, Qt::AlignCenter, told(Qt::DisplayRole).toString());
        painter.setPen(theme.muted);
        painter.drawText(label.translated(0, line), Qt::AlignCenter, QString::number(tokens));
    }
    const QRect room(place.left(), 2 * line, place.width() - 1, kBarHeight);
    const int high = rows > 0 ? std::max(tokens > 0 ? 1 : 0, tokens * kBarHeight / rows) : 0;
    painter.fillRect(QRect(room.left(), room.bottom() - high + 1, room.width(), high),
                     shared ? theme.muted : sideColor(theme, m_side));
    painter.fillRect(QRect(room.left(), room.bottom() + 1, room.width(), 1), theme.faint);
    if (!off)
        return;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme.cross, 2, Qt::SolidLine, Qt::RoundCap));
    const QRect box = place.adjusted(2, 2, -3, -3);
    painter.drawLine(box.topLeft(), box.bottomRight());
    painter.drawLine(box.topRight(), box.bottomLeft());
    painter.setRenderHint(QPainter::Antialiasing, false);
}

} // namespace headscope::widgets
