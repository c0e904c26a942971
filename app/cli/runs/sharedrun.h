// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Work that several processes share: through the session, where they have one in common, or in parts (--part K/N),
// each measured into a session of its own. Main thread.

#include "app/cli/runs/memoryreport.h"
#include "app/cli/runs/scoringmodel.h"
#include "app/workbench/scores/sharedwork.h"
#include "core/engine/ranking/rank.h"

#include <string>
#include <vector>

namespace headscope::cli {

/// Fails where the environment asks for the ways to share work that earlier versions had, or says that several
/// processes run this and they have no session in common. The sentence names what to do.
[[nodiscard]] Result<void> checkSharing(const Context& context);

/// Measures what the session does not know of these states, together with other processes that do the same; nothing
/// where there is no session. The results are then read from the session.
[[nodiscard]] Result<void> shareStates(const Context& context, OpenModel& open, const engine::Benchmark& benchmark,
                                       const std::vector<interventions::InterventionSet>& states,
                                       const std::string& stage);
/// shareStates() for the rounds of a ranking, which are known one after the other; empty where there is no session.
[[nodiscard]] engine::Prepare sharedRound(const Context& context, OpenModel& open, std::string stage);
/// The portions in which shareStates() runs the examples; empty where it does nothing.
[[nodiscard]] PortionsOf sharedPortions(OpenModel& open, std::vector<interventions::InterventionSet> states);

/// Returns the part that --part names; nothing if it is empty. Fails for malformed text, and without a session.
[[nodiscard]] Result<std::optional<app::WorkPart>> partOf(const Context& context, const std::string& text);

/// The session that a command shares its work through, and who says for whom it waits.
[[nodiscard]] app::Sharing sharingOf(const Context& context, sessions::SessionStore& session,
                                     std::optional<app::WorkPart> part = {});

/// A work that can be divided into parts.
struct DividedWork {
    std::string key;                       ///< hash of everything that decides the results, and of how they are divided
    std::string what;                      ///< the work, for people
    std::function<Result<void>()> measure; ///< the part
};
/// States of a model on a benchmark. What it refers to outlives it.
[[nodiscard]] DividedWork dividedStates(const Context& context, OpenModel& open,
                                        std::shared_ptr<const engine::Benchmark> benchmark,
                                        std::vector<interventions::InterventionSet> states, const app::WorkPart& part);

/// Measures the part of each, records it in the session and prints what was done.
[[nodiscard]] Result<void> measurePart(const Context& context, sessions::SessionStore& session,
                                       const app::WorkPart& part, const std::vector<DividedWork>& works);

} // namespace headscope::cli
