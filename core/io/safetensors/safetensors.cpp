// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/safetensors/safetensors.h"

#include "core/io/mapping.h"
#include "core/io/openfile.h"
#include "core/io/safetensors/lfspointer.h"
#include "core/io/textfiles/quote.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

namespace headscope::io {

namespace {

/// What a file is that is known not to be safetensors by its first bytes; empty if unknown. A header's length can look
/// like the start of a pickle, the header itself cannot.
std::string knownOtherForm(std::string_view start)
{
    if (start.size() > 8 && start[8] == '{')
        return {};
    if (isLfsPointer(start))
        return "it is a Git LFS pointer, not weights; fetch the real file with 'git lfs pull'";
    if (start.starts_with("PK\x03\x04") || start.starts_with("\x80\x02") || start.starts_with("\x80\x04"))
        return "it is a PyTorch pickle and no safetensors file; the name of one ends in .bin, .pt, .pth or .ckpt";
    return {};
}

} // namespace

Result<std::shared_ptr<const SafetensorsFile>> SafetensorsFile::open(const std::filesystem::path& path)
{
    const auto refused = [&](const std::string& why) {
        return inputError("Cannot read " + inQuotes(path.string()) + ": " + why + ".");
    };
    const auto failed = [&](const std::string& why) {
        return ioError("Cannot read " + inQuotes(path.string()) + ": " + why + ".");
    };

    // 1. The file itself.
    const auto there = OpenFile::open(path);
    if (!there.has_value())
        return there.error();
    const OpenFile& file = *there;
    const std::uint64_t size = file.size();

    // 2. The length field, checked before anything is allocated by it.
    std::array<char, 64> start{};
    const std::size_t startSize = static_cast<std::size_t>(std::min<std::uint64_t>(size, start.size()));
    if (!file.readAt(0, start.data(), startSize))
        return failed("its first bytes could not be read");
    if (const std::string stranger = knownOtherForm({start.data(), startSize}); !stranger.empty())
        return refused(stranger);
    if (size < 8)
        return refused("it has " + std::to_string(size) + " bytes; a safetensors file has at least 8");
    std::uint64_t headerSize = 0;
    std::memcpy(&headerSize, start.data(), 8);
    if (headerSize > kMaxSafetensorsHeader)
        return refused("its header would have " + std::to_string(headerSize) + " bytes; at most "
                       + std::to_string(kMaxSafetensorsHeader) + " are allowed, so this is not a safetensors file");
    if (8 + headerSize > size)
        return refused("its header would have " + std::to_string(headerSize) + " bytes; only "
                       + std::to_string(size - 8) + " follow, so it is cut short");

    // 3. The header, from a copy: parsing must not depend on a mapping that can change under it.
    std::string text(static_cast<std::size_t>(headerSize), '\0');
    if (!file.readAt(8, text.data(), text.size()))
        return failed("its header could not be read");
    auto header = parseSafetensorsHeader(text, size - 8 - headerSize);
    if (!header.has_value())
        return refused(header.error().message);

    const auto mapping = mapFile(file.descriptor(), size, path);
    if (!mapping.has_value())
        return mapping.error();
    std::shared_ptr<SafetensorsFile> opened(new SafetensorsFile);
    opened->m_path = path;
    opened->m_mapping = *mapping;
    opened->m_dataStart = static_cast<std::size_t>(8 + headerSize);
    opened->m_tensors = std::move(header->tensors);
    opened->m_metadata = std::move(header->metadata);
    opened->m_byName.resize(opened->m_tensors.size());
    std::iota(opened->m_byName.begin(), opened->m_byName.end(), std::size_t{0});
    const auto& tensors = opened->m_tensors;
    std::sort(opened->m_byName.begin(), opened->m_byName.end(),
              [&](std::size_t a, std::size_t b) { return tensors[a].name < tensors[b].name; });
    return std::shared_ptr<const SafetensorsFile>(std::move(opened));
}

const TensorInfo* SafetensorsFile::find(std::string_view name) const
{
    const auto& all = m_tensors;
    const auto at = std::lower_bound(m_byName.begin(), m_byName.end(), name,
                                     [&](std::size_t i, std::string_view n) { return all[i].name < n; });
    return at != m_byName.end() && all[*at].name == name ? &all[*at] : nullptr;
}

std::span<const std::byte> SafetensorsFile::bytes(const TensorInfo& tensor) const
{
    return dataBytes().subspan(static_cast<std::size_t>(tensor.begin),
                               static_cast<std::size_t>(tensor.end - tensor.begin));
}

} // namespace headscope::io
