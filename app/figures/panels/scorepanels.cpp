// SPDX-License-Identifier: GPL-3.0-or-later
// Panels of scores: the scoreboard, accuracy against dictionary size, scores layer by layer.
#include "app/figures/source.h"

#include "widgets/look/numbertext.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <set>

namespace headscope::figures {

using namespace Qt::StringLiterals;
using sessions::ModelRecord;
using widgets::ChartCurve;
using widgets::ChartFigure;
using widgets::numberText;
using widgets::signedText;
using widgets::TableCell;
using widgets::TableFigure;

namespace {

/// "toy_kv:pairs=N, L2H5"
std::string curveWords(Source& source, const std::string& task, const std::string& state)
{
    return task + (task.ends_with("=") ? "N, " : ", ")
           + (state.empty() ? FigureText::tr("all heads on").toStdString() : source.ablationText(state));
}

constexpr double kClear = 0.05; ///< p value from which on a change is coloured

/// The groups of tasks that a panel speaks of, and the models that have them.
struct Scope {
    std::vector<ModelRecord> models;
    std::vector<std::string> groups;
};

Scope scopeOf(Source& source, const PanelRecipe& panel)
{
    Scope scope;
    for (const ModelRecord& model : source.models(panel.models)) {
        bool any = false;
        for (const std::string& group : source.groups(model)) {
            if (!panel.tasks.empty()
                && std::none_of(panel.tasks.begin(), panel.tasks.end(),
                                [&](const std::string& task) { return group.starts_with(task); }))
                continue;
            any = true;
            if (std::find(scope.groups.begin(), scope.groups.end(), group) == scope.groups.end())
                scope.groups.push_back(group);
        }
        if (any)
            scope.models.push_back(model);
    }
    if (scope.models.empty())
        throw Missing(std::string("The session has no scores")
                      + (panel.tasks.empty() ? "" : " of " + panel.tasks.front())
                      + "; make some with 'headscope-cli score MODEL --task TASK --session FILE'.");
    return scope;
}

// Whole layers left out have a figure of their own.
bool leavesLayersOut(const std::string& ablation)
{
    const auto set = interventions::InterventionSet::parse(ablation);
    return set.has_value() && std::any_of(set->items().begin(), set->items().end(), [](const auto& item) {
               return std::holds_alternative<interventions::SkipLayer>(item)
                      || std::holds_alternative<interventions::MinimalModel>(item);
           });
}

// Named states, or every one that the model was scored in on more than one group: a ranking scores each head on one,
// and is no state.
std::vector<std::string> statesOf(Source& source, const PanelRecipe& panel, const Scope& scope,
                                  const ModelRecord& model)
{
    std::vector<std::string> states = panel.ablations;
    std::erase(states, std::string());
    if (!panel.ablations.empty())
        return states;
    for (const std::string& state : source.states(model, {})) {
        const auto covered = std::count_if(scope.groups.begin(), scope.groups.end(), [&](const std::string& group) {
            return !source.scores(model, group, state).empty();
        });
        if (!leavesLayersOut(state) && (covered > 1 || (covered == 1 && scope.groups.size() == 1)))
            states.push_back(state);
    }
    return states;
}

std::vector<std::string> statesOf(Source& source, const PanelRecipe& panel, const Scope& scope)
{
    std::vector<std::string> all;
    for (const ModelRecord& model : scope.models)
        for (const std::string& state : statesOf(source, panel, scope, model))
            if (std::find(all.begin(), all.end(), state) == all.end())
                all.push_back(state);
    return all;
}

TableCell::Tone toneOf(const analysis::PairedChange& change)
{
    if (change.p >= kClear)
        return TableCell::Tone::Plain;
    return change.delta < 0 ? TableCell::Tone::Bad : TableCell::Tone::Good;
}

std::vector<TableCell> boardRow(const std::optional<GroupScore>& before, const std::optional<GroupScore>& now)
{
    std::vector<TableCell> row{{before ? numberText(before->value(), 3) : u"—"_s, TableCell::Tone::Muted},
                               {now ? numberText(now->value(), 3) : u"—"_s}};
    if (now && now->paired.total() > 0) {
        const analysis::PairedChange change = analysis::pairedChange(now->paired);
        row.push_back({signedText(change.delta, 3), toneOf(change)});
        row.push_back({u"[%1, %2]"_s.arg(signedText(change.interval.low), signedText(change.interval.high)),
                       TableCell::Tone::Muted});
        row.push_back({widgets::pText(change.p), TableCell::Tone::Muted});
    } else {
        row.insert(row.end(), 3, {});
    }
    row.push_back({QString::number(now ? now->n : before->n), TableCell::Tone::Muted});
    return row;
}

TableFigure board(Source& source, const PanelRecipe& panel, const Scope& scope)
{
    const bool named = scope.models.size() > 1;
    const bool stated = statesOf(source, panel, scope).size() > 1;
    TableFigure table{
        .header = {FigureText::tr("benchmark"), FigureText::tr("baseline"), FigureText::tr("now"),
                   FigureText::tr("change"),
                   u"%1 (%2)"_s.arg(FigureText::tr("95 % interval"), QLatin1String(analysis::kPairedInterval)), u"p"_s,
                   u"n"_s},
        .rows = {}};
    if (named)
        table.header.insert(0, FigureText::tr("model"));
    if (stated)
        table.header.insert(named ? 2 : 1, FigureText::tr("state"));
    const auto add = [&](const ModelRecord& model, const std::string& group, const std::string& state,
                         const auto& before, const auto& now) {
        std::vector<TableCell> row;
        if (named)
            row.push_back({text(model.name)});
        row.push_back({text(source.titleOf(group))});
        if (stated)
            row.push_back({now ? source.nameOf(state) : QString(), TableCell::Tone::Muted});
        const auto numbers = boardRow(before, now);
        row.insert(row.end(), numbers.begin(), numbers.end());
        table.rows.push_back(std::move(row));
        source.used(now ? *now : *before);
    };
    for (const ModelRecord& model : scope.models)
        for (const std::string& group : scope.groups) {
            const auto before = source.line(model, group, {});
            bool any = false;
            for (const std::string& state : statesOf(source, panel, scope, model))
                if (const auto now = source.line(model, group, state)) {
                    add(model, group, state, source.baselineOf(*now), now);
                    any = true;
                }
            if (!any && before)
                add(model, group, {}, before, std::optional<GroupScore>());
        }
    return table;
}

// The paper's table: a state a line, a benchmark a column, "53.1 (−12.0 %)".
TableFigure grid(Source& source, const PanelRecipe& panel, const Scope& scope)
{
    const bool named = scope.models.size() > 1;
    TableFigure table{.header = {FigureText::tr("state")}, .rows = {}};
    if (named)
        table.header.prepend(FigureText::tr("model"));
    for (const std::string& group : scope.groups)
        table.header << text(source.titleOf(group));
    for (const ModelRecord& model : scope.models) {
        std::vector<std::string> states = statesOf(source, panel, scope, model);
        states.insert(states.begin(), std::string());
        for (const std::string& state : states) {
            std::vector<TableCell> row{{source.nameOf(state), TableCell::Tone::Muted}};
            if (named)
                row.insert(row.begin(), {text(model.name)});
            bool any = false;
            for (const std::string& group : scope.groups) {
                const auto now = source.line(model, group, state);
                const auto before = now ? source.baselineOf(*now) : std::nullopt;
                any |= now.has_value();
                if (now)
                    source.used(*now);
                TableCell cell{now ? numberText(100 * now->value(), 1) : u"—"_s};
                if (now && before && !state.empty() && before->correct > 0)
                    cell = {u"%1 (%2 %)"_s.arg(cell.text, signedText(100 * (now->value() / before->value() - 1), 1)),
                            toneOf(analysis::pairedChange(now->paired))};
                row.push_back(cell);
            }
            if (any)
                table.rows.push_back(std::move(row));
        }
    }
    return table;
}

widgets::BarFigure bars(Source& source, const PanelRecipe& panel, const Scope& scope)
{
    std::vector<std::string> states = statesOf(source, panel, scope);
    widgets::BarFigure figure{.xTitle = FigureText::tr("accuracy"), .series = {}, .bars = {}};
    // Those that most was measured in.
    std::map<std::string, int> lines;
    for (const std::string& state : states)
        for (const ModelRecord& model : scope.models)
            for (const std::string& group : scope.groups)
                lines[state] += source.scores(model, group, state).empty() ? 0 : 1;
    std::stable_sort(states.begin(), states.end(),
                     [&lines](const std::string& a, const std::string& b) { return lines[a] > lines[b]; });
    states.insert(states.begin(), std::string());
    for (; states.size() > static_cast<std::size_t>(panel.lines); states.pop_back())
        source.leaveOut(source.nameOf(states.back()));
    for (const std::string& state : states)
        figure.series << source.nameOf(state);
    for (const ModelRecord& model : scope.models)
        for (const std::string& group : scope.groups) {
            widgets::BarFigure::Bar bar{text(source.titleOf(group)), {}};
            if (scope.models.size() > 1)
                bar.label = text(model.name) + u" · "_s + bar.label;
            const auto own = statesOf(source, panel, scope, model);
            for (const std::string& state : states) {
                const bool wanted = state.empty() || std::find(own.begin(), own.end(), state) != own.end();
                const auto line = wanted ? source.line(model, group, state) : std::nullopt;
                bar.values.push_back(line ? line->estimate() : widgets::Estimate{});
                if (line)
                    source.used(*line);
            }
            if (std::any_of(bar.values.begin(), bar.values.end(),
                            [](const widgets::Estimate& value) { return std::isfinite(value.value); }))
                figure.bars.push_back(std::move(bar));
        }
    return figure;
}

widgets::Estimate estimateOf(const sessions::SeriesScore& row)
{
    const analysis::Interval interval = analysis::wilsonInterval(row.correct, row.n);
    return {static_cast<double>(row.correct) / static_cast<double>(row.n), interval.low, interval.high};
}

} // namespace

widgets::FigureContent scoresPanel(Source& source, const PanelRecipe& panel)
{
    const Scope scope = scopeOf(source, panel);
    if (panel.view == "grid")
        return grid(source, panel, scope);
    if (panel.view == "bars")
        return bars(source, panel, scope);
    return board(source, panel, scope);
}

namespace {

/// A line that could be drawn, and how much it has to say.
struct Candidate {
    ChartCurve curve;
    QString name; ///< with its model
    double weight = 0;
    std::function<void()> drawn; ///< tells the provenance
};

Candidate emptyCandidate(Source& source, const ModelRecord& model, const std::string& task, const std::string& state)
{
    const QString name = source.nameOf(state), kind = text(source.dictionaryKind(task));
    return {.curve = {.name = name + kind,
                      .points = {},
                      .style = state.empty() ? ChartCurve::Style::Solid : ChartCurve::Style::Dashed},
            .name = text(model.name) + kind + u", "_s + name,
            .drawn = {}};
}

// The weightiest `most`, in the order they came in.
std::vector<ChartCurve> chosen(Source& source, std::vector<Candidate> candidates, int most)
{
    std::vector<std::size_t> order(candidates.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return candidates[a].weight > candidates[b].weight; });
    order.resize(std::min(order.size(), static_cast<std::size_t>(most)));
    std::vector<ChartCurve> curves;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        Candidate& candidate = candidates[i];
        if (std::find(order.begin(), order.end(), i) == order.end()) {
            source.leaveOut(candidate.name);
            continue;
        }
        candidate.drawn();
        candidate.curve.color = static_cast<int>(curves.size());
        curves.push_back(std::move(candidate.curve));
    }
    return curves;
}

// The mean distance between two curves where both were measured.
double distance(const ChartCurve& curve, const ChartCurve& other)
{
    double sum = 0;
    int n = 0;
    for (const widgets::ChartPoint& point : curve.points)
        for (const widgets::ChartPoint& base : other.points)
            if (base.x == point.x) {
                sum += std::abs(point.y.value - base.y.value);
                ++n;
            }
    return n > 0 ? sum / n : 0;
}

/// What all curves say of their state need not be said of each.
void dropSharedState(std::vector<ChartCurve>& curves)
{
    if (std::ranges::all_of(curves, [](const ChartCurve& each) { return each.style == ChartCurve::Style::Solid; }))
        for (ChartCurve& each : curves)
            each.name.chop(2 + stateName({}).size());
}

ChartCurve guessingCurve(const std::map<int, double>& chance)
{
    ChartCurve guessing{
        .name = FigureText::tr("guessing"), .points = {}, .color = 0, .style = ChartCurve::Style::Dotted};
    for (const auto& [pairs, value] : chance)
        guessing.points.push_back({static_cast<double>(pairs), {.value = value}});
    return guessing;
}

} // namespace

ChartFigure curvePanel(Source& source, const PanelRecipe& panel)
{
    const std::vector<std::string> wanted =
        panel.tasks.empty() ? std::vector<std::string>{"toy_kv:pairs=", "word_kv:pairs=", "kv_retrieval:pairs="}
                            : panel.tasks;
    ChartFigure figure{.xTitle = FigureText::tr("pairs in the dictionary"),
                       .yTitle = FigureText::tr("accuracy"),
                       .curves = {},
                       .xLabels = {}};
    std::map<int, double> chance;
    std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
    const auto models = source.models(panel.models);
    std::vector<Candidate> candidates;
    const auto add = [&](const ModelRecord& model, const std::string& task, const std::string& state,
                         const ChartCurve* baseline) {
        Candidate made = emptyCandidate(source, model, task, state);
        if (models.size() > 1)
            made.curve.name = made.name;
        std::vector<sessions::SeriesScore> rows;
        for (const sessions::SeriesScore& row : source.scores(model, task, state))
            if (const int pairs = pairsOf(row.series.task); pairs > 0) {
                made.curve.points.push_back({static_cast<double>(pairs), estimateOf(row)});
                rows.push_back(row);
            }
        if (rows.size() < 2)
            return;
        made.weight =
            baseline ? distance(made.curve, *baseline) : 2; // accuracies differ by 1 at most: baselines come first
        made.drawn = [&source, &chance, &fewest, model, task, state, rows] {
            source.used(model, rows.front().series.dtype, rows.front().series.device, curveWords(source, task, state));
            for (const sessions::SeriesScore& row : rows) {
                source.leaveOutOthers(row.series);
                fewest = std::min(fewest, row.n);
                const int pairs = pairsOf(row.series.task);
                if (row.series.task.starts_with("kv_retrieval")) // the others offer no options
                    chance[pairs] = 1.0 / pairs;
            }
        };
        candidates.push_back(std::move(made));
    };
    for (const ModelRecord& model : models)
        for (const std::string& task : wanted) {
            const std::size_t before = candidates.size();
            add(model, task, {}, nullptr);
            const std::optional<ChartCurve> baseline =
                candidates.size() > before ? std::optional(candidates.back().curve) : std::nullopt;
            for (const std::string& state : panel.ablations.empty() ? source.states(model, task) : panel.ablations)
                add(model, task, state, baseline ? &*baseline : nullptr);
        }
    figure.curves = chosen(source, std::move(candidates), panel.lines);
    if (figure.curves.empty())
        throw Missing("The session has no accuracy at two dictionary sizes; measure with 'headscope-cli score MODEL "
                      "--task toy_kv:pairs=4,toy_kv:pairs=8 --session FILE'.");
    figure.xTitle += FigureText::tr(" (n ≥ %1 each)").arg(fewest);
    if (models.size() > 1)
        dropSharedState(figure.curves);
    if (!chance.empty())
        figure.curves.push_back(guessingCurve(chance));
    return figure;
}

ChartFigure layersPanel(Source& source, const PanelRecipe& panel)
{
    const bool upto = panel.view == "upto";
    const Scope scope = scopeOf(source, panel);
    ChartFigure figure{.xTitle = upto ? FigureText::tr("last layer kept") : FigureText::tr("layer skipped"),
                       .yTitle = FigureText::tr("accuracy"),
                       .curves = {},
                       .xLabels = {}};
    int layers = 0;
    for (const ModelRecord& model : scope.models)
        layers = std::max(layers, model.layers);
    // The whole model stands first where one layer is missing at a time, last where they grow.
    for (int layer = 0; layer < (upto ? layers - 1 : layers); ++layer)
        figure.xLabels << u"L%1"_s.arg(layer);
    figure.xLabels.insert(upto ? figure.xLabels.size() : 0, FigureText::tr("all"));
    std::vector<Candidate> candidates;
    for (const ModelRecord& model : scope.models) {
        std::map<std::string, int>
            ofKind; // how many lines a benchmark has by now: of its sizes one is drawn before all others
        for (const std::string& group : scope.groups) {
            Candidate made{.curve = {.name = text(source.titleOf(group)), .points = {}},
                           .name = text(model.name + ", " + source.titleOf(group)),
                           .drawn = {}};
            if (scope.models.size() > 1)
                made.curve.name = made.name;
            std::vector<GroupScore> lines;
            for (int layer = -1; layer < (upto ? model.layers - 1 : model.layers);
                 ++layer) // up to the last is the whole model
                if (const auto line =
                        source.line(model, group,
                                    layer < 0 ? std::string() : (upto ? "upto:L" : "skip:L") + std::to_string(layer))) {
                    made.curve.points.push_back(
                        {static_cast<double>(upto ? (layer < 0 ? layers - 1 : layer) : layer + 1), line->estimate()});
                    lines.push_back(*line);
                }
            std::sort(made.curve.points.begin(), made.curve.points.end(),
                      [](const auto& a, const auto& b) { return a.x < b.x; });
            if (made.curve.points.size() < 3)
                continue;
            made.weight = -ofKind[group.substr(0, group.find(':'))]++;
            lines.front().ablation = upto ? "upto:L*" : "skip:L*"; // one word for all of them
            made.drawn = [&source, line = lines.front()] { source.used(line); };
            candidates.push_back(std::move(made));
        }
    }
    figure.curves = chosen(source, std::move(candidates), panel.lines);
    if (figure.curves.empty())
        throw Missing(std::string("The session has no scores ") + (upto ? "up to" : "without")
                      + " two layers or more; measure with 'headscope-cli score MODEL --task TASK --ablate "
                      + (upto ? "upto" : "skip") + ":L0 --session FILE', and so for each layer.");
    return figure;
}

} // namespace headscope::figures
