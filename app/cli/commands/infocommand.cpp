// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands/commands.h"

#include "app/cli/output.h"
#include "app/cli/runs/scoringmodel.h"
#include "app/workbench/models/automatictype.h"
#include "app/workbench/models/openmodel.h"
#include "core/io/pathlist.h"
#include "core/io/textfiles/quote.h"
#include "core/lm/device/device.h"
#include "core/lm/device/forecast.h"
#include "core/lm/load.h"
#include "core/lm/selftest.h"
#include "core/lm/weights/packedweight.h"
#include "core/lm/weights/quantization.h"
#include "core/lm/weights/weightbytes.h"
#include "core/text/chattemplate.h"

#include <nlohmann/json.hpp>

#include <filesystem>

namespace headscope::cli {

namespace {

constexpr std::int64_t kLengths[] = {128, 2048, 4096}; // tokens

nlohmann::json describeInfo(const lm::ModelSpec& spec)
{
    nlohmann::json layers = nlohmann::json::array();
    for (std::size_t i = 0; i < spec.layers.size(); ++i) {
        nlohmann::json mixers = nlohmann::json::array();
        for (const lm::MixerSpec& mixer : spec.layers[i].mixers) {
            nlohmann::json entry = {{"kind", lm::name(mixer.kind)},
                                    {"heads", mixer.heads},
                                    {"kv_heads", mixer.kvHeads},
                                    {"head_dim", mixer.headDim},
                                    {"state", mixer.state}};
            if (mixer.sharedBlock >= 0)
                entry["shared_block"] = mixer.sharedBlock;
            mixers.push_back(entry);
        }
        layers.push_back({{"index", i}, {"mixers", mixers}, {"mlp", spec.layers[i].mlp}});
        if (spec.layers[i].experts > 0)
            layers.back().update({{"experts", spec.layers[i].experts},
                                  {"experts_per_token", spec.layers[i].chosenExperts},
                                  {"shared_expert", spec.layers[i].sharedExpert}});
    }
    return layers;
}

// What weights of so many bytes would take, with runs over texts of some lengths that are computed in `dtype`.
nlohmann::json memoryOf(const lm::ModelSpec& spec, std::int64_t bytes, at::ScalarType dtype)
{
    nlohmann::json memory = nlohmann::json::object();
    for (const std::int64_t length : kLengths) {
        const lm::Forecast need = lm::forecast(spec, bytes, length, dtype);
        memory[std::to_string(length)] = {{"weights", need.weights},
                                          {"cache", need.cache},
                                          {"activations", need.activations},
                                          {"total", need.total()}};
    }
    return memory;
}

// With weights in few bits everything else is fp32.
Result<at::ScalarType> computedIn(const std::string& dtype)
{
    return lm::parseDtype(lm::weightForm(dtype) == lm::WeightForm::Full ? dtype : "fp32", at::kFloat);
}

Result<nlohmann::json> memoryByType(const lm::ModelSpec& spec, const lm::Config& config)
{
    nlohmann::json memory = nlohmann::json::object();
    for (const char* dtype : {"fp32", "bf16", "fp16", "int8", "int4"}) {
        const auto bytes = lm::weightBytes(config, dtype);
        const auto computed = computedIn(dtype);
        if (!bytes.has_value())
            return bytes.error();
        if (!computed.has_value())
            return computed.error();
        memory[dtype] = memoryOf(spec, *bytes, *computed);
    }
    return memory;
}

constexpr int kClickExamples = 100; // that a click scores again, of the shortest length

// How long passes take here, by the speed of products that was measured on this machine.
nlohmann::json timeOf(const Context& context, const lm::ModelSpec& spec, const std::string& dtype)
{
    const bool full = lm::weightForm(dtype) == lm::WeightForm::Full;
    const double rate = app::operationsASecond(full ? dtype : "fp32", context.settings.threads, io::cacheFolder());
    nlohmann::json passes = nlohmann::json::object();
    for (const std::int64_t length : kLengths)
        passes[std::to_string(length)] = app::passOperations(spec, length) / rate;
    // A click on a head runs its layer and those behind it: half of the layers in the middle.
    const double click = kClickExamples * app::passOperations(spec, kLengths[0]) / rate / 2;
    return {{"gflops", rate / 1e9},
            {"pass_seconds", passes},
            {"click", {{"examples", kClickExamples}, {"tokens", kLengths[0]}, {"seconds", click}}}};
}

// The chat template, tried on first turns of a user.
nlohmann::json chatOf(const std::filesystem::path& folder)
{
    const auto chat = text::ChatTemplate::load(folder);
    if (!chat.has_value())
        return {{"applies", false}, {"message", chat.error().message}};
    const auto writes = chat->writesUser();
    return {{"hash", chat->hash()},
            {"applies", writes.has_value()},
            {"message", writes.has_value() ? "A user's turn can be written with it." : writes.error().message}};
}

Result<nlohmann::json> infoJson(const lm::ModelSpec& spec, const std::filesystem::path& folder)
{
    auto config = lm::Config::load(folder);
    if (!config.has_value())
        return config.error();
    const auto packing = lm::readPacking(*config);
    if (!packing.has_value())
        return packing.error();
    const auto memory = memoryByType(spec, *config);
    if (!memory.has_value())
        return memory.error();
    nlohmann::json info{{"family", spec.family},     {"path", folder.string()},       {"layers", describeInfo(spec)},
                        {"hidden", spec.hidden},     {"vocabulary", spec.vocabulary}, {"parameters", spec.parameters},
                        {"memory_by_dtype", *memory}};
    if (*packing)
        info["packing"] = (*packing)->title;
    if (spec.rotatedByLengthPast > 0)
        info["rotation"] = {{"by_length_past", spec.rotatedByLengthPast}, {"read_anew", spec.readsAnew}};
    return info;
}

// What config.json alone says.
Result<nlohmann::json> withoutWeights(const Context& context, const std::filesystem::path& folder)
{
    auto config = lm::Config::load(folder);
    if (!config.has_value())
        return config.error();
    const auto spec = lm::describe(std::move(*config));
    if (!spec.has_value())
        return spec.error();
    const std::string dtype = context.settings.dtype == "auto" ? "fp32" : context.settings.dtype;
    const auto computed = computedIn(dtype);
    if (!computed.has_value())
        return computed.error();
    auto all = infoJson(*spec, folder);
    if (!all.has_value())
        return all.error();
    nlohmann::json info = std::move(*all), cache = nlohmann::json::object();
    for (const std::int64_t length : kLengths)
        cache[std::to_string(length)] = lm::cacheBytes(*spec, length, *computed);
    info.update({{"has_weights", false},
                 {"dtype", dtype},
                 {"bytes", info["memory_by_dtype"][dtype]["128"]["weights"]},
                 {"kv_cache_bytes", cache},
                 {"memory", info["memory_by_dtype"][dtype]},
                 {"time", timeOf(context, *spec, dtype)},
                 {"self_test", {{"passed", false}, {"checks", nlohmann::json::array()}}},
                 {"warnings", {"The weights are not there: this is what config.json alone says."}}});
    return info;
}

// Which layers lie where.
nlohmann::json devicesOf(const lm::LoadedModel& loaded)
{
    auto placement = loaded.model->parts().placement;
    if (placement.empty())
        placement = {{lm::parseDevice(loaded.device).value(), 0, static_cast<int>(loaded.model->spec().layers.size()),
                      loaded.bytes}};
    nlohmann::json devices = nlohmann::json::array();
    for (const lm::PlacedLayers& part : placement) {
        const auto free = lm::availableMemory(part.device);
        devices.push_back(
            {{"device", lm::deviceName(part.device)},
             {"layers", part.first == part.last ? nlohmann::json() : nlohmann::json{part.first, part.last - 1}},
             {"bytes", part.bytes},
             {"free", free ? nlohmann::json(*free) : nlohmann::json()}});
    }
    return devices;
}

void printDevices(const nlohmann::json& devices)
{
    if (devices.size() < 2)
        return;
    for (const auto& device : devices) {
        const auto& layers = device["layers"];
        const std::string which = layers.is_null() ? "no layer" : "L" + layers[0].dump() + " to L" + layers[1].dump();
        const std::string free = device["free"].is_null() ? "" : ", " + device["free"].dump() + " bytes free";
        printText("%-11s %s, %lld bytes of weights%s%s\n", device["device"].get<std::string>().c_str(), which.c_str(),
                  device["bytes"].get<long long>(), free.c_str(),
                  device["device"] == "cpu" ? "; the processor is slow beside a GPU" : "");
    }
}

Result<nlohmann::json> withWeights(const Context& context, const io::ModelFolder& model)
{
    const std::filesystem::path& folder = model.path;
    // A model that does not fit is described all the same, without a self-test.
    const auto type = app::chooseType(folder, context.settings.device, context.settings.dtype, context.settings.memory);
    if (!type.has_value())
        return type.error();
    const lm::LoadOptions options = app::loadOptions(context.settings, type->dtype, model.adapter);
    auto loaded = lm::inspect(folder, options);
    if (!loaded.has_value())
        return loaded.error();
    const auto fits = lm::checkMemory(*loaded, options);
    if (!fits.has_value())
        loaded->warnings.push_back(fits.error().message);
    else
        loaded = lm::load(folder, options, context.control());
    if (!loaded.has_value())
        return loaded.error();
    const lm::ModelSpec& spec = loaded->model->spec();
    auto all = infoJson(spec, folder);
    if (!all.has_value())
        return all.error();
    nlohmann::json info = std::move(*all), cache = nlohmann::json::object();
    const nlohmann::json memory = memoryOf(spec, loaded->bytes, loaded->model->dtype());
    for (const std::int64_t length : kLengths)
        cache[std::to_string(length)] = memory[std::to_string(length)]["cache"];
    nlohmann::json checks = nlohmann::json::array();
    bool passed = fits.has_value();
    for (const lm::SelfCheck& check : fits.has_value() ? lm::selfTest(*loaded->model) : std::vector<lm::SelfCheck>()) {
        checks.push_back({{"name", check.name}, {"passed", check.passed}, {"result", check.result}});
        passed = passed && check.passed;
    }
    info.update({{"has_weights", true},
                 {"dtype", loaded->dtype},
                 {"dtype_chosen", context.settings.dtype == "auto" ? "automatically" : "by the person"},
                 {"device", loaded->device},
                 {"devices", devicesOf(*loaded)},
                 {"bytes", loaded->bytes},
                 {"hash", loaded->contentHash},
                 {"kv_cache_bytes", cache},
                 {"fits", fits.has_value()},
                 {"memory", memory},
                 {"self_test", {{"passed", passed}, {"checks", checks}}},
                 {"warnings", loaded->warnings}});
    if (!model.adapter.empty())
        info["adapter"] = {{"path", model.adapter.string()}, {"form", loaded->adapter}};
    if (loaded->device == "cpu")
        info["time"] = timeOf(context, spec, loaded->dtype);
    return info;
}

// Any file that could hold some, so that weights that are damaged or not complete are told as such.
bool hasWeights(const std::filesystem::path& folder)
{
    std::error_code ignored;
    if (!std::filesystem::is_directory(folder, ignored))
        return true; // a GGUF file
    for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
        const std::string name = entry.path().filename().string();
        if (name.find(".safetensors") != std::string::npos || name.ends_with(".bin") || name.ends_with(".pt")
            || name.ends_with(".pth") || name.ends_with(".ckpt") || name.ends_with(".gguf"))
            return true;
    }
    return false;
}

void printInfo(const nlohmann::json& info)
{
    printText("family      %s\nparameters  %lld\ndtype       %s%s\nbytes       %lld\n",
              info["family"].get<std::string>().c_str(), info["parameters"].get<long long>(),
              info["dtype"].get<std::string>().c_str(),
              info.value("dtype_chosen", "") == "automatically" ? ", chosen automatically" : "",
              info["bytes"].get<long long>());
    printDevices(info.value("devices", nlohmann::json::array()));
    if (const auto adapter = info.find("adapter"); adapter != info.end())
        printText("adapter     %s (%s)\n", (*adapter)["path"].get<std::string>().c_str(),
                  (*adapter)["form"].get<std::string>().c_str());
    if (const auto packing = info.find("packing"); packing != info.end())
        printText("packed as   %s\n", packing->get<std::string>().c_str());
    const auto& chat = info["chat_template"];
    printText("chat        %s%s%s\n", chat.contains("hash") ? "template " : "", chat.value("hash", "").c_str(),
              ((chat.contains("hash") ? ": " : "") + chat["message"].get<std::string>()).c_str());
    for (const auto& [length, bytes] : info["kv_cache_bytes"].items())
        printText("cache at %5s tokens  %lld bytes\n", length.c_str(), bytes.get<long long>());
    for (const auto& layer : info["layers"]) {
        for (const auto& mixer : layer["mixers"])
            printText("L%-3d %-16s %4d heads of %3d, %3d key/value heads or groups, state %d\n",
                      layer["index"].get<int>(), mixer["kind"].get<std::string>().c_str(), mixer["heads"].get<int>(),
                      mixer["head_dim"].get<int>(), mixer["kv_heads"].get<int>(), mixer["state"].get<int>());
        if (layer.contains("experts"))
            printText("L%-3d experts          %4d, X0 to X%d, %d for each token%s\n", layer["index"].get<int>(),
                      layer["experts"].get<int>(), layer["experts"].get<int>() - 1,
                      layer["experts_per_token"].get<int>(),
                      layer["shared_expert"].get<bool>() ? ", and a shared one for every token" : "");
    }
    if (const auto rotation = info.find("rotation"); rotation != info.end())
        printText(
            "rotation    by the whole length in texts of more than %d tokens; one that is written on past them %s\n",
            (*rotation)["by_length_past"].get<int>(),
            (*rotation)["read_anew"].get<bool>() ? "is read anew from its start, as transformers does"
                                                 : "keeps what it turned before, as in transformers");
    for (const auto& [length, need] : info["memory"].items())
        printText("memory for %5s tokens  %lld bytes: weights, cache, and %lld of activations\n", length.c_str(),
                  need["total"].get<long long>(), need["activations"].get<long long>());
    if (const auto time = info.find("time"); time != info.end()) {
        for (const auto& [length, seconds] : (*time)["pass_seconds"].items())
            printText("time for %7s tokens  at least %.2g s\n", length.c_str(), seconds.get<double>());
        printText(
            "time of a click         at least %.2g s: a head in the middle, %d examples of %d tokens, %.0f GFLOP/s "
            "here\n",
            (*time)["click"]["seconds"].get<double>(), (*time)["click"]["examples"].get<int>(),
            (*time)["click"]["tokens"].get<int>(), (*time)["gflops"].get<double>());
    }
    for (const auto& [dtype, memory] : info["memory_by_dtype"].items())
        printText("weights as %s      %lld bytes\n", dtype.c_str(), memory.begin().value()["weights"].get<long long>());
    printText("self-test   %s\n", info["self_test"]["checks"].empty()       ? "not run"
                                  : info["self_test"]["passed"].get<bool>() ? "passed"
                                                                            : "FAILED");
    for (const auto& check : info["self_test"]["checks"])
        printText("  %-28s %s\n", check["name"].get<std::string>().c_str(), check["result"].get<std::string>().c_str());
    for (const auto& warning : info["warnings"])
        printText("warning: %s\n", warning.get<std::string>().c_str());
}

} // namespace

void addInfoCommand(CLI::App& app, Context& context)
{
    auto model = std::make_shared<std::string>();
    CLI::App* command = app.add_subcommand("info", "describe a model layer by layer, and the memory that it needs");
    addModel(*command, *model);
    command->callback([&context, model] {
        context.run = [&context, model]() -> Result<void> {
            const auto folder = context.modelFolder(*model);
            if (!folder.has_value()) {
                if (folder.error().detail.empty())
                    return folder.error();
                const auto forecast = forecastOnHub(context, folder.error().detail);
                if (forecast.has_value())
                    return {};
                return Error{forecast.error().kind,
                             io::inQuotes(*model) + " is not on this computer: " + forecast.error().message};
            }
            const auto info =
                hasWeights(folder->path) ? withWeights(context, *folder) : withoutWeights(context, folder->path);
            if (!info.has_value())
                return info.error();
            nlohmann::json all = *info;
            all["chat_template"] = chatOf(folder->path);
            if (context.json)
                Context::print(all);
            else
                printInfo(all);
            return {};
        };
    });
}

} // namespace headscope::cli
