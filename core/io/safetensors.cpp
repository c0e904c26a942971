// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/safetensors.h"

#include "core/io/lfspointer.h"
#include "core/io/mapping.h"
#include "core/io/quote.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <numeric>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace headscope::io {

static_assert(std::endian::native == std::endian::little, "tensor bytes are used as stored, which is little-endian");

namespace {

/// Closes a descriptor at the end of its scope.
struct Descriptor {
    int fd = -1;
    ~Descriptor()
    {
        if (fd >= 0)
            ::close(fd);
    }
};

bool readAt(int fd, std::uint64_t offset, char* into, std::size_t size)
{
    while (size > 0) {
        const ssize_t got = ::pread(fd, into, size, static_cast<off_t>(offset));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        into += got;
        offset += static_cast<std::uint64_t>(got);
        size -= static_cast<std::size_t>(got);
    }
    return true;
}

/// What a file is that is known not to be safetensors by its first bytes; empty if unknown. A header's length can look
/// like the start of a pickle, the header itself cannot.
std::string knownStranger(std::string_view start)
{
    if (start.size() > 8 && start[8] == '{')
        return {};
    if (isLfsPointer(start))
        return "it is a Git LFS pointer, not weights; fetch the real file with 'git lfs pull'";
    if (start.starts_with("PK\x03\x04") || start.starts_with("\x80\x02") || start.starts_with("\x80\x04"))
        return "it is a PyTorch pickle, which can run code when it is loaded and is not opened; convert it to "
               "safetensors";
    return {};
}

} // namespace

SafetensorsFile::~SafetensorsFile()
{
    unmapFile(m_mapping);
}

Result<std::shared_ptr<const SafetensorsFile>> SafetensorsFile::open(const std::filesystem::path& path)
{
    const auto refused = [&](const std::string& why) {
        return inputError("Cannot read " + inQuotes(path.string()) + ": " + why + ".");
    };
    const auto failed = [&](const std::string& why) {
        return ioError("Cannot read " + inQuotes(path.string()) + ": " + why + ".");
    };

    // 1. The file itself. O_NONBLOCK so that opening a pipe does not wait for its writer.
    const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (file.fd < 0)
        return failed(std::strerror(errno));
    struct stat status {
    };
    if (::fstat(file.fd, &status) != 0)
        return failed(std::strerror(errno));
    if (!S_ISREG(status.st_mode))
        return refused(S_ISDIR(status.st_mode) ? "it is a folder; expected a file" : "it is not a regular file");
    const auto size = static_cast<std::uint64_t>(status.st_size);

    // 2. The length field, checked before anything is allocated by it.
    std::array<char, 64> start{};
    const std::size_t startSize = static_cast<std::size_t>(std::min<std::uint64_t>(size, start.size()));
    if (!readAt(file.fd, 0, start.data(), startSize))
        return failed("its first bytes could not be read");
    if (const std::string stranger = knownStranger({start.data(), startSize}); !stranger.empty())
        return refused(stranger);
    if (size < 8)
        return refused("it has " + std::to_string(size) + " bytes; a safetensors file has at least 8");
    std::uint64_t headerSize = 0;
    std::memcpy(&headerSize, start.data(), 8);
    if (headerSize > kMaxSafetensorsHeader)
        return refused("its header would have " + std::to_string(headerSize) + " bytes; at most "
                       + std::to_string(kMaxSafetensorsHeader) + " are allowed, so this is no safetensors file");
    if (8 + headerSize > size)
        return refused("its header would have " + std::to_string(headerSize) + " bytes; only "
                       + std::to_string(size - 8) + " follow, so it is cut short");

    // 3. The header, from a copy: parsing must not depend on a mapping that can change under it.
    std::string text(static_cast<std::size_t>(headerSize), '\0');
    if (!readAt(file.fd, 8, text.data(), text.size()))
        return failed("its header could not be read");
    auto header = parseSafetensorsHeader(text, size - 8 - headerSize);
    if (!header.has_value())
        return refused(header.error().message);

    const auto mapping = mapFile(file.fd, size, path);
    if (!mapping.has_value())
        return mapping.error();
    std::shared_ptr<SafetensorsFile> opened(new SafetensorsFile);
    opened->m_path = path;
    opened->m_mapping = *mapping;
    opened->m_dataStart = static_cast<std::size_t>(8 + headerSize);
    opened->m_header = *std::move(header);
    opened->m_byName.resize(opened->m_header.tensors.size());
    std::iota(opened->m_byName.begin(), opened->m_byName.end(), std::size_t{0});
    const auto& tensors = opened->m_header.tensors;
    std::sort(opened->m_byName.begin(), opened->m_byName.end(),
              [&](std::size_t a, std::size_t b) { return tensors[a].name < tensors[b].name; });
    return std::shared_ptr<const SafetensorsFile>(std::move(opened));
}

const TensorInfo* SafetensorsFile::find(std::string_view name) const
{
    const auto& all = m_header.tensors;
    const auto at = std::lower_bound(m_byName.begin(), m_byName.end(), name,
                                     [&](std::size_t i, std::string_view n) { return all[i].name < n; });
    return at != m_byName.end() && all[*at].name == name ? &all[*at] : nullptr;
}

void SafetensorsFile::release(std::span<const std::byte> bytes)
{
    static const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    const auto first = reinterpret_cast<std::uintptr_t>(bytes.data());
    const std::uintptr_t begin = (first + page - 1) / page * page, end = (first + bytes.size()) / page * page;
    if (begin < end) // only whole pages: their neighbours may be in use
        ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

std::span<const std::byte> SafetensorsFile::bytes(const TensorInfo& tensor) const
{
    return dataBytes().subspan(static_cast<std::size_t>(tensor.begin),
                               static_cast<std::size_t>(tensor.end - tensor.begin));
}

} // namespace headscope::io
