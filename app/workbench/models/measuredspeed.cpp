// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/models/measuredspeed.h"

#include "core/base/writefile.h"
#include "core/io/textfiles/textfile.h"
#include "core/lm/device/productspeed.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <sstream>
#include <thread>

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

double kept(const std::string& what, const fs::path& cache, const std::function<double()>& measure)
{
    const fs::path file = cache / "products.txt";
    const std::string here = what + " on " + lm::measuredOn();
    if (!cache.empty())
        if (const auto measured = readMeasured(file); measured.contains(here))
            return measured.at(here);
    const double value = measure();
    if (cache.empty())
        return value;
    const auto before = io::readTextFile(file, kMostKept);
    std::ostringstream text;
    text << (before.has_value() ? *before : std::string()) << value << '\t' << here << '\n';
    std::error_code ignored; // what cannot be kept is measured again
    fs::create_directories(cache, ignored);
    static_cast<void>(writeFile(file, text.str()));
    return value;
}

} // namespace

double cachedSpeedup(const std::string& type, const fs::path& cache)
{
    return kept(type, cache, [&] { return lm::speedupOverFp32(type); });
}

double cachedProductRate(const std::string& type, const fs::path& cache)
{
    return kept("operations a second in " + type, cache, [&] { return lm::productRate(type); });
}

double operationsASecond(const std::string& type, int threads, const fs::path& cache)
{
    const unsigned used =
        threads > 0 ? static_cast<unsigned>(threads) : std::max(1U, std::thread::hardware_concurrency());
    return used * cachedProductRate(type, cache);
}

double passOperations(const lm::ModelSpec& spec, std::int64_t length)
{
    const auto tokens = static_cast<double>(length), table = 1.0 * spec.vocabulary * spec.hidden;
    // The embedding is looked up, and the head is asked for one position: neither is a product with each token.
    const double maps = static_cast<double>(spec.parameters) - (spec.tiedHead ? 1 : 2) * table;
    double operations = 2 * maps * tokens + 2 * table;
    for (const lm::LayerSpec& layer : spec.layers)
        for (const lm::MixerSpec& mixer : layer.mixers)
            if (mixer.kind == lm::MixerKind::Attention) // scores and their sum of values, below the diagonal
                operations += 2.0 * mixer.heads * mixer.headDim * tokens * tokens;
    return operations;
}

} // namespace headscope::app
