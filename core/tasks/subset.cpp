// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tasks/subset.h"

#include <algorithm>

namespace headscope::tasks {

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
