// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a figure for a paper or a talk consists of, as plain values. Any thread.

#include "widgets/figures/plot.h"
#include "widgets/look/theme.h"
#include "widgets/pattern/card/rowprofile.h"
#include "widgets/pattern/patterndata.h"
#include "widgets/pattern/patternscale.h"
#include "widgets/why/edges/edgedata.h"

#include <limits>
#include <optional>
#include <variant>
#include <vector>

namespace headscope::widgets {

inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

struct FigureStyle {
    double widthMm = 120; ///< paper width of the whole figure, 30 to 2000
    double heightMm = 0;  ///< 0: as high as it needs to be; else its parts grow or shrink to fill the page
    double fontPt = 8;    ///< size of labels on that paper
    QString fontFamily;   ///< empty: the same one on every machine that has it (figureFontFamily)
    bool dark = false;
    bool transparent = false;    ///< no background
    bool printProvenance = true; ///< below the caption; it is in the file's metadata anyway
    int dpi = 300;               ///< PNG only

    bool operator==(const FigureStyle&) const = default;
};

/// A style under a name: "column" (85 mm), "page" (175 mm), "slide" (16:9), "poster".
struct StylePreset {
    const char* id;
    const char* title; ///< to be translated
    double widthMm, heightMm, fontPt;
};
[[nodiscard]] const std::vector<StylePreset>& stylePresets();
/// Empty for a name that is not known.
[[nodiscard]] std::optional<FigureStyle> stylePreset(const QString& id);

/// One map.
struct PatternFigure {
    PatternData data;
    ScaleOptions scale;
    /// The least and the largest value of all panels of the figure that show the same quantity: one colour is one value
    /// in all of them. Null: this panel's own.
    std::shared_ptr<const Matrix> extremes;
    int row = -1;         ///< the one that is looked at, always named; -1: the last
    int labelEvery = 0;   ///< token labels: 0 as many as fit, -1 none, k every k-th
    bool brackets = true; ///< segments
    bool colorBar = true;
    ColorMap diverging =
        ColorMap::Cividis; ///< of signed maps, 0 in the middle; Cividis only gets lighter, so grey print keeps the sign
};

/// One row of a map as bars over the tokens.
struct RowFigure {
    RowProfile profile;
    std::vector<TokenSpan> segments; ///< which tokens are worth a name; may be empty
    Side side = Side::A;
    int labelEvery = 0;
    ValueAxis axis; ///< panels beside each other share one, see commonAxis
};

struct TableCell {
    QString text;
    enum class Tone { Plain, Good, Bad, Muted } tone = Tone::Plain;
};

/// A score table; the first column is left-aligned, all others right-aligned.
struct TableFigure {
    QStringList header;
    std::vector<std::vector<TableCell>> rows;
};

/// A number with its 95 % interval, where there is one.
struct Estimate {
    double value = kUnknown;
    double low = kUnknown;
    double high = kUnknown;
};

struct ChartPoint {
    double x = 0;
    Estimate y;
};

struct ChartCurve {
    QString name;
    std::vector<ChartPoint> points;
    int color = 0; ///< of a small colour-blind safe set; also decides the marker, so that lines differ in grey print
    enum class Style { Solid, Dashed, Dotted } style = Style::Solid; ///< Dotted is drawn thin and grey: chance, control
};

/// Lines over a number: accuracy against dictionary size, scores layer by layer.
struct ChartFigure {
    QString xTitle, yTitle;
    std::vector<ChartCurve> curves;
    bool integerX = true;
    bool share = true;   ///< y runs from 0 to 1
    QStringList xLabels; ///< names of x = 0, 1, 2 ... instead of numbers
};

/// Horizontal bars: one line a label, one bar a series.
struct BarFigure {
    QString xTitle;
    QStringList series; ///< one name: no legend
    struct Bar {
        QString label;
        std::vector<Estimate> values; ///< one a series
    };
    std::vector<Bar> bars;
    double reference = kUnknown; ///< a dotted line, chance for example
};

/// Layers x heads with one number a head.
struct HeadMapFigure {
    QString metric; ///< what the colours say
    bool isSigned = false;
    struct Line {
        QString label;              ///< "L2", "L2 SSM"
        int first = 0;              ///< number of the first head
        int block = 1;              ///< heads a cell stands for
        std::vector<float> values;  ///< one a cell; NaN: not measured
        std::vector<QString> marks; ///< one a cell or empty: "G", "A", a person's own name
        std::vector<bool> off;      ///< one a cell or empty: crossed
    };
    std::vector<Line> lines;
    bool colorBar = true;
    ColorMap diverging = ColorMap::Cividis;            ///< where isSigned, as in PatternFigure
    std::optional<std::pair<float, float>> extremes{}; ///< least and most of all panels that show this metric
};

/// A circuit: who feeds whom.
struct EdgeFigure {
    EdgeData data;
    double threshold = 0.05; ///< weaker edges are not drawn
    Side side = Side::A;     ///< its colour
};

using FigureContent =
    std::variant<PatternFigure, RowFigure, TableFigure, ChartFigure, BarFigure, HeadMapFigure, EdgeFigure, Plot>;

struct FigurePanel {
    QString heading; ///< behind the letter; empty: none
    FigureContent content;
};

struct Figure {
    QString title;      ///< above; empty: none
    QString caption;    ///< below, wrapped
    QString provenance; ///< model, revision, dtype, device, sample, ablation: kept in the file, printed small
    std::vector<FigurePanel> panels; ///< row by row
    int columns = 1;                 ///< 0: as many as fit
    int together = 1;                ///< that many panels in turn belong side by side
    bool letters = false;            ///< a, b, c before the panels
};

} // namespace headscope::widgets
