// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/tours/condition.h"

#include "app/present/scores/tasknames.h"
#include "core/analysis/patternscores.h"
#include "widgets/look/numbertext.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonObject>

#include <set>

namespace headscope::gui {

namespace {

QString conditionText(const char* text)
{
    return QCoreApplication::translate("Exercise", text);
}

Checked outcome(double value, const Condition& condition, const QString& measured)
{
    return {value >= condition.low && value <= condition.high, measured};
}

Checked checkScore(const Condition& condition, const SideState& side)
{
    if (!side.scores || side.scores->ablation != side.ablation)
        return {};
    for (const app::BenchmarkScore& line : side.scores->lines)
        if (line.task == condition.benchmark.toStdString() && line.hasNow && (line.final || line.stopped))
            return outcome(line.now, condition,
                           conditionText(QT_TRANSLATE_NOOP("Exercise", "%1 on %2 examples"))
                               .arg(widgets::numberText(line.now, 2))
                               .arg(line.n));
    return {};
}

int headsOfLayer(const interventions::InterventionSet& set, int layer)
{
    std::set<interventions::HeadRef> heads;
    for (const interventions::Intervention& item : set.items())
        if (const auto* edit = std::get_if<interventions::EditHead>(&item); edit && edit->head.layer == layer)
            heads.insert(edit->head);
    return static_cast<int>(heads.size());
}

Checked checkHeads(const Condition& condition, const SideState& side)
{
    const auto count = ablatedHeadCount(side.ablation);
    if (!count)
        return {false, conditionText(QT_TRANSLATE_NOOP("Exercise", "interventions other than head ablation"))};
    if (condition.layer)
        if (const int others = *count - headsOfLayer(side.ablation, *condition.layer); others > 0)
            return {false, conditionText(QT_TRANSLATE_NOOP("Exercise", "%1, and %2 of other layers"))
                               .arg(*count - others)
                               .arg(others)};
    return outcome(*count, condition, QString::number(*count));
}

/// The last row of the map of the head that is looked at; empty while there is none of this state, or only a pooled
/// one.
std::span<const float> lastRow(const SideState& side)
{
    if (!side.pattern || side.pattern->request.head != side.head || side.pattern->request.ablation != side.ablation
        || side.pattern->pool != 1 || side.pattern->matrix.rows < 2)
        return {};
    return side.pattern->matrix.row(side.pattern->matrix.rows - 1);
}

Checked checkRow(const Condition& condition, const SideState& side)
{
    const std::span<const float> row = lastRow(side);
    if (row.empty())
        return {};
    const QString head = QString::fromStdString(interventions::toText(side.pattern->request.head));
    if (condition.kind == Condition::Kind::EffectiveTokens) {
        const double tokens = analysis::rowScores(row, static_cast<int>(row.size()) - 1).effectiveTokens;
        return outcome(tokens, condition,
                       conditionText(QT_TRANSLATE_NOOP("Exercise", "%1: %2 effective tokens"))
                           .arg(head, widgets::numberText(tokens, 1)));
    }
    double share = 0;
    for (const app::Span& span : side.pattern->spans)
        if (span.target)
            share += analysis::massOn(row, static_cast<int>(span.begin), static_cast<int>(span.end));
    return outcome(
        share, condition,
        conditionText(QT_TRANSLATE_NOOP("Exercise", "%1: %2 of the row")).arg(head, widgets::numberText(share, 2)));
}

QString bounds(const Condition& condition, int decimals)
{
    const bool below = condition.low <= 0;
    const bool above = condition.high >= 1000 || (decimals == 2 && condition.high >= 1);
    const QString low = widgets::numberText(condition.low, decimals);
    const QString high = widgets::numberText(condition.high, decimals);
    if (condition.low == condition.high)
        return conditionText(QT_TRANSLATE_NOOP("Exercise", "exactly %1")).arg(low);
    if (below)
        return conditionText(QT_TRANSLATE_NOOP("Exercise", "at most %1")).arg(high);
    if (above)
        return conditionText(QT_TRANSLATE_NOOP("Exercise", "at least %1")).arg(low);
    return conditionText(QT_TRANSLATE_NOOP("Exercise", "%1 to %2")).arg(low, high);
}

std::optional<Condition::Kind> conditionKind(const QString& key)
{
    static const std::pair<const char*, Condition::Kind> kinds[] = {
        {"heads", Condition::Kind::AblatedHeads},
        {"effective", Condition::Kind::EffectiveTokens},
        {"target", Condition::Kind::TargetShare},
    };
    for (const auto& [name, kind] : kinds)
        if (key == QLatin1String(name))
            return kind;
    return {};
}

} // namespace

Result<Condition> readCondition(const QJsonValue& value)
{
    const QJsonObject json = value.toObject();
    Condition condition{.high = 1};
    bool known = false;
    for (auto it = json.begin(); it != json.end(); ++it) {
        const QJsonArray pair = it->toArray();
        if (it.key() == QLatin1String("side") && (*it == QLatin1String("A") || *it == QLatin1String("B"))) {
            condition.side = *it == QLatin1String("B") ? Side::B : Side::A;
        } else if (it.key() == QLatin1String("score") && it->isString()) {
            condition.benchmark = it->toString();
            known = true;
        } else if (it.key() == QLatin1String("low") && it->isDouble()) {
            condition.low = it->toDouble();
        } else if (it.key() == QLatin1String("high") && it->isDouble()) {
            condition.high = it->toDouble();
        } else if (it.key() == QLatin1String("of layer") && it->isDouble()) {
            condition.layer = it->toInt();
        } else if (const auto kind = conditionKind(it.key()); kind && pair.size() == 2) {
            condition.kind = *kind;
            condition.low = pair.at(0).toDouble();
            condition.high = pair.at(1).toDouble();
            known = true;
        } else {
            return inputError("'" + it.key().toStdString() + "' is not a condition that an exercise can check");
        }
    }
    if (condition.layer && condition.kind != Condition::Kind::AblatedHeads)
        return inputError("'of layer' says which heads are counted; expected 'heads' with it");
    if (!known || condition.low > condition.high)
        return inputError("a condition needs a score, heads, effective or target, and bounds in order");
    return condition;
}

QString conditionWords(const Condition& condition)
{
    const QString side = condition.side == Side::A ? QStringLiteral("A") : QStringLiteral("B");
    switch (condition.kind) {
    case Condition::Kind::Score:
        return QStringLiteral("%1: %2 %3").arg(side, taskTitle(condition.benchmark), bounds(condition, 2));
    case Condition::Kind::AblatedHeads:
        if (condition.layer)
            return conditionText(QT_TRANSLATE_NOOP("Exercise", "%1: ablated heads, only of layer %2: %3"))
                .arg(side)
                .arg(*condition.layer)
                .arg(bounds(condition, 0));
        return conditionText(QT_TRANSLATE_NOOP("Exercise", "%1: ablated heads: %2")).arg(side, bounds(condition, 0));
    case Condition::Kind::EffectiveTokens:
        return conditionText(QT_TRANSLATE_NOOP("Exercise", "%1: effective tokens of the shown head's last row: %2"))
            .arg(side, bounds(condition, 0));
    case Condition::Kind::TargetShare:
        return conditionText(QT_TRANSLATE_NOOP("Exercise", "%1: share of the shown head's last row on the answer: %2"))
            .arg(side, bounds(condition, 2));
    }
    return {};
}

Checked check(const Condition& condition, const WindowState& state)
{
    const SideState& side = state.side(condition.side);
    if (!side.model)
        return {};
    switch (condition.kind) {
    case Condition::Kind::Score: return checkScore(condition, side);
    case Condition::Kind::AblatedHeads: return checkHeads(condition, side);
    case Condition::Kind::EffectiveTokens:
    case Condition::Kind::TargetShare: return checkRow(condition, side);
    }
    return {};
}

std::optional<int> ablatedHeadCount(const interventions::InterventionSet& set)
{
    std::set<interventions::HeadRef> heads;
    for (const interventions::Intervention& item : set.items()) {
        const auto* edit = std::get_if<interventions::EditHead>(&item);
        if (!edit || edit->replacement != interventions::Replacement::Zero || edit->lastOnly || edit->span)
            return {};
        heads.insert(edit->head);
    }
    return static_cast<int>(heads.size());
}

} // namespace headscope::gui
