// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/figures/figurepainter.h"

#include <QCoreApplication>
#include <QFontDatabase>
#include <QGuiApplication>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

constexpr double kUnitsPerPoint = FigurePainter::kUnitsPerMm * 25.4 / 72;
constexpr double kNarrowestMm = 38; ///< of a panel, at 8 points

} // namespace

const std::vector<StylePreset>& stylePresets()
{
    static const std::vector<StylePreset> presets = {
        {"column", QT_TRANSLATE_NOOP("headscope::widgets::Figure", "One column, 85 mm"), 85, 0, 7},
        {"page", QT_TRANSLATE_NOOP("headscope::widgets::Figure", "Two columns, 175 mm"), 175, 0, 8},
        {"slide", QT_TRANSLATE_NOOP("headscope::widgets::Figure", "Slide, 16:9"), 254, 142.875, 13},
        {"poster", QT_TRANSLATE_NOOP("headscope::widgets::Figure", "Poster, 400 mm"), 400, 0, 22},
    };
    return presets;
}

std::optional<FigureStyle> stylePreset(const QString& id)
{
    for (const StylePreset& preset : stylePresets())
        if (id == QLatin1String(preset.id)) {
            FigureStyle style;
            style.widthMm = preset.widthMm;
            style.heightMm = preset.heightMm;
            style.fontPt = preset.fontPt;
            style.printProvenance =
                id != "slide"_L1 && id != "poster"_L1; // a talk has no room for it; the file still says it
            return style;
        }
    return std::nullopt;
}

QString figureFontFamily()
{
    static const QString family =
        QFontDatabase::families().contains(u"DejaVu Sans"_s) ? u"DejaVu Sans"_s : QGuiApplication::font().family();
    return family;
}

FigurePainter::FigurePainter(QPainter* painter, const FigureStyle& style, const FigureFit& fit)
    : m_painter(painter), m_style(style), m_theme(themeOf(style.dark ? darkPalette() : lightPalette())), m_fit(fit),
      m_width(style.widthMm * kUnitsPerMm)
{
    m_style.fontPt *= fit.letters;
    m_font = fontOf(1);
    m_line = QFontMetricsF(m_font).height();
    m_gap = m_line / 3;
    m_thin = m_line * 0.05;
}

QFont FigurePainter::fontOf(double scale, bool bold) const
{
    QFont font(m_style.fontFamily.isEmpty() ? figureFontFamily() : m_style.fontFamily);
    font.setPixelSize(std::max(1, static_cast<int>(std::lround(m_style.fontPt * scale * kUnitsPerPoint))));
    font.setHintingPreference(QFont::PreferNoHinting);
    font.setBold(bold);
    return font;
}

double FigurePainter::draw(const Figure& figure, double top)
{
    double y = top + m_gap;
    if (!figure.title.isEmpty())
        y += paragraph(figure.title, fontOf(1.15, true), m_theme.text, y) + m_gap;
    y += panels(figure, y);
    if (!figure.caption.isEmpty())
        y += m_gap + paragraph(figure.caption, m_font, m_theme.text, y + m_gap);
    if (!figure.provenance.isEmpty() && m_style.printProvenance)
        y += m_gap + paragraph(printed(figure.provenance), fontOf(0.75), m_theme.muted, y + m_gap);
    return y + m_gap - top;
}

// A figure of hundreds of scores was measured on more than can be printed; its metadata says all of it.
QString FigurePainter::printed(const QString& provenance) const
{
    constexpr int kMostLines = 8;
    const QFontMetricsF metrics(fontOf(0.75));
    const double room = 0.95 * kMostLines * (m_width - 2 * m_gap);
    if (metrics.horizontalAdvance(provenance) <= room)
        return provenance;
    const qsizetype last = provenance.lastIndexOf(u". "_s, -2); // the program's version stays
    return metrics.elidedText(provenance.left(last), Qt::ElideRight,
                              room - metrics.horizontalAdvance(provenance.mid(last)))
           + provenance.mid(last + 1);
}

double FigurePainter::panels(const Figure& figure, double top)
{
    const int columns = m_fit.columns;
    const double between = 3 * m_gap;
    const double width = columnWidth(columns);
    alignNames(figure, width);
    double y = top;
    double height = 0;
    for (std::size_t i = 0; i < figure.panels.size(); ++i) {
        const int column = static_cast<int>(i) % columns;
        if (column == 0 && i > 0) {
            y += height + 2 * m_gap;
            height = 0;
        }
        const QString letter = figure.letters ? QString(QChar(u'a' + static_cast<char16_t>(i % 26))) : QString();
        height =
            std::max(height, panel(figure.panels[i], letter, QRectF(m_gap + column * (width + between), y, width, 0)));
    }
    y += height;
    return y + segmentLegend(figure, y) - top;
}

double FigurePainter::narrowest(const Figure& figure) const
{
    double width = kNarrowestMm * kUnitsPerMm * m_style.fontPt / 8;
    // Beside maps the names of a plot take more lines.
    const bool plots = std::all_of(figure.panels.begin(), figure.panels.end(), [](const FigurePanel& panel) {
        return std::holds_alternative<Plot>(panel.content);
    });
    for (const FigurePanel& panel : figure.panels)
        if (const auto* table = std::get_if<TableFigure>(&panel.content))
            width = std::max(width, narrowest(*table));
        else if (const auto* plot = std::get_if<Plot>(&panel.content); plot && plots)
            width = std::max(width, narrowest(*plot));
    return width;
}

double FigurePainter::panel(const FigurePanel& panel, const QString& letter, const QRectF& box)
{
    double y = box.top();
    if (!letter.isEmpty() || !panel.heading.isEmpty()) {
        const QFont bold = fontOf(1.15, true);
        const double used = letter.isEmpty() ? 0 : QFontMetricsF(bold).horizontalAdvance(letter) + 2 * m_gap;
        const double room = box.width() - used;
        const double high = QFontMetricsF(bold).height() + (textWidth(panel.heading) > room ? m_line : 0);
        text(QRectF(box.left(), y, box.width(), high), Qt::AlignLeft | Qt::AlignTop, letter, bold, m_theme.text);
        // Two lines at most, on the letter's base line.
        const double lower = QFontMetricsF(bold).ascent() - QFontMetricsF(m_font).ascent();
        text(QRectF(box.left() + used, y + lower, room, high), Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap,
             QFontMetricsF(m_font).elidedText(panel.heading, Qt::ElideRight, 1.7 * room), m_font, m_theme.text);
        y += high + m_gap * 0.5;
    }
    const QRectF rest(box.left(), y, box.width(), 0);
    return y - box.top() + std::visit([&](const auto& figure) { return content(figure, rest); }, panel.content);
}

double FigurePainter::paragraph(const QString& words, const QFont& font, const QColor& color, double y)
{
    const QRectF room(m_gap, y, m_width - 2 * m_gap, 1e6);
    const int flags = Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap;
    const double height = QFontMetricsF(font).boundingRect(room, flags, words).height();
    text(QRectF(room.topLeft(), QSizeF(room.width(), height + 1)), flags, words, font, color);
    return height;
}

void FigurePainter::text(const QRectF& box, int flags, const QString& words, const QFont& font, const QColor& color)
{
    if (!m_painter || words.isEmpty())
        return;
    m_painter->setFont(font);
    m_painter->setPen(color);
    m_painter->drawText(box, flags, words);
}

void FigurePainter::line(const QPointF& from, const QPointF& to, const QColor& color, double width, Qt::PenStyle style)
{
    if (!m_painter)
        return;
    m_painter->setPen(QPen(color, width, style, Qt::FlatCap));
    m_painter->drawLine(from, to);
}

void FigurePainter::fill(const QRectF& rect, const QColor& color)
{
    if (m_painter)
        m_painter->fillRect(rect, color);
}

double FigurePainter::rowsLeftOut(std::size_t all, double x, double y)
{
    const auto shown = static_cast<std::size_t>(m_fit.rows);
    if (all <= shown)
        return 0;
    text(QRectF(x, y, m_width, m_line), Qt::AlignLeft | Qt::AlignVCenter,
         QCoreApplication::translate("FigureText", "… and %1 more").arg(all - shown), m_font, m_theme.muted);
    return m_line;
}

} // namespace headscope::widgets
