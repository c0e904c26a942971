// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Single edges by path patching: all edges into one reader, and all edges from one writer. Worker
// thread.

#include "core/why/paths/paths.h"

namespace headscope::why {

struct Edge {
    Sender sender;
    Receiver receiver;
    double value = 0; ///< metric of the first run with only this edge's value from the other run
};

/// Returns the error for a part without traceable writers before it.
[[nodiscard]] Error nothingBefore(const std::string& name);
/// Returns every part that writes before the receiver, in the model's order.
[[nodiscard]] std::vector<Sender> sendersTo(const lm::Model& model, const lm::Edits& base, const Receiver& receiver);
/// Returns the metric with each of these edges alone taken from the other run. Fails if nothing writes before it.
[[nodiscard]] Result<std::vector<Edge>> edgesInto(const lm::Model& model, const lm::Edits& base, const Recording& into,
                                                  const Recording& from, const Metric& metric, const Receiver& receiver,
                                                  const Control& control = {});
/// Patches every edge to a later reader, the logits last. Fails for a sender that writes nothing into the stream.
[[nodiscard]] Result<std::vector<Edge>> edgesFrom(const lm::Model& model, const lm::Edits& base, const Recording& into,
                                                  const Recording& from, const Metric& metric, const Sender& sender,
                                                  const Control& control = {});

} // namespace headscope::why
