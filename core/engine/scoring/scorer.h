// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Scores encoded examples under an ablation set. Keeps the residual streams of the clean run, so that an ablation
// restarts at the lowest layer it touches. Worker thread.

#include "core/base/progress.h"
#include "core/engine/scoring/pairs/encode.h"
#include "core/lm/device/layergraphs.h"
#include "core/lm/model.h"
#include "core/tasks/outcome.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace headscope::engine {

/// In which type log-softmax runs, and continuation tokens are summed. Model: the type of the logits, as the reference
/// harness v0.4.7 has it, so that bf16 scores move in steps and tie.
enum class LogSoftmax { Fp32, Model };

/// "fp32", "model"
[[nodiscard]] const char* name(LogSoftmax type);

struct ScorerOptions {
    std::int64_t cacheBytes = std::int64_t{2} << 30; ///< budget for what is kept of the clean run; 0: keep nothing
    std::int64_t batchTokens = 0;                    ///< positions of one forward pass; 0: chosen by the model's shape
    int firstChunk = 32;                             ///< examples of the first, small chunk: the early answer
    int batchParts = 1;                              ///< see lm::batchPartsFor(); the first chunk is split too
    int batchesAtOnce = 1;       ///< on the processor, each on one thread: see lm::batchesAtOnceFor()
    std::uint64_t orderSeed = 0; ///< examples run in this seeded random order
    LogSoftmax logSoftmax = LogSoftmax::Fp32;
    std::int64_t memory = 0; ///< bytes that weights, what is kept and the largest batch may take together; 0: no limit
    std::int64_t weightBytes = 0; ///< of them those that are taken already
    lm::Recorder
        recorder; ///< records layers that are run again (layergraphs.h); empty: the device's own, on the processor none
};

/// What a run takes at the most, in bytes of tensors: the program itself, and what the system's allocator keeps in
/// reserve, come on top.
struct RunMemory {
    std::int64_t weights = 0;
    std::int64_t kept = 0;    ///< between passes over one workload, when all is kept that will be
    std::int64_t working = 0; ///< beside those

    [[nodiscard]] std::int64_t total() const { return weights + kept + working; }
};

/// One benchmark made ready: sequences in batches, in the order in which they run. What the sequences of a batch start
/// with alike (a few-shot header, a question, the choices' common context) is there once.
class Workload
{
public:
    /// Texts of more than `sharedLength` tokens share a batch only with those of their own length; 0: no limit.
    Workload(std::vector<EncodedExample> examples, const ScorerOptions& options, std::int64_t batchTokens,
             int sharedLength = 0);

    struct Member {
        int example = 0;
        int sequence = 0;
    };
    struct Batch {
        std::vector<Member> members;
        std::int64_t length = 0;                      ///< of the longest
        std::shared_ptr<const lm::TokenTree> tree;    ///< all tokens of the batch, packed
        std::vector<std::vector<std::int64_t>> rowOf; ///< by member and position: the row in the tree
        std::vector<std::int64_t> read;               ///< rows of the tree at which something is read, ascending
    };
    [[nodiscard]] const std::vector<EncodedExample>& examples() const { return m_examples; }
    [[nodiscard]] const std::vector<Batch>& batches() const { return m_batches; }
    /// Whether one of these examples is in the batch; empty: all are wanted.
    [[nodiscard]] static bool isWanted(const Batch& batch, const std::vector<bool>& only);
    /// Batches that run side by side.
    struct Turn {
        std::vector<std::size_t> batches;
        std::int64_t rows = 0; ///< of their trees
    };
    /// The batches with one of these examples (empty: all), at most this number per turn.
    [[nodiscard]] std::vector<Turn> turns(std::int64_t atOnce, const std::vector<bool>& only = {}) const;
    [[nodiscard]] const Sequence& sequence(const Member& member) const
    {
        return m_examples[static_cast<std::size_t>(member.example)]
            .sequences[static_cast<std::size_t>(member.sequence)];
    }
    /// The members of a batch in parts that may be padded to their longest within the budget of positions, shortest
    /// first: for runs in which sequences with the same beginning cannot share it. No trees.
    [[nodiscard]] std::vector<Batch> parts(const Batch& batch) const;
    [[nodiscard]] std::int64_t tokens() const;       ///< input tokens of all sequences, each written out
    [[nodiscard]] std::int64_t rows() const;         ///< of them those that are computed once each batch
    [[nodiscard]] std::int64_t largestBatch() const; ///< rows of it
    [[nodiscard]] std::int64_t longest() const;      ///< tokens of the longest sequence; 0: there is none
    /// See workingBytes() in workingmemory.h; nothing where it was not needed yet.
    [[nodiscard]] std::optional<std::int64_t> workingBytes() const { return m_workingBytes; }
    void setWorkingBytes(std::int64_t bytes) { m_workingBytes = bytes; }

private:
    void addChunk(std::span<const int> examples, std::int64_t batchTokens, int sharedLength);
    void addBatch(Batch batch);
    std::vector<EncodedExample> m_examples;
    std::int64_t m_batchTokens = 0;
    std::optional<std::int64_t> m_workingBytes;
    std::vector<Batch> m_batches;
};

/// Called with each finished example, in the order of finishing.
using OutcomeSink = std::function<void(int example, const tasks::Outcome& outcome)>;

class RecordedBatches;
class UnreadHeads;

class Scorer
{
public:
    Scorer(std::shared_ptr<const lm::Model> model, std::shared_ptr<const text::Tokenizer> tokenizer,
           ScorerOptions options = {});
    ~Scorer();

    /// In batches as large as the memory allows, or in the smallest.
    [[nodiscard]] std::shared_ptr<const Workload> prepare(std::vector<EncodedExample> examples) const;
    /// Of a clean pass over the workload and passes that change layers from `firstLayer` on (nothing: only the clean
    /// one). `only`: of these examples (empty: all). Runs some layers once or twice, see workingmemory.h.
    [[nodiscard]] RunMemory forecast(const Workload& workload, std::optional<int> firstLayer,
                                     const std::vector<bool>& only = {}) const;

    /// Fails for an ablation set that does not fit the model, for a batch that does not fit the memory, and when
    /// stopped; what the sink got stays valid. `only`: examples to run (empty: all), for resuming. `texts` are needed
    /// for generation only.
    [[nodiscard]] Result<void> score(const std::shared_ptr<const Workload>& workload,
                                     const interventions::InterventionSet& set, const lm::DonorLoader& donors,
                                     const OutcomeSink& sink, const Control& control,
                                     const std::vector<bool>& only = {});

    /// Greedy text for examples that are generated; stops at the first of the example's stop strings.
    [[nodiscard]] Result<void> generateAll(std::span<const tasks::Example> texts,
                                           const std::shared_ptr<const Workload>& workload,
                                           const interventions::InterventionSet& set, const lm::DonorLoader& donors,
                                           const OutcomeSink& sink, const Control& control,
                                           const std::vector<bool>& only = {});

    [[nodiscard]] const lm::Model& model() const { return *m_model; }
    [[nodiscard]] LogSoftmax logSoftmax() const { return m_options.logSoftmax; }
    [[nodiscard]] std::int64_t keptBytes() const;
    /// What became of layers that could be recorded; null where none are.
    [[nodiscard]] const lm::GraphPool* graphs() const;
    /// The sentence for a run on a GPU that is slower than it could be; empty: it is not.
    [[nodiscard]] std::string slowdown() const;
    void dropCache();
    /// To be called when nobody asks for anything: what is kept goes if it is soon there again.
    void rest();

private:
    class Cache;
    [[nodiscard]] std::int64_t roomToKeep(std::int64_t workingBytes) const;
    [[nodiscard]] std::int64_t batchesAtOnce(const Workload& workload) const;
    std::shared_ptr<const lm::Model> m_model;
    std::shared_ptr<const text::Tokenizer> m_tokenizer;
    ScorerOptions m_options;
    std::unique_ptr<UnreadHeads> m_unread;
    std::unique_ptr<Cache> m_cache;
    std::unique_ptr<RecordedBatches> m_recorded; ///< of the last workload; null where nothing is recorded
};

} // namespace headscope::engine
