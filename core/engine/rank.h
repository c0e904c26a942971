// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Heads in order of what their removal costs: ablate one, measure, reinsert (the paper's ranking); or of a pattern
// score. Worker thread.

#include "core/analysis/patternscores.h"
#include "core/analysis/statistics.h"
#include "core/engine/benchmark.h"

#include <functional>
#include <vector>

namespace headscope::engine {

struct RankedHead {
    interventions::HeadRef head;
    double value = 0;            ///< exact: the task's score without the head; pattern scores: the score
    double delta = 0;            ///< value minus baseline (exact only)
    analysis::Interval interval; ///< of delta (exact only)
    double p = 1;
};

/// All heads of the model, layer by layer; the site is named in layers with two.
[[nodiscard]] std::vector<interventions::HeadRef> allHeads(const lm::ModelSpec& spec);

/// Every head alone is removed on top of `fixed`. `baseline` are the rows under `fixed`. Sorted: the largest loss first,
/// ties in the order of the heads. `each` hears of every head as it is measured.
[[nodiscard]] Result<std::vector<RankedHead>> rankExact(Scorer& scorer, const Benchmark& benchmark, const interventions::InterventionSet& fixed,
                                                        const Rows& baseline, const std::vector<interventions::HeadRef>& heads,
                                                        const std::function<void(const RankedHead&)>& each, const Control& control);

enum class PatternScore { Gather, Aggregate };

/// Mean over the examples' prompts of a pattern score, for all heads in one pass a prompt. Fails for examples without
/// segments. Largest first.
[[nodiscard]] Result<std::vector<RankedHead>> rankByPattern(const lm::Model& model, const text::Tokenizer& tokenizer,
                                                            std::span<const tasks::Example> examples, PatternScore score,
                                                            const interventions::InterventionSet& fixed, const Control& control);

/// Segments of an example in tokens of `encoding`: every key with its value is one segment whose representative is the
/// value; every option ends with its own text. A query is none.
[[nodiscard]] std::vector<analysis::TokenSegment> tokenSegments(const tasks::Example& example, const text::Encoding& encoding);

} // namespace headscope::engine
