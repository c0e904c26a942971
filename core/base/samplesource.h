// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Names of task samples in sessions, exports and sentences: "toy_kv:pairs=8, sample 5". Any thread.

#include <optional>
#include <string>

namespace headscope {

struct SampleSource {
    std::string task;
    int sample = 0;
};

[[nodiscard]] std::string sampleSource(const std::string& task, int sample);
/// Parses such a name; nothing for any other text, such as "text" for a user's own prompt.
[[nodiscard]] std::optional<SampleSource> parseSampleSource(const std::string& source);

} // namespace headscope
