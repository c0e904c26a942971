// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/scorer.h"

#include "core/engine/activationcache.h"
#include "core/engine/generate.h"
#include "core/engine/replacements.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>

namespace headscope::engine {

namespace {

std::int64_t defaultBatchTokens(const lm::Model& model)
{
    const std::int64_t onCpu = model.spec().hidden <= 256 ? 8192 : model.spec().hidden <= 1024 ? 4096 : 2048;
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
    wanted.rows = rows.to(device);
    wanted.last = last.to(device);
    return wanted;
}

} // namespace

const char* name(LogSoftmax type) { return type == LogSoftmax::Model ? "model" : "fp32"; }

class Scorer::Cache : public ActivationCache
{
public:
    using ActivationCache::ActivationCache;
    std::vector<std::weak_ptr<const Workload>> known; ///< workloads whose streams may be kept
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
        const lm::Model& model = *m_scorer.m_model;
        const Workload::Batch& batch = m_workload.batches()[index];
        std::vector<const Sequence*> sequences;
        for (const auto& member : batch.members)
            sequences.push_back(&m_workload.sequence(member));
        const Rows wanted = wantedRows(sequences, model.device());

        // 1. The clean streams: kept ones, or run and kept up to the first layer that is touched.
        const ActivationCache::Key key{&m_workload, index};
        std::vector<at::Tensor> streams = m_scorer.m_cache->find(key);
        const int first = m_edits.layers.empty() ? m_edits.layerCount : std::min(m_edits.layers.begin()->first, m_edits.layerCount);
        if (streams.empty())
            streams.push_back(model.embed(paddedIds(sequences, batch.length, model.device()), {}));
        const at::Tensor embedding = streams.front();
        const int wantedStreams = std::max(first, 0); // the stream at the input of layer `first` has this index
        // Without a later edit the last layer only runs the rows that are read, so its full output is never made.
        const int stopAt = first == m_edits.layerCount ? std::max(wantedStreams - 1, 0) : wantedStreams;
        if (static_cast<int>(streams.size()) <= stopAt) {
            lm::Capture capture{.residual = true};
            const int from = static_cast<int>(streams.size()) - 1;
            const at::Tensor stream = model.runLayers(streams.back(), from, stopAt, embedding, {.capture = &capture, .stop = m_control.stop});
            if (!stream.defined())
                return false;
            streams.pop_back();
            streams.insert(streams.end(), capture.residuals.begin(), capture.residuals.end());
        }
        m_scorer.m_cache->keep(key, streams);

        // 2. From there with the edits, rows only at the end.
        const lm::Edits filled = Replacements::needed(m_edits) ? m_replacements.fill(m_edits, batch) : m_edits;
        if (m_control.stopped())
            return false;
        lm::RunOptions run{.edits = &filled, .lastPositions = wanted.last, .rows = wanted.rows, .stop = m_control.stop};
        at::Tensor stream = streams[static_cast<std::size_t>(stopAt)];
        stream = stopAt < filled.layerCount ? model.runLayers(stream, stopAt, filled.layerCount, embedding, run) : lm::gatherRows(stream, wanted.rows);
        if (!stream.defined())
            return false;
        read(batch, sequences, wanted, model.unembed(stream));
        return true;
    }

    void emitRejected(const std::vector<bool>& only)
    {
        for (std::size_t i = 0; i < m_outcomes.size(); ++i)
            if (!m_outcomes[i].rejected.empty() && (only.empty() || only[i]))
                m_sink(static_cast<int>(i), m_outcomes[i]);
    }

private:
    // logits: [B, R, V] fp32.
    void read(const Workload::Batch& batch, const std::vector<const Sequence*>& sequences, const Rows& wanted, const at::Tensor& logits)
    {
        const at::Tensor scores = inModelType() ? at::log_softmax(logits.to(m_scorer.m_model->dtype()), -1).to(at::kFloat) : logits; // [B, R, V]
        const at::Tensor normaliser = (inModelType() ? at::zeros_like(scores.select(-1, 0)) : scores.logsumexp(-1)).cpu();           // [B, R]
        const at::Tensor best = scores.argmax(-1).cpu();                                                                             // [B, R]
        std::vector<std::int64_t> flat;
        const std::int64_t rows = scores.size(1), vocabulary = scores.size(2);
        for (std::size_t b = 0; b < sequences.size(); ++b)
            for (const Sequence::Target& target : sequences[b]->targets) {
                const auto row = std::lower_bound(wanted.perSequence[b].begin(), wanted.perSequence[b].end(), target.position) - wanted.perSequence[b].begin();
                flat.push_back((static_cast<std::int64_t>(b) * rows + row) * vocabulary + target.token);
            }
        const at::Tensor chosen = scores.reshape(-1).index_select(0, at::tensor(flat, at::kLong).to(scores.device())).cpu();
        const auto chosenAt = chosen.accessor<float, 1>();
        const auto normaliserAt = normaliser.accessor<float, 2>();
        const auto bestAt = best.accessor<std::int64_t, 2>();
        std::int64_t next = 0;
        for (std::size_t b = 0; b < sequences.size(); ++b) {
            const auto example = static_cast<std::size_t>(batch.members[b].example);
            tasks::Outcome& outcome = m_outcomes[example];
            for (const Sequence::Target& target : sequences[b]->targets) {
                const std::int64_t place = flat[static_cast<std::size_t>(next)] / vocabulary;
                const std::int64_t row = place % rows, sample = place / rows;
                const double value = static_cast<double>(chosenAt[next]) - static_cast<double>(normaliserAt[sample][row]);
                if (!std::isfinite(value))
                    outcome.rejected = "The model's log-likelihood is not a finite number here.";
                const auto choice = static_cast<std::size_t>(target.choice);
                outcome.logLikelihoods[choice] += value;
                if (bestAt[sample][row] != target.token)
                    outcome.greedy[choice] = false;
                ++next;
            }
            if (--m_missing[example] == 0) {
                if (inModelType()) // the sum over a continuation's tokens is of that type too
                    for (double& sum : outcome.logLikelihoods)
                        sum = at::scalar_tensor(sum, at::kDouble).to(m_scorer.m_model->dtype()).item<double>();
                m_sink(static_cast<int>(example), outcome);
            }
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
    Replacements m_replacements;
};

Scorer::Scorer(std::shared_ptr<const lm::Model> model, std::shared_ptr<const text::Tokenizer> tokenizer, ScorerOptions options)
    : m_model(std::move(model)), m_tokenizer(std::move(tokenizer)), m_options(options), m_cache(std::make_unique<Cache>(options.cacheBytes))
{
}

Scorer::~Scorer() = default;

std::shared_ptr<const Workload> Scorer::prepare(std::vector<EncodedExample> examples) const
{
    return std::make_shared<const Workload>(std::move(examples), m_options, m_options.batchTokens > 0 ? m_options.batchTokens : defaultBatchTokens(*m_model));
}

Result<void> Scorer::score(const std::shared_ptr<const Workload>& workload, const interventions::InterventionSet& set,
                           const lm::DonorLoader& donors, const OutcomeSink& sink, const Control& control, const std::vector<bool>& only)
{
    const at::NoGradGuard noGrad;
    const auto edits = lm::resolve(set, m_model->spec(), m_model->device(), donors);
    if (!edits.has_value())
        return edits.error();

    // Streams of workloads that are gone can not be asked for again; an address may be used by another one later.
    std::erase_if(m_cache->known, [](const auto& weak) { return weak.expired(); });
    const bool known = std::any_of(m_cache->known.begin(), m_cache->known.end(), [&](const auto& weak) { return weak.lock() == workload; });
    if (!known) {
        m_cache->forget(workload.get());
        m_cache->known.push_back(workload);
    }

    Pass pass(*this, *workload, *edits, sink, control);
    pass.emitRejected(only);
    const auto total = static_cast<std::int64_t>(workload->batches().size());
    for (std::int64_t i = 0; i < total; ++i) {
        const auto& members = workload->batches()[static_cast<std::size_t>(i)].members;
        const bool wanted = only.empty() || std::any_of(members.begin(), members.end(), [&](const auto& m) { return only[static_cast<std::size_t>(m.example)]; });
        if (wanted && (control.stopped() || !pass.runBatch(static_cast<std::size_t>(i))))
            return cancelledError();
        control.progress("scoring", i + 1, total);
    }
    return {};
}

Result<void> Scorer::generateAll(std::span<const tasks::Example> texts, const std::shared_ptr<const Workload>& workload,
                                 const interventions::InterventionSet& set, const lm::DonorLoader& donors, const OutcomeSink& sink,
                                 const Control& control, const std::vector<bool>& only)
{
    const auto edits = lm::resolve(set, m_model->spec(), m_model->device(), donors);
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

void Scorer::dropCache() { m_cache->clear(); }

} // namespace headscope::engine
