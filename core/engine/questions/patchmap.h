// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A map of patches: every head, or the stream, mixer or MLP of every layer, at all positions together, at the last or
// at each; or the state that an SSM carries past a position. Worker thread.

#include "core/engine/questions/overpairs.h"
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
    int layer = -1; ///< this one alone; -1: all
};

struct PatchCell {
    int layer = 0;
    why::Site site = why::Site::Any; ///< of a head
    int head = -1;                   ///< -1: not of a head
    int position = -1;               ///< -1: all
};

struct PatchMap {
    std::vector<PatchCell> cells;
    OverPairs over;
};

/// What a cell stands for, to be put in together with others. Not of a state.
[[nodiscard]] why::PatchPoint pointOf(PatchWhat what, const PatchCell& cell);

/// The cells of a map of prompts of that many tokens. Fails for a model none of whose layers has the part, with the
/// sentence that says why.
[[nodiscard]] Result<std::vector<PatchCell>> cellsOf(const lm::Model& model, const lm::Edits& base,
                                                     const PatchRequest& asked, int length);
/// The metric of `into` with each of these cells taken from `from`.
[[nodiscard]] Result<std::vector<double>> cellDifferences(const lm::Model& model, const lm::Edits& base,
                                                          const why::Recording& into, const why::Recording& from,
                                                          const why::Metric& metric, PatchWhat what,
                                                          std::span<const PatchCell> cells, const Control& control);

/// Fails for a model none of whose layers has the part, with the sentence that says why.
[[nodiscard]] Result<PatchMap> patchMap(const lm::Model& model, const lm::Edits& base,
                                        const std::vector<PromptPair>& pairs, const PatchRequest& asked,
                                        const Control& control, const MeasurePieces& pieces = measureHere);
/// The pairs of a map as pieces. Fails as patchMap() does. What it refers to outlives it.
[[nodiscard]] Result<PiecedWork> patchPieces(const lm::Model& model, const lm::Edits& base,
                                             const std::vector<PromptPair>& pairs, const PatchRequest& asked);

} // namespace headscope::engine
