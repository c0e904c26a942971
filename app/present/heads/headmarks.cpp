// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/heads/headmarks.h"

#include "app/state/modelheads.h"
#include "core/analysis/patternscores.h"
#include "widgets/look/numbertext.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace headscope::gui {

using namespace Qt::StringLiterals;
using app::HeadValue;
using interventions::HeadRef;
using interventions::InterventionSet;
using interventions::Site;

namespace {

constexpr double kSameCost = 0.9; // of the largest cost

std::vector<HeadValue> sortedByCost(std::vector<HeadValue> effects)
{
    std::ranges::stable_sort(effects, {}, &HeadValue::delta);
    return effects;
}

double roleScore(const app::HeadScores& scores, const char* id, const HeadRef& head)
{
    const auto values = scores.scores.find(id);
    if (values == scores.scores.end())
        return 0;
    const auto found = std::ranges::find(values->second, head, &HeadValue::head);
    return found == values->second.end() ? 0 : found->value;
}

struct HeadMarks {
    Q_DECLARE_TR_FUNCTIONS(HeadMarks)
};

QString roleOf(const std::optional<RetrievalHeads>& found, const HeadRef& head)
{
    const std::string role = found ? retrievalRole(*found, head) : std::string();
    return role == "aggregates" ? HeadMarks::tr("aggregates")
           : role == "gathers"  ? HeadMarks::tr("gathers")
                                : QString();
}

// Every row of every benchmark, with this head alone off against all heads on.
bool isRemovalOf(const SideState& side, const HeadRef& head)
{
    const InterventionSet alone({interventions::EditHead{.head = head}});
    return side.scores && side.scores->final && side.scores->ablation == alone && !side.reference;
}

} // namespace

std::vector<HeadRef> costliestFirst(const std::vector<HeadValue>& effects)
{
    std::vector<HeadRef> heads;
    for (const HeadValue& head : sortedByCost(effects))
        heads.push_back(head.head);
    return heads;
}

bool isOfSite(const HeadValue& head, std::optional<Site> site)
{
    return !site || *site == Site::Any || head.attention == (*site == Site::Attention);
}

std::optional<HeadRef> mostImportantHead(const std::vector<HeadValue>& effects, std::optional<Site> site)
{
    const HeadValue* chosen = nullptr;
    for (const HeadValue& head : effects)
        if (isOfSite(head, site) && (!chosen || head.delta < chosen->delta))
            chosen = &head;
    if (!chosen)
        return std::nullopt;
    const double most = chosen->delta;
    for (const HeadValue& head : effects)
        if (isOfSite(head, site) && head.delta < kSameCost * most && head.head.layer > chosen->head.layer)
            chosen = &head;
    return chosen->head;
}

RetrievalHeads foundHeads(const std::vector<HeadValue>& effects, const app::HeadScores& scores)
{
    RetrievalHeads found;
    for (const HeadValue& head : sortedByCost(effects)) {
        if (head.delta > -analysis::kRetrievalHeadCost)
            break;
        const bool aggregates =
            analysis::aggregates(roleScore(scores, "gather", head.head), roleScore(scores, "aggregate", head.head));
        (aggregates ? found.aggregate : found.gather).push_back(head.head);
    }
    return found;
}

std::string retrievalRole(const RetrievalHeads& found, const HeadRef& head)
{
    return std::ranges::count(found.aggregate, head) > 0 ? "aggregates"
           : std::ranges::count(found.gather, head) > 0  ? "gathers"
                                                         : "";
}

std::vector<app::HeadCost> shownCosts(const SideState& side, const HeadValue& effect)
{
    std::vector<app::HeadCost> costs{{retrievalTask(*side.model),
                                      0.0 - effect.delta,
                                      {0.0 - effect.high, 0.0 - effect.low},
                                      0.0 - effect.margin,
                                      effect.n,
                                      effect.value - effect.delta}};
    if (!isRemovalOf(side, effect.head))
        return costs;
    for (const app::BenchmarkScore& line : side.scores->lines) {
        if (!line.final || !line.hasNow || !line.hasBaseline || !line.higherIsBetter)
            continue;
        auto same = std::ranges::find(costs, line.task, &app::HeadCost::task);
        if (same == costs.end())
            same = costs.insert(costs.end(), {.task = line.task});
        same->loss = 0.0 - line.delta;
        same->interval = {0.0 - line.high, 0.0 - line.low};
        same->n = line.n;
        same->before = line.baseline;
    }
    return costs;
}

QStringList headTag(const SideState& side, const HeadRef& head)
{
    const QString role = roleOf(side.found, head);
    QString cost;
    const auto onPrompt = side.ownMetrics.find("prompt");
    if (side.metric == "prompt" && onPrompt != side.ownMetrics.end()) {
        if (const auto known = std::ranges::find(onPrompt->second, head, &HeadValue::head);
            known != onPrompt->second.end() && !std::isnan(known->value))
            cost = (known->estimate ? HeadMarks::tr("≈ answer %1") : HeadMarks::tr("answer %1"))
                       .arg(widgets::signedText(0.0 - known->value));
    } else if (side.effects)
        if (const auto known = std::ranges::find(*side.effects, head, &HeadValue::head);
            known != side.effects->end() && !known->estimate && std::isfinite(known->delta)) {
            double delta = known->delta;
            if (side.model)
                delta = 0.0 - shownCosts(side, *known).front().loss; // of the retrieval task
            cost = HeadMarks::tr("KV %1").arg(widgets::signedText(delta));
        }
    if (role.isEmpty() || cost.isEmpty())
        return role.isEmpty() && cost.isEmpty() ? QStringList() : QStringList(role + cost);
    return {role + u" · "_s + cost, role};
}

} // namespace headscope::gui
