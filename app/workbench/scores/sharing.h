// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Work shared by any number of processes through a session, chunk by chunk (sessions/claims.h). On the thread of the
// session.

#include "core/base/pieces.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "sessions/claims.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace headscope::sessions {
class ResultWriter;
class SessionStore;
} // namespace headscope::sessions

namespace headscope::app {

struct OpenModel;

/// Part `number` of `count` of a work, counted from 0.
struct WorkPart {
    int number = 0;
    int count = 1;

    /// Returns whether an independent chunk belongs to this part.
    [[nodiscard]] bool has(int chunk) const { return chunk % count == number; }
};

/// Parses "K/N", with K from 0 to N-1.
[[nodiscard]] Result<WorkPart> parseWorkPart(const std::string& text);

/// Where a work of a model is shared, which part of it is done here, and who hears of it. Model and session outlive
/// this.
struct Sharing {
    OpenModel& open;
    sessions::SessionStore& session;
    std::optional<WorkPart> part;                   ///< nothing: all parts
    std::function<void(const std::string&)> notify; ///< called with a sentence on the processes that it waits for
};

/// The chunks of one work.
struct SharedChunks {
    std::string key; ///< hash of everything that determines the results, and of their division into chunks
    std::vector<sessions::WorkChunk> chunks;
    /// Measures a chunk. Returns its data for the session (sessions/results/chunkresults.h); nothing if its results are
    /// elsewhere: in the writer, or stored.
    std::function<Result<std::optional<std::string>>(int chunk, sessions::ResultWriter& results)> run;
};

/// Returns when all chunks of this part are done, here or by other processes that do the same on this session. Those
/// that run on one machine divide its processors.
[[nodiscard]] Result<void> shareChunks(const Sharing& sharing, const SharedChunks& work, const std::string& stage,
                                       const Control& control);

/// Measures pieces of work as chunks. `key`: hash of everything that determines the results of all such works.
[[nodiscard]] MeasurePieces sharedPieces(Sharing sharing, std::string key);

} // namespace headscope::app
