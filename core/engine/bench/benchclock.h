// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Wall and CPU time for `headscope-cli bench`, as reported in its result. Any thread.

#include "core/base/elapsed.h"

#include <nlohmann/json.hpp>

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <vector>

namespace headscope::engine {

inline double processSeconds()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

struct Span {
    double wall = 0, cpu = 0;
};

/// Measures the time since it was made.
class Clock
{
public:
    [[nodiscard]] Span read() const { return {secondsSince(m_wall), processSeconds() - m_cpu}; }

private:
    std::chrono::steady_clock::time_point m_wall = std::chrono::steady_clock::now();
    double m_cpu = processSeconds();
};

inline double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    const std::size_t n = values.size();
    return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

inline nlohmann::json spread(const std::vector<double>& values)
{
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    return {{"min", *low}, {"median", median(values)}, {"max", *high}, {"n", values.size()}};
}

inline void putTimes(nlohmann::json& line, const std::vector<Span>& spans, double scale = 1.0)
{
    std::vector<double> wall, cpu;
    for (const Span& span : spans) {
        wall.push_back(span.wall * scale);
        cpu.push_back(span.cpu * scale);
    }
    line["seconds"] = spread(wall);
    line["cpu_seconds"] = spread(cpu);
    line["cpu_seconds"].erase("n");
}

} // namespace headscope::engine
