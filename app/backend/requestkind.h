// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the window asks the worker for: a newer request of the same kind for the same model replaces the older one. Any
// thread.

namespace headscope::gui {

enum class RequestKind {
    Session,
    Model,
    Sample,
    Tokens,
    Pattern,
    Strip,
    Scores,
    Curve,
    Rank,
    RankForecast,
    Metric,
    Found,
    Flips,
    Next,
    Rows,
    ProfileRow,
    RowOfHeads,
    Hover,
    Estimate,
    Continue,
    Removal,
    Lens,
    Direct,
    Patch,
    PatchCost,
    Edges,
    EdgeCost,
    LogProbs,
    Survey,
    HeadFacts,
    Sources,
    Weights,
    Probes,
    Sweep,
    PatchLook,
    SaveMaps,
    Experts
};

} // namespace headscope::gui
