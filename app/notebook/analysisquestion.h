// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What an analysis asks, as the text by which a session knows it: canonical JSON that holds everything that decides the
// numbers and that sessions::AnalysisKey does not name. Prompts are token ids, files are their content, defaults are
// written out. The window and the command line make it here, so that the same question is one record. Any thread.

#include "app/notebook/notebook.h"
#include "core/engine/questions/overpairs.h"
#include "core/engine/questions/patchmap.h"
#include "core/why/knockout.h"
#include "core/why/paths/score.h"
#include "core/why/probes.h"

#include <span>
#include <string>
#include <vector>

namespace headscope::app {

/// What is asked: a model's state, and the tokenizer by which its prompts were read.
struct QuestionState {
    const Subject& subject;
    const lm::ModelSpec& spec;
    const text::Tokenizer& tokenizer;
    const interventions::InterventionSet& set;
};

/// Positions of a prompt under a lens.
struct LensedPrompt {
    const engine::Question& question;
    int first = 0, last = 0; ///< positions
    std::string fitted;      ///< why::lensHash() of a Jacobian lens; empty: the logit lens
};
[[nodiscard]] std::string lensQuestion(const QuestionState& state, const LensedPrompt& prompt);

/// `questions`: those that count in the means. `metric`: of the first.
[[nodiscard]] std::string attributionQuestion(const QuestionState& state, std::span<const engine::Question> questions,
                                              const why::Metric& metric);

/// Pairs that count, and what is put where.
[[nodiscard]] std::string patchQuestion(const QuestionState& state, std::span<const engine::PromptPair> pairs,
                                        const engine::OverPairs& over, const engine::PatchRequest& asked);

/// What is traced, by name: the edges into `receiver` ("L2H5.k"; "L2H5" is through each of its doors) and those from
/// `sender`; empty: none.
struct TracedEdges {
    std::string receiver, sender;
};
[[nodiscard]] std::string edgesQuestion(const QuestionState& state, std::span<const engine::PromptPair> pairs,
                                        const engine::OverPairs& over, const TracedEdges& traced);

[[nodiscard]] std::string knockoutQuestion(const QuestionState& state, const engine::Question& question,
                                           const why::Metric& metric, const why::KnockoutSweep& sweep);

[[nodiscard]] std::string scoreQuestion(const QuestionState& state, const engine::Question& question,
                                        const why::AttentionScoreRequest& asked);

/// Which heads: by name; kAllHeads: each.
inline constexpr const char* kAllHeads = "all";
struct WeighedHeads {
    std::string copying;                 ///< whose copying score
    std::string composed;                ///< whose composition with others
    std::vector<std::string> directions; ///< whose singular directions
};
[[nodiscard]] std::string weightsQuestion(const QuestionState& state, const WeighedHeads& heads);

/// What the heads of the model of `state` are compared with: another model, on the same prompts; none: by their
/// weights.
[[nodiscard]] std::string compareQuestion(const QuestionState& state, const Subject& other,
                                          std::span<const engine::Question> questions);

/// One checkpoint of a training run, and the workKey() of its number.
struct Checkpoint {
    std::int64_t step = 0;
    std::string work;
};
/// `what`: "induction", a task. `head`: whose metric is followed; empty: the largest at each step, or no head's.
/// `state`: of the last checkpoint.
[[nodiscard]] std::string seriesQuestion(const QuestionState& state, std::span<const Checkpoint> checkpoints,
                                         const std::string& what, const std::string& head);

/// `task` is a label, the rows count; `methods`: of the scores that are stored.
struct ProbedOn {
    std::span<const std::vector<int>> sequences;
    std::span<const why::RetrievalRow> rows;
    std::uint64_t seed = 0;
    std::string task;
    std::vector<std::string> methods;
};
[[nodiscard]] std::string probeQuestion(const QuestionState& state, const ProbedOn& on);

/// A ranking of heads by a benchmark: which rows, and how they are read. `how`: JSON, what the method itself was given.
[[nodiscard]] std::string rankingQuestion(const QuestionState& state, const engine::Benchmark& benchmark,
                                          const std::string& how = "{}");
/// Hash of a question with the state that it is asked of, by which processes that share its work know each other.
/// `kind`: what is measured, with the version of how.
[[nodiscard]] std::string workKey(const QuestionState& state, const std::string& kind, const std::string& question);
/// Scores of all heads on one prompt: its tokens, the same with the answer behind them, its pieces.
[[nodiscard]] std::string promptScoresQuestion(const QuestionState& state, const std::vector<int>& ids,
                                               const std::vector<int>& withAnswer,
                                               std::span<const analysis::TokenSegment> segments);
/// sessions::PatternRecord::inputs.
[[nodiscard]] std::string patternInputs(const QuestionState& state, const std::vector<int>& ids);

} // namespace headscope::app
