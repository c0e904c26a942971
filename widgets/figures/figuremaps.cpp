// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/figures/figuremaps.h"

#include "widgets/look/fitting.h"
#include "widgets/look/numbertext.h"
#include "widgets/pattern/card/rowprofile.h"
#include "widgets/pattern/matrixwords.h"
#include "widgets/pattern/patternpyramid.h"
#include "widgets/pattern/tokenaxis.h"
#include "widgets/why/edges/edgepainter.h"

#include <QCoreApplication>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

constexpr double kNameLines = 3; // of what a colour bar shows, at most

// "attention, rows sum to 1" where there is room, else "attention", else nothing: what does not fit is left out, not
// cut.
QString shortened(const QString& words, const FigureMetrics& metrics, double room)
{
    return fitting(QStringList{words} + withoutLastParts(shorterWords(words).value(1), u","_s) + QStringList{QString()},
                   metrics, room);
}

ColorMap mapOf(const PatternFigure& figure, const PatternScale& scale)
{
    return scale.diverging() ? figure.diverging : scale.colorMap();
}

PatternScale scaleOf(const PatternFigure& figure)
{
    const PatternData& data = figure.data;
    return figure.extremes && figure.scale.kind != ScaleKind::Row
               ? PatternScale::fit(*figure.extremes, data.isSigned, false, figure.scale)
               : PatternScale::fit(*data.values, data.isSigned, data.causal, figure.scale);
}

/// The row that is looked at: the one that was locked, else the last.
int shownRow(const PatternFigure& figure)
{
    const int last = figure.data.rows() - 1;
    return figure.row >= 0 ? std::min(figure.row, last) : last;
}

/// What that row reads most.
int strongest(const PatternFigure& figure)
{
    const Matrix& values = *figure.data.values;
    const int row = shownRow(figure), end = figure.data.causal ? std::min(values.cols, row + 1) : values.cols;
    int best = 0;
    for (int col = 1; col < end; ++col)
        if (std::abs(values.at(row, col)) > std::abs(values.at(row, best)))
            best = col;
    return best;
}

NamedAxis rowAxis(const PatternFigure& figure)
{
    const PatternData& data = figure.data;
    return {data.tokens, data.rows(), figure.labelEvery,
            labelChoice(data.tokens, data.segments, {shownRow(figure), strongest(figure), data.rows() - 1})};
}

NamedAxis columnAxis(const PatternFigure& figure)
{
    const PatternData& data = figure.data;
    return {data.tokens, data.cols(), figure.labelEvery,
            labelChoice(data.tokens, data.segments, {strongest(figure), shownRow(figure), data.cols() - 1})};
}

// The largest rectangle inside whose cells are whole pixels, all equal; `plot` itself where there are no pixels, or
// fewer than cells.
QRectF onPixels(const QPainter* painter, const QRectF& plot, int rows, int cols)
{
    if (!painter || !dynamic_cast<const QImage*>(painter->device()))
        return plot;
    const QTransform device = painter->deviceTransform();
    const QRectF pixels = device.mapRect(plot);
    const double wide = std::floor(pixels.width() / cols), high = std::floor(pixels.height() / rows);
    if (wide < 1 || high < 1)
        return plot;
    const QRectF whole(std::round(pixels.center().x() - wide * cols / 2),
                       std::round(pixels.center().y() - high * rows / 2), wide * cols, high * rows);
    return device.inverted().mapRect(whole);
}

} // namespace

double MapPainter::labelRoom(const QStringList& tokens) const
{
    const FigureMetrics metrics(m_font);
    const double cap = metrics.averageCharWidth() * 10;
    double room = metrics.averageCharWidth() * 2;
    for (const QString& token : tokens)
        room = std::max(room, metrics.horizontalAdvance(tokenLabel(token)));
    return std::min(room, cap);
}

double MapPainter::draw(const PatternFigure& figure, const QRectF& box)
{
    const PatternData& data = figure.data;
    const bool named = figure.labelEvery >= 0;
    const double room = named ? labelRoom(data.tokens) : 0;
    const double strip = figure.brackets && !data.segments.empty() ? m_line * 0.5 : 0;
    const double gutter = room + (named ? m_gap : 0) + strip;
    const double side = std::max(1.0, std::min(1.0, m_fit.stretch) * (box.width() - gutter));
    const double left = box.left() + (box.width() - gutter - side) / 2; // a map made smaller stands in the middle
    double y = box.top();
    // 1. heading: head in bold, then what the numbers are
    const QFont bold = fontOf(1, true);
    const double used = FigureMetrics(bold).horizontalAdvance(data.head) + m_gap;
    // over the map, or from the edge on where it would not fit there
    const double headLeft = std::max(box.left(), std::min(left + gutter, box.right() - used));
    const double headRoom = box.right() - headLeft - used;
    text(QRectF(headLeft, y, box.right() - headLeft, m_line), Qt::AlignLeft | Qt::AlignVCenter,
         FigureMetrics(bold).elidedText(data.head, Qt::ElideMiddle, box.right() - headLeft), bold, m_theme.text);
    text(QRectF(headLeft + used, y, headRoom, m_line), Qt::AlignLeft | Qt::AlignVCenter,
         shortened(data.meaning, FigureMetrics(m_font), headRoom), m_font, m_theme.muted);
    y += m_line + m_gap * 0.6 + strip;
    // 2. map, labels, brackets
    const QRectF square(left + gutter, y, side, side);
    const QRectF plot = onPixels(m_painter, square, data.rows(), data.cols());
    if (m_painter) {
        patternMap(figure, plot);
        if (strip > 0)
            patternBrackets(data, plot);
        if (named) {
            tokenLabels(rowAxis(figure), plot, true, room);
            tokenLabels(columnAxis(figure), plot, false, room);
        }
    }
    y = square.bottom() + (named ? std::min(room, roomBelow(columnAxis(figure), side)) + m_gap : 0) + m_gap;
    // 3. colour bar
    if (figure.colorBar) {
        const QRectF bar(plot.left(), y, plot.width(), m_line * 0.5);
        if (m_painter) {
            const PatternScale scale = scaleOf(figure);
            colorBar(mapOf(figure, scale), scale.ticks(), scale.name(), bar, box);
        }
        y += colorBarHeight({}, bar, box);
    }
    return y - box.top();
}

void MapPainter::patternMap(const PatternFigure& figure, const QRectF& plot)
{
    const PatternScale scale = scaleOf(figure);
    const PatternPyramid pyramid = PatternPyramid::build(*figure.data.values, scale, figure.data.causal);
    const QImage image = pyramid.exactImage(colorTable(mapOf(figure, scale), m_theme.unused.rgb()));
    m_painter->setRenderHint(QPainter::SmoothPixmapTransform, false);
    m_painter->setRenderHint(QPainter::LosslessImageRendering, true);
    const QRect pixels = m_painter->deviceTransform().mapRect(plot).toRect();
    if (dynamic_cast<const QImage*>(m_painter->device()) && pixels.width() >= image.width()
        && pixels.height() >= image.height()) {
        // Enlarged by hand: the painter's own steps add up to a pixel over a thousand.
        QImage cells(pixels.size(), QImage::Format_RGB32);
        for (int y = 0; y < cells.height(); ++y)
            for (int x = 0; x < cells.width(); ++x)
                cells.setPixel(x, y,
                               image.pixel(x * image.width() / cells.width(), y * image.height() / cells.height()));
        m_painter->save();
        m_painter->resetTransform();
        m_painter->drawImage(pixels.topLeft(), cells);
        m_painter->restore();
    } else {
        m_painter->drawImage(plot, image);
    }
    m_painter->setPen(QPen(m_theme.muted, m_thin));
    m_painter->setBrush(Qt::NoBrush);
    m_painter->drawRect(plot);
}

void MapPainter::patternBrackets(const PatternData& data, const QRectF& plot)
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
        fill(QRectF(x0, plot.top() - away - thick, x1 - x0, thick), color);
        fill(QRectF(plot.left() - away - thick, y0, thick, y1 - y0), color);
    }
}

std::vector<AxisLabel> MapPainter::namedTokens(const NamedAxis& axis, double start, double length) const
{
    const AxisSpan span{start, length / axis.count, axis.count, start, start + length};
    // Every k-th never means overlapping: where k labels do not fit, fewer are drawn.
    const double spacing = axis.every > 0 ? std::max(m_line * 0.92, axis.every * span.cell) : m_line * 0.92;
    return placeLabels(span, spacing, axis.choice);
}

double MapPainter::roomBelow(const NamedAxis& axis, double length) const
{
    double room = 0;
    for (const AxisLabel& label : namedTokens(axis, 0, length))
        room = std::max(room, textWidth(tokenLabelAt(axis.tokens, label.token)));
    return room;
}

void MapPainter::tokenLabels(const NamedAxis& axis, const QRectF& plot, bool rows, double room)
{
    const FigureMetrics metrics(m_font);
    for (const AxisLabel& label :
         namedTokens(axis, rows ? plot.top() : plot.left(), rows ? plot.height() : plot.width())) {
        const QString words = metrics.elidedText(tokenLabelAt(axis.tokens, label.token), Qt::ElideRight, room + 1);
        const double offset = m_gap * 0.5 + (rows ? m_line * 0.4 : 0);
        m_painter->save();
        m_painter->translate(rows ? plot.left() - offset : label.centre, rows ? label.centre : plot.bottom() + offset);
        if (!rows)
            m_painter->rotate(-90);
        text(QRectF(-room * 1.2, -m_line / 2, room * 1.2, m_line), Qt::AlignRight | Qt::AlignVCenter, words, m_font,
             m_theme.text);
        m_painter->restore();
    }
}

double MapPainter::colorBarHeight(const QString& name, const QRectF& bar, const QRectF& panel) const
{
    const double lines = std::min(kNameLines, std::ceil(1.1 * textWidth(name) / panel.width()));
    return bar.height() + m_gap * 0.4 + (1 + std::max(1.0, lines)) * m_line;
}

void MapPainter::colorBar(ColorMap map, const std::vector<ScaleTick>& ticks, const QString& name, const QRectF& bar,
                          const QRectF& panel)
{
    constexpr int kSteps = 255;
    if (m_painter) {
        QImage strip(kSteps, 1, QImage::Format_RGB32);
        for (int i = 0; i < kSteps; ++i)
            strip.setPixel(i, 0, colorAt(map, static_cast<double>(i) / (kSteps - 1)));
        m_painter->setRenderHint(QPainter::LosslessImageRendering, true);
        m_painter->drawImage(bar, strip);
    }
    const FigureMetrics metrics(m_font);
    // The ends of the scale are always named; marks between them where there is room.
    std::vector<ScaleTick> ordered{ticks.front(), ticks.back()};
    ordered.insert(ordered.end(), ticks.begin() + 1, ticks.end() - 1);
    std::vector<std::pair<double, double>> taken;
    for (const ScaleTick& tick : ordered) {
        const double width = metrics.horizontalAdvance(tick.text);
        const double x = bar.left() + tick.position * bar.width();
        const double left = std::clamp(x - width / 2, bar.left(), std::max(bar.left(), bar.right() - width));
        const bool free = std::all_of(taken.begin(), taken.end(), [&](const auto& other) {
            return left > other.second + m_gap || left + width < other.first - m_gap;
        });
        if (!free)
            continue;
        taken.emplace_back(left, left + width);
        line({x, bar.bottom()}, {x, bar.bottom() + m_gap * 0.4}, m_theme.muted, m_thin);
        text(QRectF(left, bar.bottom() + m_gap * 0.4, width + 1, m_line), Qt::AlignLeft | Qt::AlignTop, tick.text,
             m_font, m_theme.muted);
    }
    const double below = bar.bottom() + m_gap * 0.4 + m_line;
    // Under the middle of the bar, as far as the panel reaches.
    const double wide = std::min(panel.width(), textWidth(name) + m_gap);
    const double left = std::clamp(bar.center().x() - wide / 2, panel.left(), panel.right() - wide);
    text(QRectF(left, below, wide, colorBarHeight(name, bar, panel) - (below - bar.top())),
         Qt::AlignHCenter | Qt::AlignTop | Qt::TextWordWrap,
         metrics.elidedText(name, Qt::ElideRight, 0.9 * kNameLines * panel.width()), m_font, m_theme.muted);
}

double MapPainter::segmentLegend(const Figure& figure, double y)
{
    const auto uses = [&](Role role) {
        return std::any_of(figure.panels.begin(), figure.panels.end(), [role](const FigurePanel& panel) {
            const auto* map = std::get_if<PatternFigure>(&panel.content);
            return map && map->brackets
                   && std::any_of(map->data.segments.begin(), map->data.segments.end(),
                                  [role](const TokenSpan& s) { return s.role == role; });
        });
    };
    const double side = m_line * 0.55;
    double x = m_gap;
    for (const Role role : kRoles) {
        if (!uses(role))
            continue;
        const QString name = roleName(role);
        fill(QRectF(x, y + m_gap + (m_line - side) / 2, side, side), roleColor(role));
        text(QRectF(x + side + m_gap * 0.7, y + m_gap, textWidth(name) + 1, m_line), Qt::AlignLeft | Qt::AlignVCenter,
             name, m_font, m_theme.muted);
        x += side + textWidth(name) + 3 * m_gap;
    }
    return x > m_gap ? m_gap + m_line : 0;
}

double MapPainter::draw(const RowFigure& figure, const QRectF& box)
{
    const RowProfile& profile = figure.profile;
    const QColor color = sideColor(m_theme, figure.side);
    const double gutter =
        std::max(textWidth(compactText(figure.axis.low)), textWidth(compactText(-figure.axis.high / 2))) + m_gap;
    int parts = 6;
    while (parts > 1 && textWidth(rowSummary(figure.side, profile, parts)) > box.width())
        --parts;
    text(QRectF(box.left(), box.top(), box.width(), m_line), Qt::AlignLeft | Qt::AlignVCenter,
         rowSummary(figure.side, profile, parts), m_font, color);
    const QRectF plot(box.left() + gutter, box.top() + m_line * 1.5 + m_gap, box.width() - gutter,
                      box.width() * 0.36 * m_fit.stretch);
    const auto yOf = [&](double value) {
        return plot.bottom() - (value - figure.axis.low) / (figure.axis.high - figure.axis.low) * plot.height();
    };
    const auto count = static_cast<int>(profile.values.size());
    const double cell = plot.width() / std::max(1, count);
    constexpr double kFine = 4; // bars of a point that can be told apart in print
    for (const RowBar& bar : rowBars(profile.values, kFine * cell)) {
        const double value = static_cast<double>(bar.value), gap = bar.count > 1 ? 0 : 0.09;
        if (std::isfinite(value) && value != 0)
            fill(QRectF(QPointF(plot.left() + (bar.first + gap) * cell, yOf(std::max(0.0, value))),
                        QPointF(plot.left() + (bar.first + bar.count - gap) * cell, yOf(std::min(0.0, value)))),
                 color);
    }
    line({plot.left(), yOf(0)}, {plot.right(), yOf(0)}, m_theme.muted, m_thin);
    line(plot.topLeft(), plot.bottomLeft(), m_theme.muted, m_thin);
    const double step = niceStep(figure.axis.high - figure.axis.low,
                                 std::clamp(static_cast<int>(plot.height() / (1.2 * m_line)), 1, 4));
    for (double value = std::ceil(figure.axis.low / step - 1e-9) * step; value <= figure.axis.high + step * 1e-9;
         value += step) {
        value = std::abs(value) < step * 1e-6 ? 0 : value;
        const double at = yOf(value);
        line({plot.left() - m_gap * 0.3, at}, {plot.left(), at}, m_theme.muted, m_thin);
        text(QRectF(box.left() - m_gap, at - m_line / 2, gutter + m_gap * 0.5, m_line),
             Qt::AlignRight | Qt::AlignVCenter, compactText(value), m_font, m_theme.muted);
    }
    double bottom = plot.bottom() + m_gap;
    if (figure.labelEvery >= 0) {
        const NamedAxis axis{
            profile.tokens, std::max(1, count), figure.labelEvery,
            labelChoice(profile.tokens, figure.segments, {profile.strongest(), profile.row, count - 1})};
        const double room = std::min(labelRoom(profile.tokens), roomBelow(axis, plot.width()));
        if (m_painter && count > 0)
            tokenLabels(axis, plot, false, room);
        bottom += room + m_gap;
    }
    return bottom - box.top();
}

double MapPainter::draw(const HeadMapFigure& figure, const QRectF& box)
{
    std::size_t columns = 1;
    double gutter = 0, low = 1e300, high = -1e300;
    for (const HeadMapFigure::Line& layer : figure.lines) {
        columns = std::max(columns, layer.values.size());
        gutter = std::max(gutter, textWidth(layer.label));
        for (const float value : layer.values)
            if (std::isfinite(value)) {
                low = std::min(low, static_cast<double>(value));
                high = std::max(high, static_cast<double>(value));
            }
    }
    if (figure.extremes) {
        low = std::min(low, static_cast<double>(figure.extremes->first));
        high = std::max(high, static_cast<double>(figure.extremes->second));
    }
    if (figure.isSigned)
        low = -(high = std::max(std::abs(low), std::abs(high)));
    if (!(high > low))
        high = (low = 0) + 1;
    // Round ends, so that the bar can be read: 0 to 1, not -0.00781 to 0.922.
    const double power = std::pow(10, std::floor(std::log10(high - low)));
    const double step = (high - low) / power < 2 ? power / 5 : (high - low) / power < 5 ? power / 2 : power;
    low = std::floor(low / step + 1e-9) * step;
    high = std::ceil(high / step - 1e-9) * step;
    gutter += m_gap;
    // Square cells, not higher than three lines of text, in the middle of the box.
    const double cell =
        std::min(1.0, m_fit.stretch)
        * std::min((box.width() - gutter) / static_cast<double>(columns), 3 * m_line * std::max(1.0, m_fit.stretch));
    const double used = gutter + cell * static_cast<double>(columns);
    const QRectF cells(box.left() + (box.width() - used) / 2 + gutter, box.top() + m_line, used - gutter,
                       cell * static_cast<double>(figure.lines.size()));
    const ColorMap map = figure.isSigned ? figure.diverging : ColorMap::Viridis;
    if (m_painter) {
        headLabels(figure, cells, cell);
        for (std::size_t row = 0; row < figure.lines.size(); ++row)
            for (std::size_t column = 0; column < figure.lines[row].values.size(); ++column)
                headCell(figure.lines[row], column,
                         QRectF(cells.left() + static_cast<double>(column) * cell,
                                cells.top() + static_cast<double>(row) * cell, cell, cell),
                         [&](float value) {
                             return QColor(colorAt(map, (static_cast<double>(value) - low) / (high - low)));
                         });
    }
    const double y = cells.bottom() + m_gap;
    if (!figure.colorBar)
        return y - box.top();
    std::vector<ScaleTick> ticks;
    const double between = niceStep(high - low, 3);
    const auto tick = [&](double value) {
        ticks.push_back({(value - low) / (high - low), compactText(std::abs(value) < 1e-9 * (high - low) ? 0 : value)});
    };
    tick(low);
    for (double value = std::ceil(low / between + 1e-9) * between; value < high - 1e-9 * (high - low); value += between)
        tick(value);
    tick(high);
    const double width = std::min(box.width(), std::max({cells.width(), textWidth(figure.metric), 10 * m_line}));
    const double left = std::clamp(cells.center().x() - width / 2, box.left(), box.right() - width);
    const QRectF bar(left, y, width, m_line * 0.5);
    colorBar(map, ticks, figure.metric, bar, box);
    return y - box.top() + colorBarHeight(figure.metric, bar, box);
}

void MapPainter::headLabels(const HeadMapFigure& figure, const QRectF& cells, double cell)
{
    const int rows = static_cast<int>(figure.lines.size());
    const auto& widest = *std::max_element(figure.lines.begin(), figure.lines.end(), [](const auto& a, const auto& b) {
        return a.values.size() < b.values.size();
    });
    for (const AxisLabel& label : placeLabels({cells.top(), cell, rows, cells.top(), cells.bottom()}, m_line * 0.95))
        text(QRectF(cells.left() - 1e4, label.centre - m_line / 2, 1e4 - m_gap * 0.7, m_line),
             Qt::AlignRight | Qt::AlignVCenter, figure.lines[static_cast<std::size_t>(label.token)].label, m_font,
             m_theme.text);
    const int columns = static_cast<int>(widest.values.size());
    const double room = textWidth(QString::number(widest.first + columns * widest.block)) + m_gap;
    for (const AxisLabel& label : placeLabels({cells.left(), cell, columns, cells.left(), cells.right()}, room))
        text(QRectF(label.centre - room, cells.top() - m_line * 1.05, 2 * room, m_line), Qt::AlignCenter,
             QString::number(widest.first + label.token * widest.block), m_font, m_theme.muted);
}

void MapPainter::headCell(const HeadMapFigure::Line& layer, std::size_t column, const QRectF& place,
                          const std::function<QColor(float)>& colorFor)
{
    const float value = layer.values[column];
    const double inset = place.width() * 0.04;
    const QRectF cell = place.adjusted(inset, inset, -inset, -inset);
    const QColor color = std::isfinite(value) ? colorFor(value) : m_theme.unused;
    fill(cell, color);
    const double side = cell.width();
    if (const QString mark = column < layer.marks.size() ? layer.marks[column] : QString(); !mark.isEmpty()) {
        QFont font = fontOf(1, true);
        font.setPixelSize(std::max(1, static_cast<int>(std::min(side * 0.62, static_cast<double>(font.pixelSize())))));
        text(cell, Qt::AlignCenter, FigureMetrics(font).elidedText(mark, Qt::ElideRight, side), font,
             QColor(inkOn(color.rgb())));
    }
    if (column < layer.off.size() && layer.off[column]) {
        const QRectF cross = cell.adjusted(side * 0.16, side * 0.16, -side * 0.16, -side * 0.16);
        // White below red is seen on every colour of the map, and in grey.
        for (const auto& [ink, width] : {std::pair(QColor(Qt::white), 0.2), std::pair(m_theme.cross, 0.1)}) {
            line(cross.topLeft(), cross.bottomRight(), ink, side * width);
            line(cross.topRight(), cross.bottomLeft(), ink, side * width);
        }
    }
}

// In the window's pixels, of which a line of letters has kLine, so that both draw the same circuit.
double MapPainter::draw(const EdgeFigure& figure, const QRectF& box)
{
    constexpr double kLine = 14, kRow = 52, kMost = 900; // pixels: a line, a layer, all layers
    constexpr double kReach = 20;                        // of the name of the last part beyond its cell
    const auto rows = std::max<double>(static_cast<double>(figure.data.rows.size()), 1);
    const double scale = m_line / kLine, high = std::min(kRow * rows, kMost) * m_fit.stretch;
    const int shown = EdgePainter::shown(figure.data, figure.threshold);
    if (m_painter) {
        QFont letters = m_font;
        letters.setPixelSize(std::max(1, static_cast<int>(std::lround(m_font.pixelSize() / scale))));
        m_painter->save();
        m_painter->setFont(letters);
        m_painter->translate(box.topLeft());
        m_painter->scale(scale, scale);
        EdgePainter(figure.data, {box.width() / scale - kReach, high}, figure.side, m_theme)
            .draw(*m_painter, shown, -1);
        m_painter->restore();
    }
    const double bottom = box.top() + high * scale;
    const QString said =
        QCoreApplication::translate("FigureText", "%1 of %2 edges, with an effect of at least %3 alone; dashed: "
                                                  "negative")
            .arg(shown)
            .arg(figure.data.edges.size())
            .arg(numberText(figure.threshold));
    const QFont small = fontOf(0.85);
    const int flags = Qt::AlignRight | Qt::AlignTop | Qt::TextWordWrap;
    const double lines =
        FigureMetrics(small).boundingRect(QRectF(0, 0, box.width(), 1e6), flags, said).height() + m_thin;
    text(QRectF(box.left(), bottom, box.width(), lines), flags, said, small, m_theme.muted);
    return bottom + lines + m_gap - box.top();
}

} // namespace headscope::widgets
