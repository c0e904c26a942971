// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// An analysis as stored in a session: its question (analysisquestion.h) and its values, converted from core's results.
// The window, the command line and the web page all store these, so that one measurement is one record for every
// program. Texts are English. Any thread.

#include "app/notebook/analysisquestion.h"
#include "core/engine/questions/attributionrun.h"
#include "core/engine/questions/headchanges.h"
#include "core/why/lenses/lens.h"
#include "core/why/paths/edges.h"
#include "sessions/analyses.h"

namespace headscope::app {

/// Returns the key of a lens record.
[[nodiscard]] sessions::AnalysisKey lensKey(const QuestionState& state, const LensedPrompt& prompt);
[[nodiscard]] sessions::AnalysisRecord lensRecord(const QuestionState& state, const LensedPrompt& prompt,
                                                  const why::Lens& lens);

/// `questions`: at least those that contribute to the means.
[[nodiscard]] sessions::AnalysisRecord attributionRecord(const QuestionState& state,
                                                         std::span<const engine::Question> questions,
                                                         const engine::MeanAttribution& all);

/// `cells`: the cells of `over`.
[[nodiscard]] sessions::AnalysisRecord patchRecord(const QuestionState& state,
                                                   std::span<const engine::PromptPair> pairs,
                                                   const engine::OverPairs& over, const engine::PatchRequest& asked,
                                                   std::span<const engine::PatchCell> cells);

/// `edges`: the cells of `over`.
[[nodiscard]] sessions::AnalysisRecord edgesRecord(const QuestionState& state,
                                                   std::span<const engine::PromptPair> pairs,
                                                   const engine::OverPairs& over, const TracedEdges& traced,
                                                   std::span<const why::Edge> edges);

/// `difference`: the logit difference with nothing knocked out.
[[nodiscard]] sessions::AnalysisRecord knockoutRecord(const QuestionState& state, const engine::Question& question,
                                                      const why::Metric& metric, const why::KnockoutSweep& sweep,
                                                      double difference, std::span<const why::KnockoutWindow> windows);

/// Values on the query's side have the part "query", those on the key's "key", pairs of writers "pair".
[[nodiscard]] sessions::AnalysisRecord scoreRecord(const QuestionState& state, const engine::Question& question,
                                                   const why::AttentionScoreRequest& asked,
                                                   const why::ScoreAttribution& all);

/// The results of a weight analysis.
struct WeighedModel {
    struct Composed {
        std::string sender;   ///< "L1H2"
        std::string receiver; ///< with its input: "L2H5.q"
        double value = 0;
    };
    struct Direction {
        std::string head, matrix;                                ///< "L2H5", "OV"
        double value = 0;                                        ///< singular value
        std::vector<std::pair<std::string, double>> read, write; ///< tokens and dot products
    };
    std::vector<std::pair<std::string, double>> copying; ///< by head
    std::vector<Composed> composed;                      ///< if there are more than 1000, only the strongest are stored
    double random = 0;                                   ///< composition of random matrices of this width
    std::vector<Direction> directions;
};
[[nodiscard]] sessions::AnalysisRecord weightsRecord(const QuestionState& state, const WeighedHeads& heads,
                                                     WeighedModel weighed);

/// Compares the model of `state` with `other`: "ov", "qk", "pattern", "effect" and "p" of each head. `questions`: those
/// used for the comparison.
[[nodiscard]] sessions::AnalysisRecord compareRecord(const QuestionState& state, const Subject& other,
                                                     std::span<const engine::Question> questions,
                                                     const engine::HeadChanges& changes);

/// The result of a series at one checkpoint.
struct SeriesPoint {
    double value = 0;
    std::optional<analysis::Interval> interval;
    std::string head;                                  ///< head with this value; empty: the value of the model
    std::vector<std::pair<std::string, double>> heads; ///< metric of every head
};
/// One point per checkpoint, by step: the value is "series", the metric of every head "head"; `words` is the step.
[[nodiscard]] sessions::AnalysisRecord seriesRecord(const QuestionState& state, std::span<const Checkpoint> checkpoints,
                                                    const std::string& what, const std::string& head,
                                                    std::span<const SeriesPoint> points);

[[nodiscard]] sessions::AnalysisRecord probeRecord(const QuestionState& state, const ProbedOn& on,
                                                   std::span<const why::HeadProbe> heads);

} // namespace headscope::app
