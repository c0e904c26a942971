// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/device/productspeed.h"

#include "core/io/textfile.h"
#include "core/lm/device/device.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/headeronly/version.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <sstream>

namespace headscope::lm {

namespace {

constexpr std::int64_t kRows = 256, kWidth = 1024; // a third of a second in all where it is slow
constexpr int kRounds = 5;

double fastestProduct(at::ScalarType type)
{
    const at::Tensor rows = at::ones({kRows, kWidth}, type), weights = at::ones({kWidth, kWidth}, type);
    double fastest = std::numeric_limits<double>::infinity();
    for (int round = 0; round <= kRounds; ++round) { // the first sets the library up
        const auto begun = std::chrono::steady_clock::now();
        static_cast<void>(at::linear(rows, weights));
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
        fastest = round > 0 ? std::min(fastest, took.count()) : fastest;
    }
    return fastest;
}

} // namespace

double timesAsFastAsFp32(const std::string& dtype)
{
    const auto type = parseDtype(dtype, at::kFloat);
    return type.has_value() && *type != at::kFloat ? fastestProduct(at::kFloat) / fastestProduct(*type) : 1;
}

std::string measuredOn()
{
    std::string processor = "a processor without a name";
    const auto about = io::readTextFile("/proc/cpuinfo", 10'000'000);
    std::istringstream lines(about.has_value() ? *about : std::string());
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with("model name")) {
            processor = line.substr(std::min(line.find(':') + 2, line.size()));
            break;
        }
    return processor + ", " + std::to_string(at::get_num_threads()) + " threads, torch " + TORCH_VERSION;
}

} // namespace headscope::lm
