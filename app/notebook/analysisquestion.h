// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The question of an analysis as the text that identifies it in a session: canonical JSON with everything that
// determines the results and is not in sessions::AnalysisKey. Prompts are token ids, files are their content, defaults
// are written out. Used by the window and the command line, so that the same question is one record. Any thread.

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

/// The subject of a question: a model's state, and the tokenizer that encoded the prompts.
struct QuestionState {
    const Subject& subject;
    const lm::ModelSpec& spec;
    const text::Tokenizer& tokenizer;
    const interventions::InterventionSet& set;
};

/// The positions of a prompt to which a lens is applied.
struct LensedPrompt {
    const engine::Question& question;
    int first = 0, last = 0; ///< positions
    std::string fitted;      ///< why::lensHash() of a Jacobian lens; empty: the logit lens
};
[[nodiscard]] std::string lensQuestion(const QuestionState& state, const LensedPrompt& prompt);

/// `questions`: those that contribute to the means. `metric`: of the first.
[[nodiscard]] std::string attributionQuestion(const QuestionState& state, std::span<const engine::Question> questions,
                                              const why::Metric& metric);

/// `pairs`: those that count.
[[nodiscard]] std::string patchQuestion(const QuestionState& state, std::span<const engine::PromptPair> pairs,
                                        const engine::OverPairs& over, const engine::PatchRequest& asked);

/// The traced edges, by name: those into `receiver` ("L2H5.k"; "L2H5" means each of its inputs) and those from
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

/// The heads of a weight analysis by name; kAllHeads: each.
inline constexpr const char* kAllHeads = "all";
struct WeighedHeads {
    std::string copying;                 ///< heads with a copying score
    std::string composed;                ///< head whose composition with others is measured
    std::vector<std::string> directions; ///< heads with singular directions
};
[[nodiscard]] std::string weightsQuestion(const QuestionState& state, const WeighedHeads& heads);

/// The comparison of the model of `state` with another model, on the same prompts; without prompts: by
/// weights.
[[nodiscard]] std::string compareQuestion(const QuestionState& state, const Subject& other,
                                          std::span<const engine::Question> questions);

/// A checkpoint of a training run, and the workKey() of its result.
struct Checkpoint {
    std::int64_t step = 0;
    std::string work;
};
/// `what`: "induction", a task. `head`: head whose metric is followed; empty: the largest at each step, or no head's.
/// `state`: of the last checkpoint.
[[nodiscard]] std::string seriesQuestion(const QuestionState& state, std::span<const Checkpoint> checkpoints,
                                         const std::string& what, const std::string& head);

/// The data of a probe. `task` is a label, the rows count; `methods`: of the stored scores.
struct ProbedOn {
    std::span<const std::vector<int>> sequences;
    std::span<const why::RetrievalRow> rows;
    std::uint64_t seed = 0;
    std::string task;
    std::vector<std::string> methods;
};
[[nodiscard]] std::string probeQuestion(const QuestionState& state, const ProbedOn& on);

/// A ranking of heads by a benchmark: its rows and their encoding. `how`: JSON with the parameters of the method.
[[nodiscard]] std::string rankingQuestion(const QuestionState& state, const engine::Benchmark& benchmark,
                                          const std::string& how = "{}");
/// Returns the hash of a question and its state, by which processes that share its work recognize each other. `kind`:
/// the measurement, with a version of its method.
[[nodiscard]] std::string workKey(const QuestionState& state, const std::string& kind, const std::string& question);
/// workKey() of an exact ranking.
[[nodiscard]] std::string exactRankingKey(const QuestionState& state, const engine::Benchmark& benchmark);
/// Scores of all heads on one prompt: its tokens, the same with the answer behind them, its pieces.
[[nodiscard]] std::string promptScoresQuestion(const QuestionState& state, const std::vector<int>& ids,
                                               const std::vector<int>& withAnswer,
                                               std::span<const analysis::TokenSegment> segments);
/// Returns sessions::PatternRecord::inputs.
[[nodiscard]] std::string patternInputs(const QuestionState& state, const std::vector<int>& ids);

} // namespace headscope::app
