// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Resolves the dtype `auto` on the processor: the one in which a large model is stored, if the processor multiplies it
// at least as fast as fp32. Lives on the thread that opens models.

#include "app/workbench/models/measuredspeed.h"
#include "core/base/result.h"

#include <filesystem>
#include <string>

namespace headscope::io {
class Checkpoint;
}

namespace headscope::app {

/// Number of parameters below which fp32 is used: it is exact, as fast, and needs little memory for such models.
inline constexpr std::int64_t kLargeModel = 100'000'000;

/// Returns the dtype of most bytes of the weights: "fp32", "bf16", "fp16".
[[nodiscard]] std::string storedType(const io::Checkpoint& checkpoint);

/// Returns "fp32", or `stored` for a model with that many parameters.
[[nodiscard]] std::string automaticType(const std::string& stored, std::int64_t parameters, double timesAsFast);

/// The dtype in which a model is loaded, and the reason.
struct TypeChoice {
    std::string dtype;        ///< as accepted by lm::load()
    std::string stored;       ///< of the file; empty if it was not read
    bool automatic = false;   ///< no dtype was requested
    double timesAsFast = 0;   ///< speed of the stored dtype relative to fp32 on this processor; 0: not measured
    bool roomDecided = false; ///< fp32 would be faster but exceeds the available memory
};

/// Returns the reason for a dtype other than the file's, or for a slower one; empty: nothing to report.
[[nodiscard]] std::string reason(const TypeChoice& choice);

/// Resolves `auto` on the processor. `device` and `memory` as in the settings.
[[nodiscard]] Result<TypeChoice> chooseType(const std::filesystem::path& folder, const std::string& device,
                                            const std::string& dtype, std::int64_t memory);

} // namespace headscope::app
