// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/export/exportscores.h"

#include "sessions/rows/examplerows.h"
#include "sessions/sessionstore.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <initializer_list>
#include <sstream>

namespace headscope::sessions {

namespace {

ScoreEntry entryFor(const SeriesScore& row, const char* metric, std::int64_t n, std::int64_t correct)
{
    ScoreEntry entry;
    entry.series = row.series;
    entry.model = row.modelName;
    entry.metric = metric;
    entry.n = n;
    entry.rejected = row.rejected;
    entry.value = static_cast<double>(correct) / static_cast<double>(n);
    entry.standardError = n > 1 ? std::sqrt(entry.value * (1.0 - entry.value) / static_cast<double>(n - 1)) : 0.0;
    entry.interval = analysis::wilsonInterval(correct, n);
    return entry;
}

std::optional<ScoreChange> changeFor(const analysis::PairedCounts& counts)
{
    if (counts.total() == 0)
        return std::nullopt;
    ScoreChange change;
    change.n = counts.total();
    change.baseline = static_cast<double>(counts.bothRight + counts.lost) / static_cast<double>(counts.total());
    change.delta = counts.difference();
    change.interval = analysis::newcombePairedInterval(counts);
    change.p = analysis::mcnemarExact(counts);
    change.lost = counts.lost;
    change.gained = counts.gained;
    return change;
}

void writeCsv(TableWriter& table, const ScoreEntry& entry)
{
    const SeriesKey& key = entry.series;
    std::vector<TableValue> row{
        entry.model,        key.modelHash,      key.tokenizerHash, key.dtype,      key.device,  key.task,
        key.ablation,       entry.metric,       entry.n,           entry.rejected, entry.value, entry.standardError,
        entry.interval.low, entry.interval.high};
    if (const auto& change = entry.change)
        row.insert(row.end(), {change->n, change->baseline, change->delta, change->interval.low, change->interval.high,
                               change->p, change->lost, change->gained});
    else
        row.insert(row.end(), 8, {});
    row.insert(row.end(), {std::int64_t{key.scoringVersion}, key.inputs, key.rowSource, key.taskVersion});
    table.row(row);
}

std::string entriesText(std::span<const ScoreEntry> entries)
{
    nlohmann::json list = nlohmann::json::array();
    for (const ScoreEntry& entry : entries) {
        const SeriesKey& key = entry.series;
        nlohmann::json one = {{"model", entry.model},
                              {"model_hash", key.modelHash},
                              {"tokenizer_hash", key.tokenizerHash},
                              {"dtype", key.dtype},
                              {"device", key.device},
                              {"task", key.task},
                              {"ablation", key.ablation},
                              {"metric", entry.metric},
                              {"n", entry.n},
                              {"rejected", entry.rejected},
                              {"value", entry.value},
                              {"stderr", entry.standardError},
                              {"value_interval", {entry.interval.low, entry.interval.high}},
                              {"scoring_version", key.scoringVersion},
                              {"inputs", key.inputs},
                              {"row_source", key.rowSource},
                              {"task_version", key.taskVersion}};
        if (const auto& change = entry.change) {
            one["paired_n"] = change->n;
            one["baseline"] = change->baseline;
            one["delta"] = change->delta;
            one["interval"] = {change->interval.low, change->interval.high};
            one["p"] = change->p;
            one["lost"] = change->lost;
            one["gained"] = change->gained;
        }
        list.push_back(std::move(one));
    }
    return nlohmann::json{{"scores", list}}.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

// What people read: names, then the value, and what changed.
void writeReadable(TableWriter& table, const ScoreEntry& entry)
{
    std::vector<TableValue> row{entry.model,
                                entry.series.dtype,
                                entry.series.task,
                                entry.series.ablation.empty() ? "none" : entry.series.ablation,
                                entry.metric,
                                entry.n,
                                fmt::format("{:.4f}", entry.value),
                                fmt::format("{:.4f}", entry.standardError)};
    if (const auto& change = entry.change)
        row.insert(row.end(), {fmt::format("{:+.4f}", change->delta),
                               fmt::format("[{:+.4f}, {:+.4f}]", change->interval.low, change->interval.high),
                               change->p < 1e-4 ? fmt::format("{:.1e}", change->p) : fmt::format("{:.4f}", change->p)});
    else
        row.insert(row.end(), 3, {});
    table.row(row);
}

std::vector<TableColumn> columns(std::initializer_list<const char*> texts, std::initializer_list<const char*> numbers)
{
    std::vector<TableColumn> all;
    for (const char* name : texts)
        all.push_back({name, false});
    for (const char* name : numbers)
        all.push_back({name, true});
    return all;
}

} // namespace

Result<std::vector<ScoreEntry>> scoreTable(SessionStore& session)
{
    const auto rows = session.scores();
    if (!rows.has_value())
        return rows.error();
    std::vector<ScoreEntry> entries;
    for (const SeriesScore& row : *rows) {
        PairedTotals pairs;
        if (!row.series.ablation.empty()) {
            const auto found = pairedTotals(session, baselineOf(row.series), row.series);
            if (!found.has_value())
                return found.error();
            pairs = *found;
        }
        if (row.n > 0) {
            entries.push_back(entryFor(row, "acc", row.n, row.correct));
            entries.back().change = changeFor(pairs.acc);
        }
        if (row.nNorm > 0) {
            entries.push_back(entryFor(row, "acc_norm", row.nNorm, row.correctNorm));
            entries.back().change = changeFor(pairs.norm);
        }
    }
    return entries;
}

std::string scoreText(std::span<const ScoreEntry> entries, TableFormat format)
{
    if (format == TableFormat::Json)
        return entriesText(entries);
    std::ostringstream out;
    const bool exact = format == TableFormat::Csv;
    TableWriter table(
        out, format, "scores",
        exact ? columns(
            {"model",      "model_hash",  "tokenizer_hash", "dtype",  "device", "task",   "ablation",        "metric",
             "n",          "rejected",    "value",          "stderr", "low",    "high",   "paired_n",        "baseline",
             "delta",      "delta_low",   "delta_high",     "p",      "lost",   "gained", "scoring_version", "inputs",
             "row_source", "task_version"},
            {})
              : columns({"model", "dtype", "task", "ablation", "metric"},
                        {"n", "value", "stderr", "delta", "95 % interval", "p"}));
    for (const ScoreEntry& entry : entries)
        exact ? writeCsv(table, entry) : writeReadable(table, entry);
    table.end();
    return out.str();
}

} // namespace headscope::sessions
