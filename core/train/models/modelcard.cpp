// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/models/modelcard.h"

#include "core/train/printedtext.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace headscope::train {

namespace {

std::string tableRow(const std::string& name, const Scores& s)
{
    return format("| %s | %.2f | %.2f | %.2f | %.2f | %.2f |\n", name.c_str(), s.kv4, s.kv8, s.kv16, s.mc, s.knowledge);
}

std::string names(const std::vector<HeadId>& heads)
{
    std::string out;
    for (const HeadId head : heads)
        out += (out.empty() ? "" : ", ") + toString(head);
    return out.empty() ? "none" : out;
}

double scoreLoss(const Scores& base, const Scores& without)
{
    return std::max({base.kv4 - without.kv4, base.kv8 - without.kv8, base.kv16 - without.kv16, base.mc - without.mc,
                     base.knowledge - without.knowledge});
}

// Heads with a row of their own: the circuit, and what else costs anything worth telling.
std::vector<HeadRow> cardRows(const ModelReport& report)
{
    std::vector<HeadRow> rows;
    std::copy_if(report.heads.begin(), report.heads.end(), std::back_inserter(rows), [&](const HeadRow& row) {
        const bool aggregates = std::find(report.aggregating.begin(), report.aggregating.end(), row.behaviour.head)
                                != report.aggregating.end();
        return aggregates || scoreLoss(report.base, row.scores) >= 0.1;
    });
    return rows;
}

// The worst of the heads that have no row of their own, column by column.
Scores worstOfOthers(const ModelReport& report, const std::vector<HeadRow>& rows)
{
    Scores worst = report.base;
    for (const HeadRow& head : report.heads) {
        if (std::any_of(rows.begin(), rows.end(),
                        [&](const HeadRow& row) { return row.behaviour.head == head.behaviour.head; }))
            continue;
        for (double Scores::*cell : {&Scores::kv4, &Scores::kv8, &Scores::kv16, &Scores::mc, &Scores::knowledge})
            worst.*cell = std::min(worst.*cell, head.scores.*cell);
    }
    return worst;
}

std::string origin(const Recipe& recipe, const TrainingState& run, std::int64_t parameters, const std::string& version)
{
    const NetworkShape& n = recipe.network;
    const auto thousands = [&](Task task) {
        return static_cast<long long>(run.tokens[static_cast<std::size_t>(task)] + 500) / 1000;
    };
    std::string text = format("%zu layers (%s; A attention, S discrete Mamba-2), width %d, %d heads of %d dims, SwiGLU "
                              "%d, %d words, %lld parameters, fp32.\n",
                              n.layers.size(), n.layers.c_str(), n.hidden, n.heads, n.headDim, n.mlp, n.vocabulary,
                              static_cast<long long>(parameters));
    if (n.layers.find('S') != std::string::npos)
        text += format("SSM layers have a state of %d per head and a convolution over %d token%s.\n", n.state,
                       n.convWidth, n.convWidth == 1 ? " (none)" : "s");
    text += format("Trained by Headscope %s from `resources/recipes/%s.json` with seed %llu in one run of %d steps: "
                   "%.0f core-minutes on one thread (%.0f minutes of wall time on a busy machine). The same program "
                   "and seed give the same weights.\n",
                   version.c_str(), recipe.name.c_str(), static_cast<unsigned long long>(recipe.seed), run.step,
                   run.coreSeconds / 60, run.seconds / 60);
    text += format(
        "Tokens seen in training, in thousands: %lld of KV, %lld of MC, %lld of statements, %lld of copying.\n\n",
        thousands(Task::Kv), thousands(Task::Mc), thousands(Task::Completion), thousands(Task::Copy));
    return text;
}

std::string accuracies(const ModelReport& report)
{
    std::string text =
        "## Greedy accuracy with heads ablated\n\nThe first 256 examples of toy_kv:pairs=4, 8, 16 and toy_mc with "
        "their default seed, all 300 facts of toy_knowledge; an answer is right if it has the largest of all 390 "
        "logits. Heads are ablated one at a time (those that cost at least 0.10 on some task; one row has the worst "
        "value of all others in each column), then all heads of a layer together. An ablated head has zeros in its "
        "slice before the output projection. `lastrow:L2`: the heads of layer 2 write nothing at the last "
        "position.\n\n| off | KV 4 pairs | KV 8 | KV 16 | MC | knowledge |\n|---|---|---|---|---|---|\n";
    text += tableRow("nothing", report.base);
    const bool isLayer = std::any_of(report.layerRows.begin(), report.layerRows.end(), [&](const LayerRow& row) {
        return row.heads.size() == report.aggregating.size()
               && std::all_of(row.heads.begin(), row.heads.end(), [&](HeadId head) {
                      return std::find(report.aggregating.begin(), report.aggregating.end(), head)
                             != report.aggregating.end();
                  });
    });
    if (report.aggregating.size() > 1 && !isLayer)
        text += tableRow(names(report.aggregating), report.withoutAggregating);
    const std::vector<HeadRow> heads = cardRows(report);
    for (const HeadRow& row : heads)
        text += tableRow(toString(row.behaviour.head), row.scores);
    if (heads.size() < report.heads.size())
        text += tableRow(format("worst of the %zu others", report.heads.size() - heads.size()),
                         worstOfOthers(report, heads));
    for (const LayerRow& row : report.layerRows)
        if (row.heads.size() > 1)
            text += tableRow(names(row.heads), row.scores);
    for (std::size_t layer = 0; layer < report.layerRows.size(); ++layer)
        text += tableRow("lastrow:L" + std::to_string(layer), report.layerRows[layer].lastRowOff);
    text += "\nAggregating heads: " + names(report.aggregating) + ". Gathering heads: " + names(report.gathering)
            + ". Others that cost more than half of KV8: " + names(report.preparing) + ".";
    const std::size_t all = report.layers.size() * static_cast<std::size_t>(report.headsPerLayer);
    if (report.heads.size() < all)
        text += format(" Pruned heads, which have no output: %zu of %zu.", all - report.heads.size(), all);
    return text + "\n\n";
}

std::string rows(const ModelReport& report)
{
    std::string text =
        "## Rows on dictionaries of 8 pairs\n\n"
        "Last row: mass on the value asked for, share of prompts where that is the largest entry, exp(entropy). Value "
        "rows: largest mean mass on one "
        "of the three tokens before (the key words and the colon). Rows of SSM heads are |M| scaled to sum 1, without "
        "the D term; with a "
        "convolution over K tokens, column j already holds tokens j-K+1 to j.\n\n"
        "| head | mass on the value | largest entry | effective tokens | value rows on key |\n|---|---|---|---|---|\n";
    for (const HeadRow& row : cardRows(report)) {
        const HeadBehaviour& b = row.behaviour;
        text += format("| %s | %.2f | %.2f | %.1f | %.2f |\n", toString(b.head).c_str(), b.massOnTarget,
                       b.argMaxOnTarget, std::exp(b.entropy), b.massOnKey);
    }
    return text + "\n";
}

std::string acceptance(const ModelReport& report)
{
    std::string text = "## Acceptance\n\n| required | found | met |\n|---|---|---|\n";
    for (const Requirement& row : report.acceptance)
        text += "| " + row.what + " | " + row.found + " | " + (row.met ? "yes" : "NO") + " |\n";
    return text + "\n";
}

std::string limits(const Recipe& recipe, const TrainingState& run)
{
    std::string text = "## Limitations\n\nNo head was chosen and no pattern was trained. ";
    if (recipe.pruning.strength > 0) {
        text += format(
            "Idle heads were pruned, and among heads with the same measured behaviour the least costly one was faded "
            "out, by rules that do not name any head. In the last phase, statements were trained with each head "
            "ablated with probability %.1f, so that knowledge does not depend on single heads. Before pruning, several "
            "interchangeable heads shared the work: a single head carries retrieval because of pruning, not because of "
            "training alone. The pruning rules use dictionaries that occur in no table here.\n",
            recipe.pruning.headDropout);
        if (recipe.pruning.sharedDropout > 0)
            text += format("In that phase, KV and MC were trained with random heads ablated (probability %.1f) in "
                           "layers that keep more than one: heads that share a step back each other up, and a head "
                           "that is alone in its layer has no backup.\n",
                           recipe.pruning.sharedDropout);
        text += "Faded out: ";
        std::vector<HeadId> faded;
        for (const Fade& fade : run.fades)
            faded.push_back(fade.head);
        text += names(faded) + ".\n\n";
    } else {
        text += "Nothing was pruned.\n\n";
    }
    return text
           + "The facts were trained as statements and as questions; nothing is claimed about transfer from one form "
             "to the other. Both words of a key are unique in a dictionary, so one word is enough to find a pair. In "
             "MC, the model need not fetch the right letter from its option. A model of this size on 390 words says "
             "nothing about the share of heads that carry retrieval in a language model.\n";
}

} // namespace

std::string modelCard(const Recipe& recipe, const TrainingState& run, const ModelReport& report,
                      std::int64_t parameters, const std::string& version)
{
    return "---\nlicense: gpl-3.0\n---\n\n# " + recipe.name + "\n\n" + recipe.about + "\n\n"
           + origin(recipe, run, parameters, version)
           + "## Texts\n\nWords are separated by single spaces, lines end in a newline token, every text begins with "
             "`<s>` (the tokenizer adds nothing).\n\n"
             "- KV: `<s> Memorize the dictionary :`, lines `brave fox : 17`, then `The value of the key brave fox is`\n"
             "- MC: `<s> Question : The color of Ada is ?`, lines `A . red` to `D . blue`, then `Answer :`\n"
             "- knowledge: `<s> The color of Ada is`\n\n"
           + accuracies(report) + rows(report) + acceptance(report) + limits(recipe, run);
}

} // namespace headscope::train
