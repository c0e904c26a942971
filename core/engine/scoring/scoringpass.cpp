// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/scoring/scoringpass.h"

#include "core/lm/tree/treemixing.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <future>
#include <iterator>

#include <omp.h>

namespace headscope::engine {

namespace {

// Logits that are made at one time.
constexpr std::int64_t kLogits = std::int64_t{4'000'000};

/// Rows of a batch at which logits are wanted, [B, R] (shorter lists repeat their last), and the last real positions.
struct LogitRows {
    at::Tensor rows;
    at::Tensor last;
    std::vector<std::vector<int>> perSequence;
};

LogitRows wantedRows(const std::vector<const Sequence*>& sequences, const at::Device& device)
{
    LogitRows wanted;
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
    at::Tensor rows = at::empty({count, static_cast<std::int64_t>(most)}, at::kLong),
               last = at::empty({count}, at::kLong);
    for (std::size_t b = 0; b < sequences.size(); ++b) {
        for (std::size_t r = 0; r < most; ++r)
            rows[static_cast<std::int64_t>(b)][static_cast<std::int64_t>(r)] =
                wanted.perSequence[b][std::min(r, wanted.perSequence[b].size() - 1)];
        last[static_cast<std::int64_t>(b)] = static_cast<std::int64_t>(sequences[b]->ids.size()) - 1;
    }
    wanted.rows = lm::onDevice(rows, device);
    wanted.last = lm::onDevice(last, device);
    return wanted;
}

// Calls `run` for 0 to count - 1 concurrently, each on one CPU thread, the first on the calling thread, and returns
// when all are done: for batches of a model so small that threads of one operation would wait longer than they compute.
// Only the calling thread yields meanwhile. Rethrows what one of them threw.
void sideBySide(std::size_t count, const std::function<void(std::size_t)>& run)
{
    const auto alone = [&run](std::size_t index) {
        omp_set_num_threads(1); // of this thread
        const at::NoGradGuard noGrad;
        run(index);
    };
    std::vector<std::future<void>> others; // they are waited for, whatever is thrown
    for (std::size_t index = 1; index < count; ++index)
        others.push_back(std::async(std::launch::async, alone, index));
    if (count > 0)
        run(0);
    for (std::future<void>& other : others)
        other.get();
}

} // namespace

ScoringPass::ScoringPass(const PassArguments& arguments)
    : m_a(arguments), m_outcomes(m_a.workload.examples().size()), m_missing(m_a.workload.examples().size()),
      m_replacements(m_a.model, m_a.workload, m_a.control.stop)
{
    for (std::size_t i = 0; i < m_outcomes.size(); ++i) {
        const EncodedExample& example = m_a.workload.examples()[i];
        m_outcomes[i].logLikelihoods.assign(static_cast<std::size_t>(example.choices), 0.0);
        m_outcomes[i].greedy.assign(static_cast<std::size_t>(example.choices), true);
        m_outcomes[i].truncated = example.truncated;
        m_outcomes[i].rejected = example.rejected;
        m_missing[i] = example.sequences.size();
    }
}

bool ScoringPass::run(std::span<const std::size_t> batches)
{
    // The means of all examples are made once, by whoever needs them first.
    const std::size_t atOnce = Replacements::needed(m_a.edits) ? 1 : batches.size();
    for (std::size_t first = 0; first < batches.size(); first += atOnce) {
        std::vector<std::vector<Reading>> found(atOnce);
        sideBySide(atOnce, [&](std::size_t i) { found[i] = readBatch(batches[first + i]); });
        for (std::vector<Reading>& readings : found) {
            if (readings.empty())
                return false;
            std::move(readings.begin(), readings.end(), std::back_inserter(m_readings));
            settle(m_a.model.device().is_cpu() ? 0 : 1);
        }
    }
    return true;
}

std::vector<ScoringPass::Reading> ScoringPass::readBatch(std::size_t index)
{
    const Workload::Batch& batch = m_a.workload.batches()[index];
    const bool together = sharesRows(m_a.edits);
    const lm::Edits edits =
        together && Replacements::needed(m_a.edits) ? m_replacements.fill(m_a.edits, batch) : m_a.edits;
    TreeRun run(m_a.model, m_a.cache, m_a.workload, index, m_a.control.stop, m_a.recorded);
    // What is before the first edit is shared all the same.
    const int first = together ? edits.layerCount : edits.layers.begin()->first;
    const bool toEnd = first >= edits.layerCount;
    const at::Tensor stream = toEnd ? run.toEnd(edits) : run.toLayer(first);
    std::vector<Reading> readings;
    if (!stream.defined())
        return readings;
    if (toEnd)
        readings.push_back(readShared(batch, run.rows(), stream[0]));
    else
        for (const Workload::Batch& part : m_a.workload.parts(batch)) {
            auto reading = readPart(part, stream[0], run.embedding()[0], first);
            if (!reading)
                return {};
            readings.push_back(std::move(*reading));
        }
    return readings;
}

void ScoringPass::settle(std::size_t pending)
{
    for (; m_readings.size() > pending; m_readings.pop_front()) {
        Reading& reading = m_readings.front();
        for (Tile& tile : reading.tiles)
            take(tile);
        finish(reading.members);
    }
}

void ScoringPass::emitRejected(const std::vector<bool>& only)
{
    for (std::size_t i = 0; i < m_outcomes.size(); ++i)
        if (!m_outcomes[i].rejected.empty() && (only.empty() || only[i]))
            m_a.sink(static_cast<int>(i), m_outcomes[i]);
}

// A part of a batch, padded, from the input of layer `first` on. stream, embedding: [N, D].
std::optional<ScoringPass::Reading> ScoringPass::readPart(const Workload::Batch& part, const at::Tensor& stream,
                                                          const at::Tensor& embedding, int first)
{
    const lm::Model& model = m_a.model;
    std::vector<const Sequence*> sequences;
    std::vector<std::int64_t> places;
    for (std::size_t i = 0; i < part.members.size(); ++i) {
        sequences.push_back(&m_a.workload.sequence(part.members[i]));
        for (std::int64_t t = 0; t < part.length; ++t)
            places.push_back(part.rowOf[i][std::min(static_cast<std::size_t>(t), part.rowOf[i].size() - 1)]);
    }
    const at::Tensor index = lm::onDevice(at::tensor(places, at::kLong), model.device());
    const auto padded = [&](const at::Tensor& x) {
        return x.index_select(0, index).view({static_cast<std::int64_t>(sequences.size()), part.length, x.size(1)});
    };
    const lm::Edits filled = Replacements::needed(m_a.edits) ? m_replacements.fill(m_a.edits, part) : m_a.edits;
    if (m_a.control.stopped())
        return std::nullopt;
    const LogitRows wanted = wantedRows(sequences, model.device());
    const lm::RunOptions run{
        .edits = &filled, .lastPositions = wanted.last, .rows = wanted.rows, .stop = m_a.control.stop};
    const at::Tensor end =
        model.runLayers(padded(stream), first, filled.layerCount, padded(embedding), run); // [B, R, D]
    if (!end.defined())
        return std::nullopt;
    std::vector<Readout> readouts;
    for (std::size_t i = 0; i < sequences.size(); ++i)
        for (const Sequence::Target& target : sequences[i]->targets) {
            const auto& rows = wanted.perSequence[i];
            const auto row = std::lower_bound(rows.begin(), rows.end(), target.position) - rows.begin();
            readouts.push_back({part.members[i].example, target.choice, target.token,
                                static_cast<std::int64_t>(i) * end.size(1) + row});
        }
    return read(part, std::move(readouts), end.reshape({-1, end.size(2)}));
}

// stream: [R, D] at the tree rows `rows`.
ScoringPass::Reading ScoringPass::readShared(const Workload::Batch& batch, const std::vector<std::int64_t>& rows,
                                             const at::Tensor& stream) const
{
    std::vector<Readout> readouts;
    for (std::size_t i = 0; i < batch.members.size(); ++i)
        for (const Sequence::Target& target : m_a.workload.sequence(batch.members[i]).targets) {
            const auto row =
                std::lower_bound(rows.begin(), rows.end(), batch.rowOf[i][static_cast<std::size_t>(target.position)])
                - rows.begin();
            readouts.push_back({batch.members[i].example, target.choice, target.token, row});
        }
    return read(batch, std::move(readouts), stream);
}

// Log-probabilities of tokens at rows of stream [R, D], some rows at a time: all logits at once would be fresh memory.
// A GPU brings them while it runs the next batch.
ScoringPass::Reading ScoringPass::read(const Workload::Batch& batch, std::vector<Readout> readouts,
                                       const at::Tensor& stream) const
{
    Reading reading{batch.members, {}};
    std::stable_sort(readouts.begin(), readouts.end(),
                     [](const Readout& a, const Readout& b) { return a.row < b.row; });
    const std::int64_t vocabulary = m_a.model.spec().vocabulary,
                       step = std::clamp<std::int64_t>(kLogits / vocabulary, 16, stream.size(0));
    auto next = readouts.begin();
    for (std::int64_t begin = 0; begin < stream.size(0); begin += step) {
        const std::int64_t count = std::min(step, stream.size(0) - begin);
        const at::Tensor logits = m_a.model.unembed(stream.narrow(0, begin, count)).contiguous(); // [r, V] fp32
        const at::Tensor scores =
            inModelType() ? at::log_softmax(logits.to(m_a.model.dtype()), -1).to(at::kFloat) : logits;
        const lm::RowSums sums = lm::rowSums(scores);
        std::vector<std::int64_t> flat;
        const auto first = next;
        for (; next != readouts.end() && next->row < begin + count; ++next)
            flat.push_back((next->row - begin) * vocabulary + next->token);
        const at::Tensor chosen =
            scores.view(-1).index_select(0, lm::onDevice(at::tensor(flat, at::kLong), scores.device()));
        reading.tiles.push_back(
            {{first, next}, begin, lm::HostCopy(sums.logSum), lm::HostCopy(sums.best), lm::HostCopy(chosen)});
    }
    return reading;
}

void ScoringPass::take(Tile& tile)
{
    const float* value = tile.chosen.wait().data_ptr<float>();
    const float* const logSum = tile.logSum.wait().data_ptr<float>();
    const std::int64_t* const best = tile.best.wait().data_ptr<std::int64_t>();
    for (const Readout& readout : tile.readouts) {
        const std::int64_t row = readout.row - tile.begin;
        put(readout, static_cast<double>(*value++) - (inModelType() ? 0.0 : static_cast<double>(logSum[row])),
            best[row] == readout.token);
    }
}

void ScoringPass::put(const Readout& readout, double value, bool greedy)
{
    tasks::Outcome& outcome = m_outcomes[static_cast<std::size_t>(readout.example)];
    if (!std::isfinite(value))
        outcome.rejected = "The model's log-likelihood is not a finite number here.";
    outcome.logLikelihoods[static_cast<std::size_t>(readout.choice)] += value;
    if (!greedy)
        outcome.greedy[static_cast<std::size_t>(readout.choice)] = false;
}

void ScoringPass::finish(const std::vector<Workload::Member>& members)
{
    for (const auto& member : members) {
        if (--m_missing[static_cast<std::size_t>(member.example)] > 0)
            continue;
        tasks::Outcome& outcome = m_outcomes[static_cast<std::size_t>(member.example)];
        if (inModelType()) // the sum over a continuation's tokens is of that type too
            for (double& sum : outcome.logLikelihoods)
                sum = at::scalar_tensor(sum, at::kDouble).to(m_a.model.dtype()).item<double>();
        m_a.sink(member.example, outcome);
    }
}

} // namespace headscope::engine
