// SPDX-License-Identifier: GPL-3.0-or-later
// What a shipped Transformer, SSM or hybrid has to show. Chance is 0.25 for MC and 1/8 for KV8 by a value of the
// dictionary.
#include "core/train/printedtext.h"
#include "core/train/trainingreport.h"

#include <algorithm>
#include <cmath>

namespace headscope::train {

namespace {

class ToyJudge
{
public:
    explicit ToyJudge(const ModelReport& report) : m_report(report) {}

    void above(double limit, const char* what, double found)
    {
        add(found > limit, format("%s above %.2f", what, limit), found);
    }
    void below(double limit, const char* what, double found)
    {
        add(found < limit, format("%s below %.2f", what, limit), found);
    }
    void add(bool met, const std::string& what, double found)
    {
        requirements.push_back({what, format("%.2f", found), met});
    }
    void add(bool met, const std::string& what, const std::string& found)
    {
        requirements.push_back({what, found, met});
    }

    void aggregatingHeads(int most)
    {
        const int count = static_cast<int>(m_report.aggregating.size());
        add(count >= 1 && count <= most, format("between 1 and %d aggregating heads", most), std::to_string(count));
    }
    void gatherHead()
    {
        std::string found;
        for (const HeadRow& row : m_report.heads)
            if (std::find(m_report.gathering.begin(), m_report.gathering.end(), row.behaviour.head)
                    != m_report.gathering.end()
                && row.scores.kv8 < 0.1)
                found += (found.empty() ? "" : ", ")
                         + format("%s %.2f", toString(row.behaviour.head).c_str(), row.scores.kv8);
        add(!found.empty(), "a gather head in an earlier layer whose removal takes KV8 below 0.10",
            found.empty() ? "none" : found);
    }
    /// The largest loss on any task by one head that `counts`.
    template <typename Counts> void costAtMost(double limit, const std::string& who, Counts counts)
    {
        double worst = 0;
        std::string name = "none";
        for (const HeadRow& row : m_report.heads)
            if (const double cost = loss(row.scores); counts(row.behaviour.head) && cost > worst) {
                worst = cost;
                name = toString(row.behaviour.head);
            }
        add(worst < limit - kShareRounding, format("%s costs less than %.2f on any task", who.c_str(), limit),
            format("%s costs %.2f", name.c_str(), worst));
    }
    /// exp(entropy) of an aggregating head's last row, the smallest or the largest.
    [[nodiscard]] double effectiveTokens(bool largest) const
    {
        double found = largest ? 0.0 : INFINITY;
        for (const HeadRow& row : m_report.heads)
            if (std::find(m_report.aggregating.begin(), m_report.aggregating.end(), row.behaviour.head)
                != m_report.aggregating.end())
                found = largest ? std::max(found, std::exp(row.behaviour.entropy))
                                : std::min(found, std::exp(row.behaviour.entropy));
        return std::isfinite(found) ? found : 0.0;
    }

    std::vector<Requirement> requirements;

private:
    [[nodiscard]] double loss(const Scores& without) const
    {
        const Scores& base = m_report.base;
        return std::max({base.kv4 - without.kv4, base.kv8 - without.kv8, base.kv16 - without.kv16, base.mc - without.mc,
                         base.knowledge - without.knowledge});
    }
    const ModelReport& m_report;
};

void retrievalIsSolved(ToyJudge& judge, const Scores& base)
{
    judge.above(0.95, "KV4", base.kv4);
    judge.above(0.95, "KV8", base.kv8);
    judge.above(0.95, "KV16", base.kv16);
}

void judgeTransformer(ToyJudge& judge, const ModelReport& report)
{
    retrievalIsSolved(judge, report.base);
    judge.aggregatingHeads(2);
    judge.below(0.1, "without the aggregating heads KV8", report.withoutAggregating.kv8);
    judge.below(0.35, "without the aggregating heads MC", report.withoutAggregating.mc);
    judge.above(0.95, "without the aggregating heads knowledge", report.withoutAggregating.knowledge);
    judge.below(3.0, "effective tokens in the aggregating row", judge.effectiveTokens(true));
    judge.gatherHead();
    judge.costAtMost(0.1, "every head outside the circuit", [&](HeadId head) {
        for (const auto* circuit : {&report.aggregating, &report.gathering, &report.preparing})
            if (std::find(circuit->begin(), circuit->end(), head) != circuit->end())
                return false;
        return true;
    });
}

void judgeSsm(ToyJudge& judge, const ModelReport& report)
{
    const Scores& base = report.base;
    judge.above(0.9, "KV4", base.kv4);
    judge.add(base.kv4 > base.kv8 && base.kv8 > base.kv16 && base.kv4 - base.kv16 > 0.1,
              "KV falls from 4 to 8 to 16 pairs, by more than 0.10", base.kv4 - base.kv16);
    judge.aggregatingHeads(2);
    judge.below(0.1, "without the aggregating heads KV8", report.withoutAggregating.kv8);
    judge.above(0.95, "without the aggregating heads knowledge", report.withoutAggregating.knowledge);
    judge.above(10.0, "effective tokens in the aggregating row", judge.effectiveTokens(false));
    judge.gatherHead();
}

void judgeHybrid(ToyJudge& judge, const ModelReport& report)
{
    retrievalIsSolved(judge, report.base);
    judge.aggregatingHeads(2);
    judge.below(0.2, "without attention KV8", report.withoutAttention.kv8);
    judge.below(0.1, "without the aggregating heads KV8", report.withoutAggregating.kv8);
    judge.below(0.35, "without attention MC", report.withoutAttention.mc);
    judge.above(0.95, "without the aggregating heads knowledge", report.withoutAggregating.knowledge);
    judge.below(3.0, "effective tokens in the aggregating row", judge.effectiveTokens(true));
    judge.costAtMost(0.2, "every SSM head",
                     [&](HeadId head) { return report.layers[static_cast<std::size_t>(head.layer)] == 'S'; });
}

} // namespace

std::vector<Requirement> judge(const ModelReport& report)
{
    ToyJudge judge(report);
    judge.above(0.95, "MC", report.base.mc);
    judge.above(0.95, "knowledge", report.base.knowledge);
    const bool attention = report.layers.find('A') != std::string::npos,
               ssm = report.layers.find('S') != std::string::npos;
    if (attention && ssm)
        judgeHybrid(judge, report);
    else if (ssm)
        judgeSsm(judge, report);
    else
        judgeTransformer(judge, report);
    return judge.requirements;
}

} // namespace headscope::train
