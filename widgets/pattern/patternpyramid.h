// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A map as bytes at successively halved resolutions, drawn at any zoom with exact cells. Any thread; immutable once
// built.

#include "widgets/pattern/patterngeometry.h"
#include "widgets/pattern/patternscale.h"

#include <QImage>

#include <cstdint>
#include <vector>

namespace headscope::widgets {

/// Level 0 has one byte per cell: 0 for no value (right of the diagonal, NaN), otherwise an entry of a ColorTable. Each
/// further level halves both sides and keeps, of four cells, the one farthest from the neutral end of the scale, so
/// that one bright cell among millions is never lost. A 4,096 x 4,096 map takes 22 MB; the values are not copied.
class PatternPyramid
{
public:
    PatternPyramid() = default;
    /// Builds the pyramid. pool: cells of the map per entry of `values`, in each direction.
    [[nodiscard]] static PatternPyramid build(const Matrix& values, const PatternScale& scale, bool causal,
                                              int pool = 1);
    /// Sets exact rows of a pooled map from `first` on: drawn instead of the pooled ones if they cover the view.
    void setExactRows(int first, const Matrix& rows, const PatternScale& scale, bool causal);

    [[nodiscard]] bool empty() const { return m_levels.empty(); }
    [[nodiscard]] int levelCount() const { return static_cast<int>(m_levels.size()); }
    [[nodiscard]] int rows(int level) const { return m_levels[static_cast<std::size_t>(level)].rows; }
    [[nodiscard]] int cols(int level) const { return m_levels[static_cast<std::size_t>(level)].cols; }
    [[nodiscard]] std::uint8_t at(int level, int row, int col) const;
    [[nodiscard]] std::size_t bytes() const;
    /// Returns the coarsest level with at least one entry per device pixel, given device pixels per entry of level 0.
    [[nodiscard]] int levelFor(double devicePixelsPerCell) const;

    /// Draws the visible part into an image of the plot's size in device pixels (Format_RGB32). Nearest cell, no
    /// interpolation; rows of pixels that show the same cells are copied.
    [[nodiscard]] QImage render(const PatternGeometry& geometry, const ColorTable& colors,
                                double devicePixelRatio) const;
    /// Returns level 0, one pixel per cell, as embedded in figures.
    [[nodiscard]] QImage exactImage(const ColorTable& colors) const;
    /// Returns an image of at most `side` x `side` pixels, for thumbnails.
    [[nodiscard]] QImage thumbnail(int side, const ColorTable& colors) const;

private:
    struct Level {
        int rows = 0;
        int cols = 0;
        std::vector<std::uint8_t> cells; ///< rows * cols, row-major
    };
    [[nodiscard]] Level halved(const Level& level) const;
    [[nodiscard]] QImage imageOf(const Level& level, const ColorTable& colors) const;

    std::vector<Level> m_levels;
    Level m_exact;
    int m_exactFirst = 0;
    int m_pool = 1;
    bool m_diverging = false;
};

} // namespace headscope::widgets
