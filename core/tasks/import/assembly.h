// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Assembles examples from prompt parts: description, few-shot block, delimiter, continuations. Internal to core/tasks.

#include "core/tasks/import/split.h"

namespace headscope::tasks {

/// How shots are chosen, see core/tasks/README.md.
enum class Shots {
    First,          ///< the first n
    Sampled,        ///< n drawn per row by the harness's sampler, without the evaluated row
    SampledOne,     ///< n + 1 drawn: few-shot split and evaluated split count as equal
    FirstOthers,    ///< the first n, without the evaluated row
    FirstOthersOne, ///< of the first n + 1, as SampledOne
};

struct Assembly {
    std::string delimiter = " "; ///< between a text and its answer
    std::string suffix;          ///< after the text of the evaluated row (arc_challenge_chat's answer prefix)
    std::vector<std::string> until;
    int maxNewTokens = 256;
    Shots shots = Shots::Sampled;
};

/// Returns the number of rows out of `n` that `limit` permits.
[[nodiscard]] std::size_t limited(std::size_t n, const std::optional<double>& limit);

/// Returns LeafTask::rowSource of a leaf made of these rows.
[[nodiscard]] std::string rowSource(const LeafTask& leaf, const std::vector<Doc>& docs, const std::vector<Doc>& shots,
                                    const Assembly& assembly);

/// Appends the leaf and its examples to the set. `shots` are the rows for few-shot examples (may be `docs` itself);
/// `leaf.fewshot` of them precede every row. Fails if there are too few, or no row at all.
[[nodiscard]] Result<void> append(TaskSet& set, LeafTask leaf, const std::vector<Doc>& docs,
                                  const std::vector<Doc>& shots, const Assembly& assembly, const std::string& file,
                                  const TaskOptions& options);

/// Returns a metric of the plain multiple-choice tasks.
[[nodiscard]] Metric metric(Metric::Kind kind, std::string filter = "none", Extraction extraction = {});

} // namespace headscope::tasks
