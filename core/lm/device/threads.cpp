// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/device/threads.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cstdlib>

#include <omp.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#ifndef _OPENMP
#error "at::parallel_for uses only one thread if it is not compiled with OpenMP"
#endif

namespace headscope::lm {

namespace {

constexpr std::int64_t kOneThreadBelow = 8'000'000;

bool isSmall(const ModelSpec& spec)
{
    return spec.parameters < kOneThreadBelow;
}

int requestedOrAll(int requested)
{
    static const int all = at::get_num_threads(); // as it is before a model sets its own
    return requested > 0 ? requested : all;
}

// oneDNN compiles each bf16 product of a new shape, half a MB, and keeps the last 1,024 of them, and so does what calls
// it; both ask for another number at the first product. Said before there are threads.
[[maybe_unused]] const bool kFewerProducts = [] {
    for (const char* cache : {"ONEDNN_PRIMITIVE_CACHE_CAPACITY", "LRU_CACHE_CAPACITY"})
        setenv(cache, "128", 0);
    return true;
}();

} // namespace

void setThreads(int count)
{
    omp_set_dynamic(0);
    at::set_num_threads(std::min(count, omp_get_thread_limit()));
}

int threads()
{
    return at::get_num_threads();
}

int threadsFor(const ModelSpec& spec, int requested)
{
    const int most = requestedOrAll(requested); // in any case: what is set by this no longer tells
    return isSmall(spec) ? 1 : most;
}

int batchPartsFor(const ModelSpec& spec)
{
    return isSmall(spec) ? 2 : 1;
}

int batchesAtOnceFor(const ModelSpec& spec, int requested)
{
    return isSmall(spec) ? std::min(requestedOrAll(requested), omp_get_thread_limit()) : 1;
}

void setThreadsFor(const ModelSpec& spec, int requested)
{
    setThreads(threadsFor(spec, requested));
}

int threadsAmong(int processes)
{
    const int all = requestedOrAll(0);
    if (std::getenv("OMP_NUM_THREADS"))
        return all;
    const long machine = sysconf(_SC_NPROCESSORS_ONLN), allowed = std::max(omp_get_num_procs(), 1);
    return static_cast<int>(std::clamp<long>(all * machine / (allowed * processes), 1, all));
}

void reuseFreedMemory()
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 32 << 20); // the largest that glibc takes
    mallopt(M_TRIM_THRESHOLD, 512 << 20);
    mallopt(M_TOP_PAD, 16 << 20);
#endif
}

void returnFreedMemory()
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

} // namespace headscope::lm
