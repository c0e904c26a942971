// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/writefile.h"

#include "core/io/quote.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace headscope::io {

namespace fs = std::filesystem;

namespace {

Error cannotWrite(const fs::path& path, const std::string& why)
{
    return ioError("The file " + inQuotes(path.string()) + " can not be written: " + why + ".");
}

/// The nearest folder above that exists.
fs::path existing(const fs::path& folder)
{
    std::error_code ignored;
    fs::path at = fs::absolute(folder, ignored).lexically_normal();
    while (!fs::exists(at, ignored) && at.has_relative_path())
        at = at.parent_path();
    return at;
}

constexpr std::chrono::seconds kReaderComesWithin{5};

// A pipe is open when somebody reads it; a plain open() would wait for that for ever, and not be ended by Ctrl+C.
int openPipe(const fs::path& path)
{
    const auto until = std::chrono::steady_clock::now() + kReaderComesWithin;
    int fd = -1;
    while ((fd = ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC)) < 0 && errno == ENXIO
           && std::chrono::steady_clock::now() < until)
        ::usleep(20'000);
    if (fd >= 0)
        ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    return fd;
}

} // namespace

GrowingFile::~GrowingFile()
{
    if (m_fd >= 0)
        ::close(m_fd);
}

Error GrowingFile::failure() const
{
    return cannotWrite(m_path, std::strerror(errno));
}

Result<void> GrowingFile::open(const fs::path& path)
{
    m_path = path;
    std::error_code ignored;
    const bool pipe = fs::is_fifo(path, ignored);
    m_fd = pipe ? openPipe(path) : ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (m_fd < 0 && pipe && errno == ENXIO)
        return cannotWrite(path, "it is a pipe that nobody reads");
    return m_fd >= 0 ? Result<void>() : Result<void>(failure());
}

Result<void> GrowingFile::append(std::string_view bytes)
{
    while (!bytes.empty()) {
        const ssize_t done = ::write(m_fd, bytes.data(), bytes.size());
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return failure();
        bytes.remove_prefix(static_cast<std::size_t>(done));
    }
    return {};
}

Result<void> GrowingFile::close()
{
    const int fd = std::exchange(m_fd, -1);
    return fd < 0 || ::close(fd) == 0 ? Result<void>() : Result<void>(failure());
}

Result<void> writeFile(const fs::path& path, std::string_view bytes)
{
    std::error_code fault;
    const fs::file_status status = fs::status(path, fault);
    const bool beside = !fs::exists(status) || fs::is_regular_file(status);
    // Through a link to what it leads to.
    const fs::path target = fs::is_regular_file(status) ? fs::canonical(path, fault) : path,
                   fresh = beside ? fs::path(target.string() + ".partial") : target;
    GrowingFile file;
    Result<void> done = file.open(fresh);
    if (done.has_value())
        done = file.append(bytes);
    if (done.has_value())
        done = file.close();
    if (done.has_value() && beside && ::rename(fresh.c_str(), target.c_str()) != 0)
        done = cannotWrite(path, std::strerror(errno));
    if (!done.has_value() && beside)
        ::unlink(fresh.c_str());
    return done;
}

Result<void> checkOutputFolder(const fs::path& folder)
{
    const fs::path there = existing(folder);
    std::error_code ignored;
    const std::string who = "The folder " + inQuotes(folder.string()) + " can not be written to: ";
    if (!fs::is_directory(there, ignored))
        return ioError(who + inQuotes(there.string()) + " is a file.");
    if (::access(there.c_str(), W_OK | X_OK) != 0)
        return ioError(who + std::strerror(errno) + ".");
    // Some file systems say so only when something is made (/proc, /sys).
    std::string probe = (there / ".headscope-XXXXXX").string();
    const int fd = ::mkstemp(probe.data());
    if (fd < 0)
        return ioError(who + std::strerror(errno) + ".");
    ::close(fd);
    ::unlink(probe.c_str());
    return {};
}

Result<void> checkOutputFile(const fs::path& file)
{
    std::error_code ignored;
    if (file.empty())
        return inputError("The output file has no name.");
    if (fs::is_directory(file, ignored) || file.string().ends_with('/'))
        return cannotWrite(file, "it is a folder");
    if (fs::exists(file, ignored) && !fs::is_regular_file(file, ignored))
        return {}; // a pipe or a device
    const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
    if (!fs::exists(folder, ignored))
        return cannotWrite(file, "the folder " + inQuotes(folder.string()) + " does not exist");
    return checkOutputFolder(folder);
}

} // namespace headscope::io
