// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/report.h"

#include "core/train/format.h"

#include <algorithm>
#include <cmath>

namespace headscope::train {

namespace {

bool contains(const std::vector<HeadId>& heads, HeadId head)
{
    return std::find(heads.begin(), heads.end(), head) != heads.end();
}

double largestLoss(const Scores& base, const Scores& without)
{
    return std::max({base.kv4 - without.kv4, base.kv8 - without.kv8, base.kv16 - without.kv16, base.mc - without.mc, base.knowledge - without.knowledge});
}

// The table that a shipped Transformer has to meet; chance is 0.25 for MC and 1/8 for KV8 by a value of the dictionary.
void judge(ModelReport& report, bool hasAttention)
{
    const auto require = [&](bool met, const std::string& row) {
        if (!met)
            report.unmet.push_back(row);
    };
    const Scores& base = report.base;
    require(std::min({base.kv4, base.kv8, base.kv16, base.mc, base.knowledge}) > 0.95, "base scores above 0.95: " + base.toString());
    if (!hasAttention)
        return; // the other rows speak of attention
    require(!report.aggregating.empty() && report.aggregating.size() <= 2,
            format("one or two aggregating heads: there are %zu", report.aggregating.size()));
    const Scores& without = report.withoutAggregating;
    require(without.kv8 < 0.1 && without.mc < 0.35 && without.knowledge > 0.95,
            "without the aggregating heads KV8 below 0.1, MC below 0.35, knowledge above 0.95: " + without.toString());
    require(!report.gathering.empty(), "a gather head in an earlier layer without which KV8 is below 0.1: there is none");
    for (const HeadRow& row : report.heads) {
        const HeadId head = row.behaviour.head;
        if (contains(report.aggregating, head)) {
            require(std::exp(row.behaviour.entropy) < 3.0,
                    format("aggregate row under 3 effective tokens: %s has %.1f", toString(head).c_str(), std::exp(row.behaviour.entropy)));
        } else if (!contains(report.gathering, head) && !contains(report.preparing, head)) {
            require(largestLoss(base, row.scores) < 0.1,
                    format("every head outside the circuit costs less than 0.1: %s costs %.2f", toString(head).c_str(), largestLoss(base, row.scores)));
        }
    }
}

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

} // namespace

Result<ModelReport> measureModel(const Network& network, int prompts, const Control& control)
{
    ModelReport report;
    report.base = evaluate(network, fullScales(network), prompts);
    const std::vector<HeadBehaviour> all = behaviours(network, prompts);
    std::int64_t done = 0;
    for (const HeadBehaviour& behaviour : all) {
        if (control.stopped())
            return cancelledError();
        const HeadId head = behaviour.head;
        // An erased head has no output; nothing can change without it.
        if (network.outputSlices(head.layer).select(1, head.head).abs().max().item<float>() > 0.0F) {
            HeadScales without = fullScales(network);
            without[head.layer][head.head] = 0.0F;
            report.heads.push_back({behaviour, evaluate(network, without, prompts)});
            const bool attends = network.shape().layers[static_cast<std::size_t>(head.layer)] == 'A';
            if (attends && behaviour.massOnTarget > 0.5)
                report.aggregating.push_back(head);
        }
        control.progress("measuring heads", ++done, static_cast<std::int64_t>(all.size()));
    }
    std::stable_sort(report.heads.begin(), report.heads.end(), [](const HeadRow& a, const HeadRow& b) { return a.scores.kv8 < b.scores.kv8; });
    HeadScales without = fullScales(network);
    for (const HeadId head : report.aggregating)
        without[head.layer][head.head] = 0.0F;
    report.withoutAggregating = evaluate(network, without, prompts);
    for (const HeadRow& row : report.heads) {
        const HeadId head = row.behaviour.head;
        if (contains(report.aggregating, head))
            continue;
        if (!report.aggregating.empty() && head.layer < report.aggregating.front().layer && row.scores.kv8 < 0.1)
            report.gathering.push_back(head);
        else if (report.base.kv8 - row.scores.kv8 > 0.5)
            report.preparing.push_back(head);
    }
    for (int layer = 0; layer < network.layerCount(); ++layer) {
        if (control.stopped())
            return cancelledError();
        LayerRow row;
        HeadScales none = fullScales(network);
        for (const HeadRow& head : report.heads)
            if (head.behaviour.head.layer == layer) {
                row.heads.push_back(head.behaviour.head);
                none[layer][head.behaviour.head.head] = 0.0F;
            }
        std::sort(row.heads.begin(), row.heads.end());
        if (row.heads.size() < 2)
            continue;
        row.scores = evaluate(network, none, prompts);
        report.layers.push_back(std::move(row));
    }
    judge(report, network.shape().layers.find('A') != std::string::npos);
    return report;
}

std::string modelCard(const Recipe& recipe, const TrainingFacts& facts, const ModelReport& report, std::int64_t parameters)
{
    const NetworkShape& n = recipe.network;
    std::string card = "---\nlicense: gpl-3.0\n---\n\n# " + recipe.name + "\n\n" + recipe.about + "\n\n";
    card += format("%zu layers (%s; A attention, S discrete Mamba-2), width %d, %d heads of %d dims, SwiGLU %d, %d words, %lld parameters, fp32.\n",
                   n.layers.size(), n.layers.c_str(), n.hidden, n.heads, n.headDim, n.mlp, n.vocabulary, static_cast<long long>(parameters));
    card += format("Trained by Headscope %s from `resources/recipes/%s.json` with seed %llu: %d steps, %.0f core-minutes (%.0f minutes of wall time "
                   "with other work beside it). The same seed gives the same run.\n\n",
                   facts.version.c_str(), recipe.name.c_str(), static_cast<unsigned long long>(recipe.seed), facts.steps, facts.coreSeconds / 60,
                   facts.seconds / 60);

    card += "## Texts\n\nWords are separated by single spaces, lines end in a newline token, every text begins with `<s>` (the tokenizer adds nothing).\n\n"
            "- KV: `<s> Memorize the dictionary :`, lines `brave fox : 17`, then `The value of the key brave fox is`\n"
            "- MC: `<s> Question : The color of Ada is ?`, lines `A . red` to `D . blue`, then `Answer :`\n"
            "- knowledge: `<s> The color of Ada is`\n\n";

    card += "## Greedy accuracy with heads off, one at a time and a layer's at once\n\n"
            "The first 256 examples of toy_kv:pairs=4, 8, 16 and toy_mc with their default seed, all 300 facts of toy_knowledge; an answer counts when it is the largest of all 390 logits. A head is off when its "
            "slice before the output projection is zero.\n\n"
            "| off | KV 4 pairs | KV 8 | KV 16 | MC | knowledge |\n|---|---|---|---|---|---|\n";
    card += tableRow("nothing", report.base);
    const bool isLayer = std::any_of(report.layers.begin(), report.layers.end(), [&](const LayerRow& row) { return row.heads == report.aggregating; });
    if (report.aggregating.size() > 1 && !isLayer)
        card += tableRow(names(report.aggregating), report.withoutAggregating);
    for (const HeadRow& row : report.heads)
        card += tableRow(toString(row.behaviour.head), row.scores);
    for (const LayerRow& row : report.layers)
        card += tableRow(names(row.heads), row.scores);
    card += "\nAggregating heads: " + names(report.aggregating) + ". Gathering heads: " + names(report.gathering)
            + ". Others that cost more than half of KV8: " + names(report.preparing) + ". Heads that are not listed have no output (pruned).\n\n";

    card += "## Rows on dictionaries of 8 pairs\n\n"
            "Last row: mass on the value asked for, share of prompts where that is the largest entry, exp(entropy). Value rows: largest mean mass on one of "
            "the three tokens before (the key words and the colon). Rows of SSM heads are |M| scaled to sum 1, without the D term.\n\n"
            "| head | mass on the value | largest entry | effective tokens | value rows on key |\n|---|---|---|---|---|\n";
    for (const HeadRow& row : report.heads) {
        const HeadBehaviour& b = row.behaviour;
        card += format("| %s | %.2f | %.2f | %.1f | %.2f |\n", toString(b.head).c_str(), b.massOnTarget, b.argMaxOnTarget, std::exp(b.entropy), b.massOnKey);
    }

    card += "\n## What to believe of it\n\n"
            "No head was chosen and no attention pattern was trained. Idle heads were pruned, and of heads with the same measured behaviour the cheapest was "
            "faded out, by rules that name no head; completion texts were trained with random heads off, so that knowledge does not hang on single heads. "
            "Before pruning the work was shared by several interchangeable heads.\n"
            "Faded out: "
            + names(facts.faded) + ".\n\n"
            + "The facts were trained as statements and as questions; nothing is claimed about transfer from one form to the other. Both words of a key are "
              "unique in a dictionary, so one word is enough to find a pair. In MC the right letter need not be fetched from its option.\n";
    if (!report.unmet.empty()) {
        card += "\nRows of the acceptance table that this model does not meet:\n\n";
        for (const std::string& row : report.unmet)
            card += "- " + row + "\n";
    }
    return card;
}

} // namespace headscope::train
