// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A model's behaviour with only some of its edges: every other edge carries its value from another run (Wang et al.
// 2022, arXiv 2211.00593; Conmy et al. 2023, arXiv 2304.14997). Heads read through all of their parts together. Worker
// thread.

#include "core/why/paths/edges.h"

#include <set>
#include <utility>

namespace headscope::why {

/// Edges as writer and reader; the reader's parts are lm::kEveryPart for a head.
using Circuit = std::set<std::pair<Sender, Receiver>>;

/// Returns every edge of the model; `heads`: only those among these heads, MLPs, embedding and logits (empty: all).
[[nodiscard]] Circuit everyEdge(const lm::Model& model, const lm::Edits& base, const std::set<Sender>& heads = {});

/// Returns the logits of the last position, fp32 [V], of a run whose kept edges carry the values of `from` and whose
/// others those of `into`. All edges give `from`, none gives `into`, provided that head outputs are additive: a norm
/// after the mixer (Gemma-2) or an adapter that matches statistics (Hybrid-Llamba's double blocks) breaks this.
[[nodiscard]] Result<at::Tensor> circuitLogits(const lm::Model& model, const lm::Edits& base, const Recording& into,
                                               const Recording& from, const Circuit& kept, const Control& control = {});

} // namespace headscope::why
