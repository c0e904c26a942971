// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/weights/packedstore.h"

#include "core/base/hash.h"
#include "core/io/safetensors/safetensors.h"
#include "core/io/safetensors/safetensorswriter.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <span>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>

namespace headscope::lm {

namespace fs = std::filesystem;

namespace {

// Of the bits that a weight is packed to: another number where any of them changes.
constexpr const char* kVersion = "headscope packed weights 1";
constexpr const char* kMadeFrom = "made_from";
constexpr const char* kScales = "scales ";
constexpr std::array kTypes = {std::pair(io::Dtype::F32, at::kFloat), std::pair(io::Dtype::I32, at::kInt),
                               std::pair(io::Dtype::U8, at::kByte)};
constexpr std::size_t kHashedBlock = std::size_t{2} << 20;

std::string codesName(const std::string& name, WeightForm form)
{
    return (form == WeightForm::Int8 ? "int8 " : "int4 ") + name;
}

std::span<const std::byte> bytesOf(const at::Tensor& tensor)
{
    return {static_cast<const std::byte*>(tensor.data_ptr()), tensor.nbytes()};
}

// Sums of tensors by their names, at the speed of memory.
io::SafetensorsMetadata sumsOf(const std::map<std::string, at::Tensor>& tensors)
{
    struct Block {
        std::span<const std::byte> bytes;
        std::uint64_t sum = 0;
    };
    std::vector<Block> blocks;
    for (const auto& [name, tensor] : tensors) {
        const auto all = bytesOf(tensor);
        for (std::size_t at = 0; at < all.size(); at += kHashedBlock)
            blocks.push_back({all.subspan(at, std::min(kHashedBlock, all.size() - at))});
    }
    at::parallel_for(0, static_cast<std::int64_t>(blocks.size()), 1, [&](std::int64_t first, std::int64_t last) {
        for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i)
            blocks[i].sum = checksum(blocks[i].bytes.data(), blocks[i].bytes.size());
    });
    io::SafetensorsMetadata sums;
    auto block = blocks.begin();
    for (const auto& [name, tensor] : tensors) {
        std::vector<std::uint64_t> parts = {checksum(name.data(), name.size())};
        for (std::size_t at = 0; at < tensor.nbytes(); at += kHashedBlock)
            parts.push_back((block++)->sum);
        sums[name] = std::to_string(checksum(parts.data(), parts.size() * sizeof parts[0]));
    }
    return sums;
}

struct KeptFile {
    std::int64_t used = 0; ///< seconds since 1970
    std::int64_t bytes = 0;
    fs::path path;
};

// Files of the folder but `except`, those used longest ago first. One that is being written has a name that begins with
// a dot; after an hour it is what a process left behind.
std::vector<KeptFile> keptFiles(const fs::path& folder, const fs::path& except)
{
    constexpr std::int64_t kHour = 3600;
    std::vector<KeptFile> files;
    std::error_code fault;
    for (fs::directory_iterator at(folder, fault), end; !fault && at != end; at.increment(fault)) {
        struct stat status {
        };
        const fs::path& path = at->path();
        const bool there = ::lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode); // others make room as well
        const bool part = path.filename().string().starts_with('.');
        if (there && path != except && !(part && status.st_mtime > std::time(nullptr) - kHour))
            files.push_back({part ? 0 : status.st_atime, status.st_size, path});
    }
    std::sort(files.begin(), files.end(), [](const KeptFile& a, const KeptFile& b) { return a.used < b.used; });
    return files;
}

// Not as a change of its bytes: others have it mapped and look for these.
void noteUse(const fs::path& file)
{
    const timespec times[] = {{0, UTIME_NOW}, {0, UTIME_OMIT}};
    ::utimensat(AT_FDCWD, file.c_str(), times, 0);
}

void makeRoom(const fs::path& file, std::int64_t bytes, std::int64_t limit)
{
    std::vector<KeptFile> files = keptFiles(file.parent_path(), file);
    std::int64_t all = bytes;
    for (const KeptFile& other : files)
        all += other.bytes;
    for (auto oldest = files.begin(); all > limit && oldest != files.end(); ++oldest) {
        std::error_code ignored;
        if (fs::remove(oldest->path, ignored))
            all -= oldest->bytes;
    }
}

} // namespace

PackedStore::PackedStore(fs::path folder, const std::string& content, WeightForm form)
    : m_key(sha256Hex(std::string(kVersion) + (form == WeightForm::Int8 ? " int8 " : " int4 ") + content))
{
    m_file = std::move(folder) / (m_key + ".safetensors");
    read();
}

// All of it or nothing.
void PackedStore::read()
{
    noteUse(m_file);
    const auto opened = io::SafetensorsFile::open(m_file);
    if (!opened.has_value())
        return;
    const io::SafetensorsFile& file = **opened;
    if (const auto made = file.metadata().find(kMadeFrom); made == file.metadata().end() || made->second != m_key)
        return;
    std::map<std::string, at::Tensor> tensors;
    for (std::size_t i = 0; i < file.tensors().size(); ++i) {
        const io::TensorInfo& info = file.tensors()[i];
        const auto bytes = file.stored(i);
        const auto* const type =
            std::find_if(kTypes.begin(), kTypes.end(), [&](const auto& known) { return known.first == info.dtype; });
        if (type == kTypes.end()
            || reinterpret_cast<std::uintptr_t>(bytes.data()) % c10::elementSize(type->second) != 0)
            return;
        // from_blob wants a mutable pointer; nothing writes through it.
        tensors[info.name] = at::from_blob(
            const_cast<std::byte*>(bytes.data()),
            {static_cast<std::int64_t>(bytes.size() / c10::elementSize(type->second))}, [opened = *opened](void*) {},
            at::TensorOptions(type->second));
    }
    io::SafetensorsMetadata expected = sumsOf(tensors);
    expected[kMadeFrom] = m_key;
    if (file.metadata() != expected)
        return;
    m_tensors = std::move(tensors);
    m_opened = *opened;
}

std::shared_ptr<const PackedWeight> PackedStore::find(const std::string& name, at::IntArrayRef shape,
                                                      WeightForm form) const
{
    const auto codes = m_tensors.find(codesName(name, form)), scales = m_tensors.find(kScales + name);
    if (codes == m_tensors.end())
        return nullptr;
    const bool scaled = form == WeightForm::Int8 && scales != m_tensors.end();
    return PackedWeight::of(shape, form, codes->second, scaled ? scales->second : at::Tensor());
}

void PackedStore::add(const std::string& name, const PackedWeight& packed)
{
    const bool eight = packed.scales().defined();
    m_tensors[codesName(name, eight ? WeightForm::Int8 : WeightForm::Int4)] = packed.codes();
    if (eight)
        m_tensors[kScales + name] = packed.scales();
    m_added = true;
}

Result<void> PackedStore::save(std::int64_t limit) const
{
    if (!m_added)
        return {};
    constexpr std::int64_t kEntry = 512; // of a header, for one tensor
    std::int64_t bytes = kEntry;
    std::vector<io::TensorToWrite> tensors;
    for (const auto& [name, tensor] : m_tensors) {
        const auto* const type = std::find_if(kTypes.begin(), kTypes.end(), [&, &tensor = tensor](const auto& known) {
            return known.second == tensor.scalar_type();
        });
        tensors.push_back({name, type->first, {tensor.numel()}, bytesOf(tensor)});
        bytes += static_cast<std::int64_t>(tensor.nbytes() + 2 * name.size()) + kEntry;
    }
    if (bytes > limit)
        return {};
    std::error_code ignored; // what cannot be made cannot be written to
    fs::create_directories(m_file.parent_path(), ignored);
    makeRoom(m_file, bytes, limit);
    io::SafetensorsMetadata metadata = sumsOf(m_tensors);
    metadata[kMadeFrom] = m_key;
    return io::writeSafetensors(m_file, tensors, metadata, Sync::Later); // what a crash leaves has other sums
}

} // namespace headscope::lm
