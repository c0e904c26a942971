// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a stored figure shows and how: names of things in the session, never their numbers. Plain values; any thread.

#include "core/base/result.h"

#include <optional>
#include <string>
#include <vector>

namespace headscope::figures {

/// A pattern kept in the session. Empty fields leave open which; of several the newest is taken.
struct PatternRef {
    std::string model;      ///< name, or hash from its beginning on
    std::string head;       ///< "L2H5"
    std::string ablation;   ///< what was off; empty: nothing
    std::string prompt;     ///< hash from its beginning on
    std::string convention; ///< which of the head's matrices, as sessions::conventionText has it
    std::string dtype;

    bool operator==(const PatternRef&) const = default;
};

enum class PanelKind {
    Pattern,    ///< one map; with `minus` the difference of two
    Row,        ///< one row of it
    HeadMap,    ///< a ranking as layers x heads
    Ranking,    ///< its first heads
    Scores,     ///< scoreboard, or a state a line and a task a column
    Curve,      ///< accuracy against dictionary size
    Layers,     ///< scores without one layer, or with only the first N
    Experiment, ///< a picture of an experiment's page
    Dots,       ///< heads by two of their numbers
    Analysis,   ///< one analysis of a model: lens, attribution, patching, edges, knockout, compare or series
};

struct PanelRecipe {
    PanelKind kind = PanelKind::Pattern;
    std::string heading;
    std::string view; ///< ranking, scores: "table" or "bars", scores also "grid"; layers: "skip" or "upto"; compare: a
                      ///< map of "ov", "qk", "pattern" or "effect" instead of dots; empty: the first

    PatternRef pattern;              ///< Pattern, Row
    std::optional<PatternRef> minus; ///< Pattern
    int row = -1;                    ///< Row: which; -1 the last
    std::string side = "A";          ///< Row: its colour
    std::string scale = "raw";       ///< raw, row, minmax, log, signed
    bool withoutSink = false;
    bool shares = false; ///< Pattern: rows that do not sum to 1 as shares of their magnitudes, as the window shows them
    std::string colours = "viridis"; ///< or cividis; signed maps are cividis around 0, or with "blue-red" that, which
                                     ///< grey print cannot distinguish
    int labelEvery = 0;              ///< 0 as many as fit, -1 none, k every k-th
    bool brackets = true;
    bool colourBar = true;

    std::vector<std::string> models;    ///< the rest: names or hashes; empty: all that the session has something of
    std::vector<std::string> tasks;     ///< names or their beginnings; empty: all
    std::vector<std::string> ablations; ///< which states besides the baseline; empty: all that fit
    std::string method = "exact";       ///< HeadMap, Ranking: which ranking
    std::string off;                    ///< HeadMap: heads that are crossed
    int top = 10;                       ///< Ranking: that many heads
    int lines = 4; ///< Curve, Layers, Scores as bars: at most that many lines; the caption says what is left out

    std::string experiment; ///< Experiment: its id; `models` as the run was asked for
    int plot = 0;           ///< Experiment: which of its pictures

    std::string analysis; ///< Analysis: its kind, "lens"
    std::string question; ///< Analysis: which, as questionId has it; empty: the newest of the model and kind

    std::string x = "aggregate"; ///< Dots: a metric of a survey, or "cost" of removal by the exact ranking of `tasks`
    std::string y = "cost";      ///< the same; of Analysis, compare: two of the maps' words
    bool logX = false;           ///< Dots: by magnitude; heads at or below 0 are left out, which the figure says
    bool logY = false;           ///< the same

    bool operator==(const PanelRecipe&) const = default;
};

/// How it looks on paper; see widgets::FigureStyle.
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
    int columns = 1;  ///< 0: as many as fit
    int together = 1; ///< that many panels in turn belong side by side
    bool letters = false;
    std::vector<PanelRecipe> panels;
    StyleRecipe style;

    bool operator==(const Recipe&) const = default;
};

/// Which of the session's models, states and benchmarks panels of scores show; empty: as the recipe has it.
struct Choice {
    std::vector<std::string> models, states, tasks;
    std::optional<int> lines;
};
[[nodiscard]] bool showsScores(const PanelRecipe& panel);
/// With models named, what was a panel for each model becomes one panel of all of them.
void choose(Recipe& recipe, const Choice& choice);

/// The same recipe gives the same text; what is at its default is left out.
[[nodiscard]] std::string recipeText(const Recipe& recipe);
/// Fails in one sentence for a field that is not known, of another type, or out of range.
[[nodiscard]] Result<Recipe> parseRecipe(const std::string& json);

/// "column", "page", "slide" or "poster" (widgets::stylePresets); fails for any other.
[[nodiscard]] Result<StyleRecipe> styleRecipe(const std::string& preset);

} // namespace headscope::figures
