// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/figurepainter.h"

#include <QFontDatabase>
#include <QGuiApplication>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

constexpr double kUnitsPerPoint = FigurePainter::kUnitsPerMm * 25.4 / 72;
constexpr double kLeastStretch = 0.15;
constexpr double kMostStretch = 3;

// A column of names is set flush left, one of numbers flush right; numbers begin with a digit, a sign, a bracket or a dash.
bool holdsWords(const TableFigure& table, std::size_t column)
{
    return std::all_of(table.rows.begin(), table.rows.end(), [column](const auto& row) {
        return column >= row.size() || row[column].text.isEmpty() || row[column].text.front().isLetter();
    });
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
            style.printProvenance = id != "slide"_L1 && id != "poster"_L1; // a talk has no room for it; the file still says it
            return style;
        }
    return std::nullopt;
}

QString figureFontFamily()
{
    static const QString family = QFontDatabase::families().contains(u"DejaVu Sans"_s) ? u"DejaVu Sans"_s : QGuiApplication::font().family();
    return family;
}

FigurePainter::FigurePainter(QPainter* painter, const FigureStyle& style, double stretch)
    : m_painter(painter), m_style(style), m_theme(themeOf(style.dark ? darkPalette() : lightPalette())), m_stretch(stretch),
      m_width(style.widthMm * kUnitsPerMm)
{
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

double FigurePainter::stretchFor(const Figure& figure, const FigureStyle& style)
{
    if (style.heightMm <= 0)
        return 1;
    double low = kLeastStretch;
    double high = kMostStretch;
    for (int step = 0; step < 20; ++step) {
        const double middle = (low + high) / 2;
        (FigurePainter(nullptr, style, middle).draw(figure) <= style.heightMm * kUnitsPerMm ? low : high) = middle;
    }
    return low;
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
        y += m_gap + paragraph(figure.provenance, fontOf(0.75), m_theme.muted, y + m_gap);
    return y + m_gap - top;
}

double FigurePainter::panels(const Figure& figure, double top)
{
    const int columns = std::max(1, std::min(figure.columns, static_cast<int>(figure.panels.size())));
    const double between = 3 * m_gap;
    const double width = (m_width - 2 * m_gap - (columns - 1) * between) / columns;
    double y = top;
    double height = 0;
    for (std::size_t i = 0; i < figure.panels.size(); ++i) {
        const int column = static_cast<int>(i) % columns;
        if (column == 0 && i > 0) {
            y += height + 2 * m_gap;
            height = 0;
        }
        const QString letter = figure.letters ? QString(QChar(u'a' + static_cast<char16_t>(i % 26))) : QString();
        height = std::max(height, panel(figure.panels[i], letter, QRectF(m_gap + column * (width + between), y, width, 0)));
    }
    y += height;
    return y + segmentLegend(figure, y) - top;
}

double FigurePainter::panel(const FigurePanel& panel, const QString& letter, const QRectF& box)
{
    double y = box.top();
    if (!letter.isEmpty() || !panel.heading.isEmpty()) {
        const QFont bold = fontOf(1.15, true);
        const double used = letter.isEmpty() ? 0 : QFontMetricsF(bold).horizontalAdvance(letter) + 2 * m_gap;
        const double high = QFontMetricsF(bold).height();
        text(QRectF(box.left(), y, box.width(), high), Qt::AlignLeft | Qt::AlignVCenter, letter, bold, m_theme.text);
        text(QRectF(box.left() + used, y, box.width() - used, high), Qt::AlignLeft | Qt::AlignVCenter,
             QFontMetricsF(m_font).elidedText(panel.heading, Qt::ElideRight, box.width() - used), m_font, m_theme.text);
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

double FigurePainter::content(const TableFigure& figure, const QRectF& box)
{
    std::vector<double> widths;
    double total = 0;
    const auto measure = [&](const QFont& font) {
        const QFontMetricsF metrics(font);
        widths.assign(static_cast<std::size_t>(figure.header.size()), 0);
        for (std::size_t i = 0; i < widths.size(); ++i)
            widths[i] = metrics.horizontalAdvance(figure.header[static_cast<int>(i)]);
        for (const auto& row : figure.rows)
            for (std::size_t i = 0; i < row.size() && i < widths.size(); ++i)
                widths[i] = std::max(widths[i], metrics.horizontalAdvance(row[i].text));
        total = std::accumulate(widths.begin(), widths.end(), 0.0);
    };
    // A table too wide for the paper gets smaller letters, to two thirds; then its cells are elided. Columns share what room
    // is left, up to three ems each.
    measure(fontOf(1, true));
    const double least = total + m_gap * static_cast<double>(widths.size());
    const double shrink = std::clamp(box.width() / least, 0.66, 1.0);
    const QFont bold = fontOf(shrink, true), plain = fontOf(shrink);
    measure(bold);
    const double gaps = widths.size() > 1 ? static_cast<double>(widths.size() - 1) : 1;
    const double between = std::clamp((box.width() - total) / gaps, 0.0, 3 * m_line);
    const double squeeze = total > box.width() ? box.width() / total : 1;
    const double used = std::min(box.width(), total + between * gaps);
    const double left = box.left() + (box.width() - used) / 2;
    const double step = m_line * 1.35 * shrink;
    double y = box.top();
    const auto rule = [&](double width) { line({left, y}, {left + used, y}, m_theme.text, m_line * width); };
    const auto cells = [&](auto textOf, const QFont& font, auto colorOf) {
        double x = left;
        for (std::size_t i = 0; i < widths.size(); ++i) {
            const double width = widths[i] * squeeze;
            text(QRectF(x, y, width + 1, step), (i == 0 || holdsWords(figure, i) ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter,
                 QFontMetricsF(font).elidedText(textOf(i), Qt::ElideRight, width + 1), font, colorOf(i));
            x += width + between;
        }
        y += step;
    };
    rule(0.09);
    cells([&](std::size_t i) { return figure.header.at(static_cast<int>(i)); }, bold, [&](std::size_t) { return m_theme.text; });
    rule(0.05);
    for (const auto& row : figure.rows)
        cells([&](std::size_t i) { return i < row.size() ? row[i].text : QString(); }, plain, [&](std::size_t i) {
            switch (i < row.size() ? row[i].tone : TableCell::Tone::Plain) {
            case TableCell::Tone::Good: return m_theme.good;
            case TableCell::Tone::Bad: return m_theme.bad;
            case TableCell::Tone::Muted: return m_theme.muted;
            case TableCell::Tone::Plain: break;
            }
            return m_theme.text;
        });
    rule(0.09);
    return y - box.top() + m_gap;
}

} // namespace headscope::widgets
