// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/examplerows.h"

#include "sessions/connection.h"
#include "sessions/rows.h"
#include "sessions/sessionrows.h"
#include "sessions/sessionstore.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <memory>
#include <optional>

namespace headscope::sessions {

namespace {

/// What the narrow index knows of a result.
struct Verdict {
    std::int64_t example = 0;
    std::optional<bool> correct, correctNorm;
};

struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};

/// Steps through a series in order of example, in the index alone. On SQLite's own functions: a million rows pass here while
/// a person waits, and the wrapper counts references for each column of each.
class Verdicts
{
public:
    Verdicts(SQLite::Database& db, std::int64_t series) : m_db(db)
    {
        constexpr const char* kQuery = "SELECT example_id, correct, correct_norm FROM results INDEXED BY results_summary WHERE series_id = ? ORDER BY example_id";
        sqlite3_stmt* made = nullptr;
        if (sqlite3_prepare_v2(db.getHandle(), kQuery, -1, &made, nullptr) != SQLITE_OK)
            throw SQLite::Exception(db.getHandle());
        m_query.reset(made);
        sqlite3_bind_int64(made, 1, series);
    }
    bool next()
    {
        const int state = sqlite3_step(m_query.get());
        if (state == SQLITE_DONE)
            return false;
        if (state != SQLITE_ROW)
            throw SQLite::Exception(m_db.getHandle());
        if (sqlite3_column_type(m_query.get(), 0) != SQLITE_INTEGER)
            throw BadRow("a result has no number for its example");
        m_now = {sqlite3_column_int64(m_query.get(), 0), flag(1), flag(2)};
        return true;
    }
    [[nodiscard]] const Verdict& now() const { return m_now; }

private:
    [[nodiscard]] std::optional<bool> flag(int column) const
    {
        const int type = sqlite3_column_type(m_query.get(), column);
        if (type == SQLITE_NULL)
            return std::nullopt;
        const std::int64_t value = sqlite3_column_int64(m_query.get(), column);
        if (type != SQLITE_INTEGER || (value != 0 && value != 1))
            throw BadRow("a result is neither right nor wrong");
        return value != 0;
    }

    SQLite::Database& m_db;
    std::unique_ptr<sqlite3_stmt, Finalize> m_query;
    Verdict m_now;
};

// Both lists are sorted by example, so one pass finds what they share.
template <typename Visit>
void visitPairs(SQLite::Database& db, const SeriesKey& before, const SeriesKey& now, const Visit& visit)
{
    const auto first = findSeries(db, before);
    const auto second = findSeries(db, now);
    if (!first || !second)
        return;
    Verdicts left(db, *first), right(db, *second);
    bool more = left.next() && right.next();
    while (more) {
        if (left.now().example < right.now().example) {
            more = left.next();
        } else if (right.now().example < left.now().example) {
            more = right.next();
        } else {
            visit(left.now(), right.now());
            more = left.next() && right.next();
        }
    }
}

} // namespace

Result<PairedTotals> pairedTotals(SessionStore& session, const SeriesKey& before, const SeriesKey& now)
{
    return session.connection().read<PairedTotals>([&](SQLite::Database& db) {
        PairedTotals totals;
        visitPairs(db, before, now, [&totals](const Verdict& was, const Verdict& is) {
            if (!was.correct || !is.correct)
                return;
            totals.acc.add(*was.correct, *is.correct);
            if (was.correctNorm && is.correctNorm)
                totals.norm.add(*was.correctNorm, *is.correctNorm);
        });
        return totals;
    });
}

Result<std::vector<PairedExample>> pairedExamples(SessionStore& session, const SeriesKey& before, const SeriesKey& now)
{
    return session.connection().read<std::vector<PairedExample>>([&](SQLite::Database& db) {
        std::vector<PairedExample> all;
        visitPairs(db, before, now, [&all](const Verdict& was, const Verdict& is) {
            if (was.correct && is.correct)
                all.push_back({was.example, *was.correct, *is.correct});
        });
        // From order of id to order of row; mostly they are the same, and then this only looks.
        SQLite::Statement order(db, "SELECT id FROM examples INDEXED BY examples_by_task WHERE task = ? ORDER BY row, id");
        bindText(order, 1, now.task);
        std::size_t at = 0;
        std::vector<PairedExample> sorted;
        sorted.reserve(all.size());
        while (order.executeStep()) {
            const std::int64_t id = int64At(order, 0);
            if (at < all.size() && all[at].id == id) {
                sorted.push_back(all[at++]);
                continue;
            }
            const auto found = std::lower_bound(all.begin(), all.end(), id, [](const PairedExample& pair, std::int64_t wanted) { return pair.id < wanted; });
            if (found != all.end() && found->id == id) {
                sorted.push_back(*found);
                at = static_cast<std::size_t>(found - all.begin()) + 1;
            }
        }
        return sorted;
    });
}

Result<std::vector<ExamplePair>> examplePairs(SessionStore& session, const SeriesKey& before, const SeriesKey& now, std::span<const std::int64_t> ids)
{
    return session.connection().read<std::vector<ExamplePair>>([&](SQLite::Database& db) {
        const auto first = findSeries(db, before);
        const auto second = findSeries(db, now);
        std::vector<ExamplePair> page;
        SQLite::Statement example(db, fmt::format("SELECT {} FROM examples WHERE id = ?", kExampleColumns));
        SQLite::Statement result(db, fmt::format("SELECT {} FROM results r JOIN examples e ON e.id = r.example_id "
                                                 "WHERE r.series_id = ? AND r.example_id = ?", kResultColumns));
        const auto resultOf = [&](const std::optional<std::int64_t>& series, std::int64_t id) {
            bindAll(result, series, id);
            if (!series || !result.executeStep())
                throw BadRequest(fmt::format("The session has no result of example number {}", id));
            return resultAt(result, 0);
        };
        for (const std::int64_t id : ids) {
            bindAll(example, id);
            if (!example.executeStep())
                throw BadRequest(fmt::format("The session has no example number {}", id));
            page.push_back({exampleAt(example, 0), resultOf(first, id), resultOf(second, id)});
        }
        return page;
    });
}

} // namespace headscope::sessions
