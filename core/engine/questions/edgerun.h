// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Traces the inputs and readers of a part of a model, one edge at a time by path patching, over pairs of prompts and in
// steps. Worker thread.

#include "core/engine/questions/pairrun.h"
#include "core/why/paths/edges.h"

namespace headscope::engine {

struct EdgeRequest {
    why::Sender part;      ///< a head with its site, an MLP, the embedding, or the logits (layer index after the last)
    bool feeding = true;   ///< include edges into it, one per input part
    bool listening = true; ///< include edges from it
    PatchDirection direction = PatchDirection::Denoise;
};

/// Returns the edges into the part by sender, then those from it by receiver, without values.
[[nodiscard]] std::vector<why::Edge> possibleEdges(const lm::Model& model, const lm::Edits& base,
                                                   const EdgeRequest& asked);

class EdgeRun : public PairRun
{
public:
    /// `atOnce`: edges per step.
    EdgeRun(const lm::Model& model, const lm::Edits& base, std::vector<PromptPair> pairs, const EdgeRequest& asked,
            std::size_t atOnce)
        : PairRun(model, base, std::move(pairs), asked.direction, "tracing edges"), m_asked(asked), m_atOnce(atOnce)
    {
    }

    /// Returns the edges in the order of possibleEdges(); their values are in over().
    [[nodiscard]] const std::vector<why::Edge>& edges() const { return m_edges; }
    /// Returns whether the part writes nothing into the stream, so that nothing reads it.
    [[nodiscard]] bool silent() const { return m_silent; }

private:
    /// Fails with one sentence if there is no edge.
    [[nodiscard]] Result<std::size_t> begin(const why::Recording& into, const why::Recording& from) override;
    [[nodiscard]] Result<std::vector<double>> measure(const why::Recording& into, const why::Recording& from,
                                                      const why::Metric& metric, std::size_t first,
                                                      const Control& control) override;
    [[nodiscard]] Error noEdges() const;

    EdgeRequest m_asked;
    std::size_t m_atOnce;
    std::vector<why::Edge> m_edges;
    bool m_silent = false;
    std::optional<std::pair<why::Sender, at::Tensor>> m_change; ///< output of the last sender, [1, T, D]
};

} // namespace headscope::engine
