// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/scorer.h"

#include "core/engine/activationcache.h"
#include "core/engine/generate.h"
#include "core/engine/rehearsal.h"
#include "core/engine/replacements.h"
#include "core/engine/treerun.h"
#include "core/engine/unread.h"
#include "core/lm/cudakernels.h"
#include "core/lm/forecast.h"
#include "core/lm/transfer.h"
#include "core/lm/treemixing.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>
#include <deque>

namespace headscope::engine {

namespace {

// Tokens of a batch below which a smaller one saves nothing that counts.
constexpr std::int64_t kSmallestBatch = 128;

// Logits that are made at one time.
constexpr std::int64_t kLogits = std::int64_t{4'000'000};

// As many rows as keep the widest temporary small enough for the allocator to reuse its memory (core/lm/threads.h).
std::int64_t defaultBatchTokens(const lm::Model& model)
{
    constexpr std::int64_t kNumbers = std::int64_t{8'000'000};
    std::int64_t widest = 3 * std::int64_t{model.spec().hidden};
    for (const lm::LayerSpec& layer : model.spec().layers)
        for (const lm::MixerSpec& mixer : layer.mixers)
            widest = std::max(widest, 2 * std::int64_t{mixer.heads} * mixer.headDim + 2 * std::int64_t{mixer.kvHeads} * mixer.state);
    const std::int64_t onCpu = std::clamp<std::int64_t>(kNumbers / widest, 256, 4096);
    return model.device().is_cpu() ? onCpu : 8 * onCpu;
}

/// Rows of a batch at which logits are wanted, [B, R] (shorter lists repeat their last), and the last real positions.
struct Rows {
    at::Tensor rows;
    at::Tensor last;
    std::vector<std::vector<int>> perSequence;
};

Rows wantedRows(const std::vector<const Sequence*>& sequences, const at::Device& device)
{
    Rows wanted;
    std::size_t most = 1;
    for (const Sequence* sequence : sequences) {
        std::vector<int> rows;
        for (const Sequence::Target& target : sequence->targets)
            rows.push_back(target.position);
        std::sort(rows.begin(), rows.end());
        rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
        most = std::max(most, rows.size());
        wanted.perSequence.push_back(std::move(rows));
    }
    const auto count = static_cast<std::int64_t>(sequences.size());
    at::Tensor rows = at::empty({count, static_cast<std::int64_t>(most)}, at::kLong), last = at::empty({count}, at::kLong);
    for (std::size_t b = 0; b < sequences.size(); ++b) {
        for (std::size_t r = 0; r < most; ++r)
            rows[static_cast<std::int64_t>(b)][static_cast<std::int64_t>(r)] = wanted.perSequence[b][std::min(r, wanted.perSequence[b].size() - 1)];
        last[static_cast<std::int64_t>(b)] = static_cast<std::int64_t>(sequences[b]->ids.size()) - 1;
    }
    wanted.rows = lm::onDevice(rows, device);
    wanted.last = lm::onDevice(last, device);
    return wanted;
}

} // namespace

const char* name(LogSoftmax type) { return type == LogSoftmax::Model ? "model" : "fp32"; }

class Scorer::Cache : public ActivationCache
{
public:
    using ActivationCache::ActivationCache;
    std::vector<std::weak_ptr<const Workload>> known; ///< workloads of which something may be kept
};

/// One scoring pass over a workload.
class Scorer::Pass
{
public:
    Pass(Scorer& scorer, const Workload& workload, const lm::Edits& edits, const OutcomeSink& sink, const Control& control)
        : m_scorer(scorer), m_workload(workload), m_edits(edits), m_sink(sink), m_control(control), m_outcomes(workload.examples().size()),
          m_missing(workload.examples().size()), m_replacements(*scorer.m_model, workload, control.stop)
    {
        for (std::size_t i = 0; i < m_outcomes.size(); ++i) {
            const EncodedExample& example = workload.examples()[i];
            m_outcomes[i].logLikelihoods.assign(static_cast<std::size_t>(example.choices), 0.0);
            m_outcomes[i].greedy.assign(static_cast<std::size_t>(example.choices), true);
            m_outcomes[i].truncated = example.truncated;
            m_outcomes[i].rejected = example.rejected;
            m_missing[i] = example.sequences.size();
        }
    }

    /// False when stopped.
    bool runBatch(std::size_t index)
    {
        const Workload::Batch& batch = m_workload.batches()[index];
        const bool together = sharesRows(m_edits);
        const lm::Edits edits = together && Replacements::needed(m_edits) ? m_replacements.fill(m_edits, batch) : m_edits;
        TreeRun run(*m_scorer.m_model, *m_scorer.m_cache, m_workload, index, m_control.stop, m_scorer.m_recorded.get());
        if (together) {
            const at::Tensor stream = run.toEnd(edits);
            if (stream.defined())
                readShared(batch, run.rows(), stream[0]);
            return stream.defined();
        }
        // What is before the first edit is shared all the same.
        const int first = edits.layers.begin()->first;
        const at::Tensor stream = first < edits.layerCount ? run.toLayer(first) : run.toEnd(edits);
        if (!stream.defined())
            return false;
        if (first >= edits.layerCount) {
            readShared(batch, run.rows(), stream[0]);
            return true;
        }
        for (const Workload::Batch& part : m_workload.parts(batch))
            if (!runPart(part, stream[0], run.embedding()[0], first))
                return false;
        return true;
    }

    /// Finishes what was read of batches, all but the last `pending`.
    void settle(std::size_t pending)
    {
        for (; m_readings.size() > pending; m_readings.pop_front()) {
            Reading& reading = m_readings.front();
            for (Tile& tile : reading.tiles)
                take(tile);
            finish(reading.members);
        }
    }

    void emitRejected(const std::vector<bool>& only)
    {
        for (std::size_t i = 0; i < m_outcomes.size(); ++i)
            if (!m_outcomes[i].rejected.empty() && (only.empty() || only[i]))
                m_sink(static_cast<int>(i), m_outcomes[i]);
    }

private:
    // A part of a batch, padded, from the input of layer `first` on. stream, embedding: [N, D].
    bool runPart(const Workload::Batch& part, const at::Tensor& stream, const at::Tensor& embedding, int first)
    {
        const lm::Model& model = *m_scorer.m_model;
        std::vector<const Sequence*> sequences;
        std::vector<std::int64_t> places;
        for (std::size_t i = 0; i < part.members.size(); ++i) {
            sequences.push_back(&m_workload.sequence(part.members[i]));
            for (std::int64_t t = 0; t < part.length; ++t)
                places.push_back(part.rowOf[i][std::min(static_cast<std::size_t>(t), part.rowOf[i].size() - 1)]);
        }
        const at::Tensor index = lm::onDevice(at::tensor(places, at::kLong), model.device());
        const auto padded = [&](const at::Tensor& x) { return x.index_select(0, index).view({static_cast<std::int64_t>(sequences.size()), part.length, x.size(1)}); };
        const lm::Edits filled = Replacements::needed(m_edits) ? m_replacements.fill(m_edits, part) : m_edits;
        if (m_control.stopped())
            return false;
        const Rows wanted = wantedRows(sequences, model.device());
        const lm::RunOptions run{.edits = &filled, .lastPositions = wanted.last, .rows = wanted.rows, .stop = m_control.stop};
        const at::Tensor end = model.runLayers(padded(stream), first, filled.layerCount, padded(embedding), run); // [B, R, D]
        if (!end.defined())
            return false;
        std::vector<Readout> readouts;
        for (std::size_t i = 0; i < sequences.size(); ++i)
            for (const Sequence::Target& target : sequences[i]->targets) {
                const auto& rows = wanted.perSequence[i];
                const auto row = std::lower_bound(rows.begin(), rows.end(), target.position) - rows.begin();
                readouts.push_back({part.members[i].example, target.choice, target.token, static_cast<std::int64_t>(i) * end.size(1) + row});
            }
        read(part, std::move(readouts), end.reshape({-1, end.size(2)}));
        return true;
    }

    // stream: [R, D] at the tree rows `rows`.
    void readShared(const Workload::Batch& batch, const std::vector<std::int64_t>& rows, const at::Tensor& stream)
    {
        std::vector<Readout> readouts;
        for (std::size_t i = 0; i < batch.members.size(); ++i)
            for (const Sequence::Target& target : m_workload.sequence(batch.members[i]).targets) {
                const auto row = std::lower_bound(rows.begin(), rows.end(), batch.rowOf[i][static_cast<std::size_t>(target.position)]) - rows.begin();
                readouts.push_back({batch.members[i].example, target.choice, target.token, row});
            }
        read(batch, std::move(readouts), stream);
    }

    struct Readout {
        int example = 0, choice = 0, token = 0;
        std::int64_t row = 0;
    };

    /// Some rows' readouts on their way to the host.
    struct Tile {
        std::vector<Readout> readouts; ///< ascending by row
        std::int64_t begin = 0;        ///< the first row
        lm::HostCopy logSum, best, chosen;
    };
    struct Reading {
        std::vector<Workload::Member> members;
        std::vector<Tile> tiles;
    };

    // Log-probabilities of tokens at rows of stream [R, D], some rows at a time: all logits at once would be fresh memory. A GPU brings
    // them while it runs the next batch.
    void read(const Workload::Batch& batch, std::vector<Readout> readouts, const at::Tensor& stream)
    {
        m_readings.push_back({batch.members, {}});
        std::stable_sort(readouts.begin(), readouts.end(), [](const Readout& a, const Readout& b) { return a.row < b.row; });
        const std::int64_t vocabulary = m_scorer.m_model->spec().vocabulary, step = std::clamp<std::int64_t>(kLogits / vocabulary, 16, stream.size(0));
        auto next = readouts.begin();
        for (std::int64_t begin = 0; begin < stream.size(0); begin += step) {
            const std::int64_t count = std::min(step, stream.size(0) - begin);
            const at::Tensor logits = m_scorer.m_model->unembed(stream.narrow(0, begin, count)).contiguous(); // [r, V] fp32
            const at::Tensor scores = inModelType() ? at::log_softmax(logits.to(m_scorer.m_model->dtype()), -1).to(at::kFloat) : logits;
            const lm::RowSums sums = lm::rowSums(scores);
            std::vector<std::int64_t> flat;
            const auto first = next;
            for (; next != readouts.end() && next->row < begin + count; ++next)
                flat.push_back((next->row - begin) * vocabulary + next->token);
            const at::Tensor chosen = scores.view(-1).index_select(0, lm::onDevice(at::tensor(flat, at::kLong), scores.device()));
            m_readings.back().tiles.push_back({{first, next}, begin, lm::HostCopy(sums.logSum), lm::HostCopy(sums.best), lm::HostCopy(chosen)});
        }
        settle(stream.is_cpu() ? 0 : 1);
    }

    void take(Tile& tile)
    {
        const float* value = tile.chosen.wait().data_ptr<float>();
        const float* const logSum = tile.logSum.wait().data_ptr<float>();
        const std::int64_t* const best = tile.best.wait().data_ptr<std::int64_t>();
        for (const Readout& readout : tile.readouts) {
            const std::int64_t row = readout.row - tile.begin;
            put(readout, static_cast<double>(*value++) - (inModelType() ? 0.0 : static_cast<double>(logSum[row])), best[row] == readout.token);
        }
    }

    void put(const Readout& readout, double value, bool greedy)
    {
        tasks::Outcome& outcome = m_outcomes[static_cast<std::size_t>(readout.example)];
        if (!std::isfinite(value))
            outcome.rejected = "The model's log-likelihood is not a finite number here.";
        outcome.logLikelihoods[static_cast<std::size_t>(readout.choice)] += value;
        if (!greedy)
            outcome.greedy[static_cast<std::size_t>(readout.choice)] = false;
    }

    void finish(const std::vector<Workload::Member>& members)
    {
        for (const auto& member : members) {
            if (--m_missing[static_cast<std::size_t>(member.example)] > 0)
                continue;
            tasks::Outcome& outcome = m_outcomes[static_cast<std::size_t>(member.example)];
            if (inModelType()) // the sum over a continuation's tokens is of that type too
                for (double& sum : outcome.logLikelihoods)
                    sum = at::scalar_tensor(sum, at::kDouble).to(m_scorer.m_model->dtype()).item<double>();
            m_sink(member.example, outcome);
        }
    }

    [[nodiscard]] bool inModelType() const { return m_scorer.m_options.logSoftmax == LogSoftmax::Model; }

    Scorer& m_scorer;
    const Workload& m_workload;
    const lm::Edits& m_edits;
    const OutcomeSink& m_sink;
    const Control& m_control;
    std::vector<tasks::Outcome> m_outcomes;
    std::vector<std::size_t> m_missing;
    std::deque<Reading> m_readings; ///< that are not finished
    Replacements m_replacements;
};

Scorer::Scorer(std::shared_ptr<const lm::Model> model, std::shared_ptr<const text::Tokenizer> tokenizer, ScorerOptions options)
    : m_model(std::move(model)), m_tokenizer(std::move(tokenizer)), m_options(options), m_cache(std::make_unique<Cache>(options.cacheBytes))
{
}

Scorer::~Scorer() = default;

std::shared_ptr<const Workload> Scorer::prepare(std::vector<EncodedExample> examples) const
{
    const std::int64_t most = m_options.batchTokens > 0 ? m_options.batchTokens : defaultBatchTokens(*m_model);
    const auto make = [&](std::vector<EncodedExample> own, std::int64_t tokens) {
        auto made = std::make_shared<Workload>(std::move(own), m_options, tokens, m_model->spec().rotationByLength ? m_model->spec().maxPositions : 0);
        if (m_options.memory > 0)
            made->setWorkingBytes(workingBytes(*m_model, *made, m_options.logSoftmax));
        return made;
    };
    if (m_options.memory <= 0)
        return make(std::move(examples), most);
    m_cache->clear(); // what the new one needs is not known yet
    // From the smallest on, in steps that can not take too much: n times the rows take at most n times the memory. Most of it is for what
    // is kept, which saves more than larger batches do.
    const std::int64_t room = (m_options.memory - m_options.weightBytes) / 4;
    std::int64_t tokens = std::min(kSmallestBatch, most);
    auto fits = make(examples, tokens);
    while (tokens < most && fits->largestBatch() > 0) {
        const double times = static_cast<double>(room) / static_cast<double>(std::max<std::int64_t>(*fits->workingBytes(), 1));
        const auto next = static_cast<std::int64_t>(std::min(times * static_cast<double>(fits->largestBatch()), static_cast<double>(most)));
        if (next < tokens + tokens / 4) // a little more is not worth another rehearsal
            break;
        auto larger = make(examples, next);
        if (*larger->workingBytes() > room)
            break;
        fits = std::move(larger);
        tokens = next;
    }
    return fits;
}

std::int64_t Scorer::roomToKeep(std::int64_t workingBytes) const
{
    return m_options.memory > 0 ? std::clamp<std::int64_t>(m_options.memory - m_options.weightBytes - workingBytes, 0, m_options.cacheBytes) : m_options.cacheBytes;
}

RunMemory Scorer::forecast(const Workload& workload, std::optional<int> firstLayer) const
{
    const std::int64_t most = workload.workingBytes() ? *workload.workingBytes() : workingBytes(*m_model, workload, m_options.logSoftmax);
    const KeepPlan plan = keepPlan(*m_model, workload, roomToKeep(most));
    Working working{most, most};
    if (plan.stride == 1) { // what is kept of a layer is not taken a second time
        working = workingWhenKept(*m_model, workload, m_options.logSoftmax, 0);
        // Behind the change there is a layer of all rows, or only the last one.
        if (const int layers = static_cast<int>(m_model->spec().layers.size()); firstLayer && *firstLayer + 2 >= layers)
            working.changed = workingWhenKept(*m_model, workload, m_options.logSoftmax, *firstLayer).changed;
    }
    // The clean pass: a batch with what is kept of those before it and of itself. Texts that are written on have no batch.
    double rows = 0, taken = static_cast<double>(workload.batches().empty() ? most : 0);
    const auto all = static_cast<double>(workload.rows()), largest = static_cast<double>(workload.largestBatch());
    for (const Workload::Batch& batch : workload.batches()) {
        const auto own = static_cast<double>(batch.tree->rows());
        rows += own;
        taken = std::max(taken, static_cast<double>(plan.bytes) * rows / all + static_cast<double>(working.clean) * own / largest);
    }
    const std::int64_t clean = static_cast<std::int64_t>(taken) - plan.bytes;
    return {m_options.weightBytes, plan.bytes, firstLayer ? std::max(clean, working.changed) : clean};
}

Result<void> Scorer::score(const std::shared_ptr<const Workload>& workload, const interventions::InterventionSet& set,
                           const lm::DonorLoader& donors, const OutcomeSink& sink, const Control& control, const std::vector<bool>& only)
{
    const at::NoGradGuard noGrad;
    const auto resolved = lm::resolve(set, m_model->spec(), donors);
    if (!resolved.has_value())
        return resolved.error();
    const lm::Edits edits = withoutUnread(*m_model, *resolved);

    // Streams of workloads that are gone can not be asked for again; an address may be used by another one later.
    std::erase_if(m_cache->known, [](const auto& weak) { return weak.expired(); });
    const bool known = std::any_of(m_cache->known.begin(), m_cache->known.end(), [&](const auto& weak) { return weak.lock() == workload; });
    if (!known) {
        m_cache->forget(workload.get());
        m_cache->known.push_back(workload);
    }
    if (!m_recorded || !m_recorded->serves(workload)) {
        m_recorded.reset(); // its memory first
        const lm::Recorder recorder = m_options.recorder ? m_options.recorder : lm::cudaRecorder(m_model->device());
        if (recorder && workload->largestBatch() > 0)
            m_recorded = std::make_unique<RecordedBatches>(*m_model, workload, recorder);
    }
    if (m_options.memory > 0) {
        const std::int64_t working = workload->workingBytes().value_or(0), needed = m_options.weightBytes + working;
        if (needed > m_options.memory)
            return Error{Error::Kind::Memory, "The weights and a batch of " + std::to_string(workload->largestBatch()) + " tokens, the smallest for these texts, take " +
                                                  lm::sizeText(needed) + "; the memory is limited to " + lm::sizeText(m_options.memory) + ".", {}};
        m_cache->setBudget(roomToKeep(working));
        if (!known)
            m_cache->makeRoom(keepPlan(*m_model, *workload, m_cache->budget()).bytes, workload.get());
    }

    Pass pass(*this, *workload, edits, sink, control);
    pass.emitRejected(only);
    const auto total = static_cast<std::int64_t>(workload->batches().size());
    for (std::int64_t i = 0; i < total; ++i) {
        const auto& members = workload->batches()[static_cast<std::size_t>(i)].members;
        const bool wanted = only.empty() || std::any_of(members.begin(), members.end(), [&](const auto& m) { return only[static_cast<std::size_t>(m.example)]; });
        if (wanted && (control.stopped() || !pass.runBatch(static_cast<std::size_t>(i)))) {
            pass.settle(0);
            return cancelledError();
        }
        control.progress("scoring", i + 1, total);
    }
    pass.settle(0);
    return {};
}

Result<void> Scorer::generateAll(std::span<const tasks::Example> texts, const std::shared_ptr<const Workload>& workload,
                                 const interventions::InterventionSet& set, const lm::DonorLoader& donors, const OutcomeSink& sink,
                                 const Control& control, const std::vector<bool>& only)
{
    const auto edits = lm::resolve(set, m_model->spec(), donors);
    if (!edits.has_value())
        return edits.error();
    const std::string endText = m_tokenizer && m_tokenizer->eosId() ? m_tokenizer->tokenOf(*m_tokenizer->eosId()).value_or("") : "";
    for (std::size_t i = 0; i < texts.size(); ++i) {
        if (control.stopped())
            return cancelledError();
        if (!only.empty() && !only[i])
            continue;
        const EncodedExample& example = workload->examples()[i];
        tasks::Outcome outcome{.truncated = example.truncated, .rejected = example.rejected};
        std::vector<int> ids;
        std::vector<std::string> stops = texts[i].until;
        stops.push_back(endText);
        std::erase(stops, std::string());
        const auto stopped = [&](int id) {
            ids.push_back(id);
            const auto text = m_tokenizer->decode(ids, true);
            if (text.has_value())
                outcome.generated = m_tokenizer->wantsCleanUp() ? text::cleanUpSpaces(*text) : *text;
            const std::size_t whole = outcome.generated.size();
            for (const std::string& stop : stops) // in turn, as the harness cuts: a cut can take the next stop string away
                outcome.generated.resize(std::min(outcome.generated.size(), outcome.generated.find(stop)));
            return outcome.generated.size() < whole;
        };
        if (outcome.rejected.empty()) {
            GenerateOptions options{.newTokens = texts[i].maxNewTokens, .stopIds = m_model->spec().eosIds, .edits = &*edits};
            options.onToken = [&](int id) { return !stopped(id); };
            (void)generate(*m_model, at::tensor(std::vector<std::int64_t>(example.prompt.begin(), example.prompt.end()), at::kLong).unsqueeze(0), options, control.stop);
            if (control.stopped())
                return cancelledError();
        }
        sink(static_cast<int>(i), outcome);
        control.progress("generating", static_cast<std::int64_t>(i) + 1, static_cast<std::int64_t>(texts.size()));
    }
    return {};
}

std::int64_t Scorer::keptBytes() const { return m_cache->bytes(); }

const lm::GraphPool* Scorer::graphs() const { return m_recorded ? &m_recorded->pool() : nullptr; }

void Scorer::dropCache()
{
    m_cache->clear();
    m_recorded.reset();
}

} // namespace headscope::engine
