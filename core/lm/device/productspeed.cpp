// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/device/productspeed.h"

#include "core/base/elapsed.h"
#include "core/io/textfiles/textfile.h"
#include "core/lm/device/device.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/headeronly/version.h>

#include <algorithm>
#include <limits>
#include <sstream>

namespace headscope::lm {

namespace {

constexpr std::int64_t kRows = 128, kWidth = 1024; // a third of a second in all where it is slow
constexpr int kRounds = 12;

/// Products of one type, and the fastest of them.
class Products
{
public:
    explicit Products(at::ScalarType type)
        : m_rows(at::ones({kRows, kWidth}, type)), m_weights(at::ones({kWidth, kWidth}, type))
    {
        static_cast<void>(at::linear(m_rows, m_weights)); // sets the library up
    }
    void multiply()
    {
        const double begun = threadSeconds();
        static_cast<void>(at::linear(m_rows, m_weights));
        m_fastest = std::min(m_fastest, threadSeconds() - begun);
    }
    [[nodiscard]] double seconds() const { return m_fastest; }

private:
    at::Tensor m_rows, m_weights;
    double m_fastest = std::numeric_limits<double>::infinity();
};

} // namespace

// By one thread, since several wait for each other where the processor is shared, and in turns, so that both types find
// its clock and its caches alike.
double speedupOverFp32(const std::string& dtype)
{
    const auto type = parseDtype(dtype, at::kFloat);
    if (!type.has_value() || *type == at::kFloat)
        return 1;
    const int threads = at::get_num_threads();
    at::set_num_threads(1);
    Products whole(at::kFloat), other(*type);
    for (int round = 0; round < kRounds; ++round) {
        whole.multiply();
        other.multiply();
    }
    at::set_num_threads(threads);
    return whole.seconds() / other.seconds();
}

double productRate(const std::string& dtype)
{
    const auto type = parseDtype(dtype, at::kFloat);
    if (!type.has_value())
        return 0;
    const int threads = at::get_num_threads();
    at::set_num_threads(1);
    Products products(*type);
    for (int round = 0; round < kRounds; ++round)
        products.multiply();
    at::set_num_threads(threads);
    return 2.0 * kRows * kWidth * kWidth / products.seconds();
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
    return processor + ", one thread, torch " + TORCH_VERSION;
}

} // namespace headscope::lm
