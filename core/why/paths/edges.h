// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Edges one at a time, by path patching: everything that one reader hears, and everything that hears one writer. Worker
// thread.

#include "core/why/paths/paths.h"

namespace headscope::why {

struct Edge {
    Sender sender;
    Receiver receiver;
    double value = 0; ///< the metric of the first run with this edge alone carrying the other's
};

/// What is said of a part before which nobody writes that could be traced.
[[nodiscard]] Error nothingBefore(const std::string& name);
/// Every part that writes before the receiver, in the model's order.
[[nodiscard]] std::vector<Sender> sendersTo(const lm::Model& model, const lm::Edits& base, const Receiver& receiver);
/// The metric with each of them alone carrying what the other run's does. Fails where nobody writes before it.
[[nodiscard]] Result<std::vector<Edge>> edgesInto(const lm::Model& model, const lm::Edits& base, const Recording& into,
                                                  const Recording& from, const Metric& metric, const Receiver& receiver,
                                                  const Control& control = {});
/// Every part that reads behind the sender, the logits last. Fails for a sender that writes nothing into the stream.
[[nodiscard]] Result<std::vector<Edge>> edgesFrom(const lm::Model& model, const lm::Edits& base, const Recording& into,
                                                  const Recording& from, const Metric& metric, const Sender& sender,
                                                  const Control& control = {});

} // namespace headscope::why
