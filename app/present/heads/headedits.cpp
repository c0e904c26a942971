// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/heads/headedits.h"

#include "app/present/heads/headspans.h"
#include "app/state/modelheads.h"
#include "core/base/shuffle.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace headscope::gui {

using interventions::EditHead;
using interventions::HeadRef;
using interventions::Intervention;
using interventions::KeepHeads;
using interventions::MinimalModel;
using widgets::HeadCut;
using widgets::HeadSpan;

namespace {

std::vector<HeadRef> refsOf(const app::ModelSummary& model, const QList<HeadSpan>& heads)
{
    std::vector<HeadRef> refs;
    for (const HeadSpan& span : heads)
        for (int i = 0; i < span.count; ++i)
            refs.push_back(headRef(model, span, i));
    return refs;
}

interventions::Replacement replacementOf(HeadCut cut)
{
    using interventions::Replacement;
    return cut == HeadCut::Mean       ? Replacement::Mean
           : cut == HeadCut::Resample ? Replacement::Resample
                                      : Replacement::Zero;
}

// How many there are of what a name with a star means.
int allOf(const app::ModelSummary& model, const HeadRef& ref)
{
    if (ref.site == interventions::Site::Expert)
        return ref.layer < std::ssize(model.experts) ? model.experts[static_cast<std::size_t>(ref.layer)].count : 0;
    const app::MixerSummary* mixer = mixerOf(model, ref);
    return mixer ? mixer->heads : 0;
}

// What is done to all of a layer (`L2H*`) becomes what is done to each, so that one of them can be taken out.
void nameEach(const app::ModelSummary& model, std::vector<Intervention>& items, const HeadRef& ref)
{
    std::vector<Intervention> each;
    std::erase_if(items, [&](const Intervention& item) {
        const auto* edit = std::get_if<EditHead>(&item);
        if (!edit || edit->head != HeadRef{ref.layer, ref.site, -1})
            return false;
        EditHead one = *edit;
        for (one.head.head = 0; one.head.head < allOf(model, ref); ++one.head.head)
            each.emplace_back(one);
        return true;
    });
    items.insert(items.end(), each.begin(), each.end());
}

} // namespace

InterventionSet switched(const app::ModelSummary& model, const InterventionSet& set, const QList<HeadSpan>& heads,
                         bool off, HeadCut cut)
{
    return switched(model, set, refsOf(model, heads), off, replacementOf(cut));
}

InterventionSet switched(const app::ModelSummary& model, const InterventionSet& set, const std::vector<HeadRef>& heads,
                         bool off, interventions::Replacement replacement)
{
    std::vector<Intervention> items = set.items();
    const bool replaced = replacement != interventions::Replacement::Zero; // by something, which a kept head can be
    for (const HeadRef& ref : heads) {
        nameEach(model, items, ref);
        std::erase_if(items, [&](const Intervention& item) {
            const auto* edit = std::get_if<EditHead>(&item);
            return edit && edit->head == ref;
        });
        const auto keep = std::find_if(items.begin(), items.end(), [&](const Intervention& item) {
            const auto* kept = std::get_if<KeepHeads>(&item);
            return kept && kept->layer == ref.layer && kept->site == ref.site;
        });
        if (keep != items.end()) {
            auto& kept = std::get<KeepHeads>(*keep).heads;
            std::erase(kept, ref.head);
            if (!off || replaced)
                kept.insert(std::lower_bound(kept.begin(), kept.end(), ref.head), ref.head);
        }
        if (off && (replaced || keep == items.end()))
            items.push_back(EditHead{.head = ref, .replacement = replacement});
    }
    return InterventionSet(std::move(items));
}

InterventionSet ablatedAtLastPosition(const app::ModelSummary& model, const InterventionSet& set,
                                      const QList<HeadSpan>& heads)
{
    std::vector<Intervention> items = switched(model, set, heads, false).items();
    for (const HeadRef& ref : refsOf(model, heads))
        items.push_back(EditHead{.head = ref, .lastOnly = true});
    return InterventionSet(std::move(items));
}

InterventionSet ablatedAtPositions(const InterventionSet& set, const HeadRef& head,
                                   const interventions::PositionSpan& positions)
{
    std::vector<Intervention> items = set.items();
    items.push_back(EditHead{.head = head, .span = positions});
    return InterventionSet(std::move(items));
}

InterventionSet keptOnly(const app::ModelSummary& model, const QList<HeadSpan>& heads)
{
    std::map<std::pair<int, interventions::Site>, std::vector<int>> kept;
    for (const HeadRef& ref : refsOf(model, heads))
        kept[{ref.layer, ref.site}].push_back(ref.head);
    std::vector<Intervention> items;
    for (auto& [where, list] : kept) {
        std::sort(list.begin(), list.end());
        items.push_back(KeepHeads{where.first, where.second, std::move(list)});
    }
    return InterventionSet(std::move(items));
}

InterventionSet toggled(const InterventionSet& set, const Intervention& item)
{
    std::vector<Intervention> items = set.items();
    if (const auto found = std::find(items.begin(), items.end(), item); found != items.end())
        items.erase(found);
    else
        items.push_back(item);
    return InterventionSet(std::move(items));
}

InterventionSet minimalUpTo(const InterventionSet& set, int layer)
{
    const Intervention minimal = MinimalModel{layer};
    const bool there = std::find(set.items().begin(), set.items().end(), minimal) != set.items().end();
    std::vector<Intervention> items = set.items();
    std::erase_if(items, [](const Intervention& item) { return std::holds_alternative<MinimalModel>(item); });
    if (!there)
        items.push_back(minimal);
    return InterventionSet(std::move(items));
}

InterventionSet topHeads(const app::ModelSummary& model, const widgets::HeadMetric& metric, int count)
{
    std::vector<std::pair<float, HeadRef>> ranked;
    const std::vector<widgets::HeadRow> rows = headRows(model);
    for (std::size_t row = 0; row < rows.size() && row < metric.values.size(); ++row)
        for (int head = 0; head < rows[row].heads && head < static_cast<int>(metric.values[row].size()); ++head)
            if (const float value = metric.values[row][static_cast<std::size_t>(head)]; std::isfinite(value))
                ranked.emplace_back(metric.isSigned ? std::abs(value) : value,
                                    headRef(model, {rows[row].layer, rows[row].kind, head, 1}));
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    ranked.resize(std::min(ranked.size(), static_cast<std::size_t>(std::max(count, 0))));
    std::vector<Intervention> items;
    for (const auto& [value, ref] : ranked)
        items.push_back(EditHead{.head = ref});
    return InterventionSet(std::move(items));
}

InterventionSet randomHeads(const app::ModelSummary& model, int count, quint64 seed)
{
    std::vector<Intervention> all;
    for (const widgets::HeadRow& row : headRows(model))
        for (int head = 0; head < row.heads; ++head)
            all.push_back(EditHead{.head = headRef(model, {row.layer, row.kind, head, 1})});
    shuffle(all, static_cast<std::uint64_t>(seed));
    all.resize(std::min(all.size(), static_cast<std::size_t>(std::max(count, 0))));
    return InterventionSet(std::move(all));
}

} // namespace headscope::gui
