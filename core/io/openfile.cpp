// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/openfile.h"

#include "core/io/textfiles/quote.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace headscope::io {

std::string brokenLink(const std::filesystem::path& path)
{
    std::error_code ignored;
    if (!std::filesystem::is_symlink(path, ignored) || std::filesystem::exists(path, ignored))
        return {};
    return "the link leads to " + inQuotes(std::filesystem::read_symlink(path, ignored).string())
           + ", which does not exist";
}

OpenFile::~OpenFile()
{
    if (m_fd >= 0)
        ::close(m_fd);
}

Result<OpenFile> OpenFile::open(const std::filesystem::path& path)
{
    const std::string who = "Cannot read " + inQuotes(path.string()) + ": ";
    OpenFile file;
    // O_NONBLOCK so that opening a pipe does not wait for its writer.
    file.m_fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status {
    };
    if (file.m_fd < 0 || ::fstat(file.m_fd, &status) != 0) {
        const std::string why = std::strerror(errno), link = brokenLink(path);
        return ioError(who + (link.empty() ? why : link) + ".");
    }
    if (!S_ISREG(status.st_mode))
        return inputError(
            who + (S_ISDIR(status.st_mode) ? "it is a folder; expected a file." : "it is not a regular file."));
    file.m_size = static_cast<std::uint64_t>(status.st_size);
    return file;
}

bool OpenFile::readAt(std::uint64_t offset, char* into, std::size_t size) const
{
    while (size > 0) {
        const ssize_t got = ::pread(m_fd, into, size, static_cast<off_t>(offset));
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

} // namespace headscope::io
