// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/settings.h"

#include "core/lm/device/device.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <tuple>
#include <utility>

namespace headscope::app {

namespace {

constexpr std::array kStartTokens = {
    std::pair{StartToken::Automatic, "automatic"}, std::pair{StartToken::Never, "never"},
    std::pair{StartToken::AsTokenizer, "default"}, std::pair{StartToken::Always, "always"}};
constexpr int kMostThreads = 1024;

// Of "GB", "GiB", "G", in any case; 0 for anything else.
double bytesOf(std::string unit)
{
    std::transform(unit.begin(), unit.end(), unit.begin(), [](unsigned char c) { return std::tolower(c); });
    if (unit.empty() || unit == "b")
        return 1;
    const std::size_t power = std::string_view("kmgt").find(unit.front()) + 1;
    const std::string_view rest = std::string_view(unit).substr(1);
    if (power == 0 || (!rest.empty() && rest != "b" && rest != "ib"))
        return 0;
    return std::pow(rest == "ib" ? 1024.0 : 1000.0, static_cast<double>(power));
}

} // namespace

const char* name(StartToken token)
{
    return kStartTokens[static_cast<std::size_t>(token)].second;
}

Result<StartToken> parseStartToken(std::string_view text)
{
    for (const auto& [token, word] : kStartTokens)
        if (text == word)
            return token;
    return inputError("'" + std::string(text)
                      + "' is not a rule for the start token; expected automatic, never, default " + "or always.");
}

Result<std::int64_t> parseMemory(std::string_view text)
{
    double number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    std::string unit(end, text.data() + text.size());
    unit.erase(0, std::min(unit.find_first_not_of(' '), unit.size()));
    const double bytes = number * bytesOf(unit);
    if (problem != std::errc() || !(bytes >= 1) || bytes > 0x1p62)
        return inputError("'" + std::string(text)
                          + "' is not an amount of memory; expected one such as 12GB or 512MiB.");
    return static_cast<std::int64_t>(bytes);
}

Result<void> check(const Settings& settings)
{
    if (const auto device = lm::checkDevice(settings.device); !device.has_value())
        return device.error();
    constexpr std::array<std::string_view, 6> kDtypes = {"auto", "fp32", "bf16", "fp16", "int8", "int4"};
    if (std::find(kDtypes.begin(), kDtypes.end(), settings.dtype) == kDtypes.end())
        return inputError("There is no dtype '" + settings.dtype + "'; expected auto, fp32, bf16, fp16, int8 or int4.");
    if (settings.threads < 0 || settings.threads > kMostThreads)
        return inputError("Models cannot run on " + std::to_string(settings.threads)
                          + " threads; expected 0 (one a core) to " + std::to_string(kMostThreads) + ".");
    if (settings.keptPacked < 0)
        return inputError("The cache cannot keep " + std::to_string(settings.keptPacked)
                          + " bytes of quantized weights; expected 0 (none) or more.");
    if (settings.memory < 0)
        return inputError("A model cannot run in " + std::to_string(settings.memory)
                          + " bytes of memory; expected 0 (all free memory) or more.");
    return {};
}

bool reopensModels(const Settings& before, const Settings& after)
{
    const auto weights = [](const Settings& settings) {
        return std::tuple(settings.device, settings.dtype, settings.memory, settings.orderSeed);
    };
    return weights(before) != weights(after);
}

} // namespace headscope::app
