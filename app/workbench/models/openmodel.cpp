// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/models/openmodel.h"

#include "app/notebook/outsideinputs.h"
#include "app/notebook/tokenizerchoice.h"
#include "app/workbench/heads/steeringdirections.h"
#include "app/workbench/models/automatictype.h"
#include "app/workbench/prompt/prompt.h"
#include "core/lm/device/threads.h"
#include "core/lm/device/waiting.h"

#include <algorithm>
#include <map>

namespace headscope::app {

namespace {

// Examples that run first: of a large model so few that their numbers are there within seconds.
constexpr int kFirstOfLarge = 2;

// A tokenizer that was named, as a path: a file, a folder, or a model whose tokenizer it is.
Result<std::filesystem::path> tokenizerPath(const std::string& named, const std::filesystem::path& resources)
{
    std::error_code ignored;
    if (named.empty() || std::filesystem::exists(named, ignored))
        return std::filesystem::path(named);
    auto folder = findModel(named, resources);
    return folder.has_value() ? Result<std::filesystem::path>(folder->path)
                              : Result<std::filesystem::path>(folder.error());
}

lm::DonorLoader donorLoader(const std::filesystem::path& resources, const lm::LoadOptions& options,
                            const Control& control)
{
    struct Donor {
        std::string stamp;
        std::shared_ptr<const lm::Model> model;
    };
    auto kept = std::make_shared<std::map<std::string, Donor>>();
    return [resources, options, control, kept](const std::string& name) -> Result<std::shared_ptr<const lm::Model>> {
        const std::string stamp = donorStamp(name);
        Donor& known = (*kept)[name];
        if (known.model && known.stamp == stamp)
            return known.model;
        const auto folder = findModel(name, resources);
        if (!folder.has_value())
            return folder.error();
        lm::LoadOptions own = options;
        own.adapter = folder->adapter;
        const auto donor = lm::load(folder->path, own, control);
        if (!donor.has_value())
            return donor.error();
        known = {stamp, donor->model};
        return known.model;
    };
}

// For want of memory: the type in which it would fit, in words and, as the detail, for whoever can offer it.
Error withSmallerType(Error error, const std::filesystem::path& folder, const lm::LoadOptions& options)
{
    if (error.kind != Error::Kind::Memory)
        return error;
    error.detail = lm::smallerType(folder, options);
    if (!error.detail.empty() && error.message.ends_with('.')) {
        error.message.pop_back();
        error.message += "; as " + error.detail + " it would fit.";
    }
    return error;
}

// Of a limit, what other models leave; the smallest there is where they leave nothing, so that it stays a limit.
std::int64_t memoryLeft(const Settings& settings, const ModelRequest& request)
{
    return settings.memory == 0 ? 0 : std::max<std::int64_t>(settings.memory - request.memoryTaken, 1);
}

std::unique_ptr<engine::Scorer> makeScorer(const OpenModel& open, const Settings& settings, const ModelRequest& request)
{
    engine::ScorerOptions scoring{.batchParts = lm::batchPartsFor(open.spec()),
                                  .batchesAtOnce = lm::batchesAtOnceFor(open.spec(), settings.threads),
                                  .orderSeed = settings.orderSeed,
                                  .logSoftmax = request.logSoftmax,
                                  .memory = settings.memory,
                                  .weightBytes = open.loaded.resident + request.memoryTaken};
    scoring.cacheBytes -= request.keptBeside;
    if (open.spec().parameters >= kLargeModel)
        scoring.firstChunk = kFirstOfLarge;
    return std::make_unique<engine::Scorer>(open.loaded.model, open.tokenizer, scoring);
}

} // namespace

std::string OpenModel::provenance() const
{
    const std::string packing =
        (loaded.adapter.empty() ? "" : loaded.adapter + ", ") + (loaded.packing.empty() ? "" : loaded.packing + ", ");
    return name + ", " + spec().family + ", " + packing + loaded.dtype + ", " + loaded.device;
}

void OpenModel::shareProcessors(int processes)
{
    if (threads > 0)
        return;
    const int own = lm::threadsAmong(processes);
    lm::setThreadsFor(spec(), own);
    scorer->setBatchesAtOnce(lm::batchesAtOnceFor(spec(), own));
}

Result<io::ModelFolder> findModel(const std::string& model, const std::filesystem::path& resources)
{
    return io::resolveModel(model, io::ModelPlaces::fromEnvironment(resources / "models"));
}

lm::LoadOptions loadOptions(const Settings& settings, const std::string& dtype, const std::filesystem::path& adapter)
{
    return {.device = settings.device,
            .dtype = dtype,
            .memoryLimit = settings.memory,
            .adapter = adapter,
            .keptPacked = settings.keptPacked};
}

Result<OpenModel> openModel(const Settings& settings, const std::filesystem::path& resources,
                            const ModelRequest& request, const Control& control)
{
    const auto found = findModel(request.model, resources);
    if (!found.has_value())
        return found.error();
    OpenModel open{.name = found->revision.empty() ? found->name : request.model,
                   .folder = std::filesystem::absolute(found->path).lexically_normal(),
                   .place = found->place(),
                   .threads = settings.threads,
                   .memoryTaken = request.memoryTaken,
                   .startToken = settings.startToken};

    // 1. What costs nothing.
    const std::int64_t memory = memoryLeft(settings, request);
    const auto type = chooseType(found->path, settings.device, settings.dtype, memory);
    if (!type.has_value())
        return type.error();
    if (const std::string why = reason(*type); !why.empty())
        open.remarks.push_back(why);
    lm::LoadOptions options = loadOptions(settings, type->dtype, found->adapter);
    options.memoryLimit = memory;
    auto whole = lm::inspect(found->path, options);
    if (!whole.has_value())
        return whole.error();
    open.partial = request.layerLimit > 0 && request.layerLimit < static_cast<int>(whole->model->spec().layers.size())
                   && !(request.wholeIfItFits && lm::checkMemory(*whole, options).has_value());
    options.layerLimit = open.partial ? request.layerLimit : 0;
    const auto named = tokenizerPath(request.tokenizer, resources);
    if (!named.has_value())
        return named.error();
    auto tokenizer = openTokenizer(hasTokenizer(found->adapter) ? found->adapter : found->path, *named,
                                   [&open](const std::string& line) { open.remarks.push_back(line); });
    if (!tokenizer.has_value())
        return tokenizer.error();
    open.tokenizer = std::move(*tokenizer);

    // 2. The weights, and what works on them.
    if (lm::threadsFor(whole->model->spec(), settings.threads) > 1)
        lm::letIdleThreadsSleep();
    auto loaded = lm::load(found->path, options, control);
    if (!loaded.has_value())
        return withSmallerType(loaded.error(), found->path, options);
    lm::setThreadsFor(loaded->model->spec(), settings.threads);
    open.loaded = std::move(*loaded);
    whole->contentHash = open.loaded.contentHash; // what is kept of a model is all of it, however much is loaded
    open.subject =
        subjectOf(*whole, open.name, open.place, *open.tokenizer, startOf(settings.startToken, PromptOrigin::TaskRow));
    open.subject.textBos = startOf(settings.startToken, PromptOrigin::OwnText);
    open.subject.logSoftmax = request.logSoftmax;
    open.donors = donorLoader(resources, options, request.donors);
    connectDirections(open);
    open.scorer = makeScorer(open, settings, request);
    return open;
}

} // namespace headscope::app
