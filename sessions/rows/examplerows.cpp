// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/rows/examplerows.h"

#include "sessions/file/connection.h"
#include "sessions/rows/columns.h"
#include "sessions/rows/seriesrows.h"
#include "sessions/sessionstore.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace headscope::sessions {

namespace {

/// What the narrow index knows of a result.
struct Verdict {
    std::int64_t example = 0;
    std::optional<bool> correct, correctNorm;
};

/// Steps through a series in order of example, in the index alone.
class Verdicts
{
public:
    Verdicts(SQLite::Database& db, std::int64_t series)
        : m_query(db, "SELECT example_id, correct, correct_norm FROM results INDEXED BY results_summary WHERE "
                      "series_id = ? ORDER BY example_id")
    {
        m_query.bind(1, series);
    }
    bool next()
    {
        if (!m_query.executeStep())
            return false;
        m_now = {int64At(m_query, 0), flagAt(m_query, 1), flagAt(m_query, 2)};
        return true;
    }
    [[nodiscard]] const Verdict& now() const { return m_now; }

private:
    SQLite::Statement m_query;
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
        SQLite::Statement order(db,
                                "SELECT id FROM examples INDEXED BY examples_by_task WHERE task = ? ORDER BY row, id");
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
            const auto found =
                std::lower_bound(all.begin(), all.end(), id,
                                 [](const PairedExample& pair, std::int64_t wanted) { return pair.id < wanted; });
            if (found != all.end() && found->id == id) {
                sorted.push_back(*found);
                at = static_cast<std::size_t>(found - all.begin()) + 1;
            }
        }
        return sorted;
    });
}

Result<std::vector<ExamplePair>> examplePairs(SessionStore& session, const SeriesKey& before, const SeriesKey& now,
                                              std::span<const std::int64_t> ids)
{
    return session.connection().read<std::vector<ExamplePair>>([&](SQLite::Database& db) {
        const auto first = findSeries(db, before);
        const auto second = findSeries(db, now);
        std::vector<ExamplePair> page;
        SQLite::Statement example(db, fmt::format("SELECT {} FROM examples WHERE id = ?", kExampleColumns));
        SQLite::Statement result(db, fmt::format("SELECT {} FROM results r JOIN examples e ON e.id = r.example_id "
                                                 "WHERE r.series_id = ? AND r.example_id = ?",
                                                 kResultColumns));
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
