// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the commands of analyses share: a model under its ablation, the prompts that are asked about, and pairs of them.
// Main thread.

#include "app/cli/runs/scoringmodel.h"
#include "app/cli/runs/sharedrun.h"
#include "app/notebook/analysisrecord.h"
#include "core/engine/questions/pairs.h"
#include "core/lm/edits.h"

#include <optional>
#include <string>
#include <vector>

namespace headscope::cli {

/// A model and what is done to it while it is analysed.
struct Analysed {
    OpenModel open;
    interventions::InterventionSet set;
    lm::Edits base;

    [[nodiscard]] const lm::Model& model() const { return *open.loaded.model; }
    [[nodiscard]] std::string token(int id) const;
    [[nodiscard]] std::vector<std::string> tokens(const std::vector<int>& ids) const;
    /// What the question of an analysis is made of.
    [[nodiscard]] app::QuestionState asked() const { return {open.subject, open.spec(), *open.tokenizer, set}; }
    /// "tiny-ssm, llamba, fp32, cpu, toy_kv:pairs=8, sample 3, ablated: L1H2".
    [[nodiscard]] std::string provenance(const std::string& source) const;
    /// Into the session, in place of the same question's record; does nothing where no session was named.
    [[nodiscard]] Result<void> keep(const sessions::AnalysisRecord& record);
};
[[nodiscard]] Result<Analysed> openAnalysed(const Context& context, const ModelArguments& arguments);

/// How the rows of a task are read by the model.
[[nodiscard]] engine::Reader readerOf(const OpenModel& open, const tasks::TaskSet& set);

/// One prompt, or all rows of a task.
struct QuestionArguments {
    std::optional<std::string> text; ///< an empty text is a text too
    std::string task;
    std::optional<int> sample;
    TaskArguments rows;
    std::string answer, distractor; ///< empty: the task's, else what the model finds most probable

    /// Adds --text, --task, --sample, --answer, --distractor and what chooses a task's rows. `sampleNote`: what no
    /// sample means.
    void addTo(CLI::App& command, Context& context, const std::string& sampleNote);
    /// For the callback of a command that needs a prompt: throws where neither a text nor a task was given.
    static void require(const CLI::App& command);
};
/// The prompts. Fails for an answer that is not one token.
[[nodiscard]] Result<std::vector<engine::Question>>
questionsOf(const Context& context, const QuestionArguments& arguments, const Analysed& analysed);
/// One prompt: of a task the sample that was asked for, else its first.
[[nodiscard]] Result<engine::Question> questionOf(const Context& context, QuestionArguments arguments,
                                                  const Analysed& analysed);

/// How the pairs of an analysis are measured: with a session, together with other processes. `question`: what decides
/// the numbers; `kind`: of what is measured, with the version of how.
[[nodiscard]] MeasurePieces sharedPairs(const Context& context, Analysed& analysed, const std::string& kind,
                                        const std::string& question, const std::optional<app::WorkPart>& part = {});
/// Measures a part of the pairs and prints what was done.
[[nodiscard]] Result<void> measurePairsPart(const Context& context, Analysed& analysed, const app::WorkPart& part,
                                            const std::string& kind, const std::string& question,
                                            const PiecedWork& pairs);
/// Of pairs that are not measured yet, what a question takes them from.
[[nodiscard]] engine::OverPairs unmeasured(const std::vector<engine::PromptPair>& pairs,
                                           engine::PatchDirection direction);

/// What a command ends with about `done` of `asked` prompts or pairs: done, or stopped.
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
