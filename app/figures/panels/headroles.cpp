// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/figures/panels/headroles.h"

#include "core/analysis/patternscores.h"

namespace headscope::figures {

HeadRoles headRoles(Source& source, const sessions::ModelRecord& model)
{
    HeadRoles found;
    std::map<std::string, std::map<std::string, double>> byMethod;
    for (const sessions::RankingRecord& ranking : need(source.session().rankings())) {
        if (ranking.modelHash != model.hash)
            continue;
        for (const sessions::RankedHead& head : ranking.heads)
            byMethod[ranking.method][head.head] = head.value;
        if (ranking.method != "exact" || ranking.task.find("kv") == std::string::npos)
            continue;
        found.needed.clear();
        for (const sessions::RankedHead& head : ranking.heads)
            if (-head.delta >= analysis::kRetrievalHeadCost)
                found.needed.insert(head.head);
    }
    if (!byMethod.contains("gather") || !byMethod.contains("aggregate"))
        return found;
    for (const std::string& head : found.needed)
        found.roles[head] = analysis::aggregates(byMethod["gather"][head], byMethod["aggregate"][head]) ? 'A' : 'G';
    return found;
}

} // namespace headscope::figures
