// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/safetensorswriter.h"

#include "core/io/quote.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace headscope::io {

namespace {

/// A file under a temporary name that is removed unless it was moved to its place.
class TemporaryFile
{
public:
    explicit TemporaryFile(const std::filesystem::path& target)
        : m_name(target.string() + ".XXXXXX"), m_fd(::mkostemp(m_name.data(), O_CLOEXEC))
    {
        // mkstemp makes private files; a checkpoint gets the rights that the user's mask gives any new file.
        if (m_fd >= 0) {
            const mode_t mask = ::umask(0);
            ::umask(mask);
            ::fchmod(m_fd, 0666 & ~mask);
        }
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    ~TemporaryFile()
    {
        if (m_fd >= 0) {
            ::close(m_fd);
            ::unlink(m_name.c_str());
        }
    }
    [[nodiscard]] bool isOpen() const { return m_fd >= 0; }
    [[nodiscard]] bool write(const void* data, std::size_t size)
    {
        auto at = static_cast<const char*>(data);
        while (size > 0) {
            const ssize_t done = ::write(m_fd, at, size);
            if (done < 0 && errno == EINTR)
                continue;
            if (done <= 0)
                return false;
            at += done;
            size -= static_cast<std::size_t>(done);
        }
        return true;
    }
    [[nodiscard]] bool moveTo(const std::filesystem::path& target)
    {
        const bool closed = ::fsync(m_fd) == 0 && ::close(m_fd) == 0;
        m_fd = -1;
        if (closed && ::rename(m_name.c_str(), target.c_str()) == 0)
            return true;
        const int why = errno;
        ::unlink(m_name.c_str());
        errno = why;
        return false;
    }

private:
    std::string m_name;
    int m_fd;
};

/// Entries in the order of the file; built by hand because a JSON object would sort them by name.
std::string headerText(std::span<const TensorToWrite* const> tensors, const SafetensorsMetadata& metadata)
{
    std::string text = "{";
    if (!metadata.empty())
        text += "\"__metadata__\":" + nlohmann::json(metadata).dump();
    std::uint64_t at = 0;
    for (const TensorToWrite* tensor : tensors) {
        const nlohmann::json name = tensor->name;
        const nlohmann::json shape = tensor->shape;
        const std::uint64_t end = at + tensor->bytes.size();
        if (text.size() > 1)
            text += ',';
        text += name.dump() + ":{\"dtype\":\"" + std::string(dtypeName(tensor->dtype)) + "\",\"shape\":" + shape.dump()
                + ",\"data_offsets\":[" + std::to_string(at) + ',' + std::to_string(end) + "]}";
        at = end;
    }
    text += '}';
    text.append((8 - text.size() % 8) % 8, ' ');
    return text;
}

} // namespace

Result<void> writeSafetensors(const std::filesystem::path& path, std::span<const TensorToWrite> tensors,
                              const SafetensorsMetadata& metadata)
{
    const std::string cannot = "Cannot write " + inQuotes(path.string()) + ": ";
    std::vector<const TensorToWrite*> sorted;
    for (const TensorToWrite& tensor : tensors) {
        const auto bytes = tensorBytes(tensor.dtype, tensor.shape);
        if (!bytes.has_value())
            return inputError(cannot + "tensor " + inQuotes(tensor.name) + " " + bytes.error().message + ".");
        if (*bytes != tensor.bytes.size())
            return inputError(cannot + "tensor " + inQuotes(tensor.name) + " takes " + std::to_string(*bytes)
                              + " bytes by its shape; got " + std::to_string(tensor.bytes.size()) + ".");
        if (tensor.name == "__metadata__")
            return inputError(cannot + "a tensor can not be named '__metadata__'.");
        sorted.push_back(&tensor);
    }
    std::sort(sorted.begin(), sorted.end(),
              [](auto a, auto b) { return a->dtype != b->dtype ? a->dtype > b->dtype : a->name < b->name; });
    std::vector<std::string_view> names;
    for (const TensorToWrite* tensor : sorted)
        names.push_back(tensor->name);
    std::sort(names.begin(), names.end());
    if (const auto twice = std::adjacent_find(names.begin(), names.end()); twice != names.end())
        return inputError(cannot + "there are two tensors named " + inQuotes(*twice) + ".");

    std::string header;
    try {
        header = headerText(sorted, metadata);
    } catch (const nlohmann::json::exception&) {
        return inputError(cannot + "a name in it is not valid UTF-8.");
    }
    if (header.size() > kMaxSafetensorsHeader)
        return inputError(cannot + "its header would have " + std::to_string(header.size()) + " bytes; at most "
                          + std::to_string(kMaxSafetensorsHeader) + " are allowed.");

    TemporaryFile file(path);
    if (!file.isOpen())
        return ioError(cannot + std::strerror(errno) + ".");
    const std::uint64_t length = header.size();
    bool good = file.write(&length, sizeof length) && file.write(header.data(), header.size());
    for (const TensorToWrite* tensor : sorted)
        good = good && file.write(tensor->bytes.data(), tensor->bytes.size());
    if (!good || !file.moveTo(path))
        return ioError(cannot + std::strerror(errno) + ".");
    return {};
}

} // namespace headscope::io
