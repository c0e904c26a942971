// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/figures/figurepainter.h"

#include "widgets/figures/figurelayout.h"
#include "widgets/figures/figuremaps.h"
#include "widgets/figures/figuretable.h"

#include <algorithm>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

constexpr double kNarrowestMm = 38; ///< of a panel, at 8 points
constexpr double kPanelsApart = 3;  ///< gaps, panels beside each other

std::span<const FigurePanel> panelsOf(const Figure& figure, int part)
{
    const auto [first, last] = std::ranges::equal_range(figure.panels, part, {}, &FigurePanel::part);
    return {first, last};
}

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
    const double used = figure.parts.isEmpty() ? grid(figure.panels, m_fit.columns, figure.letters,
                                                      QRectF(m_gap, top, m_width - 2 * m_gap, 0))
                                               : composed(figure, top);
    return used + MapPainter(*this).segmentLegend(figure, top + used);
}

double FigurePainter::composed(const Figure& figure, double top)
{
    FigurePainter measuring(*this);
    measuring.m_painter = nullptr;
    std::vector<FigureLayout::Part> parts;
    for (int number = 1; number <= figure.parts.size(); ++number) {
        FigureLayout::Part& part = parts.emplace_back();
        for (const FigurePanel& panel : panelsOf(figure, number))
            part.narrowest = std::max(part.narrowest, narrowest(panel));
        part.height = [&figure, &measuring, number](double width) {
            return measuring.part(figure, number, QRectF(0, 0, width, 0));
        };
    }
    const FigureLayout layout(
        std::move(parts),
        {.width = m_width - 2 * m_gap, .between = 4 * m_gap, .below = 3 * m_gap, .perRow = figure.columns});
    for (int number = 1; number <= figure.parts.size(); ++number)
        part(figure, number, layout.places()[static_cast<std::size_t>(number - 1)].translated(m_gap, top));
    return layout.height();
}

// Its panels beside each other as far as they can be read so.
double FigurePainter::part(const Figure& figure, int number, const QRectF& box)
{
    const std::span<const FigurePanel> panels = panelsOf(figure, number);
    const QString letter = figure.letters ? partLetter(number - 1) : QString();
    const double y = box.top() + heading(letter, figure.parts[number - 1], box);
    double width = 0;
    for (const FigurePanel& panel : panels)
        width = std::max(width, narrowest(panel));
    const int all = static_cast<int>(panels.size());
    const int most =
        std::clamp(static_cast<int>((box.width() + kPanelsApart * m_gap) / (width + kPanelsApart * m_gap)), 1, all);
    const int rows = (all + most - 1) / most;
    return y - box.top() + grid(panels, (all + rows - 1) / rows, false, QRectF(box.left(), y, box.width(), 0));
}

double FigurePainter::grid(std::span<const FigurePanel> panels, int columns, bool letters, const QRectF& box)
{
    const double width = columnWidth(box.width(), columns);
    m_names = PlotPainter(*this).namesAboveOf(panels, width);
    double y = box.top();
    double height = 0;
    for (int i = 0; i < static_cast<int>(panels.size()); ++i) {
        const int column = i % columns;
        if (column == 0 && i > 0) {
            y += height + 2 * m_gap;
            height = 0;
        }
        const FigurePanel& panel = panels[static_cast<std::size_t>(i)];
        const QRectF place(box.left() + column * (width + kPanelsApart * m_gap), y, width, 0);
        const double head = heading(letters ? partLetter(i) : QString(), panel.heading, place);
        height = std::max(height, head + content(panel, place.translated(0, head)));
    }
    return y + height - box.top();
}

double FigurePainter::narrowest(const Figure& figure) const
{
    // Beside maps the names of a plot take more lines.
    const bool plots = std::ranges::all_of(
        figure.panels, [](const FigurePanel& panel) { return std::holds_alternative<Plot>(panel.content); });
    double width = kNarrowestMm * kUnitsPerMm * m_style.fontPt / 8;
    for (const FigurePanel& panel : figure.panels)
        if (plots || !std::holds_alternative<Plot>(panel.content))
            width = std::max(width, narrowest(panel));
    return width;
}

double FigurePainter::narrowest(const FigurePanel& panel) const
{
    const double width = kNarrowestMm * kUnitsPerMm * m_style.fontPt / 8;
    if (const auto* table = std::get_if<TableFigure>(&panel.content))
        return std::max(width, TablePainter(*this).narrowest(*table));
    if (const auto* plot = std::get_if<Plot>(&panel.content))
        return std::max(width, PlotPainter(*this).narrowest(*plot));
    if (const auto* bars = std::get_if<BarFigure>(&panel.content)) {
        double names = 0;
        for (const BarFigure::Bar& bar : bars->bars)
            names = std::max(names, textWidth(bar.label));
        return std::clamp(2.5 * names, width, 2.5 * width); // of which names take less than half
    }
    if (std::holds_alternative<EdgeFigure>(panel.content))
        return 2 * width;
    return width;
}

double FigurePainter::heading(const QString& letter, const QString& words, const QRectF& box)
{
    if (letter.isEmpty() && words.isEmpty())
        return 0;
    const QFont bold = fontOf(1.15, true);
    const double used = letter.isEmpty() ? 0 : FigureMetrics(bold).horizontalAdvance(letter) + 2 * m_gap;
    const double room = box.width() - used;
    const double high = FigureMetrics(bold).height() + (textWidth(words) > room ? m_line : 0);
    text(QRectF(box.left(), box.top(), box.width(), high), Qt::AlignLeft | Qt::AlignTop, letter, bold, m_theme.text);
    // Two lines at most, on the letter's base line.
    const double lower = FigureMetrics(bold).ascent() - FigureMetrics(m_font).ascent();
    text(QRectF(box.left() + used, box.top() + lower, room, high), Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap,
         FigureMetrics(m_font).elidedText(words, Qt::ElideRight, 1.7 * room), m_font, m_theme.text);
    return high + m_gap * 0.5;
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

double FigurePainter::columnWidth(double width, int columns) const
{
    return (width - (columns - 1) * kPanelsApart * m_gap) / columns;
}

double FigurePainter::columnWidth(int columns) const
{
    return columnWidth(m_width - 2 * m_gap, columns);
}

} // namespace headscope::widgets
