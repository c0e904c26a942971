// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/headmarks.h"

#include "core/analysis/patternscores.h"
#include "widgets/look/numbertext.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace headscope::gui {

using namespace Qt::StringLiterals;
using app::HeadValue;
using interventions::HeadRef;
using interventions::Site;

namespace {

constexpr double kSameCost = 0.1;

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
    if (!found)
        return {};
    return std::ranges::count(found->aggregate, head) > 0 ? HeadMarks::tr("aggregates")
           : std::ranges::count(found->gather, head) > 0  ? HeadMarks::tr("gathers")
                                                          : QString();
}

} // namespace

std::vector<HeadRef> dearestFirst(const std::vector<HeadValue>& effects)
{
    std::vector<HeadRef> heads;
    for (const HeadValue& head : sortedByCost(effects))
        heads.push_back(head.head);
    return heads;
}

std::optional<HeadRef> mostImportantHead(const std::vector<HeadValue>& effects, std::optional<Site> site)
{
    const auto counts = [site](const HeadValue& head) {
        return !site || *site == Site::Any || head.attention == (*site == Site::Attention);
    };
    const HeadValue* chosen = nullptr;
    for (const HeadValue& head : effects)
        if (counts(head) && (!chosen || head.delta < chosen->delta))
            chosen = &head;
    if (!chosen)
        return std::nullopt;
    const double most = chosen->delta;
    for (const HeadValue& head : effects)
        if (counts(head) && head.delta < most + kSameCost && head.head.layer > chosen->head.layer && most < -kSameCost)
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

QStringList headTag(const SideState& side, const HeadRef& head)
{
    const QString role = roleOf(side.found, head);
    QString cost;
    if (side.effects)
        if (const auto known = std::ranges::find(*side.effects, head, &HeadValue::head);
            known != side.effects->end() && !known->estimate && std::isfinite(known->delta))
            cost = HeadMarks::tr("KV %1").arg(widgets::signedText(known->delta));
    if (role.isEmpty() || cost.isEmpty())
        return role.isEmpty() && cost.isEmpty() ? QStringList() : QStringList(role + cost);
    return {role + u" · "_s + cost, role};
}

} // namespace headscope::gui
