// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Requests without a file: token ids drawn in the forms of the benchmark's workloads, identical on every machine. Any
// thread.

#include "core/engine/bench/benchrequest.h"
#include "core/lm/spec.h"

namespace headscope::engine {

/// Draws a request of kv-click, mc-letter, mc-text or maps for a model; maps: one prompt of `items` tokens. Otherwise
/// five heads from the first layer to the last are ablated one after another. kv-click: 16 pairs of five tokens after a
/// common prefix of six, and a question; 16 answers of one token. mc-letter: twenty questions of 80 tokens share 600;
/// four answers of one token. mc-text: prompts of 680 tokens that share six, four answers of eight tokens. Fails if the
/// model has too few tokens or no heads.
[[nodiscard]] Result<BenchRequest> drawnRequest(const std::string& workload, const lm::ModelSpec& spec, int items);

} // namespace headscope::engine
