// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The content and style of a stored figure: names of data in the session, never the data. Plain values; any thread.

#include "core/base/result.h"

#include <optional>
#include <string>
#include <vector>

namespace headscope::figures {

inline constexpr const char* kRowOfHeads = "row of heads"; ///< an analysis

/// A pattern kept in the session. Empty fields leave open which; of several the newest is taken.
struct PatternRef {
    std::string model;      ///< name, or a prefix of the hash
    std::string head;       ///< "L2H5"
    std::string ablation;   ///< ablation; empty: none
    std::string prompt;     ///< prefix of the hash
    std::string convention; ///< matrix of the head, in the form of sessions::conventionText
    std::string dtype;

    bool operator==(const PatternRef&) const = default;
};

enum class PanelKind {
    Pattern,    ///< one map; with `minus` the difference of two
    Row,        ///< one row of it
    HeadMap,    ///< a ranking as a head map of layers x heads
    Ranking,    ///< the first heads of a ranking
    Scores,     ///< scoreboard, or one line per state and one column per task
    Curve,      ///< accuracy against dictionary size
    Layers,     ///< scores without one layer, or with only the first N
    Experiment, ///< a picture of an experiment's page
    Dots,       ///< heads by two of their numbers
    Analysis,   ///< one analysis of a model: lens, attribution, patching, edges, knockout ...
};

struct PanelRecipe {
    PanelKind kind = PanelKind::Pattern;
    std::string heading;
    int part = 0;     ///< of a composed figure: in which of its parts, from 1 on; panels are in the order of parts
    std::string view; ///< ranking, scores: "table" or "bars", scores also "grid"; layers: "skip" or "upto"; compare: a
                      ///< map of "ov", "qk", "pattern" or "effect" instead of dots; empty: the first

    PatternRef pattern;              ///< Pattern, Row
    std::optional<PatternRef> minus; ///< Pattern
    int row = -1;                    ///< Row: index; -1: the last
    std::string side = "A";          ///< Row: its colour
    std::string scale = "raw";       ///< raw, row, minmax, log, signed
    bool withoutSink = false;
    bool shares = false; ///< Pattern: rows that do not sum to 1 as shares of their magnitudes, as in the window
    std::string colours = "viridis"; ///< or cividis; signed maps use cividis around 0, or "blue-red" if given, whose
                                     ///< signs are indistinguishable in grey print
    int labelEvery = 0;              ///< 0 as many as fit, -1 none, k every k-th
    bool brackets = true;
    bool colourBar = true;

    std::vector<std::string> models;    ///< the rest: names or hashes; empty: all that the session has something of
    std::vector<std::string> tasks;     ///< names or their beginnings; empty: all
    std::vector<std::string> ablations; ///< which states besides the baseline, "" is none; empty: all that fit
    std::string method = "exact";       ///< HeadMap, Ranking: which ranking
    std::string off;                    ///< HeadMap: heads that are crossed
    int top = 10;                       ///< Ranking: that many heads
    int lines = 4; ///< Curve, Layers, Scores as bars: at most that many lines; the caption says what is left out

    std::string experiment; ///< Experiment: its id; `models` as requested for the run
    int plot = 0;           ///< Experiment: index of the plot

    std::string analysis; ///< Analysis: its kind, "lens"
    std::string question; ///< Analysis: its questionId; empty: the newest of the model and kind

    std::string x = "aggregate"; ///< Dots: a metric of a survey, or "cost" of removal by the exact ranking of `tasks`
    std::string y = "cost";      ///< likewise; for Analysis, compare: two of the names of its maps
    bool logX = false;           ///< Dots: logarithmic; heads at or below 0 are left out, as noted in the figure
    bool logY = false;           ///< likewise

    bool operator==(const PanelRecipe&) const = default;
};

/// The style of a figure on paper; see widgets::FigureStyle.
struct StyleRecipe {
    double widthMm = 175;
    double heightMm = 0;
    double fontPt = 8;
    std::string font;
    std::string background = "light"; ///< or dark, transparent
    bool printProvenance = true;
    int dpi = 300;

    bool operator==(const StyleRecipe&) const = default;
};

struct Recipe {
    std::string title;
    std::string caption;
    int columns = 1;  ///< of panels, or of a composed figure's parts; 0: as many as fit
    int together = 1; ///< that many panels in turn belong side by side
    bool letters = false;
    std::vector<std::string> parts; ///< of a composed figure the titles of a, b, c, d; empty: it is not composed
    std::vector<PanelRecipe> panels;
    StyleRecipe style;

    bool operator==(const Recipe&) const = default;
};

/// Two to four figures as parts of one, lettered in their order, with one caption; on a page of the usual size. Fails
/// in one sentence for another number of them.
[[nodiscard]] Result<Recipe> compose(const std::vector<Recipe>& figures);

/// The parts of a composed figure as figures of their own, from which `compose` makes its panels again; captions are
/// not divided. Empty if it is not composed.
[[nodiscard]] std::vector<Recipe> separated(const Recipe& composed);

/// Which of the session's models, states and benchmarks panels of scores show; empty: as the recipe has it.
struct Choice {
    std::vector<std::string> models, states, tasks;
    std::optional<int> lines;
};
[[nodiscard]] bool showsScores(const PanelRecipe& panel);
/// Applies a choice. If models are named, panels for one model each become one panel of all of them.
void choose(Recipe& recipe, const Choice& choice);

/// Returns the recipe as JSON without default values; the same recipe yields the same text.
[[nodiscard]] std::string recipeText(const Recipe& recipe);
/// Fails in one sentence for an unknown field, or one of another type or out of range.
[[nodiscard]] Result<Recipe> parseRecipe(const std::string& json);

/// Returns "column", "page", "slide" or "poster" (widgets::stylePresets). Fails for other names.
[[nodiscard]] Result<StyleRecipe> styleRecipe(const std::string& preset);

} // namespace headscope::figures
