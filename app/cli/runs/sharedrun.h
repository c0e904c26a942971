// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Work shared by several processes: through a common session, or in parts (--part K/N), each measured into its own
// session. Main thread.

#include "app/cli/runs/memoryreport.h"
#include "app/cli/runs/scoringmodel.h"
#include "app/workbench/scores/sharedwork.h"
#include "core/engine/ranking/rank.h"

#include <string>
#include <vector>

namespace headscope::cli {

/// Returns how a command opens a session that it writes to: it waits for other writers until Ctrl+C, and says so.
[[nodiscard]] sessions::OpenOptions waitingForWriters(const Context& context);

/// Fails if the environment requests work sharing by the methods of earlier versions, or indicates that several
/// processes run this without a common session. The error says what to do.
[[nodiscard]] Result<void> checkSharing(const Context& context);

/// Measures the missing results of these states, together with other processes that do the same; has no effect without
/// a session. The results are then read from the session.
[[nodiscard]] Result<void> shareStates(const Context& context, OpenModel& open, const engine::Benchmark& benchmark,
                                       const std::vector<interventions::InterventionSet>& states,
                                       const std::string& stage);
/// shareStates() for the rounds of a ranking, which become known one after the other; empty without a session.
[[nodiscard]] engine::Prepare sharedRound(const Context& context, OpenModel& open, std::string stage);
/// Returns the portions in which shareStates() runs the examples; empty if it has no effect.
[[nodiscard]] PortionsOf sharedPortions(OpenModel& open, std::vector<interventions::InterventionSet> states);

/// Returns the part that --part names; nothing if it is empty. Fails for malformed text, and without a session.
[[nodiscard]] Result<std::optional<app::WorkPart>> partOf(const Context& context, const std::string& text);

/// Returns the model's session for sharing a command's work, and the reporter of waiting processes.
[[nodiscard]] app::Sharing sharingOf(const Context& context, OpenModel& open, std::optional<app::WorkPart> part = {});

/// Work that can be divided into parts.
struct DividedWork {
    std::string key;                       ///< hash of everything that determines the results, and of their division
    std::string what;                      ///< description of the work for people
    std::function<Result<void>()> measure; ///< measures the part
};
/// Returns the work of scoring states of a model on a benchmark. Its arguments must outlive the result.
[[nodiscard]] DividedWork dividedStates(const Context& context, OpenModel& open,
                                        std::shared_ptr<const engine::Benchmark> benchmark,
                                        std::vector<interventions::InterventionSet> states, const app::WorkPart& part);

/// Measures the part of each work, records it in the session and prints a summary.
[[nodiscard]] Result<void> measurePart(const Context& context, sessions::SessionStore& session,
                                       const app::WorkPart& part, const std::vector<DividedWork>& works);

} // namespace headscope::cli
