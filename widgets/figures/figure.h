// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The content of a figure for a paper or a talk, as plain values. Any thread.

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
    double heightMm = 0;  ///< 0: as high as its content; otherwise its parts are scaled to fill the page
    double fontPt = 8;    ///< size of labels on paper
    QString fontFamily;   ///< empty: figureFontFamily(), the same family on every machine that has it
    bool dark = false;
    bool transparent = false;    ///< no background
    bool printProvenance = true; ///< below the caption; the file's metadata always contains it
    int dpi = 300;               ///< PNG only

    bool operator==(const FigureStyle&) const = default;
};

/// A named style: "column" (85 mm), "page" (175 mm), "slide" (16:9), "poster".
struct StylePreset {
    const char* id;
    const char* title; ///< to be translated
    double widthMm, heightMm, fontPt;
};
[[nodiscard]] const std::vector<StylePreset>& stylePresets();
/// Returns the style of this name; empty for an unknown name.
[[nodiscard]] std::optional<FigureStyle> stylePreset(const QString& id);

/// A map of one head.
struct PatternFigure {
    PatternData data;
    ScaleOptions scale;
    /// Contains the smallest and largest value of all panels that show the same quantity, so that a colour means the
    /// same value in all of them. Null: the scale of this panel alone.
    std::shared_ptr<const Matrix> extremes;
    int row = -1;         ///< the highlighted row, always labelled; -1: the last
    int labelEvery = 0;   ///< token labels: 0 as many as fit, -1 none, k every k-th
    bool brackets = true; ///< draws the prompt's segments
    bool colorBar = true;
    ColorMap diverging = ColorMap::Cividis; ///< for signed maps, 0 in the middle; Cividis keeps the sign visible in
                                            ///< grey print
};

/// One row of a map, as bars over the tokens.
struct RowFigure {
    RowProfile profile;
    std::vector<TokenSpan> segments; ///< decides which tokens are labelled first; may be empty
    Side side = Side::A;
    int labelEvery = 0;
    ValueAxis axis; ///< adjacent panels share one, see commonAxis
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

/// A value with its 95 % confidence interval, if it has one.
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
    int color = 0; ///< index into a small colour-blind safe palette; also selects the marker, for grey print
    enum class Style { Solid, Dashed, Dotted } style = Style::Solid; ///< Dotted is drawn thin and grey: chance, control
};

/// Lines against a quantity: accuracy against dictionary size, scores layer by layer.
struct ChartFigure {
    QString xTitle, yTitle;
    std::vector<ChartCurve> curves;
    bool integerX = true;
    bool share = true;   ///< y runs from 0 to 1
    QStringList xLabels; ///< names of x = 0, 1, 2 ... instead of numbers
};

/// Horizontal bars: one line per label, one bar per series.
struct BarFigure {
    QString xTitle;
    QStringList series; ///< with a single name there is no legend
    struct Bar {
        QString label;
        std::vector<Estimate> values; ///< one per series
    };
    std::vector<Bar> bars;
    double reference = kUnknown; ///< position of a dotted line, for example the chance level
};

/// A head map: layers x heads with one value per head.
struct HeadMapFigure {
    QString metric; ///< quantity shown by the colours
    bool isSigned = false;
    struct Line {
        QString label;              ///< "L2", "L2 SSM"
        int first = 0;              ///< index of the first head
        int block = 1;              ///< heads per cell
        std::vector<float> values;  ///< one per cell; NaN: not measured
        std::vector<QString> marks; ///< one per cell, or empty: "G", "A", a name given by the user
        std::vector<bool> off;      ///< one per cell, or empty: ablated, drawn crossed out
    };
    std::vector<Line> lines;
    bool colorBar = true;
    ColorMap diverging = ColorMap::Cividis;            ///< if isSigned, as in PatternFigure
    std::optional<std::pair<float, float>> extremes{}; ///< of all panels with this metric
};

/// A circuit: which parts feed which.
struct EdgeFigure {
    EdgeData data;
    double threshold = 0.05; ///< weaker edges are not drawn
    Side side = Side::A;     ///< decides its colour
};

using FigureContent =
    std::variant<PatternFigure, RowFigure, TableFigure, ChartFigure, BarFigure, HeadMapFigure, EdgeFigure, Plot>;

struct FigurePanel {
    QString heading; ///< after the letter; empty: none
    FigureContent content;
    int part = 0; ///< of a composed figure, from 1 on; those of one part follow each other
};

/// Returns "a" for 0, "b" for 1.
[[nodiscard]] inline QString partLetter(int number)
{
    return QString(QChar(u'a' + static_cast<char16_t>(number % 26)));
}

struct Figure {
    QString title;      ///< above; empty: none
    QString caption;    ///< below, wrapped
    QString provenance; ///< model, revision, dtype, device, sample, ablation: stored in the file, printed small
    std::vector<FigurePanel> panels; ///< row by row
    int columns = 1;                 ///< 0: as many as fit
    int together = 1;                ///< that many panels in turn belong side by side
    bool letters = false;            ///< a, b, c before the panels, or before the parts
    QStringList parts;               ///< titles, of a composed figure; `columns` of them are in a row, 0: as they fit
};

} // namespace headscope::widgets
