// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Work that any number of processes do together through a session, chunk by chunk (sessions/claims.h). On the thread of
// the session.

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

/// Part `number` of `count` of a work, counted from 0.
struct WorkPart {
    int number = 0;
    int count = 1;

    /// Whether an independent chunk is of this part.
    [[nodiscard]] bool has(int chunk) const { return chunk % count == number; }
};

/// "K/N", with K from 0 to N-1.
[[nodiscard]] Result<WorkPart> parseWorkPart(const std::string& text);

/// Where a work is shared, which part of it is done here, and who hears of it. The session outlives this.
struct Sharing {
    sessions::SessionStore& session;
    std::optional<WorkPart> part;                ///< nothing: all of it
    std::function<void(const std::string&)> say; ///< gets a sentence on the processes that are waited for
};

/// The chunks of one work.
struct SharedChunks {
    std::string key; ///< hash of everything that decides the results, and of how they are cut
    std::vector<sessions::WorkChunk> chunks;
    /// Measures a chunk. Returns what the session is to have of it (sessions/results/chunkresults.h); nothing where its
    /// results are elsewhere: in the writer, or stored.
    std::function<Result<std::optional<std::string>>(int chunk, sessions::ResultWriter& results)> run;
};

/// Returns when all chunks of this part are done, here or by other processes that do the same on this session.
[[nodiscard]] Result<void> shareChunks(const Sharing& sharing, const SharedChunks& work, const std::string& stage,
                                       const Control& control);

/// Measures pieces of a work as chunks. `key`: hash of everything that decides the results of all works of this kind.
[[nodiscard]] MeasurePieces sharedPieces(Sharing sharing, std::string key);

} // namespace headscope::app
