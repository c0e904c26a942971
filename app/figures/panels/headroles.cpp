// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/figures/panels/headroles.h"

#include "core/analysis/patternscores.h"
#include "core/tasks/registry.h"

namespace headscope::figures {

HeadRoles headRoles(Source& source, const sessions::ModelRecord& model)
{
    HeadRoles found;
    std::map<std::string, std::map<std::string, double>> byMethod;
    for (const sessions::RankingRecord& ranking : need(source.session().rankings())) {
        const bool costs = ranking.method == "exact" && tasks::isDictionaryTask(ranking.task);
        if (ranking.modelHash != model.hash || !ranking.ablation.empty() || (ranking.method == "exact" && !costs))
            continue;
        for (const sessions::RankedHead& head : ranking.heads)
            byMethod[ranking.method][head.head] = costs ? -head.delta : head.value;
    }
    for (const auto& [head, cost] : byMethod["exact"])
        if (cost >= analysis::kRetrievalHeadCost)
            found.needed.insert(head);
    if (!byMethod.contains("gather") || !byMethod.contains("aggregate"))
        return found;
    for (const std::string& head : found.needed)
        found.roles[head] = analysis::aggregates(byMethod["gather"][head], byMethod["aggregate"][head]) ? 'A' : 'G';
    return found;
}

} // namespace headscope::figures
