// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/mapping.h"

#include "core/io/textfiles/quote.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace headscope::io {

namespace {

// What the handler looks through: no lock, no memory, nothing that moves.
struct Slot {
    std::atomic<std::uintptr_t> begin = 0, end = 0; ///< 0: free
    std::atomic<bool> damaged = false;
};
struct Origin {
    std::filesystem::path path;
    FileStamp stamp;
};
constexpr std::size_t kSlots = 4096;
std::array<Slot, kSlots> slots;
std::map<std::uintptr_t, std::pair<Slot*, Origin>> mappings; // by address
std::mutex mappingsMutex;                                    // never of the handler
struct sigaction before;

static_assert(std::atomic<std::uintptr_t>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

std::uintptr_t pageSize()
{
    static const auto size = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    return size;
}

// On the thread that read. mmap() is a bare system call here, and errno is put back.
void onBusError(int number, siginfo_t* info, void* context)
{
    const int saved = errno;
    const auto at = reinterpret_cast<std::uintptr_t>(info->si_addr);
    for (Slot& slot : slots) {
        const std::uintptr_t begin = slot.begin.load(), end = slot.end.load();
        if (begin == 0 || at < begin || at >= end)
            continue;
        // To the end of the file at once: what lies behind a cut is gone as well.
        const std::uintptr_t page = at / pageSize() * pageSize();
        void* const zeros = ::mmap(reinterpret_cast<void*>(page), end - page, PROT_READ,
                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        if (zeros == MAP_FAILED)
            break;
        slot.damaged = true;
        errno = saved;
        return;
    }
    errno = saved;
    if ((before.sa_flags & SA_SIGINFO) && before.sa_sigaction)
        before.sa_sigaction(number, info, context);
    else
        ::signal(SIGBUS, SIG_DFL); // not ours: the read is tried again and ends the program
}

void installHandler()
{
    static std::once_flag once;
    std::call_once(once, [] {
        (void)pageSize();
        struct sigaction action {
        };
        action.sa_sigaction = onBusError;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK;
        sigemptyset(&action.sa_mask);
        ::sigaction(SIGBUS, &action, &before);
    });
}

FileStamp stampFrom(const struct stat& status)
{
    const auto nanoseconds = [](const timespec& time) {
        return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
    };
    return {static_cast<std::int64_t>(status.st_ino), static_cast<std::int64_t>(status.st_dev), status.st_size,
            nanoseconds(status.st_mtim), nanoseconds(status.st_ctim)};
}

} // namespace

Result<std::span<const std::byte>> mapFile(int fd, std::uint64_t size, const std::filesystem::path& path)
{
    const auto failed = [&](const std::string& why) {
        return ioError("Cannot read " + inQuotes(path.string()) + ": " + why + ".");
    };
    installHandler();
    struct stat status {
    };
    if (::fstat(fd, &status) != 0)
        return failed(std::strerror(errno));
    const std::scoped_lock lock(mappingsMutex);
    const auto free = std::find_if(slots.begin(), slots.end(), [](const Slot& slot) { return slot.begin == 0; });
    if (free == slots.end())
        return failed("too many files are open");
    void* const address = ::mmap(nullptr, static_cast<std::size_t>(size), PROT_READ, MAP_PRIVATE, fd, 0);
    if (address == MAP_FAILED)
        return failed(std::string("it could not be mapped: ") + std::strerror(errno));
    const auto begin = reinterpret_cast<std::uintptr_t>(address);
    mappings[begin] = {&*free, {path, stampFrom(status)}};
    free->damaged = false;
    free->end = (begin + size + pageSize() - 1) / pageSize() * pageSize();
    free->begin = begin; // last: from here on it counts
    return std::span(static_cast<const std::byte*>(address), static_cast<std::size_t>(size));
}

void unmapFile(std::span<const std::byte> bytes)
{
    const std::scoped_lock lock(mappingsMutex);
    const auto found = mappings.find(reinterpret_cast<std::uintptr_t>(bytes.data()));
    if (found == mappings.end())
        return;
    ::munmap(const_cast<std::byte*>(bytes.data()), bytes.size());
    found->second.first->begin = 0;
    mappings.erase(found);
}

FileStamp stampOf(const WeightsFile& file)
{
    const std::scoped_lock lock(mappingsMutex);
    const auto found = mappings.find(reinterpret_cast<std::uintptr_t>(file.mapping().data()));
    return found == mappings.end() ? FileStamp() : found->second.second.stamp;
}

Result<void> intact(const WeightsFile& file)
{
    const std::scoped_lock lock(mappingsMutex);
    const auto found = mappings.find(reinterpret_cast<std::uintptr_t>(file.mapping().data()));
    if (found == mappings.end())
        return {};
    const auto& [slot, origin] = found->second;
    const std::string who = "Cannot read " + inQuotes(origin.path.string()) + ": ";
    if (slot->damaged)
        return ioError(who + "it was cut while it was read, or the disk failed; expected "
                       + std::to_string(origin.stamp.size) + " bytes.");
    struct stat status {
    };
    if (::stat(origin.path.c_str(), &status) != 0)
        return {};
    const FileStamp now = stampFrom(status), &then = origin.stamp;
    if (now.inode == then.inode && now.device == then.device
        && (now.size != then.size || now.modified != then.modified))
        return ioError(who + "it was changed while it was read.");
    return {};
}

Result<void> intact(const Checkpoint& checkpoint)
{
    for (const auto& file : checkpoint.files())
        if (auto sound = intact(*file); !sound.has_value())
            return sound;
    return {};
}

} // namespace headscope::io
