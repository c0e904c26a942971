// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/modelfolder.h"

#include "core/base/words/suggestion.h"
#include "core/io/openfile.h"
#include "core/io/safetensors/adapter.h"
#include "core/io/textfiles/quote.h"
#include "core/io/textfiles/textfile.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>

namespace headscope::io {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kCachePrefix = "models--";

std::string environment(const char* name)
{
    const char* const value = std::getenv(name);
    return value ? value : "";
}

bool isThere(const fs::path& path)
{
    std::error_code ignored;
    return fs::exists(path, ignored);
}

bool isFolder(const fs::path& path)
{
    std::error_code ignored;
    return fs::is_directory(path, ignored);
}

std::vector<fs::path> entries(const fs::path& folder)
{
    std::vector<fs::path> all;
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
        all.push_back(at->path());
    std::sort(all.begin(), all.end());
    return all;
}

bool isGguf(const fs::path& path)
{
    return path.extension() == ".gguf";
}

bool looksLikeModel(const fs::path& folder)
{
    if (isThere(folder / "config.json") || isThere(folder / "tokenizer.json"))
        return true;
    const auto files = entries(folder);
    return std::any_of(files.begin(), files.end(), isGguf);
}

/// "org/name" or "name" with plain parts only, so that it can name nothing outside the cache.
bool isHubName(std::string_view name)
{
    const auto plain = [](std::string_view part) {
        return !part.empty() && part.front() != '.' && part.find("..") == std::string_view::npos
               && part.find("--") == std::string_view::npos && std::all_of(part.begin(), part.end(), [](char c) {
                      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-'
                             || c == '_' || c == '.';
                  });
    };
    const auto slash = name.find('/');
    return slash == std::string_view::npos ? plain(name)
                                           : plain(name.substr(0, slash)) && plain(name.substr(slash + 1));
}

fs::path repositoryFolder(const fs::path& hub, std::string name)
{
    if (const auto slash = name.find('/'); slash != std::string::npos)
        name.replace(slash, 1, "--");
    return hub / (std::string(kCachePrefix) + name);
}

bool isCommit(std::string_view text)
{
    return !text.empty() && text.size() <= 40 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// The commit that a branch or tag points to, as the cache last saw it.
std::optional<std::string> readRef(const fs::path& repository, const std::string& revision)
{
    for (const fs::path& part : fs::path(revision))
        if (part == ".." || part == "/" || part.empty())
            return std::nullopt;
    auto text = readTextFile(repository / "refs" / revision, 4096);
    if (!text.has_value())
        return std::nullopt;
    std::string commit = *std::move(text);
    while (!commit.empty() && (commit.back() == '\n' || commit.back() == '\r' || commit.back() == ' '))
        commit.pop_back();
    return isCommit(commit) ? std::optional(commit) : std::nullopt;
}

bool hasPartialDownload(const fs::path& repository)
{
    const auto blobs = entries(repository / "blobs");
    return std::any_of(blobs.begin(), blobs.end(),
                       [](const fs::path& blob) { return blob.extension() == ".incomplete"; });
}

/// Finds the snapshot of a revision, or says which are there.
Result<fs::path> findSnapshot(const fs::path& repository, const std::string& name, const std::string& revision)
{
    const std::string who = "Model " + inQuotes(name) + " in the Hugging Face cache ";
    const auto snapshots = entries(repository / "snapshots");
    const auto incomplete = [&] { return inputError(who + "is an unfinished download; run the download again."); };
    if (snapshots.empty())
        return incomplete();
    const std::string wanted = revision.empty() ? "main" : revision;
    if (const auto commit = readRef(repository, wanted)) {
        if (isFolder(repository / "snapshots" / *commit))
            return repository / "snapshots" / *commit;
        return incomplete();
    }
    if (revision.empty() && snapshots.size() == 1)
        return snapshots.front();
    std::vector<fs::path> matching;
    if (isCommit(revision))
        for (const fs::path& snapshot : snapshots)
            if (snapshot.filename().string().starts_with(revision))
                matching.push_back(snapshot);
    if (matching.size() == 1)
        return matching.front();
    if (matching.size() > 1)
        return inputError(who + "has several commits that begin with " + inQuotes(revision)
                          + "; use more of its digits.");
    return inputError(who + "has no revision " + inQuotes(wanted) + "; it has the commit "
                      + snapshots.front().filename().string()
                      + (snapshots.size() > 1 ? " and " + std::to_string(snapshots.size() - 1) + " more." : "."));
}

/// A snapshot is made of links into blobs/; a link without its blob is a file that never finished.
Result<void> checkComplete(const fs::path& snapshot, const fs::path& repository, const std::string& name)
{
    const std::string who = "Model " + inQuotes(name) + " in the Hugging Face cache is incomplete: ";
    bool weights = false;
    for (const fs::path& file : entries(snapshot)) {
        if (!isThere(file))
            return inputError(who + inQuotes(file.filename().string())
                              + " was not downloaded; run the download again.");
        const std::string suffix = file.extension().string();
        weights = weights || suffix == ".safetensors" || suffix == ".bin" || suffix == ".gguf";
    }
    if (!looksLikeModel(snapshot) && !isAdapterAlone(snapshot))
        return inputError(who + "it has neither config.json nor tokenizer.json nor a GGUF file.");
    if (!weights && hasPartialDownload(repository))
        return inputError(who + "its weights are an unfinished download; run the download again.");
    return {};
}

Result<ModelFolder> resolveCached(const std::string& name, const std::string& revision, const fs::path& hub)
{
    const fs::path repository = repositoryFolder(hub, name);
    const auto snapshot = findSnapshot(repository, name, revision);
    if (!snapshot.has_value())
        return snapshot.error();
    if (const auto complete = checkComplete(*snapshot, repository, name); !complete.has_value())
        return complete.error();
    return ModelFolder{name, snapshot->filename().string(), *snapshot, ModelOrigin::Cached};
}

std::string folderName(const fs::path& path)
{
    std::error_code error;
    const fs::path whole = fs::weakly_canonical(path, error);
    return error || whole.filename().empty() ? path.string() : whole.filename().string();
}

/// Of every model that the cache has a folder for, finished or not; sorted.
std::vector<std::string> cachedNames(const ModelPlaces& places)
{
    std::vector<std::string> names;
    if (places.hubCache.empty())
        return names;
    for (const fs::path& repository : entries(places.hubCache)) {
        std::string name = repository.filename().string();
        if (!name.starts_with(kCachePrefix))
            continue;
        name.erase(0, kCachePrefix.size());
        if (const auto dashes = name.find("--"); dashes != std::string::npos)
            name.replace(dashes, 2, "/");
        if (isHubName(name))
            names.push_back(std::move(name));
    }
    return names;
}

Result<ModelFolder> findFolder(const std::string& argument, const ModelPlaces& places);

Result<ModelFolder> withAdapter(ModelFolder base, const ModelFolder& adapter)
{
    if (isAdapterAlone(base.path))
        return adapterAlone(base.path, adapterIn(base.path).value_or("an adapter"));
    base.name += "+" + adapter.name;
    base.adapter = adapter.path;
    return base;
}

/// An adapter on the base that it names: beside it, or as any model is found.
Result<ModelFolder> onItsBase(const ModelFolder& adapter, const ModelPlaces& places)
{
    const auto opened = LoraAdapter::open(adapter.path);
    if (!opened.has_value())
        return opened.error();
    std::string named = (*opened)->base();
    const std::string who =
        "The folder " + inQuotes(adapter.path.string()) + " contains " + adapterIn(adapter.path).value_or("an adapter");
    if (named.empty())
        return inputError(who + "; name the base, as MODEL --adapter " + adapter.path.string() + ".");
    const fs::path beside = adapter.path / named;
    if (!fs::path(named).is_absolute() && isFolder(beside))
        named = beside.lexically_normal().string();
    auto base = findFolder(named, places);
    if (!base.has_value())
        return inputError(who + ", and the base cannot be opened: " + base.error().message);
    return withAdapter(std::move(*base), adapter);
}

constexpr std::size_t kMostOwn = 1000;
constexpr std::size_t kMostFolders = 10'000; // somebody may add the root of his disk
constexpr int kDepth = 3;                    // "model", "organisation/model", "organisation/model/few-bits.gguf"

/// What a walk through own folders found, and where it was: links may lead in circles.
struct Walk {
    std::vector<ModelFolder> found;
    std::set<fs::path> seen;

    void visit(const fs::path& folder, const std::string& name, int depth)
    {
        std::error_code error;
        if (seen.size() >= kMostFolders || !seen.insert(fs::canonical(folder, error)).second)
            return;
        for (const fs::path& entry : entries(folder)) {
            if (found.size() >= kMostOwn)
                return;
            const std::string own = (name.empty() ? name : name + '/') + entry.filename().string();
            if (isGguf(entry))
                found.push_back({own.substr(0, own.rfind('.')), {}, entry, ModelOrigin::Own});
            else if (isThere(entry / "config.json") || isAdapterAlone(entry))
                found.push_back({own, {}, entry, ModelOrigin::Own});
            else if (depth > 1 && isFolder(entry))
                visit(entry, own, depth - 1);
        }
    }
};

} // namespace

ModelPlaces ModelPlaces::fromEnvironment(fs::path shippedFolder)
{
    ModelPlaces places;
    places.shippedFolder = std::move(shippedFolder);
    if (const auto hub = environment("HF_HUB_CACHE"); !hub.empty())
        places.hubCache = hub;
    else if (const auto home = environment("HF_HOME"); !home.empty())
        places.hubCache = fs::path(home) / "hub";
    else if (const auto cache = environment("XDG_CACHE_HOME"); !cache.empty())
        places.hubCache = fs::path(cache) / "huggingface" / "hub";
    else if (const auto user = environment("HOME"); !user.empty())
        places.hubCache = fs::path(user) / ".cache" / "huggingface" / "hub";
    places.ownFolders = modelFolders().read();
    return places;
}

PathList modelFolders()
{
    const fs::path config = configFolder();
    return PathList(config.empty() ? config : config / "model-folders.txt");
}

namespace {

Result<ModelFolder> findFolder(const std::string& argument, const ModelPlaces& places)
{
    if (argument.empty())
        return inputError("No model was named; expected a folder, an included model or org/name.");
    // 1. A folder.
    if (isFolder(argument)) {
        if (!looksLikeModel(argument) && !isAdapterAlone(argument))
            return inputError("Folder " + inQuotes(argument)
                              + " contains no model; expected config.json and weights, or a GGUF file, in it.");
        return ModelFolder{folderName(argument), {}, argument, ModelOrigin::Folder};
    }
    if (isGguf(argument) && isThere(argument))
        return ModelFolder{fs::path(argument).stem().string(), {}, argument, ModelOrigin::Folder};
    if (isThere(argument))
        return inputError(inQuotes(argument) + " is a file; expected the folder of a model, or a GGUF file.");
    if (const std::string link = brokenLink(argument); !link.empty())
        return inputError("Cannot open " + inQuotes(argument) + ": " + link + ".");
    // 2. A shipped name.
    const auto at = argument.find('@');
    const std::string name = argument.substr(0, at);
    const std::string revision = at == std::string::npos ? "" : argument.substr(at + 1);
    if (isHubName(name) && at == std::string::npos && name.find('/') == std::string::npos
        && !places.shippedFolder.empty() && looksLikeModel(places.shippedFolder / name))
        return ModelFolder{name, {}, places.shippedFolder / name, ModelOrigin::Shipped};
    // 3. The cache.
    if (isHubName(name) && !places.hubCache.empty() && isFolder(repositoryFolder(places.hubCache, name)))
        return resolveCached(name, revision, places.hubCache);
    // 4. What a person added.
    for (ModelFolder& own : ownModels(places))
        if (own.name == argument)
            return std::move(own);

    std::string shipped;
    std::vector<std::string> known;
    for (const ModelFolder& model : shippedModels(places)) {
        shipped += (shipped.empty() ? "" : ", ") + model.name;
        known.push_back(model.name);
    }
    const bool onHub = isHubName(name) && name.find('/') != std::string::npos;
    return Error{
        Error::Kind::Input,
        "No model " + inQuotes(argument) + didYouMean(argument, known) + ": it is not a folder, not an included model"
            + (shipped.empty() ? std::string() : " (" + shipped + ")") + " and not in the Hugging Face cache "
            + inQuotes(places.hubCache.string()) + (places.ownFolders.empty() ? "" : " nor in a folder that was added")
            + (onHub ? "; 'headscope-cli get " + name + "' fetches it from the hub." : "."),
        onHub ? argument : std::string()};
}

} // namespace

std::string ModelFolder::place() const
{
    const auto whole = [](const fs::path& folder) { return fs::absolute(folder).lexically_normal().string(); };
    return adapter.empty() ? whole(path) : whole(path) + "+" + whole(adapter);
}

Result<ModelFolder> resolveModel(const std::string& argument, const ModelPlaces& places)
{
    auto found = findFolder(argument, places);
    if (found.has_value() && isAdapterAlone(found->path))
        return onItsBase(*found, places);
    // MODEL+ADAPTER: the first sign behind which there is an adapter.
    for (auto at = argument.find('+'); !found.has_value() && at != std::string::npos; at = argument.find('+', at + 1)) {
        const auto adapter = findFolder(argument.substr(at + 1), places);
        if (!adapter.has_value() || !isAdapterAlone(adapter->path))
            continue;
        auto base = findFolder(argument.substr(0, at), places);
        return base.has_value() ? withAdapter(std::move(*base), *adapter) : base;
    }
    const auto sign = argument.find('+');
    if (!found.has_value() && sign != std::string::npos && findFolder(argument.substr(0, sign), places).has_value())
        return inputError("There is no LoRA adapter in " + inQuotes(argument.substr(sign + 1)) + " to open on "
                          + inQuotes(argument.substr(0, sign)) + "; expected a folder with adapter_config.json.");
    return found;
}

std::vector<ModelFolder> cachedModels(const ModelPlaces& places)
{
    std::vector<ModelFolder> all;
    for (const std::string& name : cachedNames(places))
        if (auto model = resolveCached(name, {}, places.hubCache); model.has_value())
            all.push_back(*std::move(model));
    return all;
}

std::vector<std::string> unfinishedModels(const ModelPlaces& places)
{
    std::vector<std::string> names = cachedNames(places);
    std::erase_if(names, [&](const std::string& name) { return resolveCached(name, {}, places.hubCache).has_value(); });
    return names;
}

std::vector<ModelFolder> shippedModels(const ModelPlaces& places)
{
    std::vector<ModelFolder> all;
    if (places.shippedFolder.empty())
        return all;
    for (const fs::path& folder : entries(places.shippedFolder))
        if (isFolder(folder) && looksLikeModel(folder))
            all.push_back({folder.filename().string(), {}, folder, ModelOrigin::Shipped});
    return all;
}

std::uint64_t weightFileBytes(const fs::path& model)
{
    std::error_code error;
    if (fs::is_regular_file(model, error)) // a GGUF file
        return fs::file_size(model, error);
    std::uint64_t bytes = 0;
    for (const fs::path& file : entries(model))
        if (const fs::path suffix = file.extension();
            (suffix == ".safetensors" || suffix == ".bin" || suffix == ".pt" || isGguf(file))
            && fs::is_regular_file(file, error))
            bytes += fs::file_size(file, error);
    return bytes;
}

std::vector<ModelFolder> ownModels(const ModelPlaces& places)
{
    Walk walk;
    for (const fs::path& folder : places.ownFolders)
        if (isThere(folder / "config.json"))
            walk.found.push_back({folderName(folder), {}, folder, ModelOrigin::Own});
        else
            walk.visit(folder, {}, kDepth);
    return std::move(walk.found);
}

} // namespace headscope::io
