// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/samplesource.h"

#include <charconv>
#include <string_view>

namespace headscope {

namespace {

constexpr std::string_view kSample = ", sample ";

} // namespace

std::string sampleSource(const std::string& task, int sample)
{
    return task + std::string(kSample) + std::to_string(sample);
}

std::optional<SampleSource> parseSampleSource(const std::string& source)
{
    const auto at = source.rfind(kSample);
    if (at == std::string::npos)
        return std::nullopt;
    SampleSource found{source.substr(0, at), 0};
    const char* const end = source.data() + source.size();
    const auto number = std::from_chars(source.data() + at + kSample.size(), end, found.sample);
    return number.ec == std::errc() && number.ptr == end ? std::optional(std::move(found)) : std::nullopt;
}

} // namespace headscope
