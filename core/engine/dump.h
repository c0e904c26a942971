// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Raw tensors of a run under the keys of the golden models, for comparison with reference programs. Worker thread.

#include "core/base/result.h"
#include "core/lm/load.h"

#include <filesystem>
#include <string>
#include <vector>

namespace headscope::engine {

/// Reads `input_ids` (and `lengths`, `entries`, `channels` if a key needs them) from `tokens`, and writes the requested
/// keys to `out` as float32 or int64. Keys: logits, resid, attn.Li, mat.Li, mat_nod.Li, z_attn.Li, z_ssm.Li, greedy,
/// and logits.<intervention>; and those of analyses, which read `clean_ids`, `corrupt_ids`, `answer` and `distractor`
/// instead, or `skip` for jacobian and jacobian_lens. Returns the warnings of loading. Fails with the name of a key
/// that is unknown or that the model does not have.
[[nodiscard]] Result<std::vector<std::string>> dump(const std::filesystem::path& folder, const lm::LoadOptions& options,
                                                    const std::filesystem::path& tokens,
                                                    const std::filesystem::path& out,
                                                    const std::vector<std::string>& keys);

} // namespace headscope::engine
