// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A map of patches: every head, or the stream, mixer or MLP of every layer, at all positions together, at the last or
// at each; or the state that an SSM carries past a position. Worker thread.

#include "core/engine/questions/overpairs.h"
#include "core/engine/questions/pairrun.h"
#include "core/why/paths/patching.h"

#include <span>

namespace headscope::engine {

enum class PatchWhat { Heads, Stream, Mixer, Mlp, State };
enum class PatchWhere { All, Last, Each };

/// "heads", "stream", "mixer", "mlp", "state"; "all", "last", "each".
[[nodiscard]] const char* name(PatchWhat what);
[[nodiscard]] const char* name(PatchWhere where);

struct PatchRequest {
    PatchWhat what = PatchWhat::Heads;
    PatchWhere where = PatchWhere::All;
    PatchDirection direction = PatchDirection::Denoise;
    int layer = -1; ///< only this layer; -1: all
};

struct PatchCell {
    int layer = 0;
    why::Site site = why::Site::Any; ///< site of a head
    int head = -1;                   ///< -1: not a head
    int position = -1;               ///< -1: all
};

struct PatchMap {
    std::vector<PatchCell> cells;
    OverPairs over;
};

/// Returns the patch of a cell, for patching several together. Not for states.
[[nodiscard]] why::PatchPoint pointOf(PatchWhat what, const PatchCell& cell);

/// Returns the cells of a map for prompts of that many tokens. Fails with one sentence if no layer of the model has the
/// part, and for heads, mixers and states where lm::checkSameHeads() fails.
[[nodiscard]] Result<std::vector<PatchCell>> cellsOf(const lm::Model& model, const lm::Edits& base,
                                                     const PatchRequest& asked, int length);
/// Returns the metric of `into` with each of these cells patched from `from`.
[[nodiscard]] Result<std::vector<double>> cellDifferences(const lm::Model& model, const lm::Edits& base,
                                                          const why::Recording& into, const why::Recording& from,
                                                          const why::Metric& metric, PatchWhat what,
                                                          std::span<const PatchCell> cells, const Control& control);

/// Measures a map. Fails with one sentence if no layer of the model has the part.
[[nodiscard]] Result<PatchMap> patchMap(const lm::Model& model, const lm::Edits& base,
                                        const std::vector<PromptPair>& pairs, const PatchRequest& asked,
                                        const Control& control, const MeasurePieces& pieces = measureHere);
/// Returns the pairs of a map as pieces of work. Fails like patchMap(). All arguments must outlive it.
[[nodiscard]] Result<PiecedWork> patchPieces(const lm::Model& model, const lm::Edits& base,
                                             const std::vector<PromptPair>& pairs, const PatchRequest& asked);

/// A map measured in steps, with the same numbers as patchMap().
class PatchRun : public PairRun
{
public:
    /// `atOnce`: cells per step.
    PatchRun(const lm::Model& model, const lm::Edits& base, std::vector<PromptPair> pairs, const PatchRequest& asked,
             std::size_t atOnce)
        : PairRun(model, base, std::move(pairs), asked.direction, "patching"), m_asked(asked), m_atOnce(atOnce)
    {
    }

    [[nodiscard]] const std::vector<PatchCell>& cells() const { return m_cells; }

private:
    [[nodiscard]] Result<std::size_t> begin(const why::Recording& into, const why::Recording& from) override;
    [[nodiscard]] Result<std::vector<double>> measure(const why::Recording& into, const why::Recording& from,
                                                      const why::Metric& metric, std::size_t first,
                                                      const Control& control) override;

    PatchRequest m_asked;
    std::size_t m_atOnce;
    std::vector<PatchCell> m_cells;
};

} // namespace headscope::engine
