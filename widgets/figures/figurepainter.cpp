// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/figures/figurepainter.h"

#include "widgets/figures/figuremaps.h"
#include "widgets/figures/figuretable.h"

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

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
    const FigureMetrics metrics(fontOf(0.75));
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
    m_names = PlotPainter(*this).namesAboveOf(figure, width);
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
    return y + MapPainter(*this).segmentLegend(figure, y) - top;
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
            width = std::max(width, TablePainter(*this).narrowest(*table));
        else if (const auto* plot = std::get_if<Plot>(&panel.content); plot && plots)
            width = std::max(width, PlotPainter(*this).narrowest(*plot));
    return width;
}

double FigurePainter::panel(const FigurePanel& panel, const QString& letter, const QRectF& box)
{
    double y = box.top();
    if (!letter.isEmpty() || !panel.heading.isEmpty()) {
        const QFont bold = fontOf(1.15, true);
        const double used = letter.isEmpty() ? 0 : FigureMetrics(bold).horizontalAdvance(letter) + 2 * m_gap;
        const double room = box.width() - used;
        const double high = FigureMetrics(bold).height() + (textWidth(panel.heading) > room ? m_line : 0);
        text(QRectF(box.left(), y, box.width(), high), Qt::AlignLeft | Qt::AlignTop, letter, bold, m_theme.text);
        // Two lines at most, on the letter's base line.
        const double lower = FigureMetrics(bold).ascent() - FigureMetrics(m_font).ascent();
        text(QRectF(box.left() + used, y + lower, room, high), Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap,
             FigureMetrics(m_font).elidedText(panel.heading, Qt::ElideRight, 1.7 * room), m_font, m_theme.text);
        y += high + m_gap * 0.5;
    }
    return y - box.top() + content(panel, QRectF(box.left(), y, box.width(), 0));
}

double FigurePainter::content(const FigurePanel& panel, const QRectF& box)
{
    return std::visit(
        [&]<typename Content>(const Content& figure) {
            if constexpr (std::is_same_v<Content, Plot>)
                return PlotPainter(*this, m_names).draw(figure, box);
            else if constexpr (std::is_same_v<Content, TableFigure>)
                return TablePainter(*this).draw(figure, box);
            else if constexpr (std::is_same_v<Content, ChartFigure> || std::is_same_v<Content, BarFigure>)
                return ChartPainter(*this).draw(figure, box);
            else
                return MapPainter(*this).draw(figure, box);
        },
        panel.content);
}

double FigurePainter::paragraph(const QString& words, const QFont& font, const QColor& color, double y)
{
    const QRectF room(m_gap, y, m_width - 2 * m_gap, 1e6);
    const int flags = Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap;
    const double height = FigureMetrics(font).boundingRect(room, flags, words).height();
    text(QRectF(room.topLeft(), QSizeF(room.width(), height + 1)), flags, words, font, color);
    return height;
}

double FigurePainter::columnWidth(int columns) const
{
    return (m_width - 2 * m_gap - (columns - 1) * 3 * m_gap) / columns;
}

} // namespace headscope::widgets
