// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a recipe works with: opened models, scores under interventions, and the table that grows. The same recipe is run
// once more on a lab that only counts, which is where its forecast comes from. Worker thread.

#include "core/engine/ranking/rank.h"
#include "core/engine/scoring/compare.h"
#include "core/experiments/experiment.h"
#include "core/lm/load.h"
#include "core/tasks/registry.h"

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace headscope::experiments {

/// The benchmarks that stand for the paper's on one model.
struct Suite {
    bool toy = false;      ///< a shipped model: tasks of its own in place of the paper's benchmarks
    std::string mmlu;      ///< "mmlu", "toy_mc" or "passage_mc"
    std::string knowledge; ///< "knowledge", "toy_knowledge" or "facts"
    std::string lambada;   ///< perplexity of the last word: "lambada_openai", "toy_knowledge" or "facts"

    std::string retrieval; ///< "kv_retrieval", "toy_kv" or "word_kv"

    [[nodiscard]] std::string kv(int pairs) const;           ///< "kv_retrieval:pairs=16" or "toy_kv:pairs=16"
    [[nodiscard]] int pairs() const { return toy ? 8 : 16; } ///< size of the dictionary that heads are ranked on
};

/// A model on the bench. Its owner keeps alive what the functions refer to.
struct Bench {
    std::string name;
    std::string folder;
    std::string provenance; ///< name, family, dtype, device
    std::shared_ptr<const lm::Model> model;
    std::shared_ptr<const text::Tokenizer> tokenizer;
    engine::Scorer* scorer = nullptr;
    lm::DonorLoader donors;
    engine::BosPolicy bos = engine::BosPolicy::Never;
    /// Rows of a benchmark under a set: run, or taken from where they are known.
    std::function<Result<engine::Rows>(const engine::Benchmark&, const interventions::InterventionSet&, const Control&)>
        measure;
    engine::Prepare prepare; ///< called with what a ranking measures
    /// How many rows of a benchmark are known under a set and will not be run. Empty: none are.
    std::function<std::int64_t(const engine::Benchmark&, const interventions::InterventionSet&)> known;
    /// Keeps a finished ranking, the costliest head first.
    std::function<Result<void>(const engine::Benchmark&, const interventions::InterventionSet& fixed,
                               const std::vector<engine::RankedHead>&)>
        keepRanking;
    Suite suite;
    std::map<std::string, std::shared_ptr<const engine::Benchmark>> benchmarks; ///< made ready so far, by task

    [[nodiscard]] const lm::ModelSpec& spec() const { return model->spec(); }
    [[nodiscard]] int layers() const { return static_cast<int>(spec().layers.size()); }
};

class Lab;
/// Opens the lab's models one after the other. One that cannot be measured is left out, and a note says why; fails
/// where none could be, and when stopped.
[[nodiscard]] Result<void> forEachModel(Lab& lab, const std::function<Result<void>(Bench&)>& measure);
/// The same for the keeper of the bench.
[[nodiscard]] Result<void> forEachShared(Lab& lab,
                                         const std::function<Result<void>(const std::shared_ptr<Bench>&)>& measure);

/// The benchmarks that suit a model: toy tasks for our own models.
[[nodiscard]] Suite suiteOf(const text::Tokenizer& tokenizer);

/// A hybrid wanted: the heads of `teacher` that stay attention, the others as SSM heads.
struct DistillRequest {
    const Bench& teacher;
    std::vector<interventions::HeadRef> kept;
    int state = 16;
    bool alignedOnly = false; ///< without the last stage, the logits
};
/// Makes it, or finds the one made before: a model that can be opened.
using Distil = std::function<Result<std::string>(const DistillRequest& request, const Control& control)>;

struct LabSettings {
    std::vector<std::string> models; ///< in the order in which they were named; empty: the recipe's own
    tasks::TaskOptions tasks; ///< limit: examples of every task; without one the paper's number, 256 of the toy tasks
    std::uint64_t seed = 0;   ///< of random heads and masks
    Distil distil;            ///< empty: experiments that make models fail
    bool planning = false;    ///< count only
};

/// What a run will take.
struct Plan {
    std::int64_t examples = 0; ///< scored, counting every time one is
    double tokens = 0;         ///< through the whole model; a run that restarts half way counts half
    std::int64_t weightBytes = 0;
    int scores = 0;         ///< benchmarks under one set of interventions
    std::int64_t known = 0; ///< number of examples that are known already, at least; heads that are still to be found
                            ///< may be known, too
    /// What no result decides: every ranking, and what is measured of a model before its first one. By model and
    /// benchmark.
    struct States {
        std::string model; ///< Bench::name
        std::shared_ptr<const engine::Benchmark> benchmark;
        std::vector<interventions::InterventionSet> sets;
    };
    std::vector<States> independent;
};

/// A score and what it was measured on.
struct Measured {
    double value = 0; ///< accuracy; perplexity where asked for
    analysis::Interval interval;
    int n = 0;
    double chance = 0;       ///< of guessing; 0: the task offers no options
    bool perplexity = false; ///< of the right continuations, instead of the task's own number
    std::string task;        ///< as it was asked for: "toy_kv:pairs=16"
    bool samples = false;    ///< on the sample rows that ship, not on the benchmark's own
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
    tasks::PairEncoding pairing; ///< of its task
    std::vector<int> ids;
    Matrix matrix; ///< [T, T], rows are queries
};

/// Heads by what their removal costs.
struct Ranked {
    std::vector<engine::RankedHead> heads; ///< the costliest first
    std::vector<interventions::HeadRef>
        live; ///< those whose removal changes any log-likelihood at all; pruned heads are not among them
};

class Lab
{
public:
    using Open = std::function<Result<std::shared_ptr<Bench>>(const std::string& model)>;
    using RowSink = std::function<void(const Row&)>;

    Lab(const Experiment& experiment, LabSettings settings, Open open, RowSink sink, Control control);

    [[nodiscard]] const std::vector<std::string>& models() const { return m_settings.models; }
    [[nodiscard]] Result<std::shared_ptr<Bench>> open(const std::string& model);

    /// The task's first number under a set. Fails for a task that has no usable row, for a set that does not fit, when
    /// stopped.
    [[nodiscard]] Result<Measured> score(Bench& bench, const std::string& task,
                                         const interventions::InterventionSet& set);
    /// exp(-mean log-likelihood of the right continuation).
    [[nodiscard]] Result<Measured> perplexity(Bench& bench, const std::string& task,
                                              const interventions::InterventionSet& set);
    /// The first number of rows that a recipe ran by itself.
    [[nodiscard]] Result<Measured> summarise(const Bench& bench, std::shared_ptr<const engine::Benchmark> benchmark,
                                             engine::Rows rows) const;
    /// Now against before, on the same rows; both of the same task. Nothing while planning.
    [[nodiscard]] Result<engine::Comparison> compare(const Measured& before, const Measured& now) const;
    /// The same as a value for a table's cell; perplexities by their logarithm. Fails when no row was scored both
    /// times.
    [[nodiscard]] Result<Contrast> contrast(const Measured& before, const Measured& now) const;
    [[nodiscard]] Result<std::shared_ptr<const engine::Benchmark>> benchmark(Bench& bench, const std::string& task);
    /// All heads by what their removal costs on a task, on top of `fixed`; the order of the heads while planning.
    [[nodiscard]] Result<Ranked> rank(Bench& bench, const std::string& task,
                                      const interventions::InterventionSet& fixed = {});

    [[nodiscard]] Result<std::string> distil(const DistillRequest& request) const;

    void add(Row row);
    void dropRows(std::size_t from); ///< of a model that could not be measured to its end
    void show(Picture picture) { m_pictures.push_back(std::move(picture)); }
    void say(const std::string& note); ///< a sentence for the reader of the table; the same one is kept once
    /// Counts work that is not a score: examples of a benchmark times parts of the model.
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
    std::set<std::string> m_ranked; ///< models whose heads were ranked while planning
    std::map<std::string, std::shared_ptr<Bench>> m_benches;
    std::map<std::string, Ranked> m_rankings;
};

} // namespace headscope::experiments
