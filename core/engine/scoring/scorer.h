// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Scores encoded examples under an ablation set. Stores the residual streams of the clean run, so that an ablation
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

/// Type in which log-softmax runs and continuation tokens are summed. Model: the type of the logits, as in the
/// reference harness v0.4.7, so that bf16 scores are quantized and can tie.
enum class LogSoftmax { Fp32, Model };

/// "fp32", "model"
[[nodiscard]] const char* name(LogSoftmax type);

struct ScorerOptions {
    std::int64_t cacheBytes = std::int64_t{2} << 30; ///< budget for clean activations; 0: store none
    std::int64_t batchTokens = 0;                    ///< positions of one forward pass; 0: chosen by the model's shape
    int firstChunk = 32;                             ///< examples in the small first chunk, for an early answer
    int batchParts = 1;                              ///< see lm::batchPartsFor(); the first chunk is split too
    int batchesAtOnce = 1;                           ///< on the CPU, each on one thread: see lm::batchesAtOnceFor()
    std::uint64_t orderSeed = 0;                     ///< seed of the random order in which examples run
    LogSoftmax logSoftmax = LogSoftmax::Fp32;
    std::int64_t memory = 0;      ///< total bytes for weights, stored activations and the largest batch; 0: no limit
    std::int64_t weightBytes = 0; ///< part of it that is already in use
    lm::Recorder
        recorder; ///< records layers that run repeatedly (layergraphs.h); empty: the device's own, none on the CPU
};

/// Peak memory of a run in bytes of tensors, without the program itself and the reserve of the system's
/// allocator.
struct RunMemory {
    std::int64_t weights = 0;
    std::int64_t kept = 0;    ///< between passes over one workload, when everything is stored
    std::int64_t working = 0; ///< in addition to those

    [[nodiscard]] std::int64_t total() const { return weights + kept + working; }
};

/// One prepared benchmark: sequences in batches, in the order in which they run. Common beginnings of a batch's
/// sequences (a few-shot header, a question, the choices' common context) are stored once.
class Workload
{
public:
    /// Prompts longer than `sharedLength` tokens share a batch only with prompts of equal length; 0: no limit.
    Workload(std::vector<EncodedExample> examples, const ScorerOptions& options, std::int64_t batchTokens,
             int sharedLength = 0);

    struct Member {
        int example = 0;
        int sequence = 0;
    };
    struct Batch {
        std::vector<Member> members;
        std::int64_t length = 0;                      ///< tokens of the longest sequence
        std::shared_ptr<const lm::TokenTree> tree;    ///< all tokens of the batch, packed
        std::vector<std::vector<std::int64_t>> rowOf; ///< by member and position: the row in the tree
        std::vector<std::int64_t> read;               ///< rows of the tree at which something is read, ascending
    };
    [[nodiscard]] const std::vector<EncodedExample>& examples() const { return m_examples; }
    [[nodiscard]] const std::vector<Batch>& batches() const { return m_batches; }
    /// Returns whether the batch contains one of these examples; empty: true.
    [[nodiscard]] static bool isWanted(const Batch& batch, const std::vector<bool>& only);
    /// Batches that run side by side.
    struct Turn {
        std::vector<std::size_t> batches;
        std::int64_t rows = 0; ///< rows of their trees
    };
    /// Returns the batches with one of these examples (empty: all), at most this number per turn.
    [[nodiscard]] std::vector<Turn> turns(std::int64_t atOnce, const std::vector<bool>& only = {}) const;
    [[nodiscard]] const Sequence& sequence(const Member& member) const
    {
        return m_examples[static_cast<std::size_t>(member.example)]
            .sequences[static_cast<std::size_t>(member.sequence)];
    }
    /// Splits a batch into parts that may be padded to their longest within the budget of positions, shortest first:
    /// for runs in which sequences with the same beginning cannot share it. No trees.
    [[nodiscard]] std::vector<Batch> parts(const Batch& batch) const;
    [[nodiscard]] std::int64_t tokens() const;       ///< input tokens of all sequences, each written out
    [[nodiscard]] std::int64_t rows() const;         ///< number of these computed, once per batch
    [[nodiscard]] std::int64_t largestBatch() const; ///< its number of rows
    [[nodiscard]] std::int64_t longest() const;      ///< tokens of the longest sequence; 0: there is none
    /// Returns workingBytes() (workingmemory.h); nothing if not yet computed.
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

/// Called for each finished example, in order of completion.
using OutcomeSink = std::function<void(int example, const tasks::Outcome& outcome)>;

class RecordedBatches;
class UnreadHeads;

class Scorer
{
public:
    Scorer(std::shared_ptr<const lm::Model> model, std::shared_ptr<const text::Tokenizer> tokenizer,
           ScorerOptions options = {});
    ~Scorer();

    /// Prepares examples in batches as large as memory allows, or the smallest possible.
    [[nodiscard]] std::shared_ptr<const Workload> prepare(std::vector<EncodedExample> examples) const;
    /// Forecasts memory for a clean pass and passes that change layers from `firstLayer` on (nothing: only the clean
    /// one). `only`: of these examples (empty: all). Runs some layers once or twice, see workingmemory.h.
    [[nodiscard]] RunMemory forecast(const Workload& workload, std::optional<int> firstLayer,
                                     const std::vector<bool>& only = {}) const;

    /// Scores the examples. Fails for an ablation set that does not fit the model, for a batch that does not fit in
    /// memory, and when stopped; outcomes already passed to the sink stay valid. `only`: examples to run (empty: all),
    /// for resuming. `texts` are needed only for generation.
    [[nodiscard]] Result<void> score(const std::shared_ptr<const Workload>& workload,
                                     const interventions::InterventionSet& set, const lm::DonorLoader& donors,
                                     const OutcomeSink& sink, const Control& control,
                                     const std::vector<bool>& only = {});

    /// Generates greedy text for examples with generated answers; stops at the first of the example's stop strings.
    [[nodiscard]] Result<void> generateAll(std::span<const tasks::Example> texts,
                                           const std::shared_ptr<const Workload>& workload,
                                           const interventions::InterventionSet& set, const lm::DonorLoader& donors,
                                           const OutcomeSink& sink, const Control& control,
                                           const std::vector<bool>& only = {});

    [[nodiscard]] const lm::Model& model() const { return *m_model; }
    [[nodiscard]] LogSoftmax logSoftmax() const { return m_options.logSoftmax; }
    [[nodiscard]] std::int64_t keptBytes() const;
    /// Returns the state of recorded layers; null if none are recorded.
    [[nodiscard]] const lm::GraphPool* graphs() const;
    /// Returns a sentence if a GPU run is slower than it could be; otherwise empty.
    [[nodiscard]] std::string slowdown() const;
    /// From now on; see ScorerOptions.
    void setBatchesAtOnce(int batches);
    [[nodiscard]] int batchesAtOnce() const { return m_options.batchesAtOnce; }
    void dropCache();
    /// To be called when idle: drops stored activations that are quickly recomputed.
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
    std::unique_ptr<RecordedBatches> m_recorded; ///< of the last workload; null if nothing is recorded
};

} // namespace headscope::engine
