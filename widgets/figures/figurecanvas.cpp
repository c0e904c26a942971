// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/figures/figurecanvas.h"

#include <QCoreApplication>
#include <QFontDatabase>
#include <QGuiApplication>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

constexpr double kUnitsPerPoint = FigureCanvas::kUnitsPerMm * 25.4 / 72;

} // namespace

QString drawn(const QString& words)
{
    constexpr qsizetype kMost = 8000;
    return words.size() <= kMost ? words : words.left(kMost / 2) + u'…' + words.right(kMost / 2);
}

QString figureFontFamily()
{
    static const QString family =
        QFontDatabase::families().contains(u"DejaVu Sans"_s) ? u"DejaVu Sans"_s : QGuiApplication::font().family();
    return family;
}

FigureCanvas::FigureCanvas(QPainter* painter, const FigureStyle& style, const FigureFit& fit)
    : m_painter(painter), m_style(style), m_theme(themeOf(style.dark ? darkPalette() : lightPalette())), m_fit(fit),
      m_width(style.widthMm * kUnitsPerMm)
{
    m_style.fontPt *= fit.letters;
    m_font = fontOf(1);
    m_line = FigureMetrics(m_font).height();
    m_gap = m_line / 3;
    m_thin = m_line * 0.05;
}

QFont FigureCanvas::fontOf(double scale, bool bold) const
{
    QFont font(m_style.fontFamily.isEmpty() ? figureFontFamily() : m_style.fontFamily);
    font.setPixelSize(std::max(1, static_cast<int>(std::lround(m_style.fontPt * scale * kUnitsPerPoint))));
    font.setHintingPreference(QFont::PreferNoHinting);
    font.setBold(bold);
    return font;
}

void FigureCanvas::text(const QRectF& box, int flags, const QString& words, const QFont& font, const QColor& color)
{
    if (!m_painter || words.isEmpty())
        return;
    m_painter->setFont(font);
    m_painter->setPen(color);
    m_painter->drawText(box, flags, drawn(words));
}

void FigureCanvas::line(const QPointF& from, const QPointF& to, const QColor& color, double width, Qt::PenStyle style)
{
    if (!m_painter)
        return;
    m_painter->setPen(QPen(color, width, style, Qt::FlatCap));
    m_painter->drawLine(from, to);
}

void FigureCanvas::fill(const QRectF& rect, const QColor& color)
{
    if (m_painter)
        m_painter->fillRect(rect, color);
}

double FigureCanvas::rowsLeftOut(std::size_t all, double x, double y)
{
    const auto shown = static_cast<std::size_t>(m_fit.rows);
    if (all <= shown)
        return 0;
    text(QRectF(x, y, m_width, m_line), Qt::AlignLeft | Qt::AlignVCenter,
         QCoreApplication::translate("FigureText", "… and %1 more").arg(all - shown), m_font, m_theme.muted);
    return m_line;
}

void FigureCanvas::outline(const QRectF& place, double wide)
{
    if (!m_painter)
        return;
    m_painter->setPen(QPen(m_theme.text, wide));
    m_painter->setBrush(Qt::NoBrush);
    m_painter->drawRect(place);
}

} // namespace headscope::widgets
