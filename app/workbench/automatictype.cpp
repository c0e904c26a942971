// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/automatictype.h"

#include "core/io/checkpoint.h"
#include "core/io/textfile.h"
#include "core/io/writefile.h"
#include "core/lm/device/device.h"
#include "core/lm/device/productspeed.h"

#include <cstdlib>
#include <map>
#include <sstream>

namespace headscope::app {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostKept = 100'000; // bytes

// Lines of number, tab, machine.
std::map<std::string, double> readMeasured(const fs::path& file)
{
    std::map<std::string, double> measured;
    const auto text = io::readTextFile(file, kMostKept);
    std::istringstream lines(text.has_value() ? *text : std::string());
    for (std::string line; std::getline(lines, line);) {
        const std::size_t tab = line.find('\t');
        char* end = nullptr;
        const double value = std::strtod(line.c_str(), &end);
        if (tab != std::string::npos && end == line.c_str() + tab && value > 0)
            measured[line.substr(tab + 1)] = value;
    }
    return measured;
}

} // namespace

std::string storedType(const io::Checkpoint& checkpoint)
{
    std::uint64_t f32 = 0, f16 = 0, bf16 = 0;
    for (const std::string& name : checkpoint.names()) {
        const auto tensor = checkpoint.find(name);
        const std::uint64_t size = tensor->bytes.size();
        f32 += tensor->info.dtype == io::Dtype::F32 ? size : 0;
        f16 += tensor->info.dtype == io::Dtype::F16 ? size : 0;
        bf16 += tensor->info.dtype == io::Dtype::BF16 ? size : 0;
    }
    return bf16 > f32 && bf16 > f16 ? "bf16" : f16 > f32 ? "fp16" : "fp32";
}

std::string automaticType(const std::string& stored, std::int64_t parameters, double timesAsFast)
{
    return parameters >= kLargeModel && timesAsFast >= 1 ? stored : "fp32";
}

double keptTimesAsFast(const std::string& type, const fs::path& cache)
{
    const fs::path file = cache / "products.txt";
    const std::string here = type + " on " + lm::measuredOn();
    if (!cache.empty())
        if (const auto measured = readMeasured(file); measured.contains(here))
            return measured.at(here);
    const double times = lm::timesAsFastAsFp32(type);
    if (cache.empty())
        return times;
    const auto before = io::readTextFile(file, kMostKept);
    std::ostringstream text;
    text << (before.has_value() ? *before : std::string()) << times << '\t' << here << '\n';
    std::error_code ignored; // what can not be kept is measured again
    fs::create_directories(cache, ignored);
    static_cast<void>(io::writeFile(file, text.str()));
    return times;
}

fs::path cacheFolder()
{
    const char* cache = std::getenv("XDG_CACHE_HOME");
    const char* home = std::getenv("HOME");
    const fs::path folder = cache && *cache ? fs::path(cache) : home && *home ? fs::path(home) / ".cache" : fs::path();
    return folder.empty() ? folder : folder / "headscope";
}

Result<std::string> typeToLoad(const fs::path& folder, const std::string& device, const std::string& dtype)
{
    // Where a GPU is, it is used: what it does with `auto` is not decided here.
    if (dtype != "auto" || (device != "cpu" && lm::cudaAvailable()))
        return dtype;
    const auto checkpoint = io::Checkpoint::open(folder);
    if (!checkpoint.has_value()) // whoever loads it tells why
        return dtype;
    const std::string stored = storedType(**checkpoint);
    const auto parameters = static_cast<std::int64_t>((*checkpoint)->bytes() / 2); // as many as there can be
    if (parameters < kLargeModel || stored == "fp32")
        return std::string("fp32"); // nothing has to be measured
    return automaticType(stored, parameters, keptTimesAsFast(stored, cacheFolder()));
}

} // namespace headscope::app
