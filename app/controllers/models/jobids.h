// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Ids of the background jobs in the list of runs: one per kind and side. Any thread.

#include "core/base/side.h"

#include <QtGlobal>

#include <optional>

namespace headscope::gui {

enum class Job {
    Ranking,
    Removal,
    Scores,
    Estimate,
    PromptEffects,
    Curve,
    Metric,
    Found,
    Survey,
    LensFit,
    Patch,
    Edges,
    Weights,
    Probes,
    Sweep,
    HeadFacts,
    Experiment ///< without a side: A
};

[[nodiscard]] constexpr qint64 jobId(Job job, Side side)
{
    return 2 * static_cast<qint64>(job) + static_cast<qint64>(indexOf(side));
}

/// Returns the side of a job of this kind; nothing if the id belongs to another kind.
[[nodiscard]] constexpr std::optional<Side> sideOfJob(Job job, qint64 id)
{
    for (const Side side : kSides)
        if (jobId(job, side) == id)
            return side;
    return std::nullopt;
}

} // namespace headscope::gui
