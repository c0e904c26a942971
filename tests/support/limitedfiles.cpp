// SPDX-License-Identifier: GPL-3.0-or-later
// To be preloaded: a file system without locks, or without shared memory, as HEADSCOPE_WITHOUT says ("locks", "shm",
// "mapping").
#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>

namespace {

bool without(const char* what)
{
    const char* const set = std::getenv("HEADSCOPE_WITHOUT");
    return set && std::strcmp(set, what) == 0;
}

bool locks(int command)
{
    return command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK || command == F_OFD_SETLKW;
}

bool sharedMemory(const char* path)
{
    const std::size_t length = path ? std::strlen(path) : 0;
    return length > 4 && std::strcmp(path + length - 4, "-shm") == 0;
}

template <typename Function> Function next(const char* name)
{
    return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

int control(const char* name, int file, int command, void* argument)
{
    if (without("locks") && locks(command)) {
        errno = ENOLCK;
        return -1;
    }
    return next<int (*)(int, int, ...)>(name)(file, command, argument);
}

int openFile(const char* name, const char* path, int flags, mode_t mode)
{
    if (without("shm") && sharedMemory(path)) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return next<int (*)(const char*, int, ...)>(name)(path, flags, mode);
}

void* mapFile(const char* name, void* at, std::size_t length, int protection, int flags, int file, off_t offset)
{
    if (without("mapping") && (flags & MAP_SHARED) != 0 && file >= 0) {
        errno = ENODEV;
        return MAP_FAILED;
    }
    return next<void* (*)(void*, std::size_t, int, int, int, off_t)>(name)(at, length, protection, flags, file, offset);
}

} // namespace

#define PASSED_ON(type, last)                                                                                          \
    va_list list;                                                                                                      \
    va_start(list, last);                                                                                              \
    type argument = va_arg(list, type);                                                                                \
    va_end(list)

#undef fcntl
#undef fcntl64
#undef open
#undef open64
#undef mmap
#undef mmap64

extern "C" {

int fcntl(int file, int command, ...)
{
    PASSED_ON(void*, command);
    return control("fcntl", file, command, argument);
}

int fcntl64(int file, int command, ...)
{
    PASSED_ON(void*, command);
    return control("fcntl64", file, command, argument);
}

int open(const char* path, int flags, ...)
{
    PASSED_ON(mode_t, flags);
    return openFile("open", path, flags, argument);
}

int open64(const char* path, int flags, ...)
{
    PASSED_ON(mode_t, flags);
    return openFile("open64", path, flags, argument);
}

void* mmap(void* at, std::size_t length, int protection, int flags, int file, off_t offset)
{
    return mapFile("mmap", at, length, protection, flags, file, offset);
}

void* mmap64(void* at, std::size_t length, int protection, int flags, int file, off_t offset)
{
    return mapFile("mmap64", at, length, protection, flags, file, offset);
}

} // extern "C"
