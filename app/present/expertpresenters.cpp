// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/expertpresenters.h"

#include "app/present/text.h"
#include "core/base/csv.h"
#include "widgets/look/numbertext.h"

#include <QCoreApplication>

#include <algorithm>

namespace headscope::gui {

using interventions::Site;

namespace {

struct ExpertPresenters {
    Q_DECLARE_TR_FUNCTIONS(ExpertPresenters)
};

const app::LayerChoices* choicesOf(const std::vector<app::LayerChoices>& layers, int layer)
{
    const auto found = std::ranges::find(layers, layer, &app::LayerChoices::layer);
    return found == layers.end() ? nullptr : &*found;
}

QString expertText(int layer, int expert)
{
    return QStringLiteral("L%1X%2").arg(layer).arg(expert);
}

/// Tokens that go to other experts than before.
int movedTokens(const app::LayerChoices& now, const app::LayerChoices& before)
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
QString loadSentence(const app::LayerChoices& layer)
{
    std::vector<int> tokens(static_cast<std::size_t>(layer.experts));
    for (const int expert : layer.ids)
        ++tokens[static_cast<std::size_t>(expert)];
    const auto most = std::ranges::max_element(tokens);
    const QString told = ExpertPresenters::tr("Most, %L1, go to %2")
                             .arg(*most)
                             .arg(expertText(layer.layer, static_cast<int>(most - tokens.begin())));
    const auto idle = std::ranges::count(tokens, 0);
    return idle == 0   ? told + u'.'
           : idle == 1 ? ExpertPresenters::tr("%1; to one expert none does.").arg(told)
                       : ExpertPresenters::tr("%1; to %2 experts none does.").arg(told).arg(idle);
}

void addLines(std::string& csv, const app::LayerChoices& layer, const std::vector<std::string>& tokens)
{
    const auto add = [&](std::size_t position, const std::string& expert, float weight) {
        csv += std::to_string(layer.layer) + ',' + std::to_string(position) + ',' + csvCell(tokens[position]) + ','
               + expert + ',' + QString::number(static_cast<double>(weight), 'g', 9).toStdString() + '\n';
    };
    for (std::size_t position = 0; position < tokens.size(); ++position) {
        for (std::size_t i = position * static_cast<std::size_t>(layer.chosen);
             i < (position + 1) * static_cast<std::size_t>(layer.chosen); ++i)
            add(position, expertText(layer.layer, layer.ids[i]).toStdString(), layer.weights[i]);
        if (!layer.shared.empty())
            add(position, "L" + std::to_string(layer.layer) + ".shared", layer.shared[position]);
    }
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
    const app::LayerChoices* now = choicesOf(reply.layers, layer);
    if (!now)
        return {};
    widgets::ExpertData data{.layer = layer,
                             .experts = now->experts,
                             .now = {now->chosen, now->ids, now->weights},
                             .shared = now->shared,
                             .off = offExperts(reply.state.ablation, layer, now->experts),
                             .of = of};
    if (const app::LayerChoices* before = choicesOf(reply.before, layer); before && before->experts == now->experts)
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
    const app::LayerChoices* now = choicesOf(reply.layers, layer);
    if (!now || now->weights.empty())
        return ExpertPresenters::tr("The experts of layer %1 do not run: the layer or its MLP is left out.").arg(layer);
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
    if (const app::LayerChoices* before = choicesOf(reply.before, layer))
        told << ExpertPresenters::tr("The ablation moves %L1 tokens to other experts.").arg(movedTokens(*now, *before));
    return told.join(u' ');
}

std::string expertCsv(const app::ExpertsReply& reply)
{
    std::string csv = "layer,position,token,expert,weight\n";
    for (const app::LayerChoices& layer : reply.layers)
        addLines(csv, layer, reply.tokens.tokens);
    return csv;
}

} // namespace headscope::gui
