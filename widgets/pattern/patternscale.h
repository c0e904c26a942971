// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Converts values of a map to positions on its colour bar. Pure values; any thread.

#include "core/base/matrix.h"
#include "widgets/look/colormap.h"

#include <QString>

#include <vector>

namespace headscope::widgets {

enum class ScaleKind {
    Raw,    ///< 0 to 1 for probabilities, otherwise 0 to the maximum; signed maps: symmetric around 0
    Row,    ///< each row divided by its own largest magnitude
    MinMax, ///< smallest to largest value of the map
    Log,    ///< log10 of the magnitude, five decades below the maximum
    Signed, ///< minus to plus the largest magnitude, 0 in the middle
};

struct ScaleOptions {
    ScaleKind kind = ScaleKind::Raw;
    bool withoutSink = false; ///< column 0 does not affect the scale (it is still drawn, clamped)
    ColorMap sequential = ColorMap::Viridis;

    bool operator==(const ScaleOptions&) const = default;
};

struct ScaleTick {
    double position = 0; ///< 0 to 1 along the bar
    QString text;
};

/// The scale fitted to one map. Causal maps: only cells on and left of the diagonal count.
class PatternScale
{
public:
    static constexpr double kLogDecades = 5;

    PatternScale() = default;
    [[nodiscard]] static PatternScale fit(const Matrix& values, bool isSigned, bool causal,
                                          const ScaleOptions& options);

    /// Returns the position of a value of row `row` on the bar, not clamped; NaN for NaN.
    [[nodiscard]] double position(float value, int row) const;
    /// The position as slope * value + offset, used to fill the map's bytes. Not for ScaleKind::Log.
    struct Linear {
        float slope = 0;
        float offset = 0;
    };
    [[nodiscard]] Linear linear(int row) const;
    [[nodiscard]] bool logarithmic() const { return m_options.kind == ScaleKind::Log; }
    [[nodiscard]] ColorMap colorMap() const { return m_diverging ? ColorMap::BlueRed : m_options.sequential; }
    [[nodiscard]] bool diverging() const { return m_diverging; }
    [[nodiscard]] double low() const { return m_low; }
    [[nodiscard]] double high() const { return m_high; }
    [[nodiscard]] std::vector<ScaleTick> ticks() const;
    /// Returns the name for the colour bar: "log scale, first token left out".
    [[nodiscard]] QString name() const;

private:
    ScaleOptions m_options;
    bool m_signed = false;
    bool m_diverging = false;
    double m_low = 0;
    double m_high = 1;
    std::vector<float> m_rowMax; ///< Row only: largest magnitude of each row, never 0
};

[[nodiscard]] QString scaleKindName(ScaleKind kind);

} // namespace headscope::widgets
