// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/heads/headfacts.h"

namespace headscope::app {

namespace {

void keepCost(const FactSheet& sheet, HeadFacts& head, const HeadCost& earlier)
{
    const auto ofTask = [&earlier](const HeadCost& cost) { return cost.task == earlier.task; };
    const auto ofOtherRows = [&](const HeadFacts& one) {
        return std::ranges::any_of(one.costs,
                                   [&](const HeadCost& cost) { return ofTask(cost) && cost.n != earlier.n; });
    };
    if (std::ranges::none_of(head.costs, ofTask) && std::ranges::none_of(sheet.heads, ofOtherRows))
        head.costs.push_back(earlier);
}

} // namespace

void FactSheet::addEarlier(const FactSheet& earlier)
{
    const bool sameTexts = texts == earlier.texts;
    for (const HeadFacts& before : earlier.heads) {
        auto head = std::ranges::find(heads, before.head, &HeadFacts::head);
        if (head == heads.end())
            head = heads.insert(heads.end(), {.head = before.head});
        for (const HeadCost& cost : before.costs)
            keepCost(*this, *head, cost);
        if (head->role.empty())
            head->role = before.role;
        if (!head->copying)
            head->copying = before.copying;
        if (head->probes.empty()) {
            head->probes = before.probes;
            head->label = before.label;
        }
        if (sameTexts && head->frequent.empty()) {
            head->frequent = before.frequent;
            frequentOver = std::max(frequentOver, earlier.frequentOver);
        }
        if (sameTexts && head->losses.empty()) {
            head->losses = before.losses;
            head->rises = before.rises;
            lossOver = std::max(lossOver, earlier.lossOver);
        }
    }
}

} // namespace headscope::app
