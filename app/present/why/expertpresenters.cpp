// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/why/expertpresenters.h"

#include "app/present/text.h"
#include "core/base/csv.h"
#include "widgets/look/countedtext.h"
#include "widgets/look/numbertext.h"
#include "widgets/pattern/patterndata.h"

#include <QCoreApplication>

#include <algorithm>
#include <numeric>

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

/// Which of the token's choices an expert is, 0: the heaviest; -1: none.
int rankOf(const ExpertChoices* choices, int token, int expert)
{
    if (!choices || choices->ids.empty() || expert < 0)
        return -1;
    const auto first = choices->ids.begin() + static_cast<std::ptrdiff_t>(token) * choices->chosen;
    const auto found = std::find(first, first + choices->chosen, expert);
    return found == first + choices->chosen ? -1 : static_cast<int>(found - first);
}

double weightOf(const ExpertChoices& choices, int token, int rank)
{
    return static_cast<double>(choices.weights[static_cast<std::size_t>(token * choices.chosen + rank)]);
}

QString expertTitle(int layer, int expert)
{
    return expert < 0 ? ExpertPresenters::tr("shared expert of layer %1").arg(layer)
                      : text(analysis::expertName(layer, expert));
}

QString expertWords(const app::ExpertsReply& reply, const ExpertChoices& now, const ExpertChoices* past, int token,
                    const widgets::GridLine& column)
{
    constexpr int kDigits = 4;
    const int expert = column.id;
    const QString name = expertTitle(now.layer, expert),
                  where = ExpertPresenters::tr("%1 (position %2)")
                              .arg(widgets::tokenQuoted(text(reply.tokens.tokens[static_cast<std::size_t>(token)])),
                                   QString::number(token));
    if (expert < 0)
        return ExpertPresenters::tr("%1: %2, weight %3; it runs for every token")
            .arg(where, name, widgets::numberText(now.shared[static_cast<std::size_t>(token)], kDigits));
    const int rank = rankOf(&now, token, expert), before = rankOf(past, token, expert);
    QString words = rank < 0 ? ExpertPresenters::tr("%1 is not routed to %2").arg(where, name)
                             : ExpertPresenters::tr("%1: %2, weight %3, choice %4 of %5")
                                   .arg(where, name, widgets::numberText(weightOf(now, token, rank), kDigits),
                                        QString::number(rank + 1), QString::number(now.chosen));
    if (before >= 0)
        words += ExpertPresenters::tr("; without ablation: weight %1, choice %2")
                     .arg(widgets::numberText(weightOf(*past, token, before), kDigits), QString::number(before + 1));
    else if (rank >= 0 && past)
        words += ExpertPresenters::tr("; not chosen without the ablation");
    return column.off ? ExpertPresenters::tr("%1; ablated: its output is left out").arg(words) : words;
}

/// The experts of a layer, and first the one that runs for every token where there is one.
std::vector<widgets::GridLine> expertColumns(const ExpertChoices& now, const ExpertChoices* past,
                                             widgets::ExpertOrder order, const std::vector<bool>& off, int tokens)
{
    const std::vector<int> taken = analysis::tokensByExpert(now.ids, now.experts);
    std::vector<int> experts(static_cast<std::size_t>(now.experts));
    std::iota(experts.begin(), experts.end(), 0);
    if (order == widgets::ExpertOrder::Tokens) {
        const std::vector<int> by = past ? analysis::tokensByExpert(past->ids, now.experts) : taken;
        std::ranges::stable_sort(experts, std::greater(),
                                 [&by](int expert) { return by[static_cast<std::size_t>(expert)]; });
    }
    std::vector<widgets::GridLine> columns;
    if (!now.shared.empty())
        columns.push_back({.name = ExpertPresenters::tr("shared"),
                           .words = ExpertPresenters::tr("%1: runs for every token in addition to the chosen ones")
                                        .arg(expertTitle(now.layer, -1)),
                           .count = tokens,
                           .share = 1});
    for (const int expert : experts) {
        const auto at = static_cast<std::size_t>(expert);
        const QString words = ExpertPresenters::tr("%1 receives %L2 of %L3 tokens")
                                  .arg(expertTitle(now.layer, expert))
                                  .arg(taken[at])
                                  .arg(tokens);
        columns.push_back({.name = QStringLiteral("X%1").arg(expert),
                           .words = off[at] ? ExpertPresenters::tr("%1; ablated: a click restores it").arg(words)
                                            : ExpertPresenters::tr("%1; a click ablates it").arg(words),
                           .id = expert,
                           .off = off[at],
                           .count = taken[at],
                           .share = tokens > 0 ? static_cast<double>(taken[at]) / tokens : 0});
    }
    return columns;
}

widgets::GridCell expertCell(const ExpertChoices& now, const ExpertChoices* past, int token,
                             const widgets::GridLine& column, double largest)
{
    using widgets::GridCell;
    GridCell cell{.marks = column.off ? GridCell::Off : GridCell::None};
    if (column.id < 0) {
        cell.value = static_cast<double>(now.shared[static_cast<std::size_t>(token)]);
        cell.strength = 1;
        cell.marks |= GridCell::Plain;
        return cell;
    }
    const int rank = rankOf(&now, token, column.id);
    if (rank >= 0) {
        cell.value = weightOf(now, token, rank);
        cell.strength = static_cast<float>(std::clamp(cell.value / largest, 0.0, 1.0));
    }
    if (past && (rankOf(past, token, column.id) >= 0) != (rank >= 0))
        cell.marks |= rank >= 0 ? GridCell::Framed : GridCell::Dashed;
    return cell;
}

/// Which expert most tokens go to, and how many experts none does.
QString loadSentence(const ExpertChoices& layer)
{
    const std::vector<int> tokens = analysis::tokensByExpert(layer.ids, layer.experts);
    const auto most = std::ranges::max_element(tokens);
    const QString sentence = ExpertPresenters::tr("%2 receives the most tokens (%L1)")
                                 .arg(*most)
                                 .arg(text(analysis::expertName(layer.layer, static_cast<int>(most - tokens.begin()))));
    const auto idle = std::ranges::count(tokens, 0);
    return idle == 0   ? sentence + u'.'
           : idle == 1 ? ExpertPresenters::tr("%1; one expert receives none.").arg(sentence)
                       : ExpertPresenters::tr("%1; %2 experts receive none.").arg(sentence).arg(idle);
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

widgets::GridData expertGrid(const std::shared_ptr<const app::ExpertsReply>& reply, int layer,
                             widgets::ExpertOrder order, Side side, const QString& of)
{
    const ExpertChoices* now = choicesOf(reply->layers, layer);
    if (!now || now->weights.empty())
        return {};
    const ExpertChoices* past = choicesOf(reply->before, layer);
    if (past && past->experts != now->experts)
        past = nullptr;
    const auto tokens = static_cast<int>(reply->tokens.tokens.size());
    widgets::GridData grid{
        .corner = ExpertPresenters::tr("token"),
        .rows = {},
        .columns = expertColumns(*now, past, order, offExperts(reply->state.ablation, layer, now->experts), tokens),
        .cells = {},
        .scale = widgets::gridScale(side),
        .sparse = true,
        .of = of};
    const double largest = std::max<double>(*std::ranges::max_element(now->weights), 1e-9);
    for (int token = 0; token < tokens; ++token) {
        grid.rows.push_back({.name = QStringLiteral("%1 %2").arg(token).arg(
                                 widgets::tokenQuoted(text(reply->tokens.tokens[static_cast<std::size_t>(token)])))});
        for (const widgets::GridLine& column : grid.columns)
            grid.cells.push_back(expertCell(*now, past, token, column, largest));
    }
    grid.words = [reply, now, past, columns = grid.columns](int token, int column) {
        return expertWords(*reply, *now, past, token, columns[static_cast<std::size_t>(column)]);
    };
    return grid;
}

QString expertSentence(const app::ExpertsReply& reply, int layer, const app::ModelSummary& model)
{
    const auto at = static_cast<std::size_t>(std::max(layer, 0));
    if (at >= model.experts.size() || model.experts[at].count == 0)
        return ExpertPresenters::tr("Layer %1 of this model has no experts.").arg(layer);
    const ExpertChoices* now = choicesOf(reply.layers, layer);
    if (!now || now->weights.empty())
        return ExpertPresenters::tr("The experts of layer %1 do not run: the layer or its MLP is skipped.").arg(layer);
    QStringList sentences{ExpertPresenters::tr("Each of %L1 tokens goes to %2 of %3 experts of layer %4.")
                              .arg(reply.tokens.tokens.size())
                              .arg(now->chosen)
                              .arg(now->experts)
                              .arg(layer)};
    if (!now->shared.empty())
        sentences << ExpertPresenters::tr("A shared one runs for every token.");
    sentences << loadSentence(*now);
    const auto [least, largest] = std::ranges::minmax(now->weights);
    sentences
        << ExpertPresenters::tr("Weights from %1 to %2.").arg(widgets::numberText(least), widgets::numberText(largest));
    if (const ExpertChoices* before = choicesOf(reply.before, layer))
        sentences << widgets::counted(movedTokens(*now, *before),
                                      ExpertPresenters::tr("The ablation moves 1 token to other experts."),
                                      ExpertPresenters::tr("The ablation moves %L1 tokens to other experts."));
    return sentences.join(u' ');
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
