// SPDX-License-Identifier: GPL-3.0-or-later
// Panels of heads: a ranking as a map of layers x heads, as bars, as a table.
#include "app/figures/panels/headroles.h"
#include "app/figures/source.h"

#include "sessions/rows/modelheadrows.h"
#include "widgets/look/numbertext.h"

#include <algorithm>
#include <cmath>

namespace headscope::figures {

using namespace Qt::StringLiterals;
using interventions::HeadRef;
using interventions::Site;
using sessions::ModelRecord;
using sessions::RankingRecord;
using widgets::HeadMapFigure;
using widgets::signedText;

namespace {

constexpr int kWidestLine = 64; ///< cells; Mamba-1 layers have thousands of channels

struct Mixer {
    bool attention = true;
    int heads = 0;
};

std::vector<std::vector<Mixer>> mixersOf(const ModelRecord& model)
{
    std::vector<std::vector<Mixer>> found;
    for (const std::vector<sessions::StoredMixer>& layer : need(sessions::storedHeads(model))) {
        found.emplace_back();
        for (const sessions::StoredMixer& mixer : layer)
            found.back().push_back({mixer.kind == "attention", mixer.heads});
    }
    return found;
}

/// How a head of a mixer is meant in texts: by its site where its layer has two.
bool isSite(const HeadRef& head, int layer, const Mixer& mixer, bool two)
{
    if (head.layer != layer || head.site == Site::Expert)
        return false;
    if (head.site == Site::Any)
        return !two || mixer.attention;
    return (head.site == Site::Attention) == mixer.attention;
}

bool isOff(const interventions::InterventionSet& set, int layer, const Mixer& mixer, bool two, int head)
{
    return std::any_of(set.items().begin(), set.items().end(), [&](const auto& item) {
        if (const auto* edit = std::get_if<interventions::EditHead>(&item))
            return edit->head.head == head && isSite(edit->head, layer, mixer, two);
        if (const auto* keep = std::get_if<interventions::KeepHeads>(&item))
            return isSite({keep->layer, keep->site, 0}, layer, mixer, two)
                   && std::find(keep->heads.begin(), keep->heads.end(), head) == keep->heads.end();
        if (const auto* skip = std::get_if<interventions::SkipLayer>(&item))
            return skip->layer == layer && skip->part != interventions::LayerPart::Mlp;
        return false;
    });
}

bool isMeasured(const RankingRecord& ranking)
{
    return std::ranges::find(sessions::kMeasuringMethods, ranking.method) != sessions::kMeasuringMethods.end();
}

/// Each line of such a ranking is of several heads that were ablated together.
bool isOfSets(const RankingRecord& ranking)
{
    return isMeasured(ranking) && ranking.method != "exact" && ranking.method != "race";
}

// What a ranking says of a head, the more the greater: the loss without it, measured or estimated, or its score.
widgets::Estimate effectOf(const RankingRecord& ranking, const sessions::RankedHead& head)
{
    if (isMeasured(ranking))
        return {-head.delta, -head.high, -head.low};
    const bool loss = ranking.method == "estimate"; // stored as the change
    widgets::Estimate estimate{.value = loss ? -head.value : head.value};
    if (head.low < head.high) {
        estimate.low = loss ? -head.high : head.low;
        estimate.high = loss ? -head.low : head.high;
    }
    return estimate;
}

QString metricOf(const RankingRecord& ranking)
{
    if (ranking.method == "estimate")
        return FigureText::tr("loss of log odds without the head, estimated by gradients");
    if (ranking.method == "attribution")
        return FigureText::tr("adds to the answer's logit over the wrong one's");
    if (ranking.method == "patching")
        return FigureText::tr("effect of this patch alone (1: the other run)");
    if (!isMeasured(ranking))
        return FigureText::tr("%1 score").arg(text(ranking.method));
    return (ranking.method == "greedy" ? FigureText::tr("loss of %1 accuracy without the head and those before")
            : isOfSets(ranking)        ? FigureText::tr("loss of %1 accuracy without the heads")
                                       : FigureText::tr("loss of %1 accuracy without the head"))
        .arg(text(taskTitle(ranking.task)));
}

/// Heads may go either way: both have a colour then.
bool isSigned(const RankingRecord& ranking)
{
    return (ranking.method == "attribution" || ranking.method == "patching" || ranking.method == "copying"
            || ranking.method == "estimate")
           && std::any_of(ranking.heads.begin(), ranking.heads.end(),
                          [&](const sessions::RankedHead& head) { return effectOf(ranking, head).value < 0; });
}

struct HeadFacts {
    HeadRef head;
    double value = widgets::kUnknown;
    QString mark;
};

std::vector<HeadFacts> factsOf(Source& source, const ModelRecord& model, const RankingRecord& ranking)
{
    const auto roles = headRoles(source, model).roles;
    const auto names = source.labels(model);
    std::vector<HeadFacts> facts;
    for (const sessions::RankedHead& ranked : ranking.heads) {
        const auto head = interventions::parseHead(ranked.head);
        if (!head.has_value())
            throw Missing(head.error());
        HeadFacts fact{*head, effectOf(ranking, ranked).value, {}};
        if (const auto role = roles.find(ranked.head); role != roles.end())
            fact.mark = QChar::fromLatin1(role->second);
        else if (names.contains(ranked.head))
            fact.mark = text(names.at(ranked.head));
        facts.push_back(fact);
    }
    return facts;
}

HeadMapFigure::Line lineOf(const std::vector<HeadFacts>& facts, const interventions::InterventionSet& off, int layer,
                           const Mixer& mixer, bool two)
{
    HeadMapFigure::Line line{.label = u"L%1"_s.arg(layer)
                                      + (!two              ? QString()
                                         : mixer.attention ? FigureText::tr(" attention")
                                                           : FigureText::tr(" SSM"))};
    line.block = std::max(1, (mixer.heads + kWidestLine - 1) / kWidestLine);
    const auto cells = static_cast<std::size_t>((mixer.heads + line.block - 1) / line.block);
    line.values.assign(cells, std::numeric_limits<float>::quiet_NaN());
    line.marks.assign(cells, {});
    line.off.assign(cells, false);
    for (const HeadFacts& fact : facts) {
        if (!isSite(fact.head, layer, mixer, two) || fact.head.head < 0 || fact.head.head >= mixer.heads)
            continue;
        const auto cell = static_cast<std::size_t>(fact.head.head / line.block);
        const auto value = static_cast<float>(fact.value);
        if (!(std::abs(line.values[cell]) >= std::abs(value)))
            line.values[cell] = value;
        if (!fact.mark.isEmpty())
            line.marks[cell] = fact.mark;
    }
    if (!off.empty())
        for (int head = 0; head < mixer.heads; ++head)
            if (isOff(off, layer, mixer, two, head))
                line.off[static_cast<std::size_t>(head / line.block)] = true;
    return line;
}

ModelRecord onlyModel(Source& source, const PanelRecipe& panel)
{
    const auto models = source.models(panel.models);
    if (models.empty())
        throw Missing("The session has no model.");
    return models.front();
}

widgets::TableFigure rankingTable(const RankingRecord& ranking, const std::vector<QString>& labels)
{
    const bool measured = isMeasured(ranking);
    widgets::TableFigure table;
    table.header = QStringList{FigureText::tr("rank"), FigureText::tr("head")};
    table.header << (measured ? QStringList{isOfSets(ranking) ? FigureText::tr("accuracy left")
                                                              : FigureText::tr("accuracy without it"),
                                            FigureText::tr("change"), FigureText::tr("95 % interval")}
                              : QStringList{metricOf(ranking)});
    for (std::size_t i = 0; i < ranking.heads.size(); ++i) {
        const sessions::RankedHead& head = ranking.heads[i];
        std::vector<widgets::TableCell> row{
            {QString::number(i + 1)},
            {labels[i]},
            {widgets::numberText(measured ? head.value : effectOf(ranking, head).value, 3)}};
        if (measured) {
            row.push_back({signedText(head.delta, 3),
                           head.high < 0 ? widgets::TableCell::Tone::Bad : widgets::TableCell::Tone::Plain});
            row.push_back({u"[%1, %2]"_s.arg(signedText(head.low, 3), signedText(head.high, 3)),
                           widgets::TableCell::Tone::Muted});
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

widgets::BarFigure rankingBars(const ModelRecord& model, const RankingRecord& ranking,
                               const std::vector<QString>& labels)
{
    widgets::BarFigure bars;
    bars.xTitle = metricOf(ranking);
    bars.series << text(model.name);
    for (std::size_t i = 0; i < ranking.heads.size(); ++i)
        bars.bars.push_back({labels[i], {effectOf(ranking, ranking.heads[i])}});
    return bars;
}

} // namespace

HeadMapFigure headMapPanel(Source& source, const PanelRecipe& panel)
{
    const ModelRecord model = onlyModel(source, panel);
    const RankingRecord ranking = source.ranking(model, panel.method, panel.tasks);
    if (isOfSets(ranking))
        throw Missing("The ranking of " + model.name + " by '" + ranking.method
                      + "' ablates several heads together, so it colours no map of single heads; draw a figure of the "
                        "kind 'ranking'.");
    source.used(model, ranking);
    return headMapOf(source, panel, model, ranking);
}

HeadMapFigure headMapOf(Source& source, const PanelRecipe& panel, const ModelRecord& model,
                        const RankingRecord& ranking)
{
    const auto off = need(interventions::InterventionSet::parse(panel.off));
    const auto facts = factsOf(source, model, ranking);
    HeadMapFigure figure{.metric = metricOf(ranking), .colorBar = panel.colourBar};
    figure.isSigned = isSigned(ranking);
    const auto mixers = mixersOf(model);
    for (std::size_t layer = 0; layer < mixers.size(); ++layer)
        for (const Mixer& mixer : mixers[layer])
            figure.lines.push_back(lineOf(facts, off, static_cast<int>(layer), mixer, mixers[layer].size() > 1));
    return figure;
}

widgets::FigureContent rankingPanel(Source& source, const PanelRecipe& panel)
{
    const ModelRecord model = onlyModel(source, panel);
    RankingRecord ranking = source.ranking(model, panel.method, panel.tasks);
    source.used(model, ranking);
    ranking.heads.resize(std::min(ranking.heads.size(), static_cast<std::size_t>(std::max(1, panel.top))));
    const auto roles = headRoles(source, model).roles;
    const auto names = source.labels(model);
    std::vector<QString> labels;
    for (const sessions::RankedHead& head : ranking.heads) {
        QString label = text(head.head);
        if (roles.contains(head.head))
            label += u' ' + QString(QChar::fromLatin1(roles.at(head.head)));
        if (names.contains(head.head))
            label += u' ' + text(names.at(head.head));
        labels.push_back(label);
    }
    if (panel.view == "table")
        return rankingTable(ranking, labels);
    return rankingBars(model, ranking, labels);
}

} // namespace headscope::figures
