// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a benchmark program reads of its own process.

#include <QFile>

#include <ctime>

#include <sys/resource.h>

namespace headscope {

inline double residentMegabytes()
{
    QFile file(QStringLiteral("/proc/self/statm"));
    return file.open(QIODevice::ReadOnly) ? file.readAll().split(' ').at(1).toDouble() * 4096 / 1e6 : 0;
}

/// The most that was resident at one time.
inline double peakMegabytes()
{
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return static_cast<double>(used.ru_maxrss) * 1024 / 1e6;
}

/// Of all threads.
inline double processorMs()
{
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

} // namespace headscope
