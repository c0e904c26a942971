// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/why/expertpresenters.h"

#include "app/present/text.h"
#include "core/base/csv.h"
#include "widgets/look/numbertext.h"

#include <QCoreApplication>

#include <algorithm>

namespace headscope::gui {

using analysis::ExpertChoices;
using interventions::Site;

namespace {

struct ExpertPresenters {
    Q_DECLARE_TR_FUNCTIONS(ExpertPresenters)
};

const ExpertChoices* choicesOf(const std::vector<ExpertChoices>& layers, int layer)
{
    const auto found = std::ranges::find(layers, layer, &ExpertChoices::layer);
    return found == layers.end() ? nullptr : &*found;
}

/// Tokens that go to other experts than before.
int movedTokens(const ExpertChoices& now, const ExpertChoices& before)
{
    int moved = 0;
    for (std::size_t at = 0; at < now.ids.size() && at < before.ids.size();
         at += static_cast<std::size_t>(now.chosen)) {
        const auto first = static_cast<std::ptrdiff_t>(at);
        moved += !std::is_permutation(now.ids.begin() + first, now.ids.begin() + first + now.chosen,
                                      before.ids.begin() + first);
    }
    return moved;
}

/// Which expert most tokens go to, and how many experts none does.
QString loadSentence(const ExpertChoices& layer)
{
    const std::vector<int> tokens = analysis::tokensByExpert(layer.ids, layer.experts);
    const auto most = std::ranges::max_element(tokens);
    const QString told = ExpertPresenters::tr("Most, %L1, go to %2")
                             .arg(*most)
                             .arg(text(analysis::expertName(layer.layer, static_cast<int>(most - tokens.begin()))));
    const auto idle = std::ranges::count(tokens, 0);
    return idle == 0   ? told + u'.'
           : idle == 1 ? ExpertPresenters::tr("%1; one expert receives none.").arg(told)
                       : ExpertPresenters::tr("%1; %2 experts receive none.").arg(told).arg(idle);
}

} // namespace

QList<int> expertLayers(const app::ModelSummary& model)
{
    QList<int> layers;
    for (std::size_t layer = 0; layer < model.experts.size(); ++layer)
        if (model.experts[layer].count > 0)
            layers.append(static_cast<int>(layer));
    return layers;
}

std::vector<bool> offExperts(const interventions::InterventionSet& set, int layer, int count)
{
    std::vector<bool> off(static_cast<std::size_t>(count));
    for (const auto& item : set.items()) {
        if (const auto* keep = std::get_if<interventions::KeepHeads>(&item);
            keep && keep->site == Site::Expert && keep->layer == layer)
            for (int expert = 0; expert < count; ++expert)
                if (!std::ranges::binary_search(keep->heads, expert))
                    off[static_cast<std::size_t>(expert)] = true;
        const auto* edit = std::get_if<interventions::EditHead>(&item);
        if (!edit || edit->head.site != Site::Expert || edit->head.layer != layer
            || (edit->replacement != interventions::Replacement::Zero && edit->factor != 0))
            continue;
        for (int expert = 0; expert < count; ++expert)
            if (edit->head.head < 0 || edit->head.head == expert)
                off[static_cast<std::size_t>(expert)] = true;
    }
    return off;
}

widgets::ExpertData expertData(const app::ExpertsReply& reply, int layer, const QString& of)
{
    const ExpertChoices* now = choicesOf(reply.layers, layer);
    if (!now)
        return {};
    widgets::ExpertData data{.layer = layer,
                             .experts = now->experts,
                             .now = {now->chosen, now->ids, now->weights},
                             .shared = now->shared,
                             .off = offExperts(reply.state.ablation, layer, now->experts),
                             .of = of};
    if (const ExpertChoices* before = choicesOf(reply.before, layer); before && before->experts == now->experts)
        data.before = {before->chosen, before->ids, before->weights};
    for (const std::string& token : reply.tokens.tokens)
        data.tokens.append(text(token));
    return data;
}

QString expertSentence(const app::ExpertsReply& reply, int layer, const app::ModelSummary& model)
{
    const auto at = static_cast<std::size_t>(std::max(layer, 0));
    if (at >= model.experts.size() || model.experts[at].count == 0)
        return ExpertPresenters::tr("Layer %1 of this model has no experts.").arg(layer);
    const ExpertChoices* now = choicesOf(reply.layers, layer);
    if (!now || now->weights.empty())
        return ExpertPresenters::tr("The experts of layer %1 do not run: the layer or its MLP is skipped.").arg(layer);
    QStringList told{ExpertPresenters::tr("Each of %L1 tokens goes to %2 of %3 experts of layer %4.")
                         .arg(reply.tokens.tokens.size())
                         .arg(now->chosen)
                         .arg(now->experts)
                         .arg(layer)};
    if (!now->shared.empty())
        told << ExpertPresenters::tr("A shared one runs for all of them.");
    told << loadSentence(*now);
    const auto [least, largest] = std::ranges::minmax(now->weights);
    told
        << ExpertPresenters::tr("Weights from %1 to %2.").arg(widgets::numberText(least), widgets::numberText(largest));
    if (const ExpertChoices* before = choicesOf(reply.before, layer))
        told << ExpertPresenters::tr("The ablation moves %L1 tokens to other experts.").arg(movedTokens(*now, *before));
    return told.join(u' ');
}

std::string expertCsv(const app::ExpertsReply& reply)
{
    const auto exact = [](double weight) { return QString::number(weight, 'g', 9).toStdString(); };
    std::string csv;
    for (const auto& line : analysis::expertTable(reply.layers, reply.tokens.tokens, exact))
        csv += csvLine(line);
    return csv;
}

} // namespace headscope::gui
