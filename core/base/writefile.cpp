// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/writefile.h"

#include "core/base/printable.h"

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <random>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace headscope {

namespace fs = std::filesystem;

namespace {

std::string quoted(const fs::path& path)
{
    return "'" + printable(path.string(), Newlines::Escape) + "'";
}

Error cannotWrite(const fs::path& path, const std::string& why)
{
    return ioError("The file " + quoted(path) + " cannot be written: " + why + ".");
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

/// Where a path leads: to an open descriptor of this process, or through links to a file that may not exist yet.
struct Destination {
    fs::path path;
    int descriptor = -1;
};

Destination destinationOf(fs::path path)
{
    constexpr int kMostLinks = 40; // as many as the kernel follows
    for (int i = 0; i < kMostLinks; ++i) {
        const std::string folder = path.parent_path().string(), name = path.filename().string();
        if (int number = -1; folder == "/proc/self/fd" || folder == "/dev/fd")
            if (const auto [end, fault] = std::from_chars(name.data(), name.data() + name.size(), number);
                fault == std::errc() && end == name.data() + name.size())
                return {path, number};
        std::error_code fault;
        const fs::path link = fs::read_symlink(path, fault);
        if (fault)
            break;
        path = path.parent_path() / link;
    }
    return {path};
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

/// A new file in a folder, under a name that nobody could know before: no link is followed, no file of that name lost.
int openFresh(const fs::path& folder, mode_t mode, fs::path& name)
{
    constexpr int kMostTries = 100;
    std::random_device random;
    int fd = -1;
    for (int i = 0; i < kMostTries && fd < 0; ++i) {
        char digits[40];
        std::snprintf(digits, sizeof digits, ".headscope-%08x%08x", random(), random());
        name = folder / digits;
        fd = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    if (fd < 0)
        name.clear();
    return fd;
}

/// Owner, group and mode of the file that is replaced, as far as this person may give them away.
void copyRights(int fd, const struct stat& from)
{
    struct stat own {
    };
    if (::fstat(fd, &own) == 0 && (own.st_uid != from.st_uid || own.st_gid != from.st_gid))
        (void)!::fchown(fd, from.st_uid, from.st_gid);
    (void)::fchmod(fd, from.st_mode & 0777);
}

} // namespace

OutputFile::~OutputFile()
{
    if (m_fd >= 0)
        ::close(m_fd);
    if (!m_fresh.empty())
        ::unlink(m_fresh.c_str());
}

Error OutputFile::failure() const
{
    return cannotWrite(m_path, std::strerror(errno));
}

Result<void> OutputFile::open(const fs::path& path, FileAccess access)
{
    m_path = m_target = path;
    if (access == FileAccess::Private) {
        m_fd = openFresh(path.parent_path(), 0600, m_fresh);
        return m_fd >= 0 ? Result<void>() : Result<void>(failure());
    }
    struct stat status {
    };
    const bool exists = ::stat(path.c_str(), &status) == 0;
    if (!exists && errno != ENOENT)
        return failure();
    const Destination destination = destinationOf(path);
    m_target = destination.path;
    if (exists && m_target.extension() == ".headscope")
        return cannotWrite(path, "it is a session");
    if (destination.descriptor >= 0) {
        m_fd = ::fcntl(destination.descriptor, F_DUPFD_CLOEXEC, 0);
    } else if (exists && S_ISFIFO(status.st_mode)) {
        if ((m_fd = openPipe(path)) < 0 && errno == ENXIO)
            return cannotWrite(path, "it is a pipe without a reader");
    } else if (exists && !S_ISREG(status.st_mode)) {
        m_fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
    } else if (!exists || ::access(m_target.c_str(), W_OK) == 0) {
        m_fd = openFresh(m_target.parent_path(), exists ? 0600 : 0666, m_fresh);
        if (m_fd >= 0 && exists)
            copyRights(m_fd, status);
    }
    return m_fd >= 0 ? Result<void>() : Result<void>(failure());
}

Result<void> OutputFile::append(std::string_view bytes)
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

Result<void> OutputFile::commit(Sync sync)
{
    if (sync == Sync::Now && !m_fresh.empty() && ::fsync(m_fd) != 0
        && errno != EINVAL) // some file systems have no sync
        return failure();
    if (::close(std::exchange(m_fd, -1)) != 0)
        return failure();
    if (!m_fresh.empty() && ::rename(m_fresh.c_str(), m_target.c_str()) != 0)
        return failure();
    m_fresh.clear();
    return {};
}

Result<void> writeFile(const fs::path& path, std::string_view bytes, FileAccess access)
{
    OutputFile file;
    if (const auto opened = file.open(path, access); !opened.has_value())
        return opened;
    if (const auto written = file.append(bytes); !written.has_value())
        return written;
    return file.commit();
}

Result<void> checkOutputFolder(const fs::path& folder)
{
    const fs::path there = existing(folder);
    std::error_code ignored;
    const std::string who = "The folder " + quoted(folder) + " cannot be written to: ";
    if (!fs::is_directory(there, ignored))
        return ioError(who + quoted(there) + " is a file.");
    // Some file systems say so only when something is made (/proc, /sys).
    fs::path probe;
    const int fd = openFresh(there, 0600, probe);
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
    const bool exists = fs::exists(file, ignored);
    const Destination destination = destinationOf(file);
    if (destination.descriptor >= 0 || (exists && !fs::is_regular_file(file, ignored)))
        return {};
    if (exists && ::access(file.c_str(), W_OK) != 0)
        return cannotWrite(file, std::strerror(errno));
    const fs::path& target = destination.path;
    if (exists && target.extension() == ".headscope")
        return cannotWrite(file, "it is a session");
    const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
    if (!fs::exists(folder, ignored))
        return cannotWrite(file, "the folder " + quoted(folder) + " does not exist");
    return checkOutputFolder(folder);
}

} // namespace headscope
