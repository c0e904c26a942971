// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What feeds a part of a model and who listens to it, one edge at a time by path patching, over pairs of prompts and in
// steps. Worker thread.

#include "core/engine/questions/pairrun.h"
#include "core/why/paths/edges.h"

namespace headscope::engine {

struct EdgeRequest {
    why::Sender part;      ///< a head with its site, an MLP, the embedding, or the logits (the layer behind the last)
    bool feeding = true;   ///< edges into it, through each part that it reads by
    bool listening = true; ///< edges from it
    PatchDirection direction = PatchDirection::Denoise;
};

/// Edges into the part by sender, then those from it by receiver, without values.
[[nodiscard]] std::vector<why::Edge> possibleEdges(const lm::Model& model, const lm::Edits& base,
                                                   const EdgeRequest& asked);

class EdgeRun : public PairRun
{
public:
    /// `atOnce`: edges of a step.
    EdgeRun(const lm::Model& model, const lm::Edits& base, std::vector<PromptPair> pairs, const EdgeRequest& asked,
            std::size_t atOnce)
        : PairRun(model, base, std::move(pairs), asked.direction, "tracing edges"), m_asked(asked), m_atOnce(atOnce)
    {
    }

    /// In the order of possibleEdges(); values are those of over().
    [[nodiscard]] const std::vector<why::Edge>& edges() const { return m_edges; }
    /// The part writes nothing into the stream, so that nobody listens to it.
    [[nodiscard]] bool silent() const { return m_silent; }

private:
    /// Fails where there is no edge, with the sentence that says why.
    [[nodiscard]] Result<std::size_t> begin(const why::Recording& into, const why::Recording& from) override;
    [[nodiscard]] Result<std::vector<double>> measure(const why::Recording& into, const why::Recording& from,
                                                      const why::Metric& metric, std::size_t first,
                                                      const Control& control) override;
    [[nodiscard]] Error noEdges() const;

    EdgeRequest m_asked;
    std::size_t m_atOnce;
    std::vector<why::Edge> m_edges;
    bool m_silent = false;
    std::optional<std::pair<why::Sender, at::Tensor>> m_change; ///< what the last sender wrote, [1, T, D]
};

} // namespace headscope::engine
