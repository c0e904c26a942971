// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Numbers of the background jobs in the runs list: one a kind and side. Any thread.

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
    Experiment ///< of no side: A
};

[[nodiscard]] constexpr qint64 jobId(Job job, Side side)
{
    return 2 * static_cast<qint64>(job) + static_cast<qint64>(indexOf(side));
}

/// The side of a job of this kind; nothing where the number is another kind's.
[[nodiscard]] constexpr std::optional<Side> sideOfJob(Job job, qint64 id)
{
    for (const Side side : kSides)
        if (jobId(job, side) == id)
            return side;
    return std::nullopt;
}

} // namespace headscope::gui
