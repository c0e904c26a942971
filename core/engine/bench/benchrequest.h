// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Request files of the performance benchmark, headscope-bench-request/1: token ids only, so that all compared programs
// do the same work. Any thread.

#include "core/base/result.h"
#include "core/engine/scoring/pairs/encode.h"
#include "core/interventions/intervention.h"

#include <array>
#include <filesystem>
#include <string>
#include <vector>

namespace headscope::engine {

struct BenchRequest {
    std::string
        workload; ///< kv-click, kv-sweep, mc-letter, mc-text, maps, prefill, decode, startup; control, race, estimate
    std::string model; ///< name of the model, for information only

    // kv-click, kv-sweep, mc-letter, mc-text
    std::vector<interventions::HeadRef> ablations; ///< kv-sweep: every head, layer-major
    std::vector<EncodedExample> items;
    std::vector<int> gold;

    // maps, decode, startup; prefill
    std::vector<int> prompt;
    std::vector<std::vector<int>> sequences;
    std::vector<std::array<int, 4>> probes; ///< layer, head, query, key
    int newTokens = 0;

    /// Returns whether the workload ablates the heads of a kv-sweep file.
    [[nodiscard]] bool ofSweep() const
    {
        return workload == "kv-sweep" || workload == "control" || workload == "race" || workload == "estimate";
    }
    [[nodiscard]] bool scores() const { return ofSweep() || workload == "kv-click" || workload.starts_with("mc-"); }
    [[nodiscard]] int largestId() const;
};

/// Reads `file` for `workload`. Fails with one sentence for another format or workload and for missing keys or keys of
/// the wrong type; unknown keys are ignored.
[[nodiscard]] Result<BenchRequest> readBenchRequest(const std::filesystem::path& file, const std::string& workload);

/// Returns an item's continuations as sequences: those with the same inputs share one.
[[nodiscard]] EncodedExample encodeItem(const std::vector<int>& context,
                                        const std::vector<std::vector<int>>& continuations, int scoreFrom);

} // namespace headscope::engine
