// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/figures/paperfigures.h"

#include "app/figures/experimentfigures.h"
#include "app/figures/figurewords.h"
#include "app/figures/panels/headroles.h"
#include "app/figures/source.h"
#include "core/analysis/convention.h"
#include "core/analysis/patternscores.h"
#include "sessions/file/sessionpaths.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace headscope::figures {

namespace {

std::string figureWords(const char* words)
{
    return FigureText::tr(words).toStdString();
}

constexpr const char* kLensColours =
    QT_TRANSLATE_NOOP("FigureText", "The deeper the blue, the more probable the token.");

/// What is known of one kept pattern when heads are chosen for a figure.
struct StoredRun {
    sessions::PatternInfo info;
    double gather = 0;
    double aggregate = 0;
    bool measured = false; ///< its prompt has segments, so the scores say something
};

PatternRef patternRef(const sessions::PatternInfo& info)
{
    return {.model = info.modelHash,
            .head = info.head,
            .ablation = info.ablation,
            .prompt = info.promptHash,
            .convention = sessions::conventionText(info),
            .dtype = info.dtype};
}

// Of each model the patterns without ablation of the prompt that most of them are of; of several the newest.
std::vector<std::vector<StoredRun>> keptPatterns(Source& source)
{
    const auto all = need(source.session().patterns());
    std::vector<std::vector<StoredRun>> models;
    for (const sessions::ModelRecord& model : source.models({})) {
        std::map<std::string, int> prompts;
        for (const auto& info : all)
            if (info.modelHash == model.hash && info.ablation.empty())
                ++prompts[info.promptHash];
        std::string chosen;
        for (const auto& info : all)
            if (prompts.contains(info.promptHash) && (chosen.empty() || prompts[info.promptHash] >= prompts[chosen]))
                chosen = info.promptHash;
        std::vector<StoredRun> kept;
        for (const auto& info : all)
            if (info.modelHash == model.hash && info.ablation.empty() && info.promptHash == chosen)
                kept.push_back({info});
        if (!kept.empty())
            models.push_back(std::move(kept));
    }
    if (models.empty())
        throw Missing("The session has no pattern; keep some with 'headscope-cli pattern MODEL --task TASK --sample 0 "
                      "--head L2H* --session FILE'.");
    return models;
}

void measure(Source& source, StoredRun& kept)
{
    const auto pattern = need(source.session().pattern(kept.info.id));
    // A key and the value behind it are one segment to a gather head: its representative is the value's last token.
    std::vector<analysis::TokenSegment> segments;
    std::optional<Role> last;
    for (const sessions::PatternSegment& segment : pattern.segments) {
        if ((segment.role == Role::Value || segment.role == Role::Option) && last == Role::Key
            && segments.back().end <= segment.begin) {
            segments.back().end = segment.end;
            segments.back().target |= segment.target;
        } else if (segment.role == Role::Key || segment.role == Role::Value || segment.role == Role::Option) {
            segments.push_back({segment.begin, segment.end, segment.target});
        }
        last = segment.role;
    }
    kept.measured = !segments.empty();
    kept.gather = analysis::gatherScore(pattern.values, segments);
    kept.aggregate = analysis::targetMass(pattern.values, segments);
}

/// The gather head and the aggregate head of a model, as far as its patterns were kept.
struct Pair {
    /// What is known of the two: nothing, they are the first that were kept; what they look at, of the heads that were
    /// kept; that retrieval needs them, too.
    enum class Known { Nothing, Looks, Needed };
    const StoredRun* gather = nullptr;
    const StoredRun* aggregate = nullptr;
    Known known = Known::Needed;
};

Pair gatherAndAggregate(Source& source, std::vector<StoredRun>& kept)
{
    const auto [needed, roles] = headRoles(source, source.model(kept.front().info.modelHash));
    for (StoredRun& one : kept)
        measure(source, one);
    if (roles.empty() && std::none_of(kept.begin(), kept.end(), [](const StoredRun& one) { return one.measured; }))
        return {&kept.front(), kept.size() > 1 ? &kept[1] : nullptr, Pair::Known::Nothing};
    // A head may look at the value that is asked for, and nobody reads what it writes.
    const auto counts = [&needed = needed](const StoredRun& one) { return needed.contains(one.info.head); };
    const bool anyNeeded = std::any_of(kept.begin(), kept.end(), counts);
    const auto best = [&](char role, auto score) {
        const StoredRun* found = nullptr;
        for (const StoredRun& one : kept) {
            const auto known = roles.find(one.info.head);
            if ((anyNeeded && !counts(one)) || (!roles.empty() && (known == roles.end() || known->second != role)))
                continue;
            if (!found || score(one) > score(*found))
                found = &one;
        }
        return found;
    };
    const StoredRun* aggregate = best('A', [](const StoredRun& one) { return one.aggregate; });
    const StoredRun* gather = best('G', [&](const StoredRun& one) { return &one == aggregate ? -1.0 : one.gather; });
    if (!aggregate && !gather)
        aggregate = &*std::max_element(
            kept.begin(), kept.end(), [](const StoredRun& a, const StoredRun& b) { return a.aggregate < b.aggregate; });
    return {gather == aggregate ? nullptr : gather, aggregate, anyNeeded ? Pair::Known::Needed : Pair::Known::Looks};
}

Recipe maps(Source& source)
{
    Recipe recipe{.title = figureWords(QT_TRANSLATE_NOOP("FigureText", "Gather and aggregate heads")), .letters = true};
    auto models = keptPatterns(source);
    models.resize(std::min<std::size_t>(models.size(), 3));
    for (auto& kept : models) {
        const auto [gather, aggregate, known] = gatherAndAggregate(source, kept);
        const bool needed = known == Pair::Known::Needed;
        if (!needed)
            recipe.title = figureWords(QT_TRANSLATE_NOOP("FigureText", "Patterns of the heads"));
        const std::string gathers = needed ? figureWords(QT_TRANSLATE_NOOP("FigureText", "gather head"))
                                           : figureWords(QT_TRANSLATE_NOOP("FigureText",
                                                                           "highest gather score of the stored heads")),
                          aggregates =
                              needed
                                  ? figureWords(QT_TRANSLATE_NOOP("FigureText", "aggregate head"))
                                  : figureWords(QT_TRANSLATE_NOOP("FigureText", "largest share on the answer's value"));
        int panels = 0;
        for (const auto& [head, words] : {std::pair(gather, gathers), std::pair(aggregate, aggregates)})
            if (head) {
                PanelRecipe panel{.kind = PanelKind::Pattern,
                                  .heading = known == Pair::Known::Nothing ? "" : words,
                                  .pattern = patternRef(head->info)};
                // As on the screen: shares of the row, in the colours of the attention beside them.
                panel.scale = "row";
                panel.shares = !analysis::rowsSumToOne(head->info.convention);
                recipe.panels.push_back(panel);
                ++panels;
            }
        recipe.together = std::max(recipe.together, panels);
    }
    // A model without a gather head of its own leaves no hole: three maps stand side by side.
    if (recipe.panels.size() == 3)
        recipe.together = 3;
    recipe.columns = 0;
    recipe.letters = recipe.panels.size() > 1;
    return recipe;
}

Recipe lastRows(Source& source)
{
    Recipe recipe{.title = figureWords(QT_TRANSLATE_NOOP("FigureText", "Patterns of the last token")), .letters = true};
    for (auto& kept : keptPatterns(source)) {
        const Pair heads = gatherAndAggregate(source, kept);
        const StoredRun* head = heads.aggregate && heads.known != Pair::Known::Nothing ? heads.aggregate
                                : heads.gather                                         ? heads.gather
                                                                                       : heads.aggregate;
        recipe.panels.push_back({.kind = PanelKind::Row,
                                 .pattern = patternRef(head->info),
                                 .side = recipe.panels.size() % 2 == 0 ? "A" : "B"});
    }
    recipe.columns = 0;
    recipe.letters = recipe.panels.size() > 1;
    return recipe;
}

// Models side by side rather than over each other: with more than one the lines cannot be told apart.
template <typename Make>
void panelAModel(Source& source, Recipe& recipe, PanelRecipe panel, std::optional<Missing>& why, const Make& make)
{
    for (const sessions::ModelRecord& model : source.models({}))
        try {
            panel.models = {model.hash};
            static_cast<void>(make(source, panel));
            PanelRecipe made = panel;
            made.heading = panel.heading.empty() ? model.name : model.name + ", " + panel.heading;
            recipe.panels.push_back(made);
        } catch (const Missing& missing) {
            why = why ? why : missing;
        }
    if (source.models({}).size() == 1)
        for (PanelRecipe& only : recipe.panels)
            only.heading = panel.heading;
}

Recipe curve(Source& source)
{
    Recipe recipe{.title = figureWords(QT_TRANSLATE_NOOP("FigureText", "Accuracy against dictionary size"))};
    std::optional<Missing> why;
    PanelRecipe plain{.kind = PanelKind::Curve}; // models of which nothing but the baseline is known share a panel
    panelAModel(source, recipe, {.kind = PanelKind::Curve}, why, [&plain](Source& from, const PanelRecipe& panel) {
        const widgets::ChartFigure chart = curvePanel(from, panel);
        if (std::any_of(chart.curves.begin(), chart.curves.end(),
                        [](const auto& each) { return each.style == widgets::ChartCurve::Style::Dashed; }))
            return chart;
        plain.models.push_back(panel.models.front());
        throw Missing("Only the baseline of the model was measured.");
    });
    if (!plain.models.empty()) {
        plain.heading = recipe.panels.empty() ? "" : stateName({}).toStdString();
        recipe.panels.push_back(plain);
    }
    if (recipe.panels.empty())
        throw why ? *why : Missing("The session has no model.");
    recipe.columns = 0;
    recipe.letters = recipe.panels.size() > 1;
    if (!recipe.letters)
        recipe.style.widthMm = 120;
    return recipe;
}

// A line a model: one layer left out beside the first layers only.
Recipe layers(Source& source)
{
    Recipe recipe{.title = figureWords(QT_TRANSLATE_NOOP("FigureText", "Effect of each layer"))};
    std::optional<Missing> why;
    std::vector<Recipe> views(2);
    panelAModel(source, views[0],
                {.kind = PanelKind::Layers,
                 .heading = figureWords(QT_TRANSLATE_NOOP("FigureText", "one layer left out")),
                 .view = "skip"},
                why, layersPanel);
    panelAModel(source, views[1],
                {.kind = PanelKind::Layers,
                 .heading = figureWords(QT_TRANSLATE_NOOP("FigureText", "only the first layers")),
                 .view = "upto"},
                why, layersPanel);
    for (const sessions::ModelRecord& model : source.models({}))
        for (const Recipe& view : views)
            for (const PanelRecipe& panel : view.panels)
                if (panel.models == std::vector{model.hash})
                    recipe.panels.push_back(panel);
    if (recipe.panels.empty())
        throw why ? *why : Missing("The session has no model.");
    recipe.columns = 0;
    recipe.together = 2;
    recipe.letters = recipe.panels.size() > 1;
    return recipe;
}

// A panel for each model that has such a ranking.
Recipe ranked(Source& source, const std::string& title, const PanelRecipe& like)
{
    Recipe recipe{.title = title};
    std::optional<Missing> why;
    for (const sessions::ModelRecord& model : source.models({}))
        try {
            const auto ranking = source.ranking(model, like.method, like.tasks);
            PanelRecipe panel = like;
            panel.models = {model.hash};
            panel.tasks = {ranking.task};
            panel.heading = model.name;
            recipe.panels.push_back(panel);
        } catch (const Missing& missing) {
            why = why ? why : missing;
        }
    if (recipe.panels.empty())
        throw why ? *why : Missing("The session has no model.");
    recipe.columns = 0;
    recipe.letters = recipe.panels.size() > 1;
    return recipe;
}

// One panel of all models that have both numbers.
Recipe dots(Source& source)
{
    Recipe recipe{.title =
                      figureWords(QT_TRANSLATE_NOOP("FigureText", "Cost of ablation against patterns on many texts"))};
    const PanelRecipe panel{
        .kind = PanelKind::Dots,
        .heading = figureWords(QT_TRANSLATE_NOOP(
            "FigureText", "accuracy lost without the head, against its share on ends of segments before"))};
    std::optional<Missing> why;
    for (const sessions::ModelRecord& model : source.models({}))
        try {
            PanelRecipe one = panel;
            one.models = {model.hash};
            static_cast<void>(dotsPanel(source, one));
            recipe.panels.resize(1, panel);
            recipe.panels.front().models.push_back(model.hash);
        } catch (const Missing& missing) {
            why = why ? why : missing;
        }
    if (recipe.panels.empty())
        throw why ? *why : Missing("The session has no model.");
    recipe.style.widthMm = 120;
    return recipe;
}

// A panel for each model of which the session has such an analysis; each stays the one it is now. `show`: sets what
// else its panel says.
template <typename Show>
Recipe analysedPanels(Source& source, const std::string& kind, const std::string& title, const Show& show)
{
    Recipe recipe{.title = title};
    std::optional<Missing> why;
    for (const sessions::ModelRecord& model : source.models({}))
        try {
            PanelRecipe panel{.kind = PanelKind::Analysis,
                              .side = recipe.panels.size() % 2 == 0 ? "A" : "B",
                              .models = {model.hash},
                              .analysis = kind};
            const sessions::AnalysisRecord kept = source.analysisOf(model, panel);
            panel.question = questionId(kept.key);
            panel.heading = model.name + ", " + sessions::withoutFolders(kept.source)
                            + (kept.key.ablation.empty() ? "" : ", " + source.nameOf(kept.key.ablation).toStdString());
            show(kept, panel);
            recipe.panels.push_back(panel);
            recipe.caption = recipe.panels.size() == 1 ? kept.summary : "";
            recipe.caption += kind != "lens" ? "" : (recipe.caption.empty() ? "" : " ") + figureWords(kLensColours);
        } catch (const Missing& missing) {
            why = why ? why : missing;
        }
    if (recipe.panels.empty())
        throw why ? *why : Missing("The session has no model.");
    recipe.columns = kind == "edges" ? 1 : 0;
    recipe.letters = recipe.panels.size() > 1;
    return recipe;
}

Recipe analysedPanels(Source& source, const std::string& kind, const std::string& title)
{
    return analysedPanels(source, kind, title, [](const sessions::AnalysisRecord&, PanelRecipe&) {});
}

// What a comparison measured, the most telling first: effect, pattern, then the weights that changed more.
std::vector<std::string> changesIn(const sessions::AnalysisRecord& kept)
{
    std::vector<std::string> measures;
    std::map<std::string, double> most;
    for (const sessions::AnalysisValue& value : kept.values)
        if (std::isfinite(value.value))
            most[value.measure] = std::max(most[value.measure], std::abs(value.value));
    const bool qkFirst = most.contains("qk") && (!most.contains("ov") || most["qk"] > most["ov"]);
    for (const char* measure : {"effect", "pattern", qkFirst ? "qk" : "ov", qkFirst ? "ov" : "qk"})
        if (most.contains(measure))
            measures.emplace_back(measure);
    return measures;
}

// Dots by the first change over prompts against that of weights, or the map of the first.
Recipe changedHeads(Source& source, const std::string& title, bool asMap)
{
    return analysedPanels(source, "compare", title, [asMap](const sessions::AnalysisRecord& kept, PanelRecipe& panel) {
        const std::vector<std::string> measures = changesIn(kept);
        const auto weights = std::ranges::find_if(
            measures, [](const std::string& measure) { return measure == "ov" || measure == "qk"; });
        if (measures.empty() || (!asMap && (weights == measures.end() || measures.size() < 2)))
            throw Missing("The comparison has no two changes to draw against each other.");
        if (asMap) {
            panel.view = measures.front();
            return;
        }
        panel.x = *weights;
        panel.y = measures.front() == *weights ? measures.back() : measures.front();
    });
}

/// Whether what the panel shows is there still: maps may have gone since.
bool isKept(Source& source, const PanelRecipe& panel)
{
    if (panel.kind != PanelKind::Pattern)
        return true;
    try {
        static_cast<void>(source.pattern(panel.pattern));
        return true;
    } catch (const Missing&) {
        return false;
    }
}

/// Only maps that are there still.
void keepMaps(Source& source, Recipe& recipe)
{
    std::erase_if(recipe.panels, [&](const PanelRecipe& panel) { return !isKept(source, panel); });
}

Recipe scores(Source& source, const std::string& title, const std::string& view)
{
    Recipe recipe{.title = title, .panels = {{.kind = PanelKind::Scores, .view = view}}};
    static_cast<void>(scoresPanel(source, recipe.panels.front()));
    return recipe;
}

template <typename Add> void addAnalyses(Source& source, const Add& add)
{
    add("lens", QT_TRANSLATE_NOOP("PaperFigures", "prediction at each layer and token"), [&] {
        return analysedPanels(source, "lens", figureWords(QT_TRANSLATE_NOOP("FigureText", "Prediction at each layer")));
    });
    add("attribution",
        QT_TRANSLATE_NOOP("PaperFigures", "contribution of each head, MLP and the embedding to the answer"), [&] {
            return analysedPanels(source, "attribution",
                                  figureWords(QT_TRANSLATE_NOOP("FigureText", "Contributions to the answer")));
        });
    add("patching", QT_TRANSLATE_NOOP("PaperFigures", "effect of each patch alone"), [&] {
        return analysedPanels(source, "patching", figureWords(QT_TRANSLATE_NOOP("FigureText", "Effect of each patch")));
    });
    add("edges", QT_TRANSLATE_NOOP("PaperFigures", "inputs and outputs of a head, as a circuit"), [&] {
        return analysedPanels(source, "edges",
                              figureWords(QT_TRANSLATE_NOOP("FigureText", "Circuit: effect of each edge")));
    });
    add("knockout", QT_TRANSLATE_NOOP("PaperFigures", "attention knockout by layer"), [&] {
        return analysedPanels(source, "knockout",
                              figureWords(QT_TRANSLATE_NOOP("FigureText", "Attention knockout by layer")));
    });
    add("all-heads", QT_TRANSLATE_NOOP("PaperFigures", "what every head reads from one token"), [&] {
        return analysedPanels(source, kRowOfHeads,
                              figureWords(QT_TRANSLATE_NOOP("FigureText", "What every head reads")));
    });
    add("changed-heads", QT_TRANSLATE_NOOP("PaperFigures", "heads that changed: effect against weights"), [&] {
        return changedHeads(source, figureWords(QT_TRANSLATE_NOOP("FigureText", "Heads that changed")), false);
    });
    add("changed-map", QT_TRANSLATE_NOOP("PaperFigures", "heads that changed, layers × heads"),
        [&] { return changedHeads(source, figureWords(QT_TRANSLATE_NOOP("FigureText", "Heads that changed")), true); });
    add("series", QT_TRANSLATE_NOOP("PaperFigures", "a number through training checkpoints"), [&] {
        return analysedPanels(source, "series", figureWords(QT_TRANSLATE_NOOP("FigureText", "Training checkpoints")));
    });
    add("copying", QT_TRANSLATE_NOOP("PaperFigures", "copying scores of the weights, layers × heads"), [&] {
        return ranked(source, figureWords(QT_TRANSLATE_NOOP("FigureText", "Copying scores of the weights")),
                      {.kind = PanelKind::HeadMap, .method = "copying"});
    });
    const std::pair<const char*, const char*> probes[] = {
        {"induction", QT_TRANSLATE_NOOP("PaperFigures", "heads on probe sequences: induction")},
        {"previous", QT_TRANSLATE_NOOP("PaperFigures", "heads on probe sequences: previous token")},
        {"duplicate", QT_TRANSLATE_NOOP("PaperFigures", "heads on probe sequences: duplicate token")},
        {"sink", QT_TRANSLATE_NOOP("PaperFigures", "heads on probe sequences: sink")},
        {"retrieval", QT_TRANSLATE_NOOP("PaperFigures", "heads on probe sequences: retrieval")}};
    for (const auto& [probe, title] : probes)
        add(("probe-" + std::string(probe)).c_str(), title, [&, probe = probe] {
            return ranked(
                source, figureWords(QT_TRANSLATE_NOOP("FigureText", "Heads on probe sequences: ")) + std::string(probe),
                {.kind = PanelKind::HeadMap, .method = "probe " + std::string(probe)});
        });
}

} // namespace

Result<std::vector<PaperFigure>> paperFigures(sessions::SessionStore& session)
{
    try {
        Source source(session);
        std::vector<PaperFigure> figures;
        const auto add = [&](const char* name, const char* title, const auto& make) {
            try {
                figures.push_back({name, title, make()});
            } catch (const Missing& missing) {
                figures.push_back({name, title, missing.error});
            }
        };
        add("gather-aggregate-maps",
            QT_TRANSLATE_NOOP("PaperFigures", "maps of gather and aggregate heads, model beside model"),
            [&] { return maps(source); });
        add("last-row", QT_TRANSLATE_NOOP("PaperFigures", "pattern of the last token, peaked or diffuse"),
            [&] { return lastRows(source); });
        add("kv-curve", QT_TRANSLATE_NOOP("PaperFigures", "accuracy against dictionary size, with and without heads"),
            [&] { return curve(source); });
        add("layer-removal",
            QT_TRANSLATE_NOOP("PaperFigures", "scores with one layer left out, and with the first layers only"),
            [&] { return layers(source); });
        add("head-map", QT_TRANSLATE_NOOP("PaperFigures", "cost of ablating each head, layers × heads"), [&] {
            return ranked(source, figureWords(QT_TRANSLATE_NOOP("FigureText", "Cost of ablating each head")),
                          {.kind = PanelKind::HeadMap});
        });
        add("ranking", QT_TRANSLATE_NOOP("PaperFigures", "the heads whose ablation costs most, as bars"), [&] {
            return ranked(source, figureWords(QT_TRANSLATE_NOOP("FigureText", "The heads that retrieval depends on")),
                          {.kind = PanelKind::Ranking});
        });
        add("ranking-table", QT_TRANSLATE_NOOP("PaperFigures", "the same as a table"), [&] {
            return ranked(source, figureWords(QT_TRANSLATE_NOOP("FigureText", "The heads that retrieval depends on")),
                          {.kind = PanelKind::Ranking, .view = "table"});
        });
        add("head-dots",
            QT_TRANSLATE_NOOP("PaperFigures", "cost of ablating each head against its pattern on many texts"),
            [&] { return dots(source); });
        addAnalyses(source, add);
        add("scores", QT_TRANSLATE_NOOP("PaperFigures", "every benchmark before and after"),
            [&] { return scores(source, "Scores", "table"); });
        add("scores-grid",
            QT_TRANSLATE_NOOP("PaperFigures",
                              "one row per state and one column per benchmark, as in the paper's tables"),
            [&] { return scores(source, figureWords(QT_TRANSLATE_NOOP("FigureText", "Scores by state")), "grid"); });
        add("scores-bars", QT_TRANSLATE_NOOP("PaperFigures", "the same as bars"),
            [&] { return scores(source, figureWords(QT_TRANSLATE_NOOP("FigureText", "Scores by state")), "bars"); });
        for (PaperFigure& page : experimentFigures(source.reports())) {
            if (page.recipe.has_value())
                keepMaps(source, *page.recipe);
            figures.push_back(std::move(page));
        }
        return figures;
    } catch (const Missing& missing) {
        return missing.error;
    }
}

} // namespace headscope::figures
