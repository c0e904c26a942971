// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/notebook/notebook.h"

#include "core/base/hash.h"
#include "core/io/checkpoint.h"
#include "core/io/gguf/gguffile.h"
#include "core/io/mapping.h"
#include "core/io/modelfolder.h"
#include "core/io/resources.h"
#include "core/io/revision.h"
#include "core/io/textfile.h"

#include <nlohmann/json.hpp>

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
    const auto gguf = io::ggufAt(folder->path); // has its config in it
    const auto config =
        gguf.has_value() && *gguf ? Result<std::string>(std::string()) : io::readTextFile(folder->path / "config.json");
    const auto content = (*checkpoint)->contentHash();
    if (!config.has_value() || !content.has_value() || !io::intact(**checkpoint).has_value())
        return "missing";
    return sha256Hex(*config + *content);
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

Result<std::string> newIdentity(sessions::SessionStore& session, const lm::LoadedModel& loaded)
{
    if (loaded.formerHash.empty())
        return std::string();
    const auto former = session.model(loaded.formerHash), now = session.model(loaded.contentHash);
    for (const auto& found : {former, now})
        if (!found.has_value())
            return found.error();
    return *former && !*now ? "The session has results of " + (*former)->name
                                  + " from an earlier version, which knew large weights by a sample of their bytes; "
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
