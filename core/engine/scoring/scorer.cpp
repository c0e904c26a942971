// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/scoring/scorer.h"

#include "core/engine/activationcache.h"
#include "core/engine/generate.h"
#include "core/engine/replacements.h"
#include "core/engine/scoring/pairs/steptokens.h"
#include "core/engine/scoring/scoringpass.h"
#include "core/engine/scoring/unreadheads.h"
#include "core/engine/scoring/workingmemory.h"
#include "core/engine/treerun.h"
#include "core/interventions/positions.h"
#include "core/lm/device/forecast.h"
#include "core/lm/kernels/cudakernels.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>

namespace headscope::engine {

namespace {

// Tokens of a batch below which a smaller one saves nothing that counts.
constexpr std::int64_t kSmallestBatch = 128;
constexpr double kMoreRows = 1.05; ///< rows of batches that run side by side, over those of larger ones
constexpr double kSoon = 3.0; ///< seconds of the processor: so much longer takes the last row of who comes back, once

// As many rows as keep the widest temporary small enough for the allocator to reuse its memory
// (core/lm/device/threads.h); fewer where batches may run side by side, so that no thread waits long for the last one.
std::int64_t defaultBatchTokens(const lm::Model& model, int parts)
{
    constexpr std::int64_t kNumbers = std::int64_t{8'000'000};
    std::int64_t widest = 3 * std::int64_t{model.spec().hidden};
    for (const lm::LayerSpec& layer : model.spec().layers)
        for (const lm::MixerSpec& mixer : layer.mixers)
            widest = std::max(widest, 2 * std::int64_t{mixer.heads} * mixer.headDim
                                          + 2 * std::int64_t{mixer.kvHeads} * mixer.state);
    const std::int64_t onCpu = std::clamp<std::int64_t>(kNumbers / widest, 256, 4096);
    return model.device().is_cpu() ? std::min(onCpu / parts, stepTokens(model.spec())) : 8 * onCpu;
}

Workload::Turn largestOf(const std::vector<Workload::Turn>& turns)
{
    const auto largest = std::ranges::max_element(turns, {}, &Workload::Turn::rows);
    return largest == turns.end() ? Workload::Turn() : *largest;
}

} // namespace

const char* name(LogSoftmax type)
{
    return type == LogSoftmax::Model ? "model" : "fp32";
}

class Scorer::Cache : public ActivationCache
{
public:
    using ActivationCache::ActivationCache;
    /// Workloads of which something may be kept, and their addresses.
    std::vector<std::pair<std::weak_ptr<const Workload>, const Workload*>> known;
};

Scorer::Scorer(std::shared_ptr<const lm::Model> model, std::shared_ptr<const text::Tokenizer> tokenizer,
               ScorerOptions options)
    : m_model(std::move(model)), m_tokenizer(std::move(tokenizer)), m_options(options),
      m_unread(std::make_unique<UnreadHeads>(*m_model)), m_cache(std::make_unique<Cache>(options.cacheBytes))
{
    setBatchesAtOnce(options.batchesAtOnce);
}

Scorer::~Scorer() = default;

void Scorer::setBatchesAtOnce(int batches)
{
    m_options.batchesAtOnce = m_model->device().is_cpu() ? std::max(batches, 1) : 1;
}

std::shared_ptr<const Workload> Scorer::prepare(std::vector<EncodedExample> examples) const
{
    const auto tokensOf = [&](int parts) {
        return m_options.batchTokens > 0 ? m_options.batchTokens : defaultBatchTokens(*m_model, parts);
    };
    const auto cut = [&](std::vector<EncodedExample> own, std::int64_t tokens, int parts) {
        ScorerOptions options = m_options;
        options.batchParts = parts;
        return std::make_shared<Workload>(std::move(own), options, tokens, m_model->spec().rotatedByLengthPast);
    };
    const std::int64_t most = tokensOf(m_options.batchParts);
    const auto make = [&](std::vector<EncodedExample> own, std::int64_t tokens) {
        auto made = cut(std::move(own), tokens, m_options.batchParts);
        if (m_options.memory > 0)
            made->setWorkingBytes(workingBytes(*m_model, *made, largestOf(made->turns(1)), m_options.logSoftmax));
        return made;
    };
    if (m_options.memory <= 0) {
        auto parted = make(examples, most);
        if (m_options.batchParts <= 1)
            return parted;
        // What texts begin with alike is run again in each batch: behind a few-shot header more batches are dearer.
        auto whole = cut(std::move(examples), tokensOf(1), 1);
        return static_cast<double>(parted->rows()) <= kMoreRows * static_cast<double>(whole->rows()) ? parted : whole;
    }
    m_cache->clear(); // what the new one needs is not known yet
    // From the smallest on, in steps that cannot take too much: n times the rows take at most n times the memory. Most
    // of it is for what is kept, which saves more than larger batches do.
    const std::int64_t room = (m_options.memory - m_options.weightBytes) / (4 * std::int64_t{m_options.batchesAtOnce});
    std::int64_t tokens = std::min(kSmallestBatch, most);
    auto fits = make(examples, tokens);
    while (tokens < most && fits->largestBatch() > 0) {
        const double times =
            static_cast<double>(room) / static_cast<double>(std::max<std::int64_t>(*fits->workingBytes(), 1));
        const auto next = static_cast<std::int64_t>(
            std::min(times * static_cast<double>(fits->largestBatch()), static_cast<double>(most)));
        if (next < tokens + tokens / 4) // a little more is not worth another measurement
            break;
        auto larger = make(examples, next);
        if (*larger->workingBytes() > room)
            break;
        fits = std::move(larger);
        tokens = next;
    }
    return fits;
}

std::int64_t Scorer::batchesAtOnce(const Workload& workload) const
{
    const auto batches = static_cast<std::int64_t>(workload.batches().size()),
               most = std::clamp<std::int64_t>(batches, 1, m_options.batchesAtOnce);
    if (m_options.memory <= 0 || workload.workingBytes().value_or(0) <= 0)
        return most;
    const std::int64_t room = (m_options.memory - m_options.weightBytes) / 2; // the rest is for what is kept
    return std::clamp<std::int64_t>(room / *workload.workingBytes(), 1, most);
}

std::int64_t Scorer::roomToKeep(std::int64_t workingBytes) const
{
    return m_options.memory > 0 ? std::clamp<std::int64_t>(m_options.memory - m_options.weightBytes - workingBytes, 0,
                                                           m_options.cacheBytes)
                                : m_options.cacheBytes;
}

RunMemory Scorer::forecast(const Workload& workload, std::optional<int> firstLayer, const std::vector<bool>& only) const
{
    const std::int64_t atOnce = batchesAtOnce(workload);
    const KeepPlan plan = keepPlan(*m_model, workload, roomToKeep(atOnce * workload.workingBytes().value_or(0)), only);
    const std::vector<Workload::Turn> turns = workload.turns(atOnce, only);
    const Workload::Turn largest = largestOf(turns);
    WorkingMemory working;
    if (plan.stride == 1 && largest.rows > 0) { // what is kept of a layer is not taken a second time
        const auto behind = [&](int first) {
            return workingWhenKept(*m_model, workload, largest, m_options.logSoftmax, first);
        };
        working = behind(0);
        // Behind the change there is a layer of all rows, or only the last one.
        if (const int layers = static_cast<int>(m_model->spec().layers.size()); firstLayer && *firstLayer + 2 >= layers)
            working.changed = behind(*firstLayer).changed;
    } else {
        working.clean = working.changed = workingBytes(*m_model, workload, largest, m_options.logSoftmax);
    }
    // The clean pass: a turn with what is kept of those before it and of itself. Texts that are written on have none.
    double all = 0, done = 0, clean = turns.empty() ? static_cast<double>(working.clean) : 0;
    for (const Workload::Turn& turn : turns)
        all += static_cast<double>(turn.rows);
    for (const Workload::Turn& turn : turns) {
        const auto own = static_cast<double>(turn.rows);
        done += own;
        clean = std::max(clean, static_cast<double>(plan.bytes) * (done / all - 1)
                                    + static_cast<double>(working.clean) * own / static_cast<double>(largest.rows));
    }
    const auto ofClean = static_cast<std::int64_t>(clean);
    return {m_options.weightBytes, plan.bytes, firstLayer ? std::max(ofClean, working.changed) : ofClean};
}

Result<void> Scorer::score(const std::shared_ptr<const Workload>& workload, const interventions::InterventionSet& set,
                           const lm::DonorLoader& donors, const OutcomeSink& sink, const Control& control,
                           const std::vector<bool>& only)
{
    const at::NoGradGuard noGrad;
    if (const auto longest = static_cast<int>(workload->longest()); longest > 0) // shorter texts lose nothing
        if (const auto there = interventions::checkPositions(set, longest, "the longest text"); !there.has_value())
            return there.error();
    const auto resolved = lm::resolve(set, m_model->spec(), donors, lm::Others::Examples);
    if (!resolved.has_value())
        return resolved.error();
    if (const auto others = checkOthers(set, *workload); !others.has_value())
        return others;
    const lm::Edits edits = m_unread->withoutUnreadHeads(*resolved);

    // Streams of workloads that are gone cannot be asked for again; an address may be used by another one later.
    std::erase_if(m_cache->known, [&](const auto& one) {
        if (one.first.expired())
            m_cache->forget(one.second);
        return one.first.expired();
    });
    const bool known = std::any_of(m_cache->known.begin(), m_cache->known.end(),
                                   [&](const auto& one) { return one.first.lock() == workload; });
    if (!known)
        m_cache->known.emplace_back(workload, workload.get());
    if (!m_recorded || !m_recorded->serves(workload)) {
        m_recorded.reset(); // its memory first
        const lm::Recorder recorder = m_options.recorder ? m_options.recorder : lm::cudaRecorder(m_model->device());
        if (recorder && workload->largestBatch() > 0)
            m_recorded = std::make_unique<RecordedBatches>(*m_model, workload, recorder);
    }
    if (m_options.memory > 0) {
        const std::int64_t working = batchesAtOnce(*workload) * workload->workingBytes().value_or(0),
                           needed = m_options.weightBytes + working;
        if (needed > m_options.memory)
            return Error{Error::Kind::Memory,
                         "The weights and a batch of " + std::to_string(workload->largestBatch())
                             + " tokens, the smallest for these texts, take " + lm::sizeText(needed)
                             + "; the memory is limited to " + lm::sizeText(m_options.memory) + ".",
                         {}};
        m_cache->setBudget(roomToKeep(working));
        if (!known)
            m_cache->makeRoom(keepPlan(*m_model, *workload, m_cache->budget()).bytes, workload.get());
    }

    ScoringPass pass({*m_model, *m_cache, m_recorded.get(), m_options.logSoftmax, *workload, edits, sink, control});
    pass.emitRejected(only);
    for (const Workload::Turn& turn : workload->turns(batchesAtOnce(*workload), only)) {
        if (control.stopped() || !pass.run(turn.batches)) {
            pass.settle(0);
            return cancelledError();
        }
        control.progress("scoring", static_cast<std::int64_t>(turn.batches.back()) + 1,
                         static_cast<std::int64_t>(workload->batches().size()));
    }
    pass.settle(0);
    return {};
}

Result<void> Scorer::generateAll(std::span<const tasks::Example> texts, const std::shared_ptr<const Workload>& workload,
                                 const interventions::InterventionSet& set, const lm::DonorLoader& donors,
                                 const OutcomeSink& sink, const Control& control, const std::vector<bool>& only)
{
    const auto edits = lm::resolve(set, m_model->spec(), donors);
    if (!edits.has_value())
        return edits.error();
    const std::string endText =
        m_tokenizer && m_tokenizer->eosId() ? m_tokenizer->tokenOf(*m_tokenizer->eosId()).value_or("") : "";
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
            for (const std::string& stop :
                 stops) // in turn, as the harness cuts: a cut can take the next stop string away
                outcome.generated.resize(std::min(outcome.generated.size(), outcome.generated.find(stop)));
            return outcome.generated.size() < whole;
        };
        if (outcome.rejected.empty()) {
            GenerateOptions options{
                .newTokens = texts[i].maxNewTokens, .stopIds = m_model->spec().stopIds, .edits = &*edits};
            options.onToken = [&](int id) { return !stopped(id); };
            (void)generate(
                *m_model,
                at::tensor(std::vector<std::int64_t>(example.prompt.begin(), example.prompt.end()), at::kLong)
                    .unsqueeze(0),
                options, control.stop);
            if (control.stopped())
                return cancelledError();
        }
        sink(static_cast<int>(i), outcome);
        control.progress("generating", static_cast<std::int64_t>(i) + 1, static_cast<std::int64_t>(texts.size()));
    }
    return {};
}

std::int64_t Scorer::keptBytes() const
{
    return m_cache->bytes();
}

const lm::GraphPool* Scorer::graphs() const
{
    return m_recorded ? &m_recorded->pool() : nullptr;
}

std::string Scorer::slowdown() const
{
    if (graphs() && !graphs()->fault.empty())
        return "The GPU could not record the model's layers and runs each operation separately: "
               + graphs()->fault.substr(0, graphs()->fault.find('\n'));
    if (graphs() && std::ranges::any_of(m_model->spec().layers, [](const auto& layer) { return layer.experts > 0; }))
        return "Layers with experts choose by what they read, so no recording fits them: the GPU runs each of their "
               "operations by itself.";
    if (m_model->device().is_cuda() && !m_options.recorder && !lm::cudaRecorder(m_model->device()))
        return "libheadscope_cudagraphs.so was not found, so the GPU runs each operation of a layer separately.";
    return {};
}

void Scorer::dropCache()
{
    m_cache->clear();
    m_recorded.reset();
}

void Scorer::rest()
{
    if (m_cache->seconds() < kSoon)
        m_cache->clear();
}

} // namespace headscope::engine
