// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/welcome/offerpicture.h"

#include "widgets/look/colormap.h"
#include "widgets/look/theme.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <array>
#include <cmath>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

QColor viridis(double value)
{
    return QColor(colorAt(ColorMap::Viridis, value));
}

/// The largest box of that shape in the middle of `box`.
QRectF within(const QRectF& box, double wide, double high)
{
    const double scale = std::min(box.width() / wide, box.height() / high);
    QRectF inner(0, 0, wide * scale, high * scale);
    inner.moveCenter(box.center());
    return inner;
}

void paintHeads(QPainter& painter, const QRectF& box, const Theme& theme)
{
    constexpr int kRows = 4, kColumns = 8;
    const QRectF room = within(box, kColumns, kRows);
    const double cell = room.width() / kColumns;
    for (int row = 0; row < kRows; ++row)
        for (int column = 0; column < kColumns; ++column) {
            const bool gathers = row == 1 && column == 2, fetches = row == 2 && column == 5;
            const QRectF at(room.left() + column * cell + 1, room.top() + row * cell + 1, cell - 2, cell - 2);
            painter.setPen(Qt::NoPen);
            painter.setBrush(viridis(fetches ? 1 : gathers ? 0.9 : 0));
            painter.drawRoundedRect(at, 3, 3);
            if (!fetches)
                continue;
            const QRectF cross = at.adjusted(4, 4, -4, -4);
            painter.setPen(QPen(theme.cross, 2));
            painter.drawLine(cross.topLeft(), cross.bottomRight());
            painter.drawLine(cross.topRight(), cross.bottomLeft());
        }
}

void paintMap(QPainter& painter, const QRectF& box, bool peaked)
{
    constexpr int kTokens = 14;
    const double cell = box.width() / kTokens;
    painter.setPen(Qt::NoPen);
    for (int row = 0; row < kTokens; ++row)
        for (int column = 0; column <= row; ++column) {
            const bool near = column == row || (row * 5 + column * 7) % 23 == 0;
            const double fades =
                0.15 + 0.5 * std::fabs(std::sin(0.9 * column + 0.2 * row)) * (column % 3 == 1 ? 1.4 : 0.5);
            painter.fillRect(QRectF(box.left() + column * cell, box.top() + row * cell, cell + 0.5, cell + 0.5),
                             viridis(std::min(1.0, peaked ? (near ? 1.0 : 0.02) : fades)));
        }
}

void paintMaps(QPainter& painter, const QRectF& box)
{
    const QRectF room = within(box, 2.3, 1);
    paintMap(painter, {room.left(), room.top(), room.height(), room.height()}, true);
    paintMap(painter, {room.right() - room.height(), room.top(), room.height(), room.height()}, false);
}

void paintCurves(QPainter& painter, const QRectF& box, const Theme& theme)
{
    const QRectF room = within(box, 2.2, 1);
    const auto at = [&](double x, double y) {
        return QPointF(room.left() + x * room.width(), room.bottom() - y * room.height());
    };
    painter.setPen(theme.line);
    for (const double level : {0.0, 0.5, 1.0})
        painter.drawLine(at(0, level), at(1, level));
    const std::array<double, 5> stays{1, 1, 0.99, 0.98, 0.97}, falls{1, 0.95, 0.6, 0.2, 0.08};
    for (const auto& [values, ink] : {std::pair(&stays, theme.muted), std::pair(&falls, theme.sideA)}) {
        QPolygonF line;
        for (std::size_t i = 0; i < values->size(); ++i)
            line.append(at(static_cast<double>(i) / 4, (*values)[i]));
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(ink, 2));
        painter.drawPolyline(line);
        painter.setPen(Qt::NoPen);
        painter.setBrush(ink);
        for (const QPointF& dot : line)
            painter.drawEllipse(dot, 3, 3);
    }
}

void paintGraph(QPainter& painter, const QRectF& box, const Theme& theme)
{
    constexpr int kLayers = 3, kHeads = 6;
    const QRectF room = within(box, 2.4, 1);
    const QSizeF head(room.width() / kHeads * 0.72, room.height() * 0.17);
    const auto at = [&](int layer, int column) {
        const double x = room.left() + (column + 0.5) * room.width() / kHeads;
        const double y = room.bottom() - (layer + 0.5) * room.height() / kLayers;
        return QPointF(x, y);
    };
    painter.setBrush(Qt::NoBrush);
    for (const auto& [from, to, wide] : {std::tuple(at(0, 1), at(1, 3), 5.0), std::tuple(at(1, 3), at(2, 4), 7.0),
                                         std::tuple(at(0, 5), at(1, 3), 1.5)}) {
        QPainterPath path(from);
        const double bend = (to.y() - from.y()) / 2;
        path.cubicTo(from + QPointF(0, bend), to - QPointF(0, bend), to);
        painter.setPen(QPen(theme.sideA, wide, Qt::SolidLine, Qt::RoundCap));
        painter.drawPath(path);
    }
    for (int layer = 0; layer < kLayers; ++layer)
        for (int column = 0; column < kHeads; ++column) {
            const bool used = (layer == 0 && column == 1) || (layer == 1 && column == 3) || (layer == 2 && column == 4);
            QRectF where(QPointF(), head);
            where.moveCenter(at(layer, column));
            painter.setPen(used ? theme.sideA : theme.line);
            painter.setBrush(used ? tagGround(theme, theme.sideA) : theme.base);
            painter.drawRoundedRect(where, 3, 3);
        }
}

void paintWords(QPainter& painter, const QRectF& box, const Theme& theme)
{
    QFont font = painter.font();
    font.setPixelSize(std::max(8, static_cast<int>(box.height() / 6)));
    painter.setFont(font);
    const QFontMetricsF metrics(font);
    const std::array<std::pair<QString, QString>, 3> pairs{
        {{u"zucchini"_s, u"lantern"_s}, {u"astronaut"_s, u"porridge"_s}, {u"wet sock"_s, u"17"_s}}};
    const double line = box.height() / 3;
    for (int i = 0; i < 3; ++i) {
        double x = box.left() + box.width() * 0.14;
        const bool asked = i == 1;
        for (const auto& [word, role] : {std::pair(pairs[static_cast<std::size_t>(i)].first, Role::Key),
                                         std::pair(pairs[static_cast<std::size_t>(i)].second, Role::Value)}) {
            const QRectF where(x, box.top() + i * line + line * 0.1, metrics.horizontalAdvance(word) + 12, line * 0.8);
            painter.setPen(Qt::NoPen);
            painter.setBrush(mixed(theme.base, roleColor(role), asked ? 0.75 : 0.3));
            painter.drawRoundedRect(where, 4, 4);
            painter.setPen(asked && theme.dark ? QColor(Qt::black) : theme.text);
            painter.drawText(where, Qt::AlignCenter, word);
            x = where.right() + 6;
        }
    }
}

} // namespace

void paintOffer(QPainter& painter, const QRectF& box, OfferPicture picture, const Theme& theme)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    switch (picture) {
    case OfferPicture::Heads: paintHeads(painter, box, theme); break;
    case OfferPicture::Maps: paintMaps(painter, box); break;
    case OfferPicture::Curves: paintCurves(painter, box, theme); break;
    case OfferPicture::Graph: paintGraph(painter, box, theme); break;
    case OfferPicture::Words: paintWords(painter, box, theme); break;
    case OfferPicture::None: break;
    }
    painter.restore();
}

} // namespace headscope::widgets
