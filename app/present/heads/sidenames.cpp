// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/heads/sidenames.h"

#include "app/present/heads/ablationwords.h"
#include "app/present/heads/headspans.h"
#include "core/base/foldernames.h"

#include <QCoreApplication>

#include <algorithm>
#include <set>
#include <tuple>

namespace headscope::gui {

using interventions::InterventionSet;

namespace {

struct SideNames {
    Q_DECLARE_TR_FUNCTIONS(SideNames)
};

/// Returns whether nothing but whole heads is taken away.
bool isOnlyRemoval(const InterventionSet& set)
{
    return std::ranges::all_of(set.items(), [](const interventions::Intervention& item) {
        if (const auto* edit = std::get_if<interventions::EditHead>(&item))
            return edit->replacement == interventions::Replacement::Zero && !edit->lastOnly && !edit->span
                   && !edit->preNorm && !edit->shared;
        const auto* skip = std::get_if<interventions::SkipLayer>(&item);
        return std::holds_alternative<interventions::KeepHeads>(item)
               || std::holds_alternative<interventions::MinimalModel>(item)
               || (skip && skip->part != interventions::LayerPart::Mlp);
    });
}

// The map of heads does not count them.
bool namesExperts(const InterventionSet& set)
{
    return std::ranges::any_of(set.items(), [](const interventions::Intervention& item) {
        const auto* edit = std::get_if<interventions::EditHead>(&item);
        const auto* keep = std::get_if<interventions::KeepHeads>(&item);
        return (edit && edit->head.site == interventions::Site::Expert)
               || (keep && keep->site == interventions::Site::Expert);
    });
}

QString textOf(const InterventionSet& set)
{
    return QString::fromStdString(ablationWithoutFolders(set.canonical()));
}

} // namespace

QString letterOf(Side side)
{
    return side == Side::A ? QStringLiteral("A") : QStringLiteral("B");
}

QString modelText(const app::ModelSummary& model)
{
    const QString name = QString::fromStdString(model.name);
    const bool told = model.dtype == "int8" || model.dtype == "int4" || !model.wantedType.empty();
    return told ? SideNames::tr("%1 in %2").arg(name, QString::fromStdString(model.dtype)) : name;
}

QString stateText(const WindowState& state, const app::ModelState& of)
{
    return of.ablation.empty()
               ? SideNames::tr("%1, all heads on").arg(letterOf(of.side))
               : SideNames::tr("%1 with %2")
                     .arg(letterOf(of.side), ablationWords(of.ablation, state.side(of.side).model.get()));
}

QString stateHeading(const WindowState& state, Side side)
{
    const SideState& now = state.side(side);
    if (now.reference)
        return SideNames::tr("%1 against %2")
            .arg(stateText(state, state.stateOf(side)), stateText(state, *now.reference));
    if (now.ablation.empty())
        return SideNames::tr("%1 · all heads on").arg(letterOf(side));
    std::set<std::tuple<int, widgets::HeadKind, int>> off; // items may name a head twice
    for (const widgets::HeadSpan& span : offHeads(*now.model, now.ablation))
        for (int head = span.first; head < span.first + span.count; ++head)
            off.emplace(span.layer, span.kind, head);
    const auto channels = static_cast<int>(
        std::ranges::count_if(off, [](const auto& one) { return std::get<1>(one) == widgets::HeadKind::Channels; }));
    const int heads = static_cast<int>(off.size()) - channels;
    if (off.empty() || !isOnlyRemoval(now.ablation) || namesExperts(now.ablation))
        return SideNames::tr("%1 · %2").arg(letterOf(side), ablationWords(now.ablation, now.model.get()));
    if (off.size() == 1)
        return stateText(state, state.stateOf(side)); // names it
    return SideNames::tr("%1 with %2 ablated").arg(letterOf(side), countedHeads(heads, channels));
}

QString stateName(const InterventionSet& set, const app::ModelSummary* model)
{
    return set.empty() ? SideNames::tr("baseline") : ablationWords(set, model);
}

QString provenance(const SideState& side, const app::Prompt& prompt)
{
    if (!side.model)
        return {};
    const app::ModelSummary& model = *side.model;
    QString out = QStringLiteral("%1 (%2), %3 on %4")
                      .arg(QString::fromStdString(model.name), QString::fromStdString(model.hash.substr(0, 12)),
                           QString::fromStdString(model.dtype), QString::fromStdString(model.device));
    if (!prompt.task.empty())
        out += QStringLiteral(", %1 sample %2").arg(QString::fromStdString(prompt.task)).arg(prompt.sample + 1);
    return out
           + (side.ablation.empty() ? QStringLiteral(", all heads on") : QStringLiteral(", ") + textOf(side.ablation));
}

} // namespace headscope::gui
