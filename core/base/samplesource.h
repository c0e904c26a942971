// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How a sample of a task is named in sessions, exports and sentences: "toy_kv:pairs=8, sample 5". Any thread.

#include <optional>
#include <string>

namespace headscope {

struct SampleSource {
    std::string task;
    int sample = 0;
};

[[nodiscard]] std::string sampleSource(const std::string& task, int sample);
/// The reverse; nothing for any other text, such as "text" for a prompt of a person's own.
[[nodiscard]] std::optional<SampleSource> parseSampleSource(const std::string& source);

} // namespace headscope
