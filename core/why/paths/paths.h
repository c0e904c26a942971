// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Path patching: the output of one part, sent only to chosen readers (Wang et al. 2022, arXiv 2211.00593; Conmy et al.
// 2023, arXiv 2304.14997). write(from) - write(into) is added to a reader's stream before its norm, everything else
// stays as in `into`, and the reader's changed output propagates as usual. Worker thread.

#include "core/why/paths/patching.h"

namespace headscope::why {

/// A writer: a head, an MLP (head -1), or the embedding (layer -1).
struct Sender {
    int layer = -1;
    Site site = Site::Any;
    int head = -1;
    auto operator<=>(const Sender&) const = default;
};

/// A reader: some parts of a head, an MLP (parts 0), or the logits (layer = the model's layer count).
struct Receiver {
    int layer = 0;
    Site site = Site::Any;
    int head = -1;
    unsigned parts = 0; ///< bits of lm::InputPart
    auto operator<=>(const Receiver&) const = default;
};

/// A sender's change and its receivers.
struct Route {
    at::Tensor change; ///< [1, T, D]
    std::vector<Receiver> receivers;
};

/// Returns all writers before `layer`, in order. Heads that only feed another mixer of their layer are not senders.
[[nodiscard]] std::vector<Sender> sendersBefore(const lm::Model& model, const lm::Edits& base, int layer);
/// Returns all readers after a sender: every part of every later head, MLPs, the logits.
[[nodiscard]] std::vector<Receiver> receiversBehind(const lm::Model& model, const lm::Edits& base,
                                                    const Sender& sender);
/// Returns the input parts of a kind of heads: `q k v`, with a gate `gate`; SSMs `c b x dt gate`.
[[nodiscard]] std::vector<std::pair<std::string, unsigned>> partsOf(lm::MixerKind kind);
/// Returns those of them that the heads of this model have.
[[nodiscard]] std::vector<std::pair<std::string, unsigned>> partsRead(const lm::Model& model, int layer, Site site);

/// Returns each sender's output in `from` minus its output in `into`, [1, T, D].
[[nodiscard]] Result<std::vector<at::Tensor>> changesOf(const lm::Model& model, const lm::Edits& base,
                                                        const Recording& into, const Recording& from,
                                                        std::span<const Sender> senders, const Control& control = {});

/// Returns the metric of `into` for each route's change.
[[nodiscard]] Result<std::vector<double>> routedDifferences(const lm::Model& model, const lm::Edits& base,
                                                            const Recording& into, const Metric& metric,
                                                            std::span<const Route> routes, const Control& control = {});

} // namespace headscope::why
