// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/checkpoint.h"

#include "core/base/hash.h"
#include "core/io/quote.h"
#include "core/io/shardindex.h"
#include "core/io/textfile.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace headscope::io {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMaxIndexBytes = 100'000'000;
constexpr std::size_t kSampleBlock = std::size_t{64} << 10;
constexpr std::size_t kSampleStride = std::size_t{16} << 20;

Result<ShardIndex> readIndex(const fs::path& path)
{
    const auto text = readTextFile(path, kMaxIndexBytes);
    if (!text.has_value())
        return text.error();
    auto index = ShardIndex::parse(*text);
    return index.has_value() ? index
                             : Result<ShardIndex>(
                                 inputError("Cannot read " + inQuotes(path.string()) + ": " + index.error().message));
}

/// Why a folder without the expected files is no checkpoint of ours.
Error nothingToOpen(const fs::path& folder)
{
    const std::string who = "No weights to open in " + inQuotes(folder.string()) + ": ";
    std::vector<std::string> pickles;
    std::vector<std::string> others;
    std::error_code ignored;
    for (fs::directory_iterator at(folder, ignored), end; !ignored && at != end; at.increment(ignored)) {
        const std::string name = at->path().filename().string();
        const std::string suffix = at->path().extension().string();
        if (suffix == ".safetensors")
            others.push_back(name);
        else if (suffix == ".bin" || suffix == ".pt" || suffix == ".pth" || suffix == ".ckpt")
            pickles.push_back(name);
    }
    std::sort(others.begin(), others.end());
    std::sort(pickles.begin(), pickles.end());
    if (!others.empty())
        return inputError(who + "expected model.safetensors or model.safetensors.index.json, found only "
                          + inQuotes(others.front()) + ".");
    if (!pickles.empty())
        return inputError(who + inQuotes(pickles.front())
                          + " is a PyTorch pickle, which can run code when it is loaded and is not opened; convert it "
                            "to safetensors.");
    return inputError(who + "expected model.safetensors or model.safetensors.index.json.");
}

} // namespace

Result<std::shared_ptr<const Checkpoint>> Checkpoint::open(const fs::path& folder)
{
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored))
        return inputError("Cannot open a checkpoint in " + inQuotes(folder.string()) + ": expected a folder.");
    std::shared_ptr<Checkpoint> opened(new Checkpoint);
    opened->m_folder = folder;
    const fs::path single = folder / "model.safetensors";
    const fs::path index = folder / "model.safetensors.index.json";
    const bool hasIndex = fs::exists(fs::symlink_status(index, ignored));
    Result<void> done;
    if (fs::exists(fs::symlink_status(single, ignored))) {
        done = opened->addFile(single);
        if (hasIndex)
            opened->m_warnings.push_back(
                "The folder has both model.safetensors and an index of shards; the single file is used.");
    } else if (hasIndex) {
        done = opened->openIndex(index);
    } else {
        return nothingToOpen(folder);
    }
    if (!done.has_value())
        return done.error();
    return std::shared_ptr<const Checkpoint>(std::move(opened));
}

Result<void> Checkpoint::addFile(const fs::path& path)
{
    auto file = SafetensorsFile::open(path);
    if (!file.has_value())
        return file.error();
    for (const TensorInfo& tensor : (*file)->tensors()) {
        const auto [at, fresh] = m_tensors.try_emplace(tensor.name, Place{m_files.size(), &tensor});
        if (!fresh)
            return inputError("Tensor " + inQuotes(tensor.name)
                              + " is in two shards: " + inQuotes(m_files[at->second.file]->path().filename().string())
                              + " and " + inQuotes(path.filename().string()) + ".");
    }
    noteMetadata(**file);
    m_files.push_back(*std::move(file));
    return {};
}

void Checkpoint::noteMetadata(const SafetensorsFile& file)
{
    const auto format = file.metadata().find("format");
    if (format != file.metadata().end() && format->second != "pt" && format->second != "mlx")
        m_warnings.push_back(inQuotes(file.path().filename().string()) + " says that its format is "
                             + inQuotes(format->second)
                             + "; tensors of other frameworks than PyTorch can be laid out differently.");
}

Result<void> Checkpoint::openIndex(const fs::path& path)
{
    const auto index = readIndex(path);
    if (!index.has_value())
        return index.error();
    std::set<std::string> shards;
    for (const auto& [tensor, shard] : index->shardOf)
        shards.insert(shard);
    for (const std::string& shard : shards) {
        std::error_code ignored;
        if (!fs::exists(m_folder / shard, ignored))
            return inputError("Shard " + inQuotes(shard) + " is missing in " + inQuotes(m_folder.string())
                              + "; the index names it.");
        if (auto added = addFile(m_folder / shard); !added.has_value())
            return added;
    }
    for (const auto& [tensor, shard] : index->shardOf) {
        const auto at = m_tensors.find(tensor);
        if (at == m_tensors.end() || m_files[at->second.file]->path().filename() != shard)
            return inputError("The index says that tensor " + inQuotes(tensor) + " is in " + inQuotes(shard)
                              + "; it is not there.");
    }
    std::size_t unlisted = 0;
    std::string example;
    for (const auto& [tensor, place] : m_tensors)
        if (!index->shardOf.contains(tensor) && unlisted++ == 0)
            example = tensor;
    if (unlisted > 0)
        m_warnings.push_back("The index does not list " + std::to_string(unlisted) + " tensors of its shards, such as "
                             + inQuotes(example) + "; they are loaded all the same.");
    if (index->totalSize && *index->totalSize != static_cast<double>(bytes()))
        m_warnings.push_back("The index gives a total size of "
                             + std::to_string(std::llround(std::clamp(*index->totalSize, -1e18, 1e18)))
                             + " bytes; its shards hold " + std::to_string(bytes()) + ".");
    return {};
}

std::optional<TensorView> Checkpoint::find(std::string_view name) const
{
    const auto viewOf = [&](const Place& place) {
        const auto& file = m_files[place.file];
        return TensorView{*place.info, file->bytes(*place.info), file};
    };
    if (const auto at = m_tensors.find(name); at != m_tensors.end())
        return viewOf(at->second);
    for (const auto& file : m_files)
        if (const auto alias = file->metadata().find(std::string(name)); alias != file->metadata().end())
            if (const auto at = m_tensors.find(alias->second); at != m_tensors.end())
                return viewOf(at->second);
    return std::nullopt;
}

std::vector<std::string> Checkpoint::names() const
{
    std::vector<std::string> all;
    all.reserve(m_tensors.size());
    for (const auto& [name, place] : m_tensors)
        all.push_back(name);
    return all;
}

std::uint64_t Checkpoint::bytes() const
{
    std::uint64_t sum = 0;
    for (const auto& file : m_files)
        sum += file->dataBytes().size();
    return sum;
}

std::string Checkpoint::contentHash() const
{
    const bool sampled = bytes() > kSampledHashFrom;
    Sha256 hash;
    for (const auto& file : m_files) {
        hash.add(file->headerBytes().data(), file->headerBytes().size());
        const auto data = file->dataBytes();
        if (sampled)
            hash.add(std::to_string(data.size()));
        for (std::size_t at = 0; at < data.size(); at += kSampleStride) {
            const auto piece = data.subspan(at, std::min(kSampleStride, data.size() - at));
            hash.add(piece.data(), sampled ? std::min(kSampleBlock, piece.size()) : piece.size());
            SafetensorsFile::release(piece); // the system maps neighbours of what is read as well
        }
    }
    return (sampled ? "sampled:" : "") + hash.hex();
}

} // namespace headscope::io
