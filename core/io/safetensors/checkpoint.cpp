// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/safetensors/checkpoint.h"

#include "core/base/hash.h"
#include "core/base/words/counted.h"
#include "core/base/writefile.h"
#include "core/io/gguf/gguffile.h"
#include "core/io/mapping.h"
#include "core/io/openfile.h"
#include "core/io/pathlist.h"
#include "core/io/pytorch/torchfile.h"
#include "core/io/safetensors/adapter.h"
#include "core/io/safetensors/safetensors.h"
#include "core/io/safetensors/shardindex.h"
#include "core/io/textfiles/quote.h"
#include "core/io/textfiles/textfile.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <set>

namespace headscope::io {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMaxIndexBytes = 100'000'000;
constexpr std::size_t kSampleBlock = std::size_t{64} << 10;
constexpr std::size_t kSampleStride = std::size_t{16} << 20;
constexpr std::size_t kHashedAtOnce = std::size_t{16} << 20;
constexpr std::size_t kHashDigits = 64;
constexpr std::int64_t kSettled = 2; // seconds

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

/// The files that decide, in the order in which they are looked for.
struct Form {
    const char* single;
    const char* index;
};
constexpr Form kForms[] = {{"model.safetensors", "model.safetensors.index.json"},
                           {"pytorch_model.bin", "pytorch_model.bin.index.json"}};

bool isTorchName(const fs::path& path)
{
    const std::string suffix = path.extension().string();
    return suffix == ".bin" || suffix == ".pt" || suffix == ".pth" || suffix == ".ckpt";
}

/// What a folder without the expected files has that could be weights, sorted.
struct Others {
    std::vector<fs::path> torch, safetensors;
};

Others othersIn(const fs::path& folder)
{
    // What trainers leave beside weights.
    static const std::set<std::string> kNotWeights = {"training_args.bin", "optimizer.pt", "optimizer.bin",
                                                      "scheduler.pt",      "scaler.pt",    "rng_state.pth",
                                                      "adapter_model.bin"};
    Others others;
    std::error_code ignored;
    for (fs::directory_iterator at(folder, ignored), end; !ignored && at != end; at.increment(ignored)) {
        if (at->path().extension() == ".safetensors")
            others.safetensors.push_back(at->path());
        else if (isTorchName(at->path()) && !kNotWeights.contains(at->path().filename().string()))
            others.torch.push_back(at->path());
    }
    std::sort(others.torch.begin(), others.torch.end());
    std::sort(others.safetensors.begin(), others.safetensors.end());
    return others;
}

/// Why a folder without the expected files is no checkpoint of ours.
Error nothingToOpen(const fs::path& folder, const Others& others)
{
    const std::string who = "No weights to open in " + inQuotes(folder.string()) + ": ";
    const std::string expected = "expected model.safetensors, model.safetensors.index.json or pytorch_model.bin";
    if (!others.safetensors.empty())
        return inputError(who + expected + ", found only " + inQuotes(others.safetensors.front().filename().string())
                          + ".");
    if (!others.torch.empty())
        return inputError(who + "it has " + std::to_string(others.torch.size()) + " files of PyTorch's, such as "
                          + inQuotes(others.torch.front().filename().string())
                          + ", and none says which are the weights; expected one, or pytorch_model.bin.");
    return inputError(who + expected + ".");
}

Result<std::shared_ptr<const WeightsFile>> openWeights(const fs::path& path)
{
    const auto any = [](const auto& file) {
        return file.has_value() ? Result<std::shared_ptr<const WeightsFile>>(*file)
                                : Result<std::shared_ptr<const WeightsFile>>(file.error());
    };
    return isTorchName(path)             ? TorchFile::open(path)
           : path.extension() == ".gguf" ? any(GgufFile::open(path))
                                         : any(SafetensorsFile::open(path));
}

/// Where the hash of these files is remembered; empty where there is no cache folder.
fs::path rememberedAt(const std::vector<std::shared_ptr<const WeightsFile>>& files)
{
    std::string state;
    for (const auto& file : files) {
        const FileStamp stamp = stampOf(*file);
        std::error_code ignored;
        state += fs::weakly_canonical(file->path(), ignored).string() + '\0';
        for (const std::int64_t number : {stamp.size, stamp.inode, stamp.device, stamp.modified, stamp.changed})
            state += std::to_string(number) + '\0';
    }
    const fs::path cache = cacheFolder();
    return cache.empty() ? cache : cache / "identities" / sha256Hex(state);
}

} // namespace

Result<std::shared_ptr<const Checkpoint>> Checkpoint::open(const fs::path& folder)
{
    std::error_code ignored;
    const auto gguf = ggufAt(folder);
    if (!gguf.has_value())
        return gguf.error();
    if (!*gguf && !fs::is_directory(folder, ignored)) {
        const std::string link = brokenLink(folder);
        return inputError("Cannot open a checkpoint in " + inQuotes(folder.string()) + ": "
                          + (link.empty() ? "expected a folder or a GGUF file" : link) + ".");
    }
    std::shared_ptr<Checkpoint> opened(new Checkpoint);
    opened->m_folder = folder;
    if (auto done = *gguf ? opened->addFile(**gguf) : opened->openFolder(); !done.has_value())
        return done.error();
    return std::shared_ptr<const Checkpoint>(std::move(opened));
}

Result<std::shared_ptr<const Checkpoint>> Checkpoint::openFile(const fs::path& file)
{
    std::shared_ptr<Checkpoint> opened(new Checkpoint);
    opened->m_folder = file.parent_path();
    if (auto done = opened->addFile(file); !done.has_value())
        return done.error();
    return std::shared_ptr<const Checkpoint>(std::move(opened));
}

Result<void> Checkpoint::openFolder()
{
    std::error_code ignored;
    const auto isThere = [&](const fs::path& path) { return fs::exists(fs::symlink_status(path, ignored)); };
    const auto adapter = adapterIn(m_folder);
    if (adapter)
        m_warnings.push_back("The folder also contains " + *adapter + ", which is not added to the weights.");
    for (const auto& [single, index] : kForms) {
        const bool hasIndex = isThere(m_folder / index);
        if (isThere(m_folder / single)) {
            if (hasIndex)
                m_warnings.push_back("The folder has both " + std::string(single)
                                     + " and an index of shards; the single file is used.");
            return addFile(m_folder / single);
        }
        if (hasIndex)
            return openIndex(m_folder / index);
    }
    const Others others = othersIn(m_folder);
    if (others.safetensors.empty() && others.torch.size() == 1)
        return addFile(others.torch.front());
    return adapter ? adapterAlone(m_folder, *adapter) : nothingToOpen(m_folder, others);
}

Result<void> Checkpoint::addFile(const fs::path& path)
{
    auto file = openWeights(path);
    if (!file.has_value())
        return file.error();
    const auto& tensors = (*file)->tensors();
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const auto [at, fresh] = m_tensors.try_emplace(tensors[i].name, Place{m_files.size(), i});
        if (!fresh)
            return inputError("Tensor " + inQuotes(tensors[i].name)
                              + " is in two shards: " + inQuotes(m_files[at->second.file]->path().filename().string())
                              + " and " + inQuotes(path.filename().string()) + ".");
    }
    noteMetadata(**file);
    m_warnings.insert(m_warnings.end(), (*file)->warnings().begin(), (*file)->warnings().end());
    m_files.push_back(*std::move(file));
    return {};
}

void Checkpoint::noteMetadata(const WeightsFile& file)
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
        if (!fs::exists(fs::symlink_status(m_folder / shard, ignored)))
            return inputError("Shard " + inQuotes(shard) + " is missing in " + inQuotes(m_folder.string())
                              + "; the index names it.");
        if (auto added = addFile(m_folder / shard); !added.has_value())
            return added;
    }
    // Which names a model needs is its family's affair: one that is missing is refused there.
    std::vector<std::string> misplaced, unlisted;
    for (const auto& [tensor, shard] : index->shardOf)
        if (const auto at = m_tensors.find(tensor);
            at == m_tensors.end() || m_files[at->second.file]->path().filename() != shard)
            misplaced.push_back(inQuotes(tensor) + " in " + inQuotes(shard));
    for (const auto& [tensor, place] : m_tensors)
        if (!index->shardOf.contains(tensor))
            unlisted.push_back(inQuotes(tensor));
    if (!misplaced.empty())
        m_warnings.push_back("The index lists " + counted(misplaced.size(), "tensor")
                             + " missing from the named shard, such as " + misplaced.front()
                             + "; the tensors of the shards are used.");
    if (!unlisted.empty())
        m_warnings.push_back("The index does not list " + counted(unlisted.size(), "tensor")
                             + " of its shards, such as " + unlisted.front() + "; all tensors are loaded.");
    // Of PyTorch's files it counts the tensors and not what stands between them.
    if (path.filename() == kForms[0].index && index->totalSize && *index->totalSize != static_cast<double>(bytes()))
        m_warnings.push_back("The index states a total size of "
                             + std::to_string(std::llround(std::clamp(*index->totalSize, -1e18, 1e18)))
                             + " bytes; its shards contain " + std::to_string(bytes()) + ".");
    return {};
}

std::optional<TensorView> Checkpoint::find(std::string_view name) const
{
    const auto viewOf = [&](const Place& place) {
        const auto& file = m_files[place.file];
        return TensorView{file->tensors()[place.tensor], file->stored(place.tensor), file,
                          file->elements(place.tensor)};
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

Result<std::string> Checkpoint::contentHash(const Control& control) const
{
    const bool large = bytes() > kRememberedFrom;
    const fs::path known = large ? rememberedAt(m_files) : fs::path();
    if (!known.empty())
        if (auto kept = readTextFile(known, kHashDigits); kept.has_value() && kept->size() == kHashDigits)
            return kept;
    const std::int64_t settled = (std::time(nullptr) - kSettled) * 1'000'000'000;
    std::uint64_t done = 0, total = 0;
    for (const auto& file : m_files)
        total += file->mapping().size();
    Sha256 hash;
    for (const auto& file : m_files) {
        const auto data = file->mapping();
        for (std::size_t at = 0; at < data.size(); at += kHashedAtOnce) {
            if (control.stopped())
                return cancelledError();
            const auto piece = data.subspan(at, std::min(kHashedAtOnce, data.size() - at));
            hash.add(piece.data(), piece.size());
            WeightsFile::release(piece); // the system maps neighbours of what is read as well
            if (large)
                control.progress("verifying the identity of the weights, MB",
                                 static_cast<std::int64_t>((done += piece.size()) >> 20),
                                 static_cast<std::int64_t>(total >> 20));
        }
    }
    std::string hex = hash.hex();
    // What changed a moment ago may change again within the same tick of the clock.
    const bool sound = std::all_of(m_files.begin(), m_files.end(), [&](const auto& file) {
        const FileStamp stamp = stampOf(*file);
        return intact(*file).has_value() && std::max(stamp.modified, stamp.changed) < settled;
    });
    std::error_code ignored; // what cannot be remembered is computed again
    if (sound && !known.empty()) {
        fs::create_directories(known.parent_path(), ignored);
        static_cast<void>(writeFile(known, hex));
    }
    return hex;
}

std::string Checkpoint::sampledHash() const
{
    if (bytes() <= kRememberedFrom)
        return {};
    Sha256 hash;
    for (const auto& file : m_files) {
        hash.add(file->headerBytes().data(), file->headerBytes().size());
        const auto data = file->dataBytes();
        hash.add(std::to_string(data.size()));
        for (std::size_t at = 0; at < data.size(); at += kSampleStride) {
            const auto piece = data.subspan(at, std::min(kSampleBlock, data.size() - at));
            hash.add(piece.data(), piece.size());
            WeightsFile::release(piece);
        }
    }
    return "sampled:" + hash.hex();
}

} // namespace headscope::io
