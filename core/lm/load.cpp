// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/load.h"

#include "core/base/failure.h"
#include "core/base/hash.h"
#include "core/base/words/counted.h"
#include "core/io/gguf/gguffile.h"
#include "core/io/mapping.h"
#include "core/io/pathlist.h"
#include "core/io/textfiles/quote.h"
#include "core/lm/device/device.h"
#include "core/lm/device/forecast.h"
#include "core/lm/device/placement.h"
#include "core/lm/device/threads.h"
#include "core/lm/family.h"
#include "core/lm/weights/quantization.h"
#include "core/lm/weights/weightbytes.h"

#include <nlohmann/json.hpp>

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <optional>

namespace headscope::lm {

namespace {

struct Family {
    std::string name;
    FamilyBuilder build = nullptr;
};

Result<Family> familyOf(const Config& config)
{
    const auto name = config.family();
    if (!name.has_value())
        return name.error();
    if (config.has("per_layer_config") && !config.json()["per_layer_config"].empty() && *name != "gemma4_text")
        return inputError("config.json gives layers sizes of their own ('per_layer_config'), which is only supported "
                          "for Gemma 4.");
    if (config.textPartOf() == "paligemma")
        return inputError("PaliGemma reads its prompt in both directions (it is a prefix language model); only models "
                          "that read from left to right can be run.");
    if (const FamilyBuilder build = findFamily(*name))
        return Family{*name, build};
    std::string nearest;
    for (const std::string& other : nearestFamilies(config, *name))
        nearest += (nearest.empty() ? "" : ", ") + other;
    return inputError("The model family '" + *name + "' is not supported; the nearest known ones are " + nearest
                      + " (README.md lists all).");
}

struct Opened {
    Config config;
    Family family;
    std::shared_ptr<const io::Checkpoint> checkpoint;
    std::filesystem::path folder{};                           ///< empty: the parts did not come from one
    std::shared_ptr<const io::LoraAdapter> adapter = nullptr; ///< null: none
};

Result<Opened> openFolder(const std::filesystem::path& folder)
{
    auto config = Config::load(folder);
    if (!config.has_value())
        return config.error();
    const auto family = familyOf(*config);
    if (!family.has_value())
        return family.error();
    auto checkpoint = io::Checkpoint::open(folder);
    if (!checkpoint.has_value())
        return checkpoint.error();
    return Opened{std::move(*config), *family, *checkpoint, folder};
}

Result<Opened> openParts(Config config, std::shared_ptr<const io::Checkpoint> checkpoint)
{
    const auto family = familyOf(config);
    return family.has_value() ? Result<Opened>(Opened{std::move(config), *family, std::move(checkpoint)})
                              : family.error();
}

// The dtype most bytes are stored in decides what "auto" means on a GPU.
at::ScalarType storedDtype(const io::Checkpoint& checkpoint)
{
    std::uint64_t f32 = 0, f16 = 0, bf16 = 0;
    for (const std::string& name : checkpoint.names()) {
        const auto tensor = checkpoint.find(name);
        const std::uint64_t size = tensor->bytes.size();
        f32 += tensor->info.dtype == io::Dtype::F32 ? size : 0;
        f16 += tensor->info.dtype == io::Dtype::F16 ? size : 0;
        bf16 += tensor->info.dtype == io::Dtype::BF16 ? size : 0;
    }
    return bf16 > f32 && bf16 > f16 ? at::kBFloat16 : f16 > f32 ? at::kHalf : at::kFloat;
}

struct Prepared {
    Opened opened;
    at::Device device = at::kCPU; ///< the first of several
    at::ScalarType dtype = at::kFloat;
    std::optional<io::Packing> packing;
    WeightForm form = WeightForm::Full;
    ModelParts shapes; ///< the model on the meta device
    LoadedModel summary;
};

// Of which length on "dynamic" and long scaling, under the newer or the older key, turn by the length; 0: no such
// scaling.
int rotatedByLengthPast(Config config, int maxPositions)
{
    for (const char* key : {"rope_parameters", "rope_scaling"}) {
        Config rope = config.object(key);
        for (const char* type : {"rope_type", "type"}) {
            if (rope.json().value(type, nlohmann::json()) == "dynamic")
                return maxPositions;
            if (rope.has("long_factor"))
                return config.integer("original_max_position_embeddings",
                                      rope.integer("original_max_position_embeddings", maxPositions));
        }
    }
    return 0;
}

// The model on the meta device, with its parameters counted.
Result<ModelParts> shapesOf(const Family& family, Config& config, Weights& weights, int layerLimit)
{
    ModelParts parts;
    const nlohmann::json& file = config.json();
    for (const char* key : {"layer_types", "layers_block_type", "mlp_layer_types"})
        if (const auto kinds = file.find(key), layers = file.find("num_hidden_layers");
            kinds != file.end() && kinds->is_array() && layers != file.end() && layers->is_number()
            && *layers != kinds->size())
            return inputError("'" + std::string(key) + "' in config.json has " + std::to_string(kinds->size())
                              + " entries; expected one for each of the " + layers->dump() + " layers.");
    config.only("is_causal", "true");
    if (const auto kinds = file.find("layer_types");
        kinds != file.end()
        && std::all_of(kinds->begin(), kinds->end(), [](const auto& kind) { return kind == "full_attention"; }))
        config.ignore({"layer_types"}); // says nothing of models with one kind of layer
    try {
        parts = family.build(config, weights, layerLimit);
    } catch (
        const std::exception&) { // sizes whose product is no tensor's size: shapes are made before they are compared
        return inputError("config.json describes tensors of an impossible size.");
    }
    if (config.error())
        return *config.error();
    if (weights.error())
        return *weights.error();
    parts.spec.family = family.name;
    parts.spec.endsThere = parts.spec.endsThere || parts.positionEmbedding.defined();
    parts.spec.parameters = weights.parameters();
    parts.spec.rotatedByLengthPast = rotatedByLengthPast(config, parts.spec.maxPositions);
    if (std::abs(parts.embeddingMultiplier) > std::numeric_limits<float>::max())
        return inputError("config.json multiplies the embedding by a number that fp32 cannot represent.");
    return parts;
}

// Some names, and how many more there are.
std::string listed(const std::vector<std::string>& names)
{
    constexpr std::size_t kMost = 12;
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i)
        text += (i == 0 ? "" : ", ") + io::inQuotes(names[i]);
    return text + (names.size() > kMost ? " and " + std::to_string(names.size() - kMost) + " more" : "");
}

// Returns the GGUF file of the model; null for other formats.
const io::GgufFile* ggufOf(const Opened& opened)
{
    const auto& files = opened.checkpoint->files();
    return files.empty() ? nullptr : dynamic_cast<const io::GgufFile*>(files.front().get());
}

// Returns keys of generation_config.json that change greedy decoding in transformers and have no effect here.
std::vector<std::string> generationKeys(const nlohmann::json& values)
{
    static const nlohmann::json neutral = {{"repetition_penalty", 1},
                                           {"encoder_repetition_penalty", 1},
                                           {"no_repeat_ngram_size", 0},
                                           {"min_length", 0},
                                           {"min_new_tokens", 0},
                                           {"num_beams", 1},
                                           {"guidance_scale", 1},
                                           {"bad_words_ids", nullptr},
                                           {"sequence_bias", nullptr},
                                           {"suppress_tokens", nullptr},
                                           {"begin_suppress_tokens", nullptr}};
    std::vector<std::string> keys;
    for (const auto& [key, value] : neutral.items())
        if (const auto found = values.find(key); found != values.end() && !found->is_null() && *found != value)
            keys.push_back(key);
    return keys;
}

// Sets the tokens that end generation. As in transformers, generation_config.json takes precedence over config.json; as
// in llama.cpp, a GGUF's end-of-turn and end-of-message tokens are included.
Result<void> readGeneration(const Opened& opened, ModelSpec& spec, std::vector<std::string>& warnings)
{
    spec.stopIds = spec.eosIds;
    if (const auto* gguf = ggufOf(opened)) {
        for (const char* key : {"tokenizer.ggml.eot_token_id", "tokenizer.ggml.eom_token_id"})
            if (const auto id = gguf->header().integer(key);
                id && *id >= 0 && *id < spec.vocabulary && std::ranges::find(spec.stopIds, *id) == spec.stopIds.end())
                spec.stopIds.push_back(static_cast<int>(*id));
        return {};
    }
    const std::filesystem::path path = opened.folder / "generation_config.json";
    std::error_code missing;
    if (opened.folder.empty() || !std::filesystem::exists(path, missing))
        return {};
    auto generation = Config::readFile(path);
    if (!generation.has_value())
        return generation.error();
    if (std::vector<int> stops = generation->integers("eos_token_id"); !stops.empty())
        spec.stopIds = std::move(stops);
    if (generation->error())
        return *generation->error();
    if (const auto keys = generationKeys(generation->json()); !keys.empty())
        warnings.push_back("generation_config.json sets " + listed(keys)
                           + ", which transformers applies during generation and Headscope does not.");
    return {};
}

std::optional<std::int64_t> limitOf(const LoadOptions& options)
{
    return options.memoryLimit > 0 ? std::optional(options.memoryLimit) : std::nullopt;
}

// Everything that can be checked without memory: config, names, shapes, and whether it fits.
Result<Prepared> prepare(Result<Opened> opened, const LoadOptions& options)
{
    if (!opened.has_value())
        return opened.error();
    const WeightForm form = weightForm(options.dtype);
    const bool full = form == WeightForm::Full;
    if (!full && options.device != "auto" && options.device != "cpu")
        return inputError("Weights in " + options.dtype + " are for the processor; expected the device auto or cpu.");
    const auto devices = parseDevices(full ? options.device : "cpu");
    if (!devices.has_value())
        return devices.error();
    const at::Device device = devices->front();
    const auto dtype =
        parseDtype(full ? options.dtype : "fp32", device.is_cuda() ? storedDtype(*opened->checkpoint) : at::kFloat);
    if (!dtype.has_value())
        return dtype.error();
    const auto packing = readPacking(opened->config);
    if (!packing.has_value())
        return packing.error();
    if (!options.adapter.empty()) {
        auto adapter = io::LoraAdapter::open(options.adapter);
        if (!adapter.has_value())
            return adapter.error();
        opened->adapter = std::move(*adapter);
        if (opened->family.name == "falcon_h1" && ggufOf(*opened))
            return inputError(
                "The multipliers of a Falcon-H1 model are already part of the weights in a GGUF, and the adapter "
                "needs them; expected the original model folder.");
    }
    Prepared prepared{std::move(*opened), device, *dtype, *packing, form, {}, {}};
    Weights weights(prepared.opened.checkpoint, {*dtype, device, true, form});
    weights.merge(prepared.opened.adapter);
    if (*packing) {
        weights.unpack(**packing);
        weights.warn("The weights are packed as " + (*packing)->title + " and read as the numbers that they stand for"
                     + ((*packing)->roundsActivations ? "; activations are not quantized." : "."));
    }
    if (!prepared.opened.config.textPartOf().empty()) {
        weights.readTextPart();
        weights.warn("Only the text part of this " + prepared.opened.config.textPartOf()
                     + " model is opened; the tensors of its other parts are left aside.");
    }
    auto shapes = shapesOf(prepared.opened.family, prepared.opened.config, weights, options.layerLimit);
    if (!shapes.has_value())
        return shapes.error();
    if (*packing && options.layerLimit == 0 && !weights.unpackedAny())
        return inputError("config.json says that the weights are packed as " + (*packing)->title
                          + ", and no tensor of the file is; expected such as "
                          + io::inQuotes(io::packedName(**packing, "X.weight")) + ", or no 'quantization_config'.");
    if (const auto unmerged = weights.unmerged(); !unmerged.empty() && options.layerLimit == 0)
        return inputError("The adapter changes " + io::inQuotes(unmerged.front())
                          + ", which this model does not have as a map of its own; "
                          + (shapes->spec.tiedHead && unmerged.front().ends_with("lm_head")
                                 ? "its output is the table of its embedding."
                                 : "it may be of another base."));
    prepared.shapes = std::move(*shapes);
    if (devices->size() > 1)
        prepared.shapes.placement =
            place(prepared.shapes.spec, *devices, weights.bytesByLayer(), *dtype, limitOf(options));
    LoadedModel& summary = prepared.summary;
    if (prepared.opened.adapter) {
        summary.adapter = prepared.opened.adapter->text();
        if (prepared.shapes.spec.tiedHead && std::ranges::any_of(prepared.opened.adapter->maps(), [](const auto& map) {
                return map.second.embedding;
            }))
            weights.warn(
                "The adapter changes the embedding, which is this model's output as well: both are changed, as "
                "PEFT's merge does; in training only the embedding was.");
    }
    summary.packing = *packing ? (*packing)->title : "";
    summary.bytes = summary.resident = weights.bytes();
    summary.dtype = full ? dtypeName(*dtype) : options.dtype;
    summary.device = deviceNames(*devices);
    summary.warnings = prepared.opened.checkpoint->warnings();
    if (const auto read = readGeneration(prepared.opened, prepared.shapes.spec, summary.warnings); !read.has_value())
        return read.error();
    for (const std::string& warning : weights.warnings())
        summary.warnings.push_back(warning);
    if (const std::string keys = listed(prepared.opened.config.unread()); !keys.empty())
        summary.warnings.push_back("These keys of config.json are not used: " + keys
                                   + ". If the model's own code uses one of them, its results differ from those here.");
    const std::int64_t taken = prepared.shapes.spec.parameters;
    if (const auto described = describe(prepared.opened.config);
        options.layerLimit == 0 && described.has_value() && described->parameters != taken)
        summary.warnings.push_back("config.json describes " + std::to_string(described->parameters)
                                   + " parameters; the checkpoint gave " + std::to_string(taken) + ".");
    const auto unused = options.layerLimit > 0 ? std::vector<std::string>() : weights.unused();
    if (!unused.empty())
        summary.warnings.push_back(
            counted(unused.size(), "tensor of the checkpoint is", "tensors of the checkpoint are")
            + " not used, the first is '" + unused.front() + "'.");
    return prepared;
}

Result<void> fitsIn(const ModelSpec& spec, std::int64_t bytes, at::ScalarType dtype, const at::Device& device,
                    const LoadOptions& options)
{
    const auto room = roomOn(device, limitOf(options));
    if (!room)
        return {};
    const Forecast need = forecast(spec, bytes, kForecastLength, dtype);
    if (weightForm(options.dtype) != WeightForm::Full && need.total() > room->bytes) // bf16 would not be less
        return Error{Error::Kind::Memory,
                     "The model needs " + sizeText(need.total()) + " (" + sizeText(bytes) + " of weights in "
                         + options.dtype + "), and " + room->text(device) + "; " + room->advice() + ".",
                     {}};
    return checkFits(need, *room, spec, dtype, device);
}

// The same for a model that may lie on several devices; `device`: where it lies on one.
Result<void> fitsWhole(const ModelParts& parts, std::int64_t bytes, at::ScalarType dtype, const at::Device& device,
                       const LoadOptions& options)
{
    return parts.placement.empty() ? fitsIn(parts.spec, bytes, dtype, device, options)
                                   : checkPlaced(parts.spec, parts.placement, dtype, limitOf(options));
}

// What a pass over weights that stay in their file has in memory of them at one time: a layer, and the two tables.
std::int64_t passingBytes(const ModelSpec& spec, std::int64_t bytes, at::ScalarType dtype)
{
    const std::int64_t tables =
        2 * std::int64_t{spec.vocabulary} * spec.hidden * static_cast<std::int64_t>(c10::elementSize(dtype));
    return std::min(bytes, tables + bytes / static_cast<std::int64_t>(std::max<std::size_t>(spec.layers.size(), 1)));
}

// Whether at least the weights of one layer fit; the system reads each from the file when it is used and drops it when
// the memory is needed.
bool passesThrough(const ModelSpec& spec, std::int64_t bytes, at::ScalarType dtype, const at::Device& device,
                   const LoadOptions& options)
{
    return device.is_cpu() && fitsIn(spec, passingBytes(spec, bytes, dtype), dtype, device, options).has_value();
}

Result<LoadedModel> inspected(Result<Prepared> prepared)
{
    if (!prepared.has_value())
        return prepared.error();
    prepared->summary.model = std::make_shared<const Model>(std::move(prepared->shapes));
    return std::move(prepared->summary);
}

Result<void> identify(Prepared& prepared, const Control& control)
{
    const io::Checkpoint& checkpoint = *prepared.opened.checkpoint;
    const auto hash = checkpoint.contentHash(control);
    if (!hash.has_value())
        return hash.error();
    std::string config = prepared.opened.config.json().dump();
    if (prepared.opened.adapter) {
        const auto adapter = prepared.opened.adapter->contentHash(control);
        if (!adapter.has_value())
            return adapter.error();
        config += *adapter;
    }
    const std::string sampled = checkpoint.sampledHash();
    prepared.summary.contentHash = sha256Hex(config + *hash);
    prepared.summary.formerHash = sampled.empty() ? sampled : sha256Hex(config + sampled);
    return {};
}

// Null: quantized weights of this opening are not kept.
std::shared_ptr<PackedStore> storeFor(const Prepared& prepared, const LoadOptions& options)
{
    const std::filesystem::path folder = io::packedFolder();
    const auto stored = static_cast<std::int64_t>(prepared.opened.checkpoint->bytes());
    if (prepared.form == WeightForm::Full || options.layerLimit > 0 || options.keptPacked <= 0
        || stored <= options.keptFrom || folder.empty())
        return nullptr;
    return std::make_shared<PackedStore>(folder, prepared.summary.contentHash, prepared.form);
}

// The model of weights that are a checkpoint's.
Result<ModelParts> builtWith(Prepared& prepared, Weights weights, const std::shared_ptr<PackedStore>& store,
                             const LoadOptions& options)
{
    if (prepared.packing)
        weights.unpack(*prepared.packing);
    if (!prepared.opened.config.textPartOf().empty())
        weights.readTextPart();
    weights.keepPacked(store);
    ModelParts parts = prepared.opened.family.build(prepared.opened.config, weights, options.layerLimit);
    if (const auto intact = io::intact(*prepared.opened.checkpoint); !intact.has_value())
        return intact.error();
    return weights.error() ? Result<ModelParts>(*weights.error()) : std::move(parts);
}

// The same, read onto its device, or a part onto each of several.
Result<ModelParts> built(Prepared& prepared, const std::shared_ptr<PackedStore>& store, const LoadOptions& options)
{
    const auto build = [&](const at::Device& device, const std::optional<Weights::Part>& part) {
        Weights weights(prepared.opened.checkpoint, {prepared.dtype, device, false, prepared.form, part});
        weights.merge(prepared.opened.adapter);
        return builtWith(prepared, std::move(weights), store, options);
    };
    const auto& placement = prepared.shapes.placement;
    return placement.empty() ? build(prepared.device, {}) : buildPlaced(placement, build);
}

Result<LoadedModel> loaded(Result<Prepared> prepared, const LoadOptions& options, const Control& control)
{
    if (!prepared.has_value())
        return prepared.error();
    setThreads(threads()); // whoever loads it computes with it
    const auto& placement = prepared->shapes.placement;
    const auto fits = fitsWhole(prepared->shapes, prepared->summary.bytes, prepared->dtype, prepared->device, options);
    std::optional<Weights> mapped;
    if (!fits.has_value()) {
        if (placement.empty() && prepared->form == WeightForm::Full && !prepared->opened.adapter
            && passesThrough(prepared->shapes.spec, prepared->summary.bytes, prepared->dtype, prepared->device,
                             options))
            mapped = Weights::mapped(prepared->opened.checkpoint, prepared->dtype);
        if (!mapped)
            return fits.error();
        prepared->summary.resident = passingBytes(prepared->shapes.spec, prepared->summary.bytes, prepared->dtype);
        prepared->summary.warnings.push_back(
            std::string("The weights are larger than the ") + (limitOf(options) ? "allowed" : "free")
            + " memory and stay in their file: every pass reads them again, and the file must not change.");
    }
    if (control.stopped())
        return cancelledError();

    // 1. What it is, which also says whether its quantized weights are known.
    if (const auto done = identify(*prepared, control); !done.has_value())
        return done.error();
    const auto store = storeFor(*prepared, options);

    // 2. The weights.
    const at::NoGradGuard noGrad;
    const bool stays = mapped.has_value();
    auto whole = mapped ? builtWith(*prepared, std::move(*mapped), store, options) : built(*prepared, store, options);
    if (!whole.has_value())
        return whole.error();
    ModelParts& parts = *whole;
    parts.spec = prepared->shapes.spec;
    if (const auto limit = limitOf(options)) { // of each device
        std::int64_t held = placement.empty() ? prepared->summary.resident : 0;
        for (const PlacedLayers& part : placement)
            held = std::max(held, part.bytes);
        parts.allowed = std::max<std::int64_t>(*limit - held, 0);
    }
    if (stays)
        parts.afterLayer = [opened = prepared->opened.checkpoint] {
            if (const auto intact = io::intact(*opened); !intact.has_value())
                throw Failure(intact.error()); // no number of this pass is to be believed
            for (const auto& file : opened->files())
                io::WeightsFile::release(file->dataBytes());
        };
    if (store && store->file())
        parts.afterLayer = [kept = store->file()] {
            if (const auto intact = io::intact(*kept); !intact.has_value())
                throw Failure(intact.error());
        };
    if (store)
        if (const auto saved = store->save(options.keptPacked); !saved.has_value())
            prepared->summary.warnings.push_back("The quantized weights are not kept for the next time: "
                                                 + saved.error().message);
    prepared->summary.model = std::make_shared<const Model>(std::move(parts));
    return std::move(prepared->summary);
}

} // namespace

Result<void> checkMemory(const LoadedModel& inspected, const LoadOptions& options)
{
    const auto devices = parseDevices(inspected.device);
    return devices.has_value() ? fitsWhole(inspected.model->parts(), inspected.bytes, inspected.model->dtype(),
                                           devices->front(), options)
                               : devices.error();
}

std::string smallerType(const std::filesystem::path& folder, LoadOptions options)
{
    const std::string first = options.dtype;
    for (const char* const type : {"bf16", "int8", "int4"}) {
        options.dtype = type;
        const bool packed = weightForm(type) != WeightForm::Full;
        if (type == first || first == "int4" || (packed && options.device != "auto" && options.device != "cpu"))
            continue;
        const auto inspected = inspect(folder, options);
        if (inspected.has_value() && checkMemory(*inspected, options).has_value())
            return type;
    }
    return {};
}

Result<LoadedModel> inspect(const std::filesystem::path& folder, const LoadOptions& options)
{
    return inspected(prepare(openFolder(folder), options));
}

Result<LoadedModel> inspect(Config config, std::shared_ptr<const io::Checkpoint> checkpoint, const LoadOptions& options)
{
    return inspected(prepare(openParts(std::move(config), std::move(checkpoint)), options));
}

Result<LoadedModel> load(const std::filesystem::path& folder, const LoadOptions& options, const Control& control)
{
    return loaded(prepare(openFolder(folder), options), options, control);
}

Result<LoadedModel> load(Config config, std::shared_ptr<const io::Checkpoint> checkpoint, const LoadOptions& options,
                         const Control& control)
{
    return loaded(prepare(openParts(std::move(config), std::move(checkpoint)), options), options, control);
}

Result<std::int64_t> weightBytes(Config config, const std::string& dtype)
{
    const auto family = familyOf(config);
    if (!family.has_value())
        return family.error();
    const WeightForm form = weightForm(dtype);
    const auto type = parseDtype(form == WeightForm::Full ? dtype : "fp32", at::kFloat);
    if (!type.has_value())
        return type.error();
    Weights weights = Weights::shapesOnly(*type, form);
    const auto parts = shapesOf(*family, config, weights, 0);
    return parts.has_value() ? Result<std::int64_t>(weights.bytes()) : parts.error();
}

Result<ModelSpec> describe(Config config)
{
    const auto family = familyOf(config);
    if (!family.has_value())
        return family.error();
    if (const auto packing = readPacking(config); !packing.has_value())
        return packing.error();
    Weights weights = Weights::shapesOnly(at::kFloat);
    auto parts = shapesOf(*family, config, weights, 0);
    if (!parts.has_value())
        return parts.error();
    return std::move(parts->spec);
}

} // namespace headscope::lm
