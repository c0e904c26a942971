// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/survey/matchview.h"

#include "widgets/look/picturefile.h"
#include "widgets/look/theme.h"

#include <QFileInfo>
#include <QLineF>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

namespace {

constexpr double kTop = 22, kBottom = 8, kNameSpace = 64, kMatchReach = 5;
constexpr double kThinMatch = 0.8, kThickMatch = 4; // pens

double heightAt(int index, qsizetype count, double height)
{
    const double room = height - kTop - kBottom;
    return kTop + room * (index + 0.5) / static_cast<double>(std::max<qsizetype>(count, 1));
}

double distanceTo(const QLineF& line, const QPointF& point)
{
    const QPointF along = line.p2() - line.p1();
    const double length = QPointF::dotProduct(along, along);
    const double t = length > 0 ? std::clamp(QPointF::dotProduct(point - line.p1(), along) / length, 0.0, 1.0) : 0.0;
    return QLineF(point, line.p1() + t * along).length();
}

} // namespace

struct MatchView::Ends {
    QPointF a, b;
};

MatchView::MatchView(QWidget* parent) : QWidget(parent)
{
    setMinimumSize(200, 160);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    setAccessibleName(tr("Similar heads of two models"));
    setWhatsThis(tr("Each line connects a head of A with the most similar head of B. Lines of mutual nearest "
                    "neighbours are dark; thicker lines mean more similar heads. Click a line to select both "
                    "heads."));
}

void MatchView::setPairs(HeadPairs pairs)
{
    m_pairs = std::move(pairs);
    update();
}

MatchView::Ends MatchView::endsOf(const HeadPair& pair, const QSizeF& size) const
{
    return {{kNameSpace, heightAt(pair.a, m_pairs.a.size(), size.height())},
            {size.width() - kNameSpace, heightAt(pair.b, m_pairs.b.size(), size.height())}};
}

void MatchView::paintNames(QPainter& painter, const QSizeF& size, const QPalette& palette) const
{
    const Theme theme = themeOf(palette);
    const double line = painter.fontMetrics().height();
    painter.setPen(sideColor(theme, Side::A));
    painter.drawText(QRectF(0, 2, size.width() / 2, line), Qt::AlignLeft, m_pairs.titleA);
    painter.setPen(sideColor(theme, Side::B));
    painter.drawText(QRectF(size.width() / 2, 2, size.width() / 2, line), Qt::AlignRight, m_pairs.titleB);
    painter.setPen(theme.text);
    const auto names = [&](const QStringList& heads, double left, Qt::Alignment alignment) {
        const double step =
            (size.height() - kTop - kBottom) / static_cast<double>(std::max<qsizetype>(heads.size(), 1));
        const auto every = std::max<qsizetype>(1, static_cast<qsizetype>(std::ceil(line / step)));
        for (qsizetype i = 0; i < heads.size(); i += every)
            painter.drawText(QRectF(left, heightAt(static_cast<int>(i), heads.size(), size.height()) - line / 2,
                                    kNameSpace - 6, line),
                             alignment | Qt::AlignVCenter, heads[i]);
    };
    names(m_pairs.a, 0, Qt::AlignRight);
    names(m_pairs.b, size.width() - kNameSpace + 6, Qt::AlignLeft);
}

void MatchView::paint(QPainter& painter, const QSizeF& size, const QPalette& palette) const
{
    const Theme theme = themeOf(palette);
    paintNames(painter, size, palette);
    double farthest = 1e-9;
    for (const HeadPair& pair : m_pairs.pairs)
        farthest = std::max(farthest, pair.distance);
    for (const bool mutual : {false, true}) // what matters stands above
        for (const HeadPair& pair : m_pairs.pairs) {
            if (pair.mutual != mutual)
                continue;
            const double near = 1 - pair.distance / farthest;
            painter.setPen(mutual ? QPen(theme.text, kThinMatch + (kThickMatch - kThinMatch) * near)
                                  : QPen(mixed(theme.base, theme.muted, 0.5), kThinMatch, Qt::DotLine));
            const Ends ends = endsOf(pair, size);
            painter.drawLine(ends.a, ends.b);
        }
}

Result<void> MatchView::save(const QString& path, const QString& title) const
{
    const QPalette palette = lightPalette();
    const Picture picture{size(), title, palette.color(QPalette::Base), [&](QPainter& painter, const QSizeF& size) {
                              painter.scale(size.width() / width(), size.height() / height());
                              paint(painter, this->size(), palette);
                          }};
    return writeBytes(pictureBytes(picture, QFileInfo(path).suffix().toLower()), path);
}

void MatchView::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    paint(painter, size(), palette());
}

void MatchView::mousePressEvent(QMouseEvent* event)
{
    const HeadPair* nearest = nullptr;
    double least = kMatchReach;
    for (const HeadPair& pair : m_pairs.pairs) {
        const Ends ends = endsOf(pair, size());
        if (const double away = distanceTo({ends.a, ends.b}, event->position()); away < least) {
            least = away;
            nearest = &pair;
        }
    }
    if (nearest) {
        const QString a = m_pairs.a[nearest->a], b = m_pairs.b[nearest->b]; // what is shown may go
        Q_EMIT pairChosen(a, b);
    }
}

} // namespace headscope::widgets
