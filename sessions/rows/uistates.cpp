// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/uistates.h"

#include "sessions/rows/columns.h"
#include "sessions/sessionstore.h"

namespace headscope::sessions {

namespace {

constexpr std::int64_t kMostBytes = 16'000'000; // of one value
constexpr int kMostValues = 1000;

} // namespace

Result<std::vector<std::pair<std::string, std::string>>> uiStates(SessionStore& session, std::string_view prefix)
{
    using All = std::vector<std::pair<std::string, std::string>>;
    return session.connection().read<All>([prefix](SQLite::Database& db) {
        SQLite::Statement query(db, "SELECT key, value FROM ui_state WHERE substr(key, 1, length(?1)) = ?1 "
                                    "ORDER BY key LIMIT ?2");
        bindText(query, 1, prefix);
        query.bind(2, kMostValues);
        All all;
        while (query.executeStep())
            try {
                all.emplace_back(textAt(query, 0), stateAt(query, 1, kMostBytes));
            } catch (const BadRow&) { // what is no text of a bearable size is nothing of ours
            }
        return all;
    });
}

} // namespace headscope::sessions
