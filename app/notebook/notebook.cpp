// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/notebook/notebook.h"

#include "app/notebook/outsideinputs.h"
#include "core/engine/replacements.h"
#include "core/io/revision.h"
#include "core/lm/device/device.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace headscope::app {

namespace {

/// Models that earlier versions shipped under a name that now belongs to another one, by the hashes of their weights.
constexpr std::array<std::pair<const char*, const char*>, 3> kEarlierModels = {
    {{"small-transformer", "38e722c874777ba072e3cee77db0b0175ab33b7d51ab5f4d38110c45216f2ae2"},
     {"small-hybrid", "dfece8a8e54769e7a5d6a66d9bf581cf2458fa963c9a46c5037256243bc75523"},
     {"small-ssm", "cf468ffb2b07a8a0b7f2117b69af8cefad2b9b227bc99bf67882a644adfedbff"}}};

// What decides a result besides model, task and ablation text: the BOS rule and the type of log-softmax; for mean and
// resample ablation the very examples that the replacement is taken from; what an intervention reads from elsewhere.
std::string inputsOf(const Subject& subject, const engine::Benchmark& benchmark,
                     const interventions::InterventionSet& set)
{
    std::string inputs = subject.bos == engine::BosPolicy::Never ? "" : std::string("bos=") + engine::name(subject.bos);
    if (subject.logSoftmax != engine::LogSoftmax::Fp32)
        inputs += std::string(" log_softmax=") + engine::name(subject.logSoftmax);
    // Which form the file has is part of what was measured; the two forms that were read before keep their series.
    if (!subject.packing.empty() && !subject.packing.starts_with("FP8") && subject.packing != "MXFP4")
        inputs += std::string(inputs.empty() ? "" : " ") + "packing='" + subject.packing + "'";
    Sha256 hash;
    const bool outside = addOutsideInputs(hash, subject, set);
    const bool overExamples = engine::dependsOnAllExamples(set);
    if (overExamples)
        for (const std::string& example : benchmark.hashes())
            hash.add(example);
    const bool generates =
        std::ranges::any_of(benchmark.set().examples, [](const auto& one) { return one.maxNewTokens > 0; });
    if (overExamples && generates) // earlier versions replaced nothing in what was generated
        hash.add("the mean of each prompt");
    if (generates)
        for (const int id : subject.stopIds) // earlier versions stopped only at those of config.json
            inputs += " stop=" + std::to_string(id);
    if (overExamples || outside)
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
    subject.packing = loaded.packing;
    subject.dtype = loaded.dtype;
    subject.device = lm::deviceKind(loaded.device);
    subject.bos = bos;
    if (const std::set<int> stops(spec.stopIds.begin(), spec.stopIds.end());
        stops != std::set<int>(spec.eosIds.begin(), spec.eosIds.end()))
        subject.stopIds.assign(stops.begin(), stops.end());
    return subject;
}

Result<std::string> newIdentity(sessions::SessionStore& session, const lm::LoadedModel& loaded, const std::string& name)
{
    for (const auto& [trainedAnew, hash] : kEarlierModels) {
        if (name != trainedAnew || hash == loaded.contentHash)
            continue;
        const auto earlier = session.model(hash);
        if (!earlier.has_value())
            return earlier.error();
        if (*earlier)
            return "The session has results of the " + name
                   + " of an earlier version of Headscope; the present one was trained again. The old results are "
                     "kept, and new ones are stored beside them.";
    }
    if (loaded.formerHash.empty())
        return std::string();
    const auto former = session.model(loaded.formerHash), now = session.model(loaded.contentHash);
    for (const auto& found : {former, now})
        if (!found.has_value())
            return found.error();
    return *former && !*now
               ? "The session has results of " + (*former)->name
                     + " from an earlier version, which identified large weights by a sample of their bytes; "
                       "they are kept, and new results are stored beside them, under a hash of all bytes."
               : std::string();
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

std::string rowsHash(const Subject& subject, const engine::Benchmark& benchmark,
                     const interventions::InterventionSet& set)
{
    Sha256 rows;
    for (const tasks::LeafTask& leaf : benchmark.set().leaves) {
        const sessions::SeriesKey series = seriesOf(subject, benchmark, leaf, set);
        rows.add(series.task + "\n" + series.rowSource + "\n" + series.taskVersion + "\n" + series.inputs + "\n");
    }
    for (const std::string& hash : benchmark.hashes())
        rows.add(hash);
    return rows.hex();
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

} // namespace headscope::app
