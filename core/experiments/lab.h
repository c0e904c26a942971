// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The environment of a recipe: opened models, scores under interventions, and the table being filled. For a forecast,
// the same recipe runs on a lab that only counts. Worker thread.

#include "core/engine/ranking/rank.h"
#include "core/engine/scoring/compare.h"
#include "core/experiments/experiment.h"
#include "core/lm/load.h"
#include "core/tasks/registry.h"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace headscope::experiments {

/// One model's equivalents of the paper's benchmarks.
struct Suite {
    bool toy = false;      ///< an included model: its own tasks in place of the paper's benchmarks
    std::string mmlu;      ///< "mmlu", "toy_mc" or "passage_mc"
    std::string knowledge; ///< "knowledge", "toy_knowledge" or "facts"
    std::string lambada;   ///< perplexity of the last word: "lambada_openai", "toy_knowledge" or "facts"

    std::string retrieval; ///< "kv_retrieval", "toy_kv" or "word_kv"

    [[nodiscard]] std::string kv(int pairs) const;           ///< "kv_retrieval:pairs=16" or "toy_kv:pairs=16"
    [[nodiscard]] int pairs() const { return toy ? 8 : 16; } ///< dictionary size used to rank heads
};

/// An opened model. Its owner keeps everything alive to which the functions refer.
struct Bench {
    std::string name;
    std::string folder;
    std::string provenance; ///< name, family, dtype, device
    std::shared_ptr<const lm::Model> model;
    std::shared_ptr<const text::Tokenizer> tokenizer;
    engine::Scorer* scorer = nullptr;
    lm::DonorLoader donors;
    engine::BosPolicy bos = engine::BosPolicy::Never;
    /// Returns rows of a benchmark under a set: run, or taken from known results.
    std::function<Result<engine::Rows>(const engine::Benchmark&, const interventions::InterventionSet&, const Control&)>
        measure;
    engine::Prepare prepare; ///< called with everything a ranking measures
    /// Returns how many rows of a benchmark are known under a set and will not be run. Empty: none.
    std::function<std::int64_t(const engine::Benchmark&, const interventions::InterventionSet&)> known;
    /// Stores a finished ranking, the most important head first.
    std::function<Result<void>(const engine::Benchmark&, const interventions::InterventionSet& fixed,
                               const std::vector<engine::RankedHead>&)>
        keepRanking;
    Suite suite;
    std::map<std::string, std::shared_ptr<const engine::Benchmark>> benchmarks; ///< prepared so far, by task

    [[nodiscard]] const lm::ModelSpec& spec() const { return model->spec(); }
    [[nodiscard]] int layers() const { return static_cast<int>(spec().layers.size()); }
};

class Lab;
/// Opens the lab's models one after the other. One that cannot be measured is skipped with a note on the reason; fails
/// if none could be measured, and when stopped.
[[nodiscard]] Result<void> forEachModel(Lab& lab,
                                        const std::function<Result<void>(const std::shared_ptr<Bench>&)>& measure);
/// Returns a run function that calls forEachModel() with `measure`.
[[nodiscard]] std::function<Result<void>(Lab&)> eachModel(std::function<Result<void>(Lab&, Bench&)> measure);

/// Returns the benchmarks for a model: toy tasks for Headscope's own models.
[[nodiscard]] Suite suiteOf(const text::Tokenizer& tokenizer);

/// Describes a hybrid: these heads of `teacher` stay attention, the others become SSM heads.
struct DistillRequest {
    const Bench& teacher;
    std::vector<interventions::HeadRef> kept;
    int state = 16;
    bool alignedOnly = false; ///< without the last stage (logits)
};
/// Makes it, or finds an earlier one, and returns a model that can be opened.
using Distil = std::function<Result<std::string>(const DistillRequest& request, const Control& control)>;

struct LabSettings {
    std::vector<std::string> models; ///< in the order given; empty: the recipe's own
    tasks::TaskOptions tasks;        ///< limit: examples per task; without one the paper's number, 256 for toy tasks
    std::uint64_t seed = 0;          ///< seed of random heads and masks
    Distil distil;                   ///< empty: experiments that make models fail
    bool planning = false;           ///< only count
};

/// Forecast of a run.
struct Plan {
    std::int64_t examples = 0; ///< scored examples, each counted every time
    double tokens = 0;         ///< through the whole model; a run that restarts half way counts half
    std::int64_t weightBytes = 0;
    int scores = 0;         ///< scored combinations of benchmark and interventions
    std::int64_t known = 0; ///< minimum number of examples that are already known; there may be more for heads that are
                            ///< not yet determined
    /// States that do not depend on results: every ranking, and those measured on a model before its first one. By
    /// model and benchmark.
    struct States {
        std::string model; ///< Bench::name
        std::shared_ptr<const engine::Benchmark> benchmark;
        std::vector<interventions::InterventionSet> sets;
    };
    std::vector<States> independent;
};

/// A score and what it was measured on.
struct Measured {
    double value = 0; ///< accuracy; perplexity if requested
    analysis::Interval interval;
    int n = 0;
    double chance = 0;       ///< score of guessing; 0: the task has no options
    bool perplexity = false; ///< perplexity of the right continuations, instead of the task's metric
    std::string task;        ///< as requested: "toy_kv:pairs=16"
    bool samples = false;    ///< on the included sample rows, not on the benchmark's own
    std::shared_ptr<const engine::Benchmark> benchmark;
    std::shared_ptr<const engine::Rows> rows; ///< null when planning

    [[nodiscard]] Cell cell() const;
};

/// A head's matrix on one prompt, for a figure.
struct Picture {
    std::string model;
    interventions::HeadRef head;
    std::string role; ///< "gather", "aggregate"
    tasks::Example example;
    tasks::PairEncoding pairing; ///< pair encoding of its task
    std::vector<int> ids;
    Matrix matrix; ///< [T, T], rows are queries
};

/// Heads by the cost of their removal.
struct Ranked {
    std::vector<engine::RankedHead> heads;    ///< the most important first
    std::vector<interventions::HeadRef> live; ///< heads whose removal changes any log-likelihood; excludes pruned heads
};

class Lab
{
public:
    using Open = std::function<Result<std::shared_ptr<Bench>>(const std::string& model)>;
    using RowSink = std::function<void(const Row&)>;

    Lab(const Experiment& experiment, LabSettings settings, Open open, RowSink sink, Control control);

    [[nodiscard]] const std::vector<std::string>& models() const { return m_settings.models; }
    [[nodiscard]] Result<std::shared_ptr<Bench>> open(const std::string& model);

    /// Returns the task's first metric under a set. Fails for a task without usable rows, for a set that does not fit
    /// the model, and when stopped.
    [[nodiscard]] Result<Measured> score(Bench& bench, const std::string& task,
                                         const interventions::InterventionSet& set);
    /// Returns exp(-mean log-likelihood of the right continuation).
    [[nodiscard]] Result<Measured> perplexity(Bench& bench, const std::string& task,
                                              const interventions::InterventionSet& set);
    /// Returns the first metric of rows that a recipe ran itself.
    [[nodiscard]] Result<Measured> summarise(const Bench& bench, std::shared_ptr<const engine::Benchmark> benchmark,
                                             engine::Rows rows) const;
    /// Compares now with before, on the same rows; both of the same task. Returns nothing while planning.
    [[nodiscard]] Result<engine::Comparison> compare(const Measured& before, const Measured& now) const;
    /// Returns the comparison as a value for a table's cell; perplexities by their logarithm. Fails if no row was
    /// scored both times.
    [[nodiscard]] Result<Contrast> contrast(const Measured& before, const Measured& now) const;
    [[nodiscard]] Result<std::shared_ptr<const engine::Benchmark>> benchmark(Bench& bench, const std::string& task);
    /// Ranks all heads by their removal cost on a task, in addition to `fixed`; model order while planning.
    [[nodiscard]] Result<Ranked> rank(Bench& bench, const std::string& task,
                                      const interventions::InterventionSet& fixed = {});

    [[nodiscard]] Result<std::string> distil(const DistillRequest& request) const;

    void add(Row row);
    void dropRows(std::size_t from); ///< removes the rows of a model that could not be measured completely
    void show(Picture picture) { m_pictures.push_back(std::move(picture)); }
    void addNote(const std::string& note); ///< adds a sentence for readers of the table; duplicates are stored once
    /// Does the same with each {} replaced by one of the values. The German phrases contain the sentence with its {},
    /// by which translatedNote() finds it.
    template <typename First, typename... Rest>
    void addNote(fmt::format_string<const First&, const Rest&...> english, const First& first, const Rest&... rest)
    {
        addNote(fmt::format(english, first, rest...));
    }
    /// Counts work other than scores: examples of a benchmark times parts of the model.
    void count(const engine::Benchmark& benchmark, double parts);

    [[nodiscard]] const LabSettings& settings() const { return m_settings; }
    [[nodiscard]] bool planning() const { return m_settings.planning; }
    [[nodiscard]] const Control& control() const { return m_control; }
    [[nodiscard]] const Table& table() const { return m_table; }
    [[nodiscard]] const std::vector<std::string>& notes() const { return m_notes; }
    [[nodiscard]] const std::vector<Picture>& pictures() const { return m_pictures; }
    [[nodiscard]] const Plan& plan() const { return m_plan; }

private:
    void planIndependent(const Bench& bench, const std::shared_ptr<const engine::Benchmark>& benchmark,
                         const std::vector<interventions::InterventionSet>& sets);
    [[nodiscard]] Result<Measured> measure(Bench& bench, const std::string& task,
                                           const interventions::InterventionSet& set);
    LabSettings m_settings;
    Open m_open;
    RowSink m_sink;
    Control m_control;
    Table m_table;
    std::vector<std::string> m_notes;
    std::vector<Picture> m_pictures;
    Plan m_plan;
    std::set<std::string> m_ranked; ///< models with heads ranked while planning
    std::map<std::string, std::shared_ptr<Bench>> m_benches;
    std::map<std::string, Ranked> m_rankings;
};

} // namespace headscope::experiments
