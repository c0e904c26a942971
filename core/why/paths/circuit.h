// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a model does with some of its edges alone: every other one carries what it carries in another run (Wang et al.
// 2022, arXiv 2211.00593; Conmy et al. 2023, arXiv 2304.14997). Heads read through all of their parts together. Worker
// thread.

#include "core/why/paths/edges.h"

#include <set>
#include <utility>

namespace headscope::why {

/// Who writes and who reads; the reader's parts are lm::kEveryPart for a head.
using Circuit = std::set<std::pair<Sender, Receiver>>;

/// Every edge of the model; `heads`: only those among these heads, MLPs, the embedding and the logits (empty: all).
[[nodiscard]] Circuit everyEdge(const lm::Model& model, const lm::Edits& base, const std::set<Sender>& heads = {});

/// Logits of the last position, fp32 [V], of the run whose kept edges carry what `from` writes along them and whose
/// others what `into` does. All edges give `from`, none gives `into`, where what heads write adds up: a norm behind the
/// mixer (Gemma-2) or an adapter that matches statistics (Hybrid-Llamba's double blocks) does not let it.
[[nodiscard]] Result<at::Tensor> circuitLogits(const lm::Model& model, const lm::Edits& base, const Recording& into,
                                               const Recording& from, const Circuit& kept, const Control& control = {});

} // namespace headscope::why
