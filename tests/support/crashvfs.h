// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// SQLite's own file system with a fault at its n-th write, sync, truncation or deletion. For a forked child, which it
// is the default of from install() on; one thread.

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace headscope::testing {

enum class Fault {
    None,  ///< counts
    Kill,  ///< the process ends before the operation
    Pause, ///< something else happens before the operation
    Power, ///< the process ends after it, and of each sector that was not synced it is chance which version is there
    Full   ///< from this operation on nothing is written or synced: the disk is full
};

class CrashVfs
{
public:
    static constexpr int kEnded = 77; ///< exit code of a process that a fault ended

    static void install(Fault fault, int at, std::function<void()> pause = {})
    {
        CrashVfs& self = instance();
        self.m_fault = fault;
        self.m_at = at;
        self.m_pause = std::move(pause);
        sqlite3_vfs_register(&self.m_vfs, 1);
    }
    static int operations() { return instance().m_count; }

private:
    static constexpr int kSector = 512;
    using Sector = std::array<char, kSector>;

    struct Unsynced { ///< of a file, what the disk has of it for certain
        std::map<std::int64_t, Sector> sectors;
        std::int64_t size = 0;
    };

    struct File {
        sqlite3_file base;
        sqlite3_file* real;
        std::string* path;
    };

    static CrashVfs& instance()
    {
        static CrashVfs self;
        return self;
    }

    CrashVfs() : m_real(sqlite3_vfs_find(nullptr)), m_vfs(*m_real)
    {
        m_vfs.zName = "crash";
        m_vfs.szOsFile = static_cast<int>(sizeof(File)) + m_real->szOsFile;
        m_vfs.xOpen = open;
        m_vfs.xDelete = remove;
    }

    /// Before an operation: whether it is to fail. `write` does it, where it has to be done before the process ends.
    bool fails(const std::function<void()>& write)
    {
        const bool now = ++m_count == m_at;
        if (now && m_fault == Fault::Kill)
            _exit(kEnded);
        if (now && m_fault == Fault::Pause)
            m_pause();
        if (now && m_fault == Fault::Power) {
            write();
            losePower();
        }
        return m_fault == Fault::Full && m_count >= m_at;
    }

    void losePower()
    {
        std::mt19937 random(static_cast<unsigned>(m_at));
        for (const auto& [path, unsynced] : m_unsynced) {
            const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
            if (file < 0 && errno == ENOENT) // this operation has removed it
                continue;
            for (const auto& [sector, bytes] : unsynced.sectors)
                if (random() % 2 == 0 && ::pwrite(file, bytes.data(), bytes.size(), sector * kSector) < 0)
                    _exit(1);
            if (random() % 2 == 0 && ::ftruncate(file, unsynced.size) != 0)
                _exit(1);
        }
        _exit(kEnded);
    }

    void remember(File* file, std::int64_t begin, std::int64_t end)
    {
        if (m_fault != Fault::Power || file->path->empty()) // SQLite's own temporary files, which nobody opens again
            return;
        const auto [entry, isNew] = m_unsynced.try_emplace(*file->path);
        if (isNew)
            file->real->pMethods->xFileSize(file->real, reinterpret_cast<sqlite3_int64*>(&entry->second.size));
        for (std::int64_t sector = begin / kSector; sector * kSector < end; ++sector) {
            Sector bytes{};
            if (entry->second.sectors.contains(sector))
                continue;
            file->real->pMethods->xRead(file->real, bytes.data(), kSector, sector * kSector);
            entry->second.sectors[sector] = bytes;
        }
    }

    static File* of(sqlite3_file* file) { return reinterpret_cast<File*>(file); }
    static sqlite3_file* realOf(sqlite3_file* file) { return of(file)->real; }

    static int open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* outFlags)
    {
        CrashVfs& self = instance();
        File* const mine = of(file);
        mine->base.pMethods = nullptr;
        mine->real = reinterpret_cast<sqlite3_file*>(mine + 1);
        std::memset(static_cast<void*>(mine->real), 0, static_cast<std::size_t>(self.m_real->szOsFile));
        const int code = self.m_real->xOpen(self.m_real, name, mine->real, flags, outFlags);
        if (mine->real->pMethods == nullptr)
            return code;
        mine->path = new std::string(name ? name : "");
        static const sqlite3_io_methods methods = methodsOver(mine->real->pMethods);
        mine->base.pMethods = &methods;
        return code;
    }

    static sqlite3_io_methods methodsOver(const sqlite3_io_methods* real)
    {
        sqlite3_io_methods all{};
        all.iVersion = std::min(real->iVersion, 2); // no mapping of the file itself
        all.xClose = [](sqlite3_file* f) {
            if (of(f)->path->find("/.headscope-") != std::string::npos)
                instance().m_unsynced.erase(*of(f)->path); // synced by newfile.cpp before it gets its name
            delete of(f)->path;
            return realOf(f)->pMethods->xClose(realOf(f));
        };
        all.xRead = [](sqlite3_file* f, void* to, int n, sqlite3_int64 at) {
            return realOf(f)->pMethods->xRead(realOf(f), to, n, at);
        };
        all.xWrite = [](sqlite3_file* f, const void* from, int n, sqlite3_int64 at) {
            instance().remember(of(f), at, at + n);
            const auto write = [&] { return realOf(f)->pMethods->xWrite(realOf(f), from, n, at); };
            return instance().fails(write) ? SQLITE_FULL : write();
        };
        all.xTruncate = [](sqlite3_file* f, sqlite3_int64 size) {
            sqlite3_int64 before = 0;
            realOf(f)->pMethods->xFileSize(realOf(f), &before);
            instance().remember(of(f), size, before);
            const auto cut = [&] { return realOf(f)->pMethods->xTruncate(realOf(f), size); };
            return instance().fails(cut) ? SQLITE_FULL : cut();
        };
        all.xSync = [](sqlite3_file* f, int) { // of no use to a process that ends while the machine goes on
            if (instance().fails([] {}))
                return SQLITE_IOERR_FSYNC;
            instance().m_unsynced.erase(*of(f)->path);
            return SQLITE_OK;
        };
        all.xFileSize = [](sqlite3_file* f, sqlite3_int64* n) { return realOf(f)->pMethods->xFileSize(realOf(f), n); };
        all.xLock = [](sqlite3_file* f, int l) { return realOf(f)->pMethods->xLock(realOf(f), l); };
        all.xUnlock = [](sqlite3_file* f, int l) { return realOf(f)->pMethods->xUnlock(realOf(f), l); };
        all.xCheckReservedLock = [](sqlite3_file* f, int* is) {
            return realOf(f)->pMethods->xCheckReservedLock(realOf(f), is);
        };
        all.xFileControl = [](sqlite3_file* f, int op, void* arg) {
            return realOf(f)->pMethods->xFileControl(realOf(f), op, arg);
        };
        all.xSectorSize = [](sqlite3_file* f) { return realOf(f)->pMethods->xSectorSize(realOf(f)); };
        all.xDeviceCharacteristics = [](sqlite3_file* f) {
            return realOf(f)->pMethods->xDeviceCharacteristics(realOf(f));
        };
        all.xShmMap = [](sqlite3_file* f, int page, int size, int extend, void volatile** to) {
            return realOf(f)->pMethods->xShmMap(realOf(f), page, size, extend, to);
        };
        all.xShmLock = [](sqlite3_file* f, int at, int n, int flags) {
            return realOf(f)->pMethods->xShmLock(realOf(f), at, n, flags);
        };
        all.xShmBarrier = [](sqlite3_file* f) { realOf(f)->pMethods->xShmBarrier(realOf(f)); };
        all.xShmUnmap = [](sqlite3_file* f, int remove) { return realOf(f)->pMethods->xShmUnmap(realOf(f), remove); };
        return all;
    }

    static int remove(sqlite3_vfs*, const char* name, int sync)
    {
        CrashVfs& self = instance();
        const auto work = [&] { return self.m_real->xDelete(self.m_real, name, sync); };
        if (self.fails(work))
            return SQLITE_IOERR_DELETE;
        self.m_unsynced.erase(name);
        return work();
    }

    sqlite3_vfs* m_real;
    sqlite3_vfs m_vfs;
    Fault m_fault = Fault::None;
    int m_at = 0;
    int m_count = 0;
    std::function<void()> m_pause;
    std::map<std::string, Unsynced> m_unsynced; ///< by path
};

} // namespace headscope::testing
