// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the dtype `auto` stands for on the processor: the one a large model is stored in, where the processor multiplies
// it at least as fast as fp32. Lives on the thread that opens models.

#include "app/workbench/models/measuredspeed.h"
#include "core/base/result.h"

#include <filesystem>
#include <string>

namespace headscope::io {
class Checkpoint;
}

namespace headscope::app {

/// Parameters below which fp32 is kept: such a model is exact in it, as fast, and takes no memory to speak of.
inline constexpr std::int64_t kLargeModel = 100'000'000;

/// The type that most bytes of the weights are stored in: "fp32", "bf16", "fp16".
[[nodiscard]] std::string storedType(const io::Checkpoint& checkpoint);

/// "fp32", or `stored` for a model of that many parameters.
[[nodiscard]] std::string automaticType(const std::string& stored, std::int64_t parameters, double timesAsFast);

/// In which type a model is loaded, and why.
struct TypeChoice {
    std::string dtype;        ///< as lm::load() takes it
    std::string stored;       ///< of the file; empty where it is not looked at
    bool automatic = false;   ///< nobody asked for one
    double timesAsFast = 0;   ///< stored beside fp32 on this processor; 0: it was not measured
    bool roomDecided = false; ///< fp32 would be faster and takes more memory than there is
};

/// The sentence for a type that is not the file's, or that is in spite of its speed; empty: there is nothing to report.
[[nodiscard]] std::string reason(const TypeChoice& choice);

/// What `auto` stands for on the processor is named. `device` and `memory` as in the settings.
[[nodiscard]] Result<TypeChoice> chooseType(const std::filesystem::path& folder, const std::string& device,
                                            const std::string& dtype, std::int64_t memory);

} // namespace headscope::app
