// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Path patching: what one part writes, sent to chosen readers and to nobody else (Wang et al. 2022, arXiv 2211.00593;
// Conmy et al. 2023, arXiv 2304.14997). A reader's stream gets write(from) - write(into) added before its norm, all
// else stays of `into`, and what the reader makes of it continues as usual. Worker thread.

#include "core/why/paths/patching.h"

namespace headscope::why {

/// Who writes: a head, an MLP (head -1), or the embedding (layer -1).
struct Sender {
    int layer = -1;
    Site site = Site::Any;
    int head = -1;
    auto operator<=>(const Sender&) const = default;
};

/// Who reads: some parts of a head, an MLP (parts 0), or the logits (layer = the model's count of layers).
struct Receiver {
    int layer = 0;
    Site site = Site::Any;
    int head = -1;
    unsigned parts = 0; ///< bits of lm::InputPart
    auto operator<=>(const Receiver&) const = default;
};

/// One sender's change and who gets it.
struct Route {
    at::Tensor change; ///< [1, T, D]
    std::vector<Receiver> receivers;
};

/// All that write before `layer`, in their order. Heads that only feed another mixer of their layer are not senders.
[[nodiscard]] std::vector<Sender> sendersBefore(const lm::Model& model, const lm::Edits& base, int layer);
/// All that read behind a sender: every part of every later head, MLPs, the logits.
[[nodiscard]] std::vector<Receiver> receiversBehind(const lm::Model& model, const lm::Edits& base,
                                                    const Sender& sender);
/// The parts that heads of a kind read through: `q k v`, with a gate `gate`; SSMs `c b x dt gate`.
[[nodiscard]] std::vector<std::pair<std::string, unsigned>> partsOf(lm::MixerKind kind);
/// Those of them through which the heads of this model read.
[[nodiscard]] std::vector<std::pair<std::string, unsigned>> partsRead(const lm::Model& model, int layer, Site site);

/// What each of them writes in `from` less what it writes in `into`, [1, T, D].
[[nodiscard]] Result<std::vector<at::Tensor>> changesOf(const lm::Model& model, const lm::Edits& base,
                                                        const Recording& into, const Recording& from,
                                                        std::span<const Sender> senders, const Control& control = {});

/// The metric of `into` with each route's change sent.
[[nodiscard]] Result<std::vector<double>> routedDifferences(const lm::Model& model, const lm::Edits& base,
                                                            const Recording& into, const Metric& metric,
                                                            std::span<const Route> routes, const Control& control = {});

} // namespace headscope::why
