// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/notebook/outsideinputs.h"

#include "core/io/gguf/gguffile.h"
#include "core/io/mapping.h"
#include "core/io/modelfolder.h"
#include "core/io/openfile.h"
#include "core/io/resources.h"
#include "core/io/safetensors/adapter.h"
#include "core/io/safetensors/checkpoint.h"
#include "core/io/safetensors/safetensors.h"
#include "core/io/textfiles/textfile.h"
#include "core/why/lenses/jacobianfile.h"

#include <sys/stat.h>

#include <algorithm>
#include <map>

namespace headscope::app {

namespace fs = std::filesystem;
using interventions::InterventionSet;
using interventions::Steer;

namespace {

constexpr const char* kMissing = "missing"; // equal to no content, so that nothing stored is taken for it

/// What the file system says of a file: as long as it is the same, so is the content.
std::string stampOf(const fs::path& file)
{
    struct stat status {
    };
    if (::stat(file.c_str(), &status) != 0)
        return {};
    std::string stamp;
    for (const auto part :
         {static_cast<std::int64_t>(status.st_dev), static_cast<std::int64_t>(status.st_ino),
          static_cast<std::int64_t>(status.st_size), static_cast<std::int64_t>(status.st_mtim.tv_sec),
          static_cast<std::int64_t>(status.st_mtim.tv_nsec), static_cast<std::int64_t>(status.st_ctim.tv_sec),
          static_cast<std::int64_t>(status.st_ctim.tv_nsec)})
        stamp += std::to_string(part) + " ";
    return stamp;
}

std::string stampOfModel(const fs::path& model)
{
    std::error_code ignored;
    if (!fs::is_directory(model, ignored))
        return stampOf(model);
    std::vector<std::string> files;
    for (fs::directory_iterator entry(model, ignored), end; entry != end; entry.increment(ignored))
        files.push_back(entry->path().filename().string() + " " + stampOf(entry->path()));
    std::ranges::sort(files);
    std::string stamp;
    for (const std::string& file : files)
        stamp += file + "\n";
    return stamp;
}

/// Stamp and content by what is read.
using Contents = std::map<std::string, std::pair<std::string, std::string>>;

/// The content of what is read, again only where its stamp says so.
template <typename Stamp, typename Read>
std::string rememberedContent(Contents& known, const std::string& what, Stamp stampNow, Read read)
{
    const std::string stamp = stampNow();
    if (stamp.empty())
        return kMissing;
    auto& [then, content] = known[what];
    if (then != stamp) {
        content = read();
        then = stampNow() == stamp ? stamp : std::string(); // it was written meanwhile: read it again next time
    }
    return content;
}

std::string hashOfList(const fs::path& file)
{
    const auto bytes = io::readTextFile(file);
    return bytes.has_value() ? sha256Hex(*bytes) : kMissing;
}

std::string hashOfFile(const fs::path& file)
{
    const auto opened = io::OpenFile::open(file);
    if (!opened.has_value())
        return kMissing;
    Sha256 hash;
    std::string part(std::size_t{1} << 20, '\0');
    for (std::uint64_t at = 0; at < opened->size(); at += part.size()) {
        part.resize(static_cast<std::size_t>(std::min<std::uint64_t>(part.size(), opened->size() - at)));
        if (!opened->readAt(at, part.data(), part.size()))
            return kMissing;
        hash.add(part);
    }
    return hash.hex();
}

std::string hashOfVector(const fs::path& file, const std::string& name)
{
    const auto opened = io::SafetensorsFile::open(file);
    const io::TensorInfo* info = opened.has_value() ? (*opened)->find(name) : nullptr;
    if (!info)
        return kMissing;
    const auto bytes = (*opened)->bytes(*info);
    Sha256 hash;
    hash.add(std::string(io::dtypeName(info->dtype)) + " ");
    hash.add(bytes.data(), bytes.size());
    return io::intact(**opened).has_value() ? hash.hex() : kMissing;
}

std::string hashOfModel(const fs::path& path)
{
    const auto checkpoint = io::Checkpoint::open(path);
    if (!checkpoint.has_value())
        return kMissing;
    const auto gguf = io::ggufAt(path); // has its config in it
    const auto config =
        gguf.has_value() && *gguf ? Result<std::string>(std::string()) : io::readTextFile(path / "config.json");
    const auto content = (*checkpoint)->contentHash();
    if (!config.has_value() || !content.has_value() || !io::intact(**checkpoint).has_value())
        return kMissing;
    return sha256Hex(*config + *content);
}

Result<io::ModelFolder> donorFolder(const std::string& name)
{
    return io::resolveModel(name, io::ModelPlaces::fromEnvironment(io::resourcesFolder() / "models"));
}

std::string stampOfDonor(const io::ModelFolder& model)
{
    return stampOfModel(model.path) + (model.adapter.empty() ? "" : "\n" + stampOfModel(model.adapter));
}

std::string hashOfDonor(const io::ModelFolder& model)
{
    const std::string base = hashOfModel(model.path);
    if (model.adapter.empty())
        return base;
    const auto adapter = io::LoraAdapter::open(model.adapter);
    const auto content = adapter.has_value() ? (*adapter)->contentHash() : Result<std::string>(adapter.error());
    return content.has_value() ? sha256Hex(base + *content) : kMissing;
}

std::string contentOfDonor(const std::string& name)
{
    thread_local Contents known;
    const auto folder = donorFolder(name);
    if (!folder.has_value())
        return kMissing;
    return rememberedContent(
        known, folder->place(), [&] { return stampOfDonor(*folder); }, [&] { return hashOfDonor(*folder); });
}

/// "FILE[NAME]" as its two; nothing: lists of prompts.
std::optional<std::pair<fs::path, std::string>> vectorOf(const Steer& steer)
{
    const std::string& text = steer.direction;
    const std::size_t bracket = text.find_last_of('[');
    if (bracket == std::string::npos || text.back() != ']')
        return std::nullopt;
    return std::pair(fs::path(text.substr(0, bracket)), text.substr(bracket + 1, text.size() - bracket - 2));
}

// Words become directions through the lens in the model's folder.
std::string contentOfWords(const Subject& subject)
{
    return contentOfLens(lensOfModel(subject.model.source)) + " " + subject.tokenizer.hash;
}

// Prompts become a direction through the tokenizer and the start token too.
std::string contentOfDirection(const Subject& subject, const Steer& steer)
{
    if (const auto vector = vectorOf(steer)) {
        thread_local Contents known;
        return rememberedContent(
            known, steer.direction, [&] { return stampOf(vector->first); },
            [&] { return hashOfVector(vector->first, vector->second); });
    }
    if (wordOf(steer))
        return contentOfWords(subject);
    const auto lists = listsOf(steer);
    if (!lists)
        return kMissing;
    return contentOf(lists->first) + " " + contentOf(lists->second) + " " + subject.tokenizer.hash
           + " bos=" + engine::name(subject.textBos);
}

} // namespace

std::optional<std::pair<fs::path, fs::path>> listsOf(const Steer& steer)
{
    std::error_code ignored;
    const std::string& text = steer.direction;
    for (std::size_t at = text.find('-'); at != std::string::npos; at = text.find('-', at + 1)) {
        std::pair<fs::path, fs::path> files(text.substr(0, at), text.substr(at + 1));
        if (fs::is_regular_file(files.first, ignored) && fs::is_regular_file(files.second, ignored))
            return files;
    }
    return std::nullopt;
}

std::optional<std::string> wordOf(const Steer& steer)
{
    constexpr std::string_view kOfLens = "jlens:";
    return steer.direction.starts_with(kOfLens) ? std::optional(steer.direction.substr(kOfLens.size())) : std::nullopt;
}

fs::path lensOfModel(const std::string& source)
{
    const auto found = donorFolder(source);
    const fs::path folder = !found.has_value()       ? fs::path(source)
                            : found->adapter.empty() ? found->path
                                                     : found->adapter;
    return folder / why::kLensOfFolder;
}

std::string contentOfLens(const fs::path& file)
{
    thread_local Contents known;
    return rememberedContent(
        known, file.string(), [&] { return stampOf(file); }, [&] { return hashOfFile(file); });
}

std::string contentOf(const fs::path& list)
{
    thread_local Contents known;
    return rememberedContent(
        known, list.string(), [&] { return stampOf(list); }, [&] { return hashOfList(list); });
}

std::string donorStamp(const std::string& name)
{
    const auto folder = donorFolder(name);
    return folder.has_value() ? folder->place() + "\n" + stampOfDonor(*folder) : std::string();
}

bool addOutsideInputs(Sha256& hash, const Subject& subject, const InterventionSet& set)
{
    bool any = false;
    for (const auto& item : set.items()) {
        if (const auto* swap = std::get_if<interventions::SwapLayer>(&item))
            hash.add("swap " + contentOfDonor(swap->model));
        else if (const auto* steer = std::get_if<Steer>(&item))
            hash.add("steer " + contentOfDirection(subject, *steer));
        else if (std::holds_alternative<interventions::ExchangeWords>(item))
            hash.add("exchange " + contentOfWords(subject));
        else
            continue;
        any = true;
    }
    return any;
}

std::string outsideInputs(const Subject& subject, const InterventionSet& set)
{
    Sha256 hash;
    return addOutsideInputs(hash, subject, set) ? hash.hex() : std::string();
}

std::string stateIdentity(const Subject& subject, const InterventionSet& set)
{
    const std::string outside = outsideInputs(subject, set);
    return set.canonical() + (outside.empty() ? "" : " over=" + outside);
}

} // namespace headscope::app
