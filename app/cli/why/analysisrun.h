// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Shared by analysis commands: a model under its ablation, the prompts of a question, and pairs of them. Main
// thread.

#include "app/cli/runs/scoringmodel.h"
#include "app/cli/runs/sharedrun.h"
#include "app/cli/why/analysisfiles.h"
#include "app/notebook/analysisrecord.h"
#include "core/engine/questions/pairs.h"
#include "core/lm/edits.h"

#include <optional>
#include <string>
#include <vector>

namespace headscope::cli {

/// A model and its interventions during the analysis.
struct Analysed {
    OpenModel open;
    interventions::InterventionSet set;
    lm::Edits base;

    [[nodiscard]] const lm::Model& model() const { return *open.loaded.model; }
    [[nodiscard]] std::string token(int id) const;
    [[nodiscard]] std::vector<std::string> tokens(const std::vector<int>& ids) const;
    /// Returns the arguments that identify the question of an analysis.
    [[nodiscard]] app::QuestionState asked() const { return {open.subject, open.spec(), *open.tokenizer, set}; }
    /// Returns "tiny-ssm, llamba, fp32, cpu, toy_kv:pairs=8, sample 3, ablated: L1H2".
    [[nodiscard]] std::string provenance(const std::string& source) const;
    /// Stores a record in the session, replacing that of the same question; has no effect without a session.
    [[nodiscard]] Result<void> keep(const sessions::AnalysisRecord& record);
    /// Writes the output files, then keeps the record.
    [[nodiscard]] Result<void> finish(const std::vector<std::string>& outputs, const AnalysisResult& result,
                                      const sessions::AnalysisRecord& record);
};
/// Fails for `outputs` that writeAnalysis() could not write.
[[nodiscard]] Result<Analysed> openAnalysed(const Context& context, const ModelArguments& arguments,
                                            const std::vector<std::string>& outputs = {});

/// Returns the rules by which the model reads the rows of a task.
[[nodiscard]] engine::Reader readerOf(const OpenModel& open, const tasks::TaskSet& set);

/// The tokens that a command compares at the end of a prompt; it offers no option for others.
enum class ComparedTokens { None, Answer, AnswerAndDistractor };

/// One prompt, or all rows of a task.
struct QuestionArguments {
    std::optional<std::string> text; ///< an empty text is valid
    std::string task;
    std::optional<int> sample;
    TaskArguments rows;
    std::string answer, distractor; ///< empty: the task's, otherwise the tokens that the model finds most probable

    /// Adds --text, --task, --sample, the options for a task's rows and those for `compared`: --answer, --distractor.
    /// `sampleNote`: the meaning of a missing sample.
    void addTo(CLI::App& command, Context& context, const std::string& sampleNote,
               ComparedTokens compared = ComparedTokens::AnswerAndDistractor);
    /// For the callback of a command that needs a prompt: throws if neither a text nor a task was given.
    static void require(const CLI::App& command);
};
/// Returns the prompts. Fails for an answer that is not one token.
[[nodiscard]] Result<std::vector<engine::Question>>
questionsOf(const Context& context, const QuestionArguments& arguments, const Analysed& analysed);
/// Returns one prompt: of a task the requested sample, otherwise its first.
[[nodiscard]] Result<engine::Question> questionOf(const Context& context, QuestionArguments arguments,
                                                  const Analysed& analysed);

/// Returns how the pairs of an analysis are measured: with a session, together with other processes. `question`:
/// determines the results; `kind`: of the measurement, with a version of its method.
[[nodiscard]] MeasurePieces sharedPairs(const Context& context, Analysed& analysed, const std::string& kind,
                                        const std::string& question, const std::optional<app::WorkPart>& part = {});
/// Measures a part of the pairs and prints a summary.
[[nodiscard]] Result<void> measurePairsPart(const Context& context, Analysed& analysed, const app::WorkPart& part,
                                            const std::string& kind, const std::string& question,
                                            const PiecedWork& pairs);
/// Returns the pairs of a question before they are measured.
[[nodiscard]] engine::OverPairs unmeasured(const std::vector<engine::PromptPair>& pairs,
                                           engine::PatchDirection direction);

/// Returns the result of a command after `done` of `asked` prompts or pairs: done, or stopped.
[[nodiscard]] Result<void> endOf(std::size_t done, std::size_t asked, const std::string& what);

/// Two prompts, a file of pairs, or the rows of a task with their counterparts.
struct PairArguments {
    QuestionArguments question;
    std::optional<std::string> clean, corrupt;
    std::string file, exchange;

    void addTo(CLI::App& command, Context& context);
};
[[nodiscard]] Result<engine::PairsOfTask> pairsOf(const Context& context, const PairArguments& arguments,
                                                  const Analysed& analysed);

} // namespace headscope::cli
