// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tasks/task.h"

#include <algorithm>

namespace headscope::tasks {

const char* name(Metric::Kind kind)
{
    switch (kind) {
    case Metric::Kind::Acc: return "acc";
    case Metric::Kind::AccNorm: return "acc_norm";
    case Metric::Kind::Perplexity: return "perplexity";
    case Metric::Kind::ExactMatch: return "exact_match";
    case Metric::Kind::Contains: return "contains";
    }
    return "";
}

const LeafTask& TaskSet::leafOf(std::size_t example) const
{
    const auto found =
        std::find_if(leaves.begin(), leaves.end(), [&](const LeafTask& leaf) { return example < leaf.end; });
    return *found;
}

double TaskSet::chanceOf(const LeafTask& leaf) const
{
    double sum = 0;
    for (std::size_t i = leaf.begin; i < leaf.end; ++i) {
        if (examples[i].scoring != Scoring::MultipleChoice || examples[i].continuations.size() < 2)
            return 0;
        sum += 1.0 / static_cast<double>(examples[i].continuations.size());
    }
    return leaf.begin < leaf.end ? sum / static_cast<double>(leaf.end - leaf.begin) : 0;
}

TaskSet subset(const TaskSet& set, std::span<const std::size_t> indices)
{
    TaskSet part{
        .name = set.name, .leaves = set.leaves, .groups = set.groups, .report = set.report, .notes = set.notes};
    for (const std::size_t index : indices)
        part.examples.push_back(set.examples[index]);
    const auto before = [&](std::size_t example) {
        return static_cast<std::size_t>(std::lower_bound(indices.begin(), indices.end(), example) - indices.begin());
    };
    for (LeafTask& leaf : part.leaves) {
        leaf.begin = before(leaf.begin);
        leaf.end = before(leaf.end);
    }
    return part;
}

} // namespace headscope::tasks
