// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/file/filesystem.h"

#include "sessions/rows/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace headscope::sessions {

namespace {

struct Magic {
    unsigned long value;
    const char* name;
};

// From statfs(2) and linux/magic.h.
constexpr std::array kNetwork{
    Magic{0x6969, "NFS"},      Magic{0x517B, "SMB"},        Magic{0xFF534D42, "SMB"},  Magic{0xFE534D42, "SMB"},
    Magic{0x65735546, "FUSE"}, Magic{0x5346414F, "AFS"},    Magic{0x6B414653, "AFS"},  Magic{0x00C36400, "Ceph"},
    Magic{0x01021997, "9P"},   Magic{0x0BD00BD0, "Lustre"}, Magic{0x47504653, "GPFS"}, Magic{0x19830326, "BeeGFS"},
    Magic{0x73757245, "Coda"}, Magic{0x564C, "NCP"},
};

} // namespace

std::optional<std::string> networkFileSystem(unsigned long magic)
{
    for (const Magic& known : kNetwork)
        if (known.value == (magic & 0xFFFFFFFFUL))
            return known.name;
    return std::nullopt;
}

std::optional<std::string> networkFileSystem(const std::filesystem::path& path)
{
    if (const char* assumed = std::getenv("HEADSCOPE_FILE_SYSTEM_TYPE"))
        return networkFileSystem(std::strtoul(assumed, nullptr, 16));
    struct statfs info {
    };
    if (statfs(path.c_str(), &info) != 0)
        return std::nullopt;
    return networkFileSystem(static_cast<unsigned long>(info.f_type));
}

bool writable(const std::filesystem::path& path)
{
    return faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0;
}

FolderSupport supportOf(const std::filesystem::path& folder)
{
    FolderSupport support;
    const std::string path = (folder / (".headscope-" + newUid().substr(0, 8) + "-shm")).string();
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) {
        constexpr std::array kForAnyFile{EACCES, EROFS, ENOENT, ENOSPC, EDQUOT, EMFILE, ENFILE};
        support.sharedMemory = std::find(kForAnyFile.begin(), kForAnyFile.end(), errno) != kForAnyFile.end();
        return support;
    }
    struct flock whole {
    };
    whole.l_type = F_WRLCK;
    support.locks = ::fcntl(file, F_SETLK, &whole) == 0;
    constexpr std::size_t kBytes = 4096;
    if (::ftruncate(file, kBytes) == 0) {
        void* const mapped = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        support.sharedMemory = mapped != MAP_FAILED;
        if (support.sharedMemory)
            ::munmap(mapped, kBytes);
    }
    ::unlink(path.c_str());
    ::close(file);
    return support;
}

// From /proc/locks, since a look at the lock through a file of our own would let go of the locks of SQLite's: see
// fcntl(2). A line is "1: POSIX  ADVISORY  WRITE 4711 fd:01:1234 120 120": kind, process, file, first and last byte.
std::string lockHolder(const std::filesystem::path& session)
{
    std::vector<std::string> files; // as the ends of such names
    for (const char* suffix : {"", "-shm"}) {
        struct stat info {
        };
        if (::stat((session.string() + suffix).c_str(), &info) == 0)
            files.push_back(":" + std::to_string(info.st_ino));
    }
    std::ifstream locks("/proc/locks");
    for (std::string line; std::getline(locks, line);) {
        std::istringstream fields(line);
        std::string number, type, advisory, kind, file;
        int process = 0;
        fields >> number >> type >> advisory >> kind >> process >> file;
        if (fields && process > 0 && kind == "WRITE"
            && std::ranges::any_of(files, [&](const std::string& end) { return file.ends_with(end); }))
            return fmt::format("process {}", process);
    }
    return "another program";
}

std::string tooLong(const std::filesystem::path& path)
{
    // MAX_PATHNAME of SQLite's os_unix.c and NAME_MAX, both less the longest suffix, "-journal". The name of a new
    // file is tried under another one first, see newfile.cpp.
    constexpr std::size_t kPath = 504, kName = 247, kTried = 24;
    std::error_code ignored;
    const std::filesystem::path real = std::filesystem::weakly_canonical(path, ignored);
    const std::size_t name = real.filename().string().size();
    const std::size_t length = real.string().size() - name + std::max(name, kTried);
    if (name > kName)
        return fmt::format("its name has {} bytes, and at most {} are possible", name, kName);
    if (length > kPath)
        return fmt::format("its path has {} bytes, and SQLite opens at most {}", length, kPath);
    return {};
}

std::string sqliteUri(const std::filesystem::path& path, const std::string& query)
{
    constexpr std::string_view kHex = "0123456789ABCDEF";
    std::string uri = "file:";
    for (const char c : path.string()) {
        const auto byte = static_cast<unsigned char>(c);
        if (std::isalnum(byte) != 0 || c == '/' || c == '.' || c == '-' || c == '_') {
            uri += c;
        } else {
            uri += '%';
            uri += kHex[byte >> 4];
            uri += kHex[byte & 15];
        }
    }
    return uri + "?" + query;
}

} // namespace headscope::sessions
