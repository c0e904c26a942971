// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/figures/experimentfigures.h"

#include "app/figures/documents/sessionfigure.h"
#include "app/figures/panels/experimentplots.h"
#include "app/figures/source.h"
#include "core/experiments/words/language.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <map>

namespace headscope::figures {

namespace {

struct ExperimentFigures {
    Q_DECLARE_TR_FUNCTIONS(ExperimentFigures)
};

constexpr int kMostBesideEachOther = 3;

/// What the marks of its pictures mean: intervals, guessing, controls, the paper's own. Empty where there are none.
QString marksOf(const experiments::Report& report)
{
    QStringList marks;
    const auto plots = experimentPlots(report);
    const auto any = [&](const auto& has) { return std::any_of(plots.begin(), plots.end(), has); };
    const auto tone = [](const widgets::Plot& plot, widgets::PlotSeries::Tone wanted) {
        return std::any_of(plot.series.begin(), plot.series.end(),
                           [&](const widgets::PlotSeries& series) { return series.tone == wanted; });
    };
    if (any([](const widgets::Plot& plot) {
            return std::any_of(plot.series.begin(), plot.series.end(), [](const widgets::PlotSeries& series) {
                return std::any_of(series.points.begin(), series.points.end(),
                                   [](const widgets::PlotPoint& point) { return point.interval.has_value(); });
            });
        }))
        marks.append(ExperimentFigures::tr("Error bars and bands: 95 % intervals."));
    if (any([](const widgets::Plot& plot) { return plot.guessing.has_value(); }))
        marks.append(ExperimentFigures::tr("Dotted: guessing."));
    if (any([&](const widgets::Plot& plot) { return tone(plot, widgets::PlotSeries::Tone::Control); }))
        marks.append(ExperimentFigures::tr("Grey: controls."));
    if (any([&](const widgets::Plot& plot) {
            return plot.grid.hollow || tone(plot, widgets::PlotSeries::Tone::Paper);
        }))
        marks.append(ExperimentFigures::tr("Hollow: the paper's own numbers, on its models."));
    if (any([](const widgets::Plot& plot) {
            return std::any_of(plot.grid.values.begin(), plot.grid.values.end(),
                               [](double value) { return std::isnan(value); });
        }))
        marks.append(ExperimentFigures::tr("Empty: not measured."));
    return marks.join(QLatin1Char(' '));
}

/// The verdict and what every mark means.
std::string captionOf(const experiments::Report& report)
{
    const experiments::Judgement judgement = report.judgement();
    constexpr std::size_t kShort = 160;
    std::string caption = ExperimentFigures::tr("Verdict: %1.")
                              .arg(QCoreApplication::translate("VerdictText", experiments::name(judgement.verdict)))
                              .toStdString();
    if (judgement.why.size() <= kShort)
        caption += " " + judgement.why + (judgement.why.ends_with('.') ? "" : ".");
    const std::string marks = marksOf(report).toStdString();
    return caption + (marks.empty() ? "" : " ") + marks;
}

/// The heads that the heat maps are of: each role in all models beside each other.
void addPatterns(Recipe& recipe, const experiments::Report& report)
{
    if (!hasMaps(report))
        return;
    const experiments::Table& table = report.table;
    for (const std::string& role : table.distinct("role"))
        for (const experiments::Row* row : table.where("role", role))
            recipe.panels.push_back({.kind = PanelKind::Pattern,
                                     .heading = experiments::translated("{}, {} head", table.text(*row, "model"),
                                                                        experiments::translatedName(role)),
                                     .pattern = {.model = table.text(*row, "model"), .head = table.text(*row, "head")},
                                     .scale = table.text(*row, "kind") == "SSM" ? "row" : "raw",
                                     .brackets = false});
    recipe.together = std::clamp(static_cast<int>(table.distinct("model").size()), 1, kMostBesideEachOther);
}

QString comparedModels(const experiments::Report& report)
{
    QStringList names;
    for (const std::string& name : report.table.distinct("model"))
        names.append(text(experiments::translatedName(name)));
    return names.join(QStringLiteral(", "));
}

} // namespace

widgets::Figure experimentFigure(const experiments::Report& report)
{
    auto plots = experimentPlots(report);
    widgets::Figure figure{.caption = marksOf(report), .columns = 0};
    for (widgets::Plot& plot : plots) {
        const QString heading = plot.title;
        figure.panels.push_back({heading, std::move(plot)});
    }
    figure.letters = figure.panels.size() > 1;
    return figure;
}

bool hasMaps(const experiments::Report& report)
{
    return report.experiment->id == "heatmaps" && !report.table.rows.empty();
}

widgets::Figure experimentFigure(const experiments::Report& report, sessions::SessionStore& session)
{
    const experiments::Speaking speaking(figureLanguage());
    auto recipe = experimentRecipe(report);
    if (!recipe.has_value())
        return {};
    recipe->title.clear();
    recipe->caption = marksOf(report).toStdString();
    if (auto figure = makeFigure(session, *recipe); figure.has_value()) {
        figure->provenance.clear(); // the page tells it
        return std::move(*figure);
    } else {
        widgets::Figure numbers = experimentFigure(report);
        numbers.caption += (numbers.caption.isEmpty() ? QString() : QStringLiteral(" "))
                           + (figure.error().kind == Error::Kind::Input
                                  ? ExperimentFigures::tr("The session does not contain the patterns of these heads "
                                                          "(%1); running the experiment stores them.")
                                        .arg(comparedModels(report))
                                  : text(figure.error().message));
        return numbers;
    }
}

Result<Recipe> experimentRecipe(const experiments::Report& report)
{
    const auto plots = experimentPlots(report);
    if (plots.empty())
        return inputError("The experiment " + report.experiment->id
                          + " has no numbers to draw; run it with 'headscope-cli experiment " + report.experiment->id
                          + " --session FILE'.");
    Recipe recipe{
        .title = experiments::translated(report.experiment->question), .caption = captionOf(report), .columns = 0};
    addPatterns(recipe, report);
    for (std::size_t i = 0; i < plots.size(); ++i)
        recipe.panels.push_back({.kind = PanelKind::Experiment,
                                 .heading = plots[i].title.toStdString(),
                                 .models = report.models,
                                 .experiment = report.experiment->id,
                                 .plot = static_cast<int>(i)});
    recipe.letters = recipe.panels.size() > 1;
    return recipe;
}

std::vector<PaperFigure> experimentFigures(const std::vector<experiments::Report>& reports)
{
    std::vector<PaperFigure> figures;
    std::map<std::string, int> count;
    for (const experiments::Report& report : reports) {
        const std::string& id = report.experiment->id;
        const int nth = ++count[id];
        figures.push_back({"experiment-" + id + (nth > 1 ? "-" + std::to_string(nth) : std::string()),
                           experiments::translated(report.experiment->question), experimentRecipe(report)});
    }
    return figures;
}

widgets::Plot experimentPanel(Source& source, const PanelRecipe& panel)
{
    const auto report = source.report(panel.experiment, panel.models);
    auto plots = experimentPlots(report);
    if (panel.plot < 0 || panel.plot >= std::ssize(plots))
        throw Missing("The experiment '" + panel.experiment + "' has " + std::to_string(plots.size())
                      + " pictures; expected one of them.");
    return std::move(plots[static_cast<std::size_t>(panel.plot)]);
}

} // namespace headscope::figures
