// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/heads/headspans.h"

#include "app/state/modelheads.h"

#include <QCoreApplication>

#include <algorithm>

namespace headscope::gui {

using interventions::HeadRef;
using interventions::Site;
using widgets::HeadKind;
using widgets::HeadSpan;

namespace {

struct HeadSpans {
    Q_DECLARE_TR_FUNCTIONS(HeadSpans)
};

HeadKind kindOf(const app::MixerSummary& mixer)
{
    return mixer.channels ? HeadKind::Channels : mixer.attention ? HeadKind::Attention : HeadKind::Ssm;
}

/// Of a head, or of all heads of a layer (-1).
const app::MixerSummary* mixerFor(const app::ModelSummary& model, HeadRef head)
{
    head.head = std::max(head.head, 0);
    return mixerOf(model, head);
}

/// Without a site attention is meant where there is any.
bool hasMaskedRow(const interventions::MaskLastRow& row, const app::MixerSummary& mixer, bool two)
{
    return row.site == Site::Any ? mixer.attention || (row.layer && !two)
                                 : mixer.attention == (row.site == Site::Attention);
}

/// At some tokens only, or by a factor: the head is not off.
bool isPartial(const interventions::EditHead& edit)
{
    return edit.lastOnly || edit.span || (edit.replacement == interventions::Replacement::Scale && edit.factor != 0);
}

} // namespace

const std::vector<app::MixerSummary>& mixersOf(const app::ModelSummary& model, int layer)
{
    return model.layers[static_cast<std::size_t>(layer)];
}

std::vector<widgets::HeadRow> headRows(const app::ModelSummary& model)
{
    std::vector<widgets::HeadRow> rows;
    for (std::size_t layer = 0; layer < model.layers.size(); ++layer)
        for (const app::MixerSummary& mixer : model.layers[layer]) {
            widgets::HeadRow row{.layer = static_cast<int>(layer), .kind = kindOf(mixer), .heads = mixer.heads};
            row.block = mixer.channels ? std::max(1, mixer.heads / 32) : 1;
            row.shared = mixer.sharedBlock;
            if (mixer.sharedBlock >= 0)
                row.note = HeadSpans::tr("shared block %1").arg(mixer.sharedBlock);
            const int share = mixer.kvHeads > 0 && !mixer.channels ? mixer.heads / mixer.kvHeads : 1;
            if (share > 1)
                for (int head = 0; head < mixer.heads; ++head)
                    row.groups.append(mixer.attention ? HeadSpans::tr("kv head %1").arg(head / share)
                                                      : HeadSpans::tr("B/C group %1").arg(head / share));
            rows.push_back(row);
        }
    return rows;
}

HeadRef headRef(const app::ModelSummary& model, const HeadSpan& span, int offset)
{
    const bool two = mixersOf(model, span.layer).size() > 1;
    const Site site = !two ? Site::Any : span.kind == HeadKind::Attention ? Site::Attention : Site::Ssm;
    return {span.layer, site, span.first + offset};
}

std::string headName(const app::ModelSummary& model, const HeadRef& head)
{
    std::string name = toText(head);
    if (const app::MixerSummary* mixer = mixerOf(model, head); mixer && mixer->channels)
        name[name.find_first_of("HS")] = 'C';
    return name;
}

HeadSpan headSpan(const app::ModelSummary& model, const HeadRef& head)
{
    const app::MixerSummary* mixer = mixerOf(model, head);
    return {head.layer, mixer ? kindOf(*mixer) : HeadKind::Attention, head.head, 1};
}

QList<HeadSpan> partlyOffHeads(const app::ModelSummary& model, const interventions::InterventionSet& set)
{
    QList<HeadSpan> partly;
    const auto add = [&](const HeadRef& head) {
        const app::MixerSummary* mixer = mixerFor(model, head);
        if (mixer && head.head < 0)
            partly.append({head.layer, kindOf(*mixer), 0, mixer->heads});
        else if (mixer)
            partly.append(headSpan(model, head));
    };
    for (const auto& item : set.items()) {
        if (const auto* edit = std::get_if<interventions::EditHead>(&item); edit && isPartial(*edit))
            add(edit->head);
        else if (const auto* entry = std::get_if<interventions::MaskEntry>(&item))
            add(entry->head);
        else if (const auto* mask = std::get_if<interventions::MaskSpan>(&item))
            for (int layer = mask->layer; layer < static_cast<int>(model.layers.size()) && layer <= mask->lastLayer;
                 ++layer)
                add({layer, mask->site, mask->head});
        else if (const auto* row = std::get_if<interventions::MaskLastRow>(&item))
            for (int layer = 0; layer < static_cast<int>(model.layers.size()); ++layer)
                if (row->layer.value_or(layer) == layer)
                    for (const app::MixerSummary& mixer : mixersOf(model, layer))
                        if (hasMaskedRow(*row, mixer, mixersOf(model, layer).size() > 1))
                            partly.append({layer, kindOf(mixer), 0, mixer.heads});
    }
    return partly;
}

QList<HeadSpan> offHeads(const app::ModelSummary& model, const interventions::InterventionSet& set)
{
    QList<HeadSpan> off;
    const auto whole = [&](int layer, Site site) {
        if (layer >= static_cast<int>(model.layers.size()))
            return;
        for (const app::MixerSummary& mixer : mixersOf(model, layer))
            if (site == Site::Any || mixer.attention == (site == Site::Attention))
                off.append({layer, kindOf(mixer), 0, mixer.heads});
    };
    for (const auto& item : set.items()) {
        if (const auto* edit = std::get_if<interventions::EditHead>(&item)) {
            if (isPartial(*edit))
                continue;
            const app::MixerSummary* mixer = mixerFor(model, edit->head);
            if (mixer && edit->head.head < 0)
                off.append({edit->head.layer, kindOf(*mixer), 0, mixer->heads});
            else if (mixer)
                off.append(headSpan(model, edit->head));
        } else if (const auto* keep = std::get_if<interventions::KeepHeads>(&item)) {
            const app::MixerSummary* mixer = mixerOf(model, {keep->layer, keep->site, 0});
            for (int head = 0; mixer && head < mixer->heads; ++head)
                if (!std::binary_search(keep->heads.begin(), keep->heads.end(), head))
                    off.append({keep->layer, kindOf(*mixer), head, 1});
        } else if (const auto* skip = std::get_if<interventions::SkipLayer>(&item)) {
            if (skip->part != interventions::LayerPart::Mlp)
                whole(skip->layer, skip->site);
        } else if (const auto* minimal = std::get_if<interventions::MinimalModel>(&item)) {
            for (int layer = minimal->lastLayer + 1; layer < static_cast<int>(model.layers.size()); ++layer)
                whole(layer, Site::Any);
        }
    }
    return off;
}

} // namespace headscope::gui
