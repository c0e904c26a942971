// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/figurepainter.h"

#include "widgets/numbertext.h"
#include "widgets/patternpyramid.h"
#include "widgets/rowprofileview.h"
#include "widgets/tokenaxis.h"

#include <QGuiApplication>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

constexpr double kUnitsPerPoint = FigurePainter::kUnitsPerMm * 25.4 / 72;
constexpr Role kRoles[] = {Role::Key, Role::Value, Role::Query, Role::Question, Role::Option, Role::Answer};

double labelRoom(const QFont& font, const QStringList& tokens)
{
    const QFontMetricsF metrics(font);
    const double cap = metrics.averageCharWidth() * 10;
    double room = metrics.averageCharWidth() * 2;
    for (const QString& token : tokens)
        room = std::max(room, metrics.horizontalAdvance(tokenLabel(token)));
    return std::min(room, cap);
}

bool hasSegments(const PatternFigure& figure)
{
    return std::any_of(figure.panels.begin(), figure.panels.end(), [](const PatternData& d) { return !d.segments.empty(); });
}

} // namespace

FigurePainter::FigurePainter(QPainter* painter, const FigureStyle& style)
    : m_painter(painter), m_style(style), m_theme(themeOf(style.dark ? darkPalette() : lightPalette())),
      m_width(style.widthMm * kUnitsPerMm)
{
    m_font = fontOf(1);
    m_line = QFontMetricsF(m_font).height();
    m_gap = m_line / 3;
}

QFont FigurePainter::fontOf(double scale, bool bold) const
{
    QFont font = m_style.fontFamily.isEmpty() ? QFont(QGuiApplication::font().family()) : QFont(m_style.fontFamily);
    font.setPixelSize(std::max(1, static_cast<int>(std::lround(m_style.fontPt * scale * kUnitsPerPoint))));
    font.setHintingPreference(QFont::PreferNoHinting);
    font.setBold(bold);
    return font;
}

double FigurePainter::draw(const Figure& figure)
{
    double y = m_gap;
    if (!figure.title.isEmpty())
        y += paragraph(figure.title, fontOf(1.15, true), m_theme.text, y) + m_gap;
    y += std::visit([&](const auto& content) { return drawContent(content, y); }, figure.content);
    if (!figure.caption.isEmpty())
        y += m_gap + paragraph(figure.caption, m_font, m_theme.text, y + m_gap);
    if (!figure.provenance.isEmpty())
        y += m_gap + paragraph(figure.provenance, fontOf(0.75), m_theme.muted, y + m_gap);
    return y + m_gap;
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
    if (!m_painter)
        return;
    m_painter->setFont(font);
    m_painter->setPen(color);
    m_painter->drawText(box, flags, words);
}

void FigurePainter::line(const QPointF& from, const QPointF& to, const QColor& color, double width)
{
    if (!m_painter)
        return;
    m_painter->setPen(QPen(color, width));
    m_painter->drawLine(from, to);
}

double FigurePainter::drawContent(const PatternFigure& figure, double y)
{
    const auto count = static_cast<double>(std::max<std::size_t>(1, figure.panels.size()));
    const double gap = 2 * m_gap;
    const double width = (m_width - 2 * m_gap - (count - 1) * gap) / count;
    double height = 0;
    double x = m_gap;
    for (const PatternData& panel : figure.panels) {
        height = std::max(height, patternPanel(panel, figure, QRectF(x, y, width, 0)));
        x += width + gap;
    }
    if (figure.brackets && hasSegments(figure))
        height += m_gap + legend(figure, y + height + m_gap);
    return height;
}

double FigurePainter::patternPanel(const PatternData& data, const PatternFigure& figure, const QRectF& box)
{
    const bool named = figure.labelEvery >= 0;
    const double room = named ? labelRoom(m_font, data.tokens) : 0;
    const double strip = figure.brackets && !data.segments.empty() ? m_line * 0.5 : 0;
    const double gutter = room + (named ? m_gap : 0) + strip;
    double y = box.top();
    // 1. heading: head in bold, then what the numbers are
    const QFont bold = fontOf(1, true);
    const double used = QFontMetricsF(bold).horizontalAdvance(data.head) + m_gap;
    text(QRectF(box.left(), y, box.width(), m_line), Qt::AlignLeft | Qt::AlignVCenter, data.head, bold, m_theme.text);
    text(QRectF(box.left() + used, y, box.width() - used, m_line), Qt::AlignLeft | Qt::AlignVCenter,
         QFontMetricsF(m_font).elidedText(data.meaning, Qt::ElideRight, box.width() - used), m_font, m_theme.muted);
    y += m_line + m_gap + strip;
    // 2. map, labels, brackets
    const double side = std::max(1.0, box.width() - gutter);
    const QRectF plot(box.left() + gutter, y, side, side);
    const PatternScale scale = data.empty() ? PatternScale()
                                            : PatternScale::fit(*data.values, data.isSigned, data.causal, figure.scale);
    if (m_painter && !data.empty()) {
        patternMap(data, scale, plot);
        if (strip > 0)
            patternBrackets(data, plot);
        if (named) {
            tokenLabels(data.tokens, data.rows(), figure.labelEvery, plot, true, room);
            tokenLabels(data.tokens, data.cols(), figure.labelEvery, plot, false, room);
        }
    }
    y = plot.bottom() + (named ? room + m_gap : 0) + m_gap;
    // 3. colour bar
    if (figure.colorBar && !data.empty())
        y += colorBar(scale, plot, y);
    return y - box.top();
}

void FigurePainter::patternMap(const PatternData& data, const PatternScale& scale, const QRectF& plot)
{
    const PatternPyramid pyramid = PatternPyramid::build(*data.values, scale, data.causal);
    const QImage image = pyramid.exactImage(colorTable(scale.colorMap(), m_theme.unused.rgb()));
    m_painter->setRenderHint(QPainter::SmoothPixmapTransform, false);
    m_painter->setRenderHint(QPainter::LosslessImageRendering, true);
    m_painter->drawImage(plot, image);
    m_painter->setPen(QPen(m_theme.muted, m_line * 0.05));
    m_painter->setBrush(Qt::NoBrush);
    m_painter->drawRect(plot);
}

void FigurePainter::patternBrackets(const PatternData& data, const QRectF& plot)
{
    const double thick = m_line * 0.3;
    const double away = m_line * 0.1;
    for (const TokenSpan& span : data.segments) {
        QColor color = roleColor(span.role);
        if (!span.target && (span.role == Role::Key || span.role == Role::Value))
            color = mixed(color, m_theme.base, 0.5); // no alpha: some readers of SVG and PDF print it badly
        const double x0 = plot.left() + plot.width() * span.begin / data.cols();
        const double x1 = plot.left() + plot.width() * span.end / data.cols();
        const double y0 = plot.top() + plot.height() * span.begin / data.rows();
        const double y1 = plot.top() + plot.height() * span.end / data.rows();
        m_painter->fillRect(QRectF(x0, plot.top() - away - thick, x1 - x0, thick), color);
        m_painter->fillRect(QRectF(plot.left() - away - thick, y0, thick, y1 - y0), color);
    }
}

void FigurePainter::tokenLabels(const QStringList& tokens, int count, int every, const QRectF& plot, bool rows, double room)
{
    const double start = rows ? plot.top() : plot.left();
    const double length = rows ? plot.height() : plot.width();
    const AxisSpan span{start, length / count, count, start, start + length};
    // Every k-th never means overlapping: where k labels do not fit, fewer are drawn.
    const double spacing = every > 0 ? std::max(m_line * 0.92, every * span.cell) : m_line * 0.92;
    const QFontMetricsF metrics(m_font);
    for (const AxisLabel& label : placeLabels(span, spacing)) {
        const QString words = metrics.elidedText(tokenLabelAt(tokens, label.token), Qt::ElideRight, room + 1);
        const double offset = m_gap * 0.5 + (rows ? m_line * 0.4 : 0);
        m_painter->save();
        m_painter->translate(rows ? plot.left() - offset : label.centre, rows ? label.centre : plot.bottom() + offset);
        if (!rows)
            m_painter->rotate(-90);
        text(QRectF(-room * 1.2, -m_line / 2, room * 1.2, m_line), Qt::AlignRight | Qt::AlignVCenter, words, m_font, m_theme.text);
        m_painter->restore();
    }
}

double FigurePainter::colorBar(const PatternScale& scale, const QRectF& plot, double y)
{
    const std::vector<ScaleTick> ticks = scale.ticks();
    const double bar = m_line * 0.5;
    constexpr int kSteps = 255;
    if (m_painter) {
        QImage strip(kSteps, 1, QImage::Format_RGB32);
        for (int i = 0; i < kSteps; ++i)
            strip.setPixel(i, 0, colorAt(scale.colorMap(), static_cast<double>(i) / (kSteps - 1)));
        m_painter->setRenderHint(QPainter::LosslessImageRendering, true);
        m_painter->drawImage(QRectF(plot.left(), y, plot.width(), bar), strip);
    }
    const QFontMetricsF metrics(m_font);
    // The ends of the scale are always named; marks between them where there is room.
    std::vector<ScaleTick> ordered{ticks.front(), ticks.back()};
    ordered.insert(ordered.end(), ticks.begin() + 1, ticks.end() - 1);
    std::vector<std::pair<double, double>> taken;
    for (const ScaleTick& tick : ordered) {
        const double width = metrics.horizontalAdvance(tick.text);
        const double x = plot.left() + tick.position * plot.width();
        const double left = std::clamp(x - width / 2, plot.left(), plot.right() - width);
        const bool free = std::all_of(taken.begin(), taken.end(), [&](const auto& other) {
            return left > other.second + m_gap || left + width < other.first - m_gap;
        });
        if (!free)
            continue;
        taken.emplace_back(left, left + width);
        line({x, y + bar}, {x, y + bar + m_gap * 0.4}, m_theme.muted, m_line * 0.05);
        text(QRectF(left, y + bar + m_gap * 0.4, width + 1, m_line), Qt::AlignLeft | Qt::AlignTop, tick.text, m_font, m_theme.muted);
    }
    const double below = y + bar + m_gap * 0.4 + m_line;
    text(QRectF(plot.left(), below, plot.width(), m_line), Qt::AlignCenter,
         metrics.elidedText(scale.name(), Qt::ElideRight, plot.width()), m_font, m_theme.muted);
    return below + m_line - y;
}

double FigurePainter::legend(const PatternFigure& figure, double y)
{
    const QFontMetricsF metrics(m_font);
    const double side = m_line * 0.55;
    double x = m_gap;
    for (const Role role : kRoles) {
        const bool used = std::any_of(figure.panels.begin(), figure.panels.end(), [role](const PatternData& data) {
            return std::any_of(data.segments.begin(), data.segments.end(), [role](const TokenSpan& s) { return s.role == role; });
        });
        if (!used)
            continue;
        const QString name = roleName(role);
        if (m_painter)
            m_painter->fillRect(QRectF(x, y + (m_line - side) / 2, side, side), roleColor(role));
        const double width = metrics.horizontalAdvance(name);
        text(QRectF(x + side + m_gap * 0.7, y, width + 1, m_line), Qt::AlignLeft | Qt::AlignVCenter, name, m_font, m_theme.muted);
        x += side + width + 3 * m_gap;
    }
    return m_line;
}

double FigurePainter::drawContent(const RowFigure& figure, double y)
{
    double low = 0;
    double high = 0;
    for (const auto& [side, profile] : figure.panels) {
        if (!profile.isSigned)
            high = std::max(high, 1.0);
        for (const float value : profile.values)
            if (std::isfinite(value)) {
                low = std::min(low, static_cast<double>(value));
                high = std::max(high, static_cast<double>(value));
            }
    }
    if (high <= low)
        high = low + 1;
    const auto count = static_cast<double>(std::max<std::size_t>(1, figure.panels.size()));
    const double gap = 2 * m_gap;
    const double width = (m_width - 2 * m_gap - (count - 1) * gap) / count;
    double height = 0;
    double x = m_gap;
    for (const auto& [side, profile] : figure.panels) {
        height = std::max(height, rowPanel(side, profile, low, high, figure.labelEvery, QRectF(x, y, width, 0)));
        x += width + gap;
    }
    return height;
}

double FigurePainter::rowPanel(Side side, const RowProfile& profile, double low, double high, int every, const QRectF& box)
{
    const QFontMetricsF metrics(m_font);
    const QColor color = sideColor(m_theme, side);
    const double gutter = std::max(metrics.horizontalAdvance(compactText(low)), metrics.horizontalAdvance(u"0.5"_s)) + m_gap;
    int parts = 6;
    while (parts > 1 && metrics.horizontalAdvance(RowProfileView::summary(side, profile, parts)) > box.width())
        --parts;
    text(QRectF(box.left(), box.top(), box.width(), m_line), Qt::AlignLeft | Qt::AlignVCenter,
         RowProfileView::summary(side, profile, parts), m_font, color);
    const QRectF plot(box.left() + gutter, box.top() + m_line + m_gap, box.width() - gutter, box.width() * 0.36);
    const auto yOf = [&](double value) { return plot.bottom() - (value - low) / (high - low) * plot.height(); };
    const auto count = static_cast<int>(profile.values.size());
    if (m_painter) {
        const double cell = plot.width() / std::max(1, count);
        for (int i = 0; i < count; ++i) {
            const double value = static_cast<double>(profile.values[static_cast<std::size_t>(i)]);
            if (std::isfinite(value) && value != 0)
                m_painter->fillRect(QRectF(QPointF(plot.left() + (i + 0.09) * cell, yOf(std::max(0.0, value))),
                                           QPointF(plot.left() + (i + 0.91) * cell, yOf(std::min(0.0, value)))), color);
        }
    }
    const double thin = m_line * 0.05;
    line({plot.left(), yOf(0)}, {plot.right(), yOf(0)}, m_theme.muted, thin);
    line(plot.topLeft(), plot.bottomLeft(), m_theme.muted, thin);
    double last = 1e9;
    for (const double value : {low, 0.0, high / 2, high}) {
        const double at = yOf(value);
        if (std::abs(last - at) < m_line * 0.9)
            continue;
        last = at;
        line({plot.left() - m_gap * 0.3, at}, {plot.left(), at}, m_theme.muted, thin);
        text(QRectF(box.left() - m_gap, at - m_line / 2, gutter + m_gap * 0.5, m_line), Qt::AlignRight | Qt::AlignVCenter,
             compactText(value), m_font, m_theme.muted);
    }
    double bottom = plot.bottom() + m_gap;
    if (every >= 0) {
        const double room = labelRoom(m_font, profile.tokens);
        if (m_painter && count > 0)
            tokenLabels(profile.tokens, count, every, plot, false, room);
        bottom += room + m_gap;
    }
    return bottom - box.top();
}

double FigurePainter::drawContent(const TableFigure& figure, double y)
{
    const QFont bold = fontOf(1, true);
    const QFontMetricsF metrics(bold);
    std::vector<double> widths;
    for (const QString& name : figure.header)
        widths.push_back(metrics.horizontalAdvance(name));
    for (const auto& row : figure.rows)
        for (std::size_t i = 0; i < row.size() && i < widths.size(); ++i)
            widths[i] = std::max(widths[i], metrics.horizontalAdvance(row[i].text));
    double total = 0;
    for (const double width : widths)
        total += width;
    // Columns share what room is left; a table too wide for the paper is squeezed by eliding its cells.
    const double room = m_width - 2 * m_gap;
    const double between = widths.size() > 1 ? std::max(0.0, (room - total) / static_cast<double>(widths.size() - 1)) : 0;
    const double squeeze = total > room ? room / total : 1;
    const double step = m_line * 1.35;
    const double top = y;
    const auto rule = [&](double at, double width) { line({m_gap, at}, {m_width - m_gap, at}, m_theme.text, m_line * width); };
    const auto cells = [&](auto textOf, const QFont& font, auto colorOf) {
        double x = m_gap;
        for (std::size_t i = 0; i < widths.size(); ++i) {
            const double width = widths[i] * squeeze;
            text(QRectF(x, y, width + 1, step), (i == 0 ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter,
                 QFontMetricsF(font).elidedText(textOf(i), Qt::ElideRight, width + 1), font, colorOf(i));
            x += width + between;
        }
        y += step;
    };
    rule(y, 0.09);
    cells([&](std::size_t i) { return figure.header.at(static_cast<int>(i)); }, bold, [&](std::size_t) { return m_theme.text; });
    rule(y, 0.05);
    for (const auto& row : figure.rows)
        cells([&](std::size_t i) { return i < row.size() ? row[i].text : QString(); }, m_font, [&](std::size_t i) {
            switch (i < row.size() ? row[i].tone : TableCell::Tone::Plain) {
            case TableCell::Tone::Good: return m_theme.good;
            case TableCell::Tone::Bad: return m_theme.bad;
            case TableCell::Tone::Muted: return m_theme.muted;
            case TableCell::Tone::Plain: break;
            }
            return m_theme.text;
        });
    rule(y, 0.09);
    return y - top + m_gap;
}

} // namespace headscope::widgets
