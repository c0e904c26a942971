// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hub/repository.h"

#include "core/hub/http.h"
#include "core/io/textfiles/quote.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <set>

namespace headscope::hub {

namespace {

using nlohmann::json;

constexpr std::size_t kLongestAnswer = 64'000'000; // bytes
constexpr std::uint64_t kLargestFile = std::uint64_t{1} << 50;

bool isPlainPart(std::string_view part)
{
    return !part.empty() && part != "." && part != ".." && std::all_of(part.begin(), part.end(), [](unsigned char c) {
        return c > 0x20 && c < 0x7f && c != '\\' && c != '/' && c != '?' && c != '#' && c != '%';
    });
}

bool isPlainPath(std::string_view path)
{
    while (true) {
        const std::size_t slash = path.find('/');
        if (!isPlainPart(path.substr(0, slash)))
            return false;
        if (slash == std::string_view::npos)
            return true;
        path.remove_prefix(slash + 1);
    }
}

bool isHex(std::string_view text, std::size_t digits)
{
    return text.size() == digits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string textOf(const json& object, const char* key)
{
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<RemoteFile> fileOf(const json& entry)
{
    if (!entry.is_object())
        return {};
    RemoteFile file{.path = textOf(entry, "rfilename")};
    const auto lfs = entry.find("lfs");
    file.large = lfs != entry.end() && lfs->is_object();
    file.hash = file.large ? textOf(*lfs, "sha256") : textOf(entry, "blobId");
    const auto size = file.large && lfs->contains("size") ? lfs->find("size") : entry.find("size");
    if ((file.large ? size == lfs->end() : size == entry.end()) || !size->is_number_unsigned())
        return {};
    file.size = size->get<std::uint64_t>();
    const bool sound = isPlainPath(file.path) && isHex(file.hash, file.large ? 64 : 40) && file.size < kLargestFile;
    return sound ? std::optional(std::move(file)) : std::nullopt;
}

/// "model-00001-of-00002.safetensors" of "model" and ".safetensors".
bool isShard(std::string_view path, std::string_view stem, std::string_view suffix)
{
    if (!path.starts_with(stem) || !path.ends_with(suffix) || path.size() < stem.size() + suffix.size())
        return false;
    const std::string_view middle = path.substr(stem.size(), path.size() - stem.size() - suffix.size());
    return middle.starts_with('-') && middle.find("-of-") != std::string_view::npos;
}

bool isBesideWeights(std::string_view path)
{
    static constexpr std::array kNames = {"config.json",         "generation_config.json",
                                          "tokenizer.json",      "tokenizer_config.json",
                                          "vocab.json",          "merges.txt",
                                          "added_tokens.json",   "special_tokens_map.json",
                                          "tokenizer.model",     "rwkv_vocab_v20230424.txt",
                                          "chat_template.jinja", "quantize_config.json"};
    return std::find(kNames.begin(), kNames.end(), path) != kNames.end();
}

/// Paths of the weights in the first form that is there.
Result<std::vector<std::string>> weightsOf(const Repository& repository)
{
    struct Form {
        const char *stem, *suffix;
    };
    static constexpr std::array kForms = {Form{"model", ".safetensors"}, Form{"pytorch_model", ".bin"}};
    std::vector<std::string> found, quantised;
    for (const auto& [stem, suffix] : kForms) {
        const std::string single = std::string(stem) + suffix, index = single + ".index.json";
        for (const RemoteFile& file : repository.files)
            if (file.path == single)
                return std::vector{single};
        for (const RemoteFile& file : repository.files)
            if (file.path == index || isShard(file.path, stem, suffix))
                found.push_back(file.path);
        if (!found.empty())
            return found;
    }
    for (const RemoteFile& file : repository.files)
        if (file.path.ends_with(".gguf"))
            quantised.push_back(file.path);
    if (quantised.size() == 1)
        return quantised;
    std::string names;
    for (std::size_t i = 0; i < std::min<std::size_t>(quantised.size(), 12); ++i)
        names += (i ? ", " : "") + io::inQuotes(quantised[i]);
    if (!quantised.empty())
        return inputError("The model has " + std::to_string(quantised.size())
                          + " GGUF files; name one of them after the model: " + names + ".");
    return inputError("The model has no weights in a supported format; expected model.safetensors, pytorch_model.bin, "
                      "their shards, or a GGUF file.");
}

} // namespace

Result<RepositoryName> RepositoryName::parse(std::string_view text)
{
    RepositoryName parsed;
    const std::size_t at = text.find('@');
    parsed.name = text.substr(0, at);
    if (at != std::string_view::npos)
        parsed.revision = text.substr(at + 1);
    const auto plain = [](const std::string& part) {
        return part.find("--") == std::string::npos && part.find("..") == std::string::npos && part.front() != '.';
    };
    if (!isPlainPath(parsed.name) || std::count(parsed.name.begin(), parsed.name.end(), '/') > 1 || !plain(parsed.name)
        || !isPlainPath(parsed.revision) || parsed.revision.find("..") != std::string::npos)
        return inputError(io::inQuotes(text)
                          + " is not the name of a model on a hub; expected org/name or org/name@revision.");
    return parsed;
}

std::string RepositoryName::path() const
{
    return (kind == RepositoryKind::DataSet ? "datasets/" : "") + name;
}

const char* RepositoryName::noun() const
{
    return kind == RepositoryKind::DataSet ? "data set" : "model";
}

Result<Repository> Repository::parse(std::string_view text)
{
    const json answer = json::parse(text, nullptr, false);
    Repository repository;
    if (answer.is_object())
        repository.commit = textOf(answer, "sha");
    if (!isHex(repository.commit, 40) || !answer.contains("siblings") || !answer["siblings"].is_array())
        return inputError("The hub's answer is not a list of files; expected that of the Hugging Face API.");
    if (const auto gated = answer.find("gated"); gated != answer.end())
        repository.gated = gated->is_string() || (gated->is_boolean() && gated->get<bool>());
    std::set<std::string> paths;
    for (const json& entry : answer["siblings"])
        if (auto file = fileOf(entry); file && paths.insert(file->path).second)
            repository.files.push_back(std::move(*file)); // what is no sound entry is not there
    return repository;
}

Result<Repository> Repository::ask(const RepositoryName& name, const HubSettings& settings, const Control& control)
{
    if (settings.offline)
        return inputError("Cannot get " + io::inQuotes(name.name)
                          + ": HF_HUB_OFFLINE is set; unset it to use the network.");
    std::string revision = name.revision; // a branch can have slashes, which are part of its name here
    for (std::size_t at = 0; (at = revision.find('/', at)) != std::string::npos;)
        revision.replace(at, 1, "%2F");
    const std::string room = name.kind == RepositoryKind::DataSet ? "/api/datasets/" : "/api/models/";
    const auto text = getText(settings.endpoint + room + name.name + "/revision/" + revision + "?blobs=true",
                              kLongestAnswer, name.path(), settings, control);
    return text.has_value() ? parse(*text) : Result<Repository>(text.error());
}

Result<std::vector<RemoteFile>> neededFiles(const Repository& repository, const std::string& weights)
{
    Result<std::vector<std::string>> wanted = std::vector{weights};
    if (weights.empty())
        wanted = weightsOf(repository);
    if (!wanted.has_value())
        return wanted.error();
    std::vector<RemoteFile> files;
    bool hasWeights = false;
    for (const RemoteFile& file : repository.files) {
        const bool isWeights = std::find(wanted->begin(), wanted->end(), file.path) != wanted->end();
        hasWeights = hasWeights || isWeights;
        if (isWeights || isBesideWeights(file.path))
            files.push_back(file);
    }
    if (!hasWeights)
        return inputError("The model has no file " + io::inQuotes(weights) + ".");
    return files;
}

} // namespace headscope::hub
