// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/pattern/patternpyramid.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace headscope::widgets {

namespace {

constexpr int kMiddle = 128; // colorIndex(0.5): the white of a diverging map

std::size_t offset(int row, int col, int cols)
{
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(cols) + static_cast<std::size_t>(col);
}

/// For each device pixel along one side of the plot, the entry that it shows: `size` cells each, entry 0 at
/// `firstCell`.
std::vector<int> entriesAlong(int pixels, double firstCell, double cellsPerPixel, int size, int count)
{
    std::vector<int> entries(static_cast<std::size_t>(pixels));
    for (int i = 0; i < pixels; ++i) {
        const double cell = (firstCell + (i + 0.5) * cellsPerPixel) / size;
        entries[static_cast<std::size_t>(i)] = std::clamp(static_cast<int>(std::floor(cell)), 0, count - 1);
    }
    return entries;
}

/// A byte for each value of the upper half of a float: its seven bits of mantissa are 0.003 decades, a sixth of the
/// step between two colours of five decades. A logarithm for each of 16 million cells would take half a second.
std::vector<std::uint8_t> logTable(const PatternScale& scale)
{
    if (!scale.logarithmic())
        return {};
    std::vector<std::uint8_t> table(1U << 16);
    for (std::uint32_t upper = 0; upper < table.size(); ++upper)
        table[upper] = colorIndex(scale.position(std::bit_cast<float>(upper << 16), 0));
    return table;
}

void fillLog(std::span<const float> source, std::uint8_t* target, const std::vector<std::uint8_t>& logs)
{
    std::transform(source.begin(), source.end(), target,
                   [&](float v) { return logs[std::bit_cast<std::uint32_t>(v) >> 16]; });
}

void fillLinear(std::span<const float> source, std::uint8_t* target, PatternScale::Linear linear)
{
    const float slope = linear.slope * 254;
    const float start = linear.offset * 254;
    for (std::size_t i = 0; i < source.size(); ++i) {
        const float v = source[i];
        const float t = std::clamp(v * slope + start, 0.0F, 254.0F);
        target[i] = std::isnan(v) ? std::uint8_t{0} : static_cast<std::uint8_t>(1 + static_cast<int>(t + 0.5F));
    }
}

} // namespace

PatternPyramid PatternPyramid::build(const Matrix& values, const PatternScale& scale, bool causal, int pool)
{
    PatternPyramid pyramid;
    pyramid.m_diverging = scale.diverging();
    pyramid.m_pool = pool;
    if (values.rows <= 0 || values.cols <= 0)
        return pyramid;
    const std::vector<std::uint8_t> logs = logTable(scale);
    Level base{values.rows, values.cols, {}};
    base.cells.assign(offset(values.rows, 0, values.cols), 0);
    for (int row = 0; row < values.rows; ++row) {
        const int end = causal ? std::min(values.cols, row + 1) : values.cols;
        const std::span<const float> source = values.row(row).first(static_cast<std::size_t>(end));
        std::uint8_t* target = base.cells.data() + offset(row, 0, values.cols);
        scale.logarithmic() ? fillLog(source, target, logs) : fillLinear(source, target, scale.linear(row));
    }
    pyramid.m_levels.push_back(std::move(base));
    while (pyramid.m_levels.back().rows > 64 || pyramid.m_levels.back().cols > 64)
        pyramid.m_levels.push_back(pyramid.halved(pyramid.m_levels.back()));
    return pyramid;
}

void PatternPyramid::setExactRows(int first, const Matrix& rows, const PatternScale& scale, bool causal)
{
    const std::vector<std::uint8_t> logs = logTable(scale);
    m_exactFirst = first;
    m_exact = {rows.rows, rows.cols, {}};
    m_exact.cells.assign(offset(rows.rows, 0, rows.cols), 0);
    for (int row = 0; row < rows.rows; ++row) {
        const int end = causal ? std::min(rows.cols, first + row + 1) : rows.cols;
        const std::span<const float> source = rows.row(row).first(static_cast<std::size_t>(end));
        std::uint8_t* target = m_exact.cells.data() + offset(row, 0, rows.cols);
        scale.logarithmic() ? fillLog(source, target, logs)
                            : fillLinear(source, target, scale.linear((first + row) / m_pool));
    }
}

PatternPyramid::Level PatternPyramid::halved(const Level& level) const
{
    Level half{(level.rows + 1) / 2, (level.cols + 1) / 2, {}};
    half.cells.resize(offset(half.rows, 0, half.cols));
    const auto stronger = [this](std::uint8_t a, std::uint8_t b) {
        if (a == 0 || b == 0 || !m_diverging)
            return std::max(a, b);
        return std::abs(a - kMiddle) >= std::abs(b - kMiddle) ? a : b;
    };
    for (int row = 0; row < half.rows; ++row) {
        const std::uint8_t* upper = level.cells.data() + offset(2 * row, 0, level.cols);
        const std::uint8_t* lower = 2 * row + 1 < level.rows ? upper + level.cols : upper;
        std::uint8_t* target = half.cells.data() + offset(row, 0, half.cols);
        for (int col = 0; col < half.cols; ++col) {
            const int right = std::min(2 * col + 1, level.cols - 1);
            target[col] = stronger(stronger(upper[2 * col], upper[right]), stronger(lower[2 * col], lower[right]));
        }
    }
    return half;
}

std::uint8_t PatternPyramid::at(int level, int row, int col) const
{
    const Level& chosen = m_levels[static_cast<std::size_t>(level)];
    return chosen.cells[offset(row, col, chosen.cols)];
}

std::size_t PatternPyramid::bytes() const
{
    std::size_t sum = 0;
    for (const Level& level : m_levels)
        sum += level.cells.size();
    return sum + m_exact.cells.size();
}

int PatternPyramid::levelFor(double devicePixelsPerCell) const
{
    int level = 0;
    while (level + 1 < levelCount() && devicePixelsPerCell * (1 << level) < 1)
        ++level;
    return level;
}

QImage PatternPyramid::render(const PatternGeometry& geometry, const ColorTable& colors, double devicePixelRatio) const
{
    const int width = static_cast<int>(std::lround(geometry.plot().width() * devicePixelRatio));
    const int height = static_cast<int>(std::lround(geometry.plot().height() * devicePixelRatio));
    if (empty() || width <= 0 || height <= 0)
        return {};
    QImage image(width, height, QImage::Format_RGB32);
    const double pixelWidth = geometry.cellWidth() * devicePixelRatio;
    const double pixelHeight = geometry.cellHeight() * devicePixelRatio;
    const int firstRow = static_cast<int>(std::floor(geometry.top()));
    const int lastRow = static_cast<int>(std::ceil(geometry.top() + height / pixelHeight)) - 1;
    const bool exact = m_exact.rows > 0 && firstRow >= m_exactFirst && lastRow < m_exactFirst + m_exact.rows;
    const int index = levelFor(std::min(pixelWidth, pixelHeight) * m_pool);
    const Level& level = exact ? m_exact : m_levels[static_cast<std::size_t>(index)];
    const int size = exact ? 1 : m_pool << index;
    const std::vector<int> cols = entriesAlong(width, geometry.left(), 1 / pixelWidth, size, level.cols);
    const std::vector<int> rows =
        entriesAlong(height, geometry.top() - (exact ? m_exactFirst : 0), 1 / pixelHeight, size, level.rows);
    const auto lineBytes = static_cast<std::size_t>(width) * sizeof(QRgb);
    for (int y = 0; y < height; ++y) {
        auto* line = reinterpret_cast<QRgb*>(image.scanLine(y));
        const int row = rows[static_cast<std::size_t>(y)];
        if (y > 0 && row == rows[static_cast<std::size_t>(y - 1)]) {
            std::memcpy(line, image.constScanLine(y - 1), lineBytes);
            continue;
        }
        const std::uint8_t* cells = level.cells.data() + offset(row, 0, level.cols);
        for (int x = 0; x < width; ++x)
            line[x] = colors[cells[cols[static_cast<std::size_t>(x)]]];
    }
    image.setDevicePixelRatio(devicePixelRatio);
    return image;
}

QImage PatternPyramid::imageOf(const Level& level, const ColorTable& colors) const
{
    // A picture that is clear where there are no cells goes on any ground.
    const bool clear = qAlpha(colors[0]) < 255;
    QImage image(level.cols, level.rows, clear ? QImage::Format_ARGB32 : QImage::Format_RGB32);
    for (int row = 0; row < level.rows; ++row) {
        auto* line = reinterpret_cast<QRgb*>(image.scanLine(row));
        const std::uint8_t* cells = level.cells.data() + offset(row, 0, level.cols);
        for (int col = 0; col < level.cols; ++col)
            line[col] = colors[cells[col]];
    }
    return image;
}

QImage PatternPyramid::exactImage(const ColorTable& colors) const
{
    return empty() ? QImage() : imageOf(m_levels.front(), colors);
}

QImage PatternPyramid::thumbnail(int side, const ColorTable& colors) const
{
    if (empty() || side <= 0)
        return {};
    std::size_t index = 0;
    while (index + 1 < m_levels.size() && std::max(m_levels[index].rows, m_levels[index].cols) > 2 * side)
        ++index;
    return imageOf(m_levels[index], colors).scaled(side, side, Qt::IgnoreAspectRatio, Qt::FastTransformation);
}

} // namespace headscope::widgets
