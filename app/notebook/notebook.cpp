// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/notebook/notebook.h"

#include "core/base/hash.h"
#include "core/io/checkpoint.h"
#include "core/io/modelfolder.h"
#include "core/io/resources.h"
#include "core/io/revision.h"
#include "sessions/resultwriter.h"

#include <nlohmann/json.hpp>

#include <fstream>
#include <iterator>
#include <map>
#include <unordered_map>

namespace headscope::app {

namespace {

/// Content hash of the model that `swap:` names. One that is not there gets a hash of its own, so that nothing stored
/// is taken for it; the run itself then fails with the reason.
std::string donorHash(const std::string& name)
{
    const auto folder = io::resolveModel(name, io::ModelPlaces::fromEnvironment(io::resourcesFolder() / "models"));
    const auto checkpoint = folder.has_value() ? io::Checkpoint::open(folder->path)
                                               : Result<std::shared_ptr<const io::Checkpoint>>(folder.error());
    if (!checkpoint.has_value())
        return "missing";
    std::ifstream config(folder->path / "config.json", std::ios::binary);
    return sha256Hex(std::string(std::istreambuf_iterator<char>(config), {}) + (*checkpoint)->contentHash());
}

// What decides a result besides model, task and ablation text: the BOS rule and the type of log-softmax; for mean and
// resample ablation the very examples that the replacement is taken from; for a swapped layer the weights of the model
// that it comes from.
std::string inputsOf(const Subject& subject, const engine::Benchmark& benchmark,
                     const interventions::InterventionSet& set)
{
    std::string inputs = subject.bos == engine::BosPolicy::Never ? "" : std::string("bos=") + engine::name(subject.bos);
    if (subject.logSoftmax != engine::LogSoftmax::Fp32)
        inputs += std::string(" log_softmax=") + engine::name(subject.logSoftmax);
    Sha256 hash;
    bool overExamples = false, any = false;
    for (const auto& item : set.items()) {
        if (const auto* edit = std::get_if<interventions::EditHead>(&item))
            overExamples |= edit->replacement == interventions::Replacement::Mean
                            || edit->replacement == interventions::Replacement::Resample;
        if (const auto* swap = std::get_if<interventions::SwapLayer>(&item)) {
            hash.add("swap " + donorHash(swap->model));
            any = true;
        }
    }
    if (overExamples)
        for (const std::string& example : benchmark.hashes())
            hash.add(example);
    if (overExamples || any)
        inputs += " over=" + hash.hex();
    return inputs;
}

std::string headsJson(const lm::ModelSpec& spec)
{
    nlohmann::json layers = nlohmann::json::array();
    for (const lm::LayerSpec& layer : spec.layers) {
        nlohmann::json mixers = nlohmann::json::array();
        for (const lm::MixerSpec& mixer : layer.mixers)
            mixers.push_back({{"kind", lm::name(mixer.kind)},
                              {"heads", mixer.heads},
                              {"kv_heads", mixer.kvHeads},
                              {"head_dim", mixer.headDim}});
        layers.push_back(mixers);
    }
    return layers.dump();
}

tasks::Outcome outcomeOf(const sessions::ResultRecord& record)
{
    tasks::Outcome outcome;
    outcome.logLikelihoods = record.logLikelihoods;
    outcome.greedy = record.greedy;
    outcome.greedy.resize(
        record.logLikelihoods.size()); // sessions before schema 5 kept it of single continuations only
    outcome.generated = record.generated;
    outcome.rejected = record.rejected;
    return outcome;
}

sessions::ResultRecord recordOf(const std::string& hash, const tasks::Outcome& outcome, const tasks::RowResult& result,
                                const tasks::LeafTask& leaf)
{
    sessions::ResultRecord record;
    record.exampleHash = hash;
    record.logLikelihoods = outcome.logLikelihoods;
    record.generated = outcome.generated;
    record.rejected = result.error;
    record.greedy = outcome.greedy;
    if (result.judgement) {
        record.prediction = result.judgement->prediction;
        record.correct = result.judgement->correct;
        for (std::size_t i = 0; i < leaf.metrics.size(); ++i)
            if (leaf.metrics[i].kind == tasks::Metric::Kind::AccNorm)
                record.correctNorm = result.judgement->values[i] == 1;
    }
    return record;
}

} // namespace

Subject subjectOf(const lm::LoadedModel& loaded, const std::string& name, const std::string& source,
                  const text::Tokenizer& tokenizer, engine::BosPolicy bos)
{
    const lm::ModelSpec& spec = loaded.model->spec();
    Subject subject;
    subject.tokenizer = {.hash = tokenizer.contentHash(),
                         .kind = "tokenizer.json",
                         .source = source,
                         .vocabulary = tokenizer.vocabularySize()};
    subject.model = {.hash = loaded.contentHash,
                     .name = name,
                     .source = source,
                     .revision = io::revisionOf(source),
                     .family = spec.family,
                     .dtype = loaded.dtype,
                     .device = loaded.device,
                     .tokenizerHash = subject.tokenizer.hash,
                     .layers = static_cast<int>(spec.layers.size()),
                     .headsJson = headsJson(spec),
                     .parameters = spec.parameters};
    subject.dtype = loaded.dtype;
    subject.device = loaded.device.substr(0, loaded.device.find(':'));
    subject.bos = bos;
    return subject;
}

sessions::SeriesKey seriesOf(const Subject& subject, const engine::Benchmark& benchmark, const tasks::LeafTask& leaf,
                             const interventions::InterventionSet& set)
{
    return {.modelHash = subject.model.hash,
            .tokenizerHash = subject.tokenizer.hash,
            .dtype = subject.dtype,
            .device = subject.device,
            .task = leaf.name,
            .rowSource = leaf.rowSource,
            .taskVersion = leaf.version,
            .ablation = set.canonical(),
            .scoringVersion = 1,
            .inputs = inputsOf(subject, benchmark, set)};
}

sessions::ExampleRecord recordOf(const tasks::Example& example, const std::string& hash)
{
    nlohmann::json segments = nlohmann::json::array();
    for (const tasks::Segment& segment : example.segments)
        segments.push_back({name(segment.role), segment.begin, segment.end, segment.group, segment.target});
    nlohmann::json extra = {{"segments", segments},
                            {"norm_lengths", example.normLengths},
                            {"until", example.until},
                            {"target", example.target}};
    if (!example.contexts.empty())
        extra["contexts"] = example.contexts;
    return {.hash = hash,
            .task = example.task,
            .file = example.file,
            .row = example.row,
            .scoring = tasks::name(example.scoring),
            .context = example.context,
            .continuations = example.continuations,
            .gold = example.gold,
            .extraJson = extra.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)};
}

Result<void> evaluate(sessions::SessionStore* session, const Subject& subject, engine::Scorer& scorer,
                      const engine::Benchmark& benchmark, const interventions::InterventionSet& set,
                      const lm::DonorLoader& donors, engine::Rows& rows, const engine::Benchmark::RowSink& sink,
                      const Control& control)
{
    if (!session || session->readOnly())
        return benchmark.run(scorer, set, donors, rows, sink, control);

    // 1. Everything a result refers to must be there first.
    const tasks::TaskSet& tasks = benchmark.set();
    std::vector<sessions::ExampleRecord> examples;
    for (std::size_t i = 0; i < tasks.examples.size(); ++i)
        examples.push_back(recordOf(tasks.examples[i], benchmark.hashes()[i]));
    for (const auto& stored : {session->putTokenizer(subject.tokenizer), session->putModel(subject.model),
                               session->putExamples(examples), session->putAblation(set.canonical())})
        if (!stored.has_value())
            return stored.error();

    // 2. What the session knows is not run again.
    std::map<std::string, sessions::SeriesKey> series;
    const sessions::SeriesKey common = seriesOf(subject, benchmark, tasks::LeafTask(), set);
    for (const tasks::LeafTask& leaf : tasks.leaves) {
        sessions::SeriesKey& key = series[leaf.name] = common;
        key.task = leaf.name;
        key.rowSource = leaf.rowSource;
        key.taskVersion = leaf.version;
        const auto known = session->results(key);
        if (!known.has_value())
            return known.error();
        std::unordered_map<std::string, const sessions::ResultRecord*> byHash;
        for (const sessions::ResultRecord& record : *known)
            byHash[record.exampleHash] = &record;
        for (std::size_t i = leaf.begin; i < leaf.end; ++i) {
            const auto it = byHash.find(benchmark.hashes()[i]);
            if (it == byHash.end() || rows.outcomes[i])
                continue;
            benchmark.put(rows, static_cast<int>(i), outcomeOf(*it->second));
            if (sink)
                sink(static_cast<int>(i), *rows.outcomes[i], rows.results[i]);
        }
    }

    // 3. The rest runs, and is stored as it comes.
    sessions::ResultWriter writer(*session);
    Result<void> stored;
    std::stop_source stop;
    const std::stop_callback forward(control.stop, [&] { stop.request_stop(); });
    const auto keep = [&](int example, const tasks::Outcome& outcome, const tasks::RowResult& result) {
        const auto index = static_cast<std::size_t>(example);
        const tasks::LeafTask& leaf = tasks.leafOf(index);
        if (stored.has_value())
            stored = writer.add(series[leaf.name], recordOf(benchmark.hashes()[index], outcome, result, leaf));
        if (!stored.has_value())
            stop.request_stop();
        if (sink)
            sink(example, outcome, result);
    };
    const auto run = benchmark.run(scorer, set, donors, rows, keep, {stop.get_token(), control.report});
    if (const auto flushed = writer.flush(); stored.has_value() && !flushed.has_value())
        stored = flushed;
    return stored.has_value() ? run : stored;
}

} // namespace headscope::app
