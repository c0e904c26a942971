// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/heads/headmetrics.h"

#include "app/present/heads/headspans.h"
#include "app/present/scores/rankingwords.h"
#include "widgets/look/numbertext.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <utility>

namespace headscope::gui {

namespace {

struct HeadMetrics {
    Q_DECLARE_TR_FUNCTIONS(HeadMetrics)
};

// The row of the map that a mixer has: rows follow layers, and mixers within a layer.
std::size_t mixerRow(const app::ModelSummary& model, int layer, bool attention)
{
    std::size_t row = 0;
    for (int l = 0; l < layer; ++l)
        row += mixersOf(model, l).size();
    const auto& mixers = mixersOf(model, layer);
    for (std::size_t i = 0; i < mixers.size(); ++i)
        if (mixers[i].attention == attention)
            return row + i;
    return row;
}

struct MetricName {
    const char* id;
    const char* name;
    const char* title;
};

// core/analysis/patternscores.h says what each means.
constexpr MetricName kMetrics[] = {
    {"effect", QT_TRANSLATE_NOOP("HeadMetrics", "effect on KV"),
     QT_TRANSLATE_NOOP("HeadMetrics", "loss of KV retrieval when the head is ablated")},
    {"estimate", QT_TRANSLATE_NOOP("HeadMetrics", "≈ estimated effect on KV (gradients)"),
     QT_TRANSLATE_NOOP("HeadMetrics", "loss of log odds: estimated by gradients; exact where the head was ablated")},
    {"prompt", QT_TRANSLATE_NOOP("HeadMetrics", "on this prompt"),
     QT_TRANSLATE_NOOP("HeadMetrics", "on this prompt: how much of its lead over the next best token the answer loses "
                                      "without the head, in logits; ≈ what the head adds directly")},
    {"gather", QT_TRANSLATE_NOOP("HeadMetrics", "gather score"),
     QT_TRANSLATE_NOOP("HeadMetrics", "gather score: share of segments' last tokens on their own segment")},
    {"aggregate", QT_TRANSLATE_NOOP("HeadMetrics", "aggregate score"),
     QT_TRANSLATE_NOOP("HeadMetrics", "aggregate score: share of the last token on the ends of segments")},
    {"target", QT_TRANSLATE_NOOP("HeadMetrics", "mass on the answer"),
     QT_TRANSLATE_NOOP("HeadMetrics",
                       "share of the last row on the answer: what is marked as answer or value, or the asked pair")},
    {"retrieval", QT_TRANSLATE_NOOP("HeadMetrics", "retrieval score"),
     QT_TRANSLATE_NOOP("HeadMetrics", "retrieval score: share of the needle's tokens that the head copies")},
    {"induction", QT_TRANSLATE_NOOP("HeadMetrics", "induction score"),
     QT_TRANSLATE_NOOP("HeadMetrics", "induction score: share on what followed the same token before")},
    {"previous", QT_TRANSLATE_NOOP("HeadMetrics", "previous-token score"),
     QT_TRANSLATE_NOOP("HeadMetrics", "share on the token before")},
    {"diagonal", QT_TRANSLATE_NOOP("HeadMetrics", "diagonal mass"),
     QT_TRANSLATE_NOOP("HeadMetrics", "share on the token itself")},
    {"entropy", QT_TRANSLATE_NOOP("HeadMetrics", "entropy, last row"),
     QT_TRANSLATE_NOOP("HeadMetrics", "entropy of the last row, nats")},
    {"effective", QT_TRANSLATE_NOOP("HeadMetrics", "effective tokens"),
     QT_TRANSLATE_NOOP("HeadMetrics", "effective tokens of the last row")},
    {"sink", QT_TRANSLATE_NOOP("HeadMetrics", "sink mass"),
     QT_TRANSLATE_NOOP("HeadMetrics", "share of the last row on the first token")},
    {"norm", QT_TRANSLATE_NOOP("HeadMetrics", "output norm"),
     QT_TRANSLATE_NOOP("HeadMetrics", "norm of the head's output at the last token")},
    {"distance", QT_TRANSLATE_NOOP("HeadMetrics", "distance to baseline"),
     QT_TRANSLATE_NOOP("HeadMetrics", "distance of the pattern from that of the unmodified model")},
    {"attribution", QT_TRANSLATE_NOOP("HeadMetrics", "adds to the answer"),
     QT_TRANSLATE_NOOP("HeadMetrics",
                       "contribution of the head to the logit of the answer minus that of the wrong one")},
    {"copying", QT_TRANSLATE_NOOP("HeadMetrics", "copying (weights)"),
     QT_TRANSLATE_NOOP("HeadMetrics", "copying score of the weights: 1 copies, -1 suppresses")},
    {"changed ov", QT_TRANSLATE_NOOP("HeadMetrics", "A against B: OV"),
     QT_TRANSLATE_NOOP("HeadMetrics", "relative change of OV (what the head copies) from model A to B")},
    {"changed qk", QT_TRANSLATE_NOOP("HeadMetrics", "A against B: QK"),
     QT_TRANSLATE_NOOP("HeadMetrics", "relative change of QK (what the head looks for) from model A to B")},
    {"changed pattern", QT_TRANSLATE_NOOP("HeadMetrics", "A against B: pattern"),
     QT_TRANSLATE_NOOP("HeadMetrics", "distance of the patterns of A and B on this prompt, with all heads on")},
};

// Known where somebody asked for them.
constexpr MetricName kAsked[] = {
    {"patching", QT_TRANSLATE_NOOP("HeadMetrics", "patched"),
     QT_TRANSLATE_NOOP("HeadMetrics", "effect of patching this head alone (1: the other run)")},
    {"probe induction", QT_TRANSLATE_NOOP("HeadMetrics", "probe: induction"),
     QT_TRANSLATE_NOOP("HeadMetrics", "induction on repeated random tokens")},
    {"probe previous", QT_TRANSLATE_NOOP("HeadMetrics", "probe: previous token"),
     QT_TRANSLATE_NOOP("HeadMetrics", "share on the token before, on random tokens")},
    {"probe duplicate", QT_TRANSLATE_NOOP("HeadMetrics", "probe: duplicate token"),
     QT_TRANSLATE_NOOP("HeadMetrics", "share on the same token before, on repeated random tokens")},
    {"probe sink", QT_TRANSLATE_NOOP("HeadMetrics", "probe: sink"),
     QT_TRANSLATE_NOOP("HeadMetrics", "share on the first token, on random tokens")},
    {"probe retrieval", QT_TRANSLATE_NOOP("HeadMetrics", "probe: retrieval"),
     QT_TRANSLATE_NOOP("HeadMetrics", "retrieval score on rows of the task")},
};

const MetricName* metricOf(const QString& id)
{
    for (const std::span<const MetricName> some :
         {std::span<const MetricName>(kMetrics), std::span<const MetricName>(kAsked)})
        for (const MetricName& metric : some)
            if (id == QLatin1String(metric.id))
                return &metric;
    return nullptr;
}

/// Estimates with what was measured in their place, in the same unit.
std::vector<app::HeadValue> refined(std::vector<app::HeadValue> estimates, const SideState& side)
{
    if (!side.effects || side.effectsMethod != app::RankMethod::Exact)
        return estimates;
    // By head: a Mamba has tens of thousands of channels, and this runs where the window is painted.
    std::map<interventions::HeadRef, const app::HeadValue*> measured;
    for (const app::HeadValue& effect : *side.effects)
        measured.emplace(effect.head, &effect);
    for (app::HeadValue& estimate : estimates) {
        const auto found = measured.find(estimate.head);
        if (found == measured.end())
            continue;
        estimate = *found->second;
        estimate.value = -found->second->margin;
    }
    return estimates;
}

} // namespace

QList<std::pair<QString, QString>> headMetricChoices()
{
    QList<std::pair<QString, QString>> choices;
    for (const MetricName& metric : kMetrics)
        choices.append({QLatin1String(metric.id), HeadMetrics::tr(metric.name)});
    return choices;
}

QString headMetricTitle(const QString& id)
{
    const MetricName* metric = metricOf(id);
    return metric ? HeadMetrics::tr(metric->title) : id;
}

QString headMetricName(const QString& id)
{
    const MetricName* metric = metricOf(id);
    return metric ? HeadMetrics::tr(metric->name) : id;
}

widgets::HeadMetric headMetric(const app::ModelSummary& model, const QString& name, bool isSigned,
                               const std::vector<app::HeadValue>& heads, bool useDelta)
{
    constexpr double kLeastLoss = 0.05; // one example in twenty
    widgets::HeadMetric metric{.name = name, .isSigned = isSigned, .atLeast = useDelta && !isSigned ? kLeastLoss : 0};
    for (const auto& layer : model.layers)
        for (const app::MixerSummary& mixer : layer)
            metric.values.emplace_back(static_cast<std::size_t>(mixer.heads), std::numeric_limits<float>::quiet_NaN());
    for (const app::HeadValue& head : heads) {
        if (std::cmp_greater_equal(head.head.layer, model.layers.size()))
            continue; // of a model with more layers
        auto& row = metric.values[mixerRow(model, head.head.layer, head.attention)];
        if (head.head.head < static_cast<int>(row.size()))
            row[static_cast<std::size_t>(head.head.head)] = static_cast<float>(useDelta ? -head.delta : head.value);
        if (useDelta && !std::isnan(head.p)) {
            metric.notes.resize(metric.values.size());
            auto& notes = metric.notes[mixerRow(model, head.head.layer, head.attention)];
            notes.resize(row.size());
            if (head.head.head < static_cast<int>(row.size()))
                notes[static_cast<std::size_t>(head.head.head)] = certaintyText(head);
        }
        if (head.estimate)
            metric.estimated.append(headSpan(model, head.head));
    }
    return metric;
}

bool isMeasuredMetric(const QString& id)
{
    return metricOf(id) != nullptr;
}

bool isHeadMetric(const QString& id)
{
    return std::ranges::any_of(kMetrics, [&id](const MetricName& metric) { return id == QLatin1String(metric.id); });
}

std::optional<widgets::HeadMetric> shownMetric(const SideState& side)
{
    if (!side.model)
        return std::nullopt;
    const QString title = headMetricTitle(QString::fromStdString(side.metric));
    if (side.metric == "effect" && !side.effects)
        return std::nullopt;
    if (side.metric == "effect") {
        widgets::HeadMetric costs = headMetric(*side.model, title, false, *side.effects, true);
        if (side.effectsShipped)
            for (auto& row : costs.notes)
                for (QString& note : row)
                    note += u'\n' + HeadMetrics::tr("measured when this version was built");
        return costs;
    }
    if (const auto own = side.ownMetrics.find(side.metric); own != side.ownMetrics.end()) {
        const auto& values = side.metric == "estimate" ? refined(own->second, side) : own->second;
        const bool isSigned = std::ranges::any_of(
            values, [](double value) { return value < 0; }, &app::HeadValue::value);
        return headMetric(*side.model, title, isSigned, values, false);
    }
    if (side.headScores)
        if (const auto values = side.headScores->scores.find(side.metric); values != side.headScores->scores.end()) {
            const auto uniform = side.headScores->uniform.find(side.metric);
            widgets::HeadMetric metric = headMetric(*side.model, title, false, values->second, false);
            if (uniform != side.headScores->uniform.end())
                metric.unit = HeadMetrics::tr("(a head that reads all tokens alike: %1)")
                                  .arg(widgets::numberText(uniform->second));
            return metric;
        }
    return headMetric(*side.model, title, false, {}, false); // not known for this prompt and state
}

} // namespace headscope::gui
