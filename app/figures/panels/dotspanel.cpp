// SPDX-License-Identifier: GPL-3.0-or-later
// Panels of heads by two of their numbers: a survey's means, and what removal costs.
#include "app/figures/source.h"

#include "core/analysis/statistics.h"
#include "sessions/analyses.h"
#include "sessions/surveys.h"
#include "widgets/look/numbertext.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace headscope::figures {

using namespace Qt::StringLiterals;
using sessions::ModelRecord;

namespace {

const std::string kCost = "cost", kLoss = "loss"; // the latter of all tokens; "loss_continued" of one group

/// One number of each head, by its name.
using Numbers = std::map<std::string, widgets::PlotPoint>;

Numbers costsOf(Source& source, const ModelRecord& model, const std::vector<std::string>& tasks)
{
    const sessions::RankingRecord ranking = source.ranking(model, "exact", tasks);
    source.used(model, ranking);
    Numbers numbers;
    for (const sessions::RankedHead& head : ranking.heads)
        numbers[head.head] = {0, -head.delta, std::pair(-head.high, -head.low)};
    return numbers;
}

// Of the survey that was begun last with all heads on.
Numbers meansOf(Source& source, const ModelRecord& model, const std::string& metric)
{
    const auto records = need(sessions::surveys(source.session()));
    const auto found = std::find_if(records.rbegin(), records.rend(), [&model](const sessions::SurveyRecord& record) {
        return record.key.modelHash == model.hash && record.key.ablation.empty() && record.tokens > 0;
    });
    if (found == records.rend())
        throw Missing("The session has no survey of " + model.name
                      + "; measure one with 'headscope-cli survey MODEL --texts FOLDER --session FILE'.");
    const auto survey = need(sessions::survey(source.session(), found->key));
    source.used(model, found->key.dtype, found->key.device,
                FigureText::tr("survey of %1, %2 tokens").arg(text(found->source)).arg(found->tokens).toStdString());
    Numbers numbers;
    for (const sessions::SurveyHead& head : survey->heads)
        for (const sessions::SurveyValue& value : head.values)
            if (value.metric == metric)
                numbers[head.head] = {0, value.mean, {}};
    if (numbers.empty())
        throw Missing("The survey of " + model.name + " has no metric '" + metric.substr(0, 40)
                      + "'; expected one such as induction or aggregate, or cost.");
    return numbers;
}

bool isLoss(const std::string& name)
{
    return name == kLoss || name.starts_with(kLoss + "_");
}

// What next tokens lose without each head: of the texts that it was measured on last, with all other heads on.
Numbers lossesOf(Source& source, const ModelRecord& model, const std::string& name)
{
    const std::string group = name == kLoss ? "all" : name.substr(kLoss.size() + 1);
    const auto records = need(sessions::analyses(source.session()));
    for (auto record = records.rbegin(); record != records.rend(); ++record) {
        const sessions::AnalysisKey& key = record->key;
        if (key.modelHash != model.hash || key.kind != "removal" || !key.ablation.empty())
            continue;
        Numbers numbers;
        const auto whole = need(sessions::storedAnalysis(source.session(), key));
        for (const sessions::AnalysisValue& value : whole->values)
            if (value.measure == "loss rise" && value.words == group)
                numbers[value.part] = {0, value.value,
                                       std::isfinite(value.low) && std::isfinite(value.high)
                                           ? std::optional(std::pair(value.low, value.high))
                                           : std::nullopt};
        if (numbers.empty())
            continue; // of a benchmark
        source.used(model, key.dtype, key.device, record->source);
        return numbers;
    }
    throw Missing(
        "The session has no losses of next tokens without heads of " + model.name
        + "; measure them with 'headscope-cli survey MODEL --texts FOLDER --cost next_token --session FILE'.");
}

Numbers numbersOf(Source& source, const ModelRecord& model, const PanelRecipe& panel, const std::string& name)
{
    if (isLoss(name))
        return lossesOf(source, model, name);
    return name == kCost ? costsOf(source, model, panel.tasks) : meansOf(source, model, name);
}

QString titleOf(const std::string& name)
{
    if (name == kLoss)
        return FigureText::tr("rise of the next tokens' loss without the head, nats");
    if (isLoss(name))
        return FigureText::tr("rise of the loss without the head, %1 tokens, nats")
            .arg(text(name.substr(kLoss.size() + 1)));
    return name == kCost ? FigureText::tr("accuracy lost without the head")
                         : FigureText::tr("%1, mean over the survey").arg(text(name));
}

// "-0.13 [-0.46, +0.23]"; empty where there is none.
QString correlationText(const std::vector<double>& x, const std::vector<double>& y)
{
    const auto correlation = analysis::spearman(x, y);
    if (!correlation.has_value())
        return {};
    const QString rho = widgets::signedText(correlation->rho);
    const auto interval = analysis::rankInterval(*correlation);
    return interval ? u"%1 [%2, %3]"_s.arg(rho, widgets::signedText(interval->low), widgets::signedText(interval->high))
                    : rho;
}

} // namespace

widgets::Plot dotsPanel(Source& source, const PanelRecipe& panel)
{
    widgets::Plot plot{.title = titleOf(panel.y),
                       .xTitle = titleOf(panel.x),
                       .logarithmic = panel.logY,
                       .logarithmicX = panel.logX,
                       .joined = false};
    QStringList correlations;
    int leftOut = 0;
    for (const ModelRecord& model : source.models(panel.models)) {
        const Numbers right = numbersOf(source, model, panel, panel.x), up = numbersOf(source, model, panel, panel.y);
        widgets::PlotSeries series;
        series.tone = static_cast<widgets::PlotSeries::Tone>(plot.series.size() % 6);
        std::vector<double> x, y;
        for (const auto& [head, point] : right)
            if (const auto other = up.find(head); other != up.end()) {
                x.push_back(point.value);
                y.push_back(other->second.value);
                if ((panel.logX && point.value <= 0) || (panel.logY && other->second.value <= 0))
                    ++leftOut;
                else
                    series.points.push_back({point.value, other->second.value, other->second.interval, text(head)});
            }
        series.name = text(model.name);
        // Below the dots, which would have no room beside it.
        if (const QString told = correlationText(x, y); !told.isEmpty())
            correlations << (panel.models.size() == 1 ? told : series.name + u' ' + told);
        plot.series.push_back(std::move(series));
    }
    if (correlations.size() == 1)
        plot.remarks << FigureText::tr("rank correlation ") + correlations.first();
    else if (!correlations.isEmpty())
        plot.remarks << FigureText::tr("rank correlation:") << correlations;
    if (leftOut > 0)
        plot.remarks << FigureText::tr("heads not drawn, at or below 0: %1").arg(leftOut);
    return plot;
}

} // namespace headscope::figures
