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
    if (n > 1)
        entry.standardError = std::sqrt(entry.value * (1.0 - entry.value) / static_cast<double>(n - 1));
    entry.interval = analysis::wilsonInterval(correct, n);
    return entry;
}

std::optional<ScoreChange> changeFor(const analysis::PairedCounts& counts)
{
    if (counts.total() == 0)
        return std::nullopt;
    return ScoreChange{analysis::pairedChange(counts), counts.total(), counts.before(), counts.lost, counts.gained};
}

TableValue standardError(const ScoreEntry& entry)
{
    return entry.standardError ? TableValue(*entry.standardError) : TableValue();
}

void writeCsv(TableWriter& table, const ScoreEntry& entry)
{
    const SeriesKey& key = entry.series;
    std::vector<TableValue> row{
        entry.model,        key.modelHash,      key.tokenizerHash, key.dtype,      key.device,  key.task,
        key.ablation,       entry.metric,       entry.n,           entry.rejected, entry.value, standardError(entry),
        entry.interval.low, entry.interval.high};
    if (const auto& change = entry.change)
        row.insert(row.end(), {change->n, change->baseline, change->delta, change->interval.low, change->interval.high,
                               change->p, change->lost, change->gained});
    else
        row.insert(row.end(), 8, {});
    row.insert(row.end(),
               {std::int64_t{key.scoringVersion}, key.inputs, key.rowSource, key.taskVersion,
                analysis::kProportionInterval, entry.change ? TableValue(analysis::kPairedInterval) : TableValue()});
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
                              {"stderr", entry.standardError ? nlohmann::json(*entry.standardError) : nlohmann::json()},
                              {"value_interval", {entry.interval.low, entry.interval.high}},
                              {"value_interval_kind", analysis::kProportionInterval},
                              {"scoring_version", key.scoringVersion},
                              {"inputs", key.inputs},
                              {"row_source", key.rowSource},
                              {"task_version", key.taskVersion}};
        if (const auto& change = entry.change) {
            one["paired_n"] = change->n;
            one["baseline"] = change->baseline;
            one["delta"] = change->delta;
            one["interval"] = {change->interval.low, change->interval.high};
            one["interval_kind"] = analysis::kPairedInterval;
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
                                entry.standardError ? fmt::format("{:.4f}", *entry.standardError) : std::string()};
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
    TableWriter table(out, format, "scores",
                      exact ? columns({"model",      "model_hash",   "tokenizer_hash",  "dtype",
                                       "device",     "task",         "ablation",        "metric",
                                       "n",          "rejected",     "value",           "stderr",
                                       "low",        "high",         "paired_n",        "baseline",
                                       "delta",      "delta_low",    "delta_high",      "p",
                                       "lost",       "gained",       "scoring_version", "inputs",
                                       "row_source", "task_version", "interval_kind",   "delta_interval_kind"},
                                      {})
                            : columns({"model", "dtype", "task", "ablation", "metric"},
                                      {"n", "value", "stderr", "delta",
                                       fmt::format("95 % interval ({})", analysis::kPairedInterval).c_str(), "p"}));
    for (const ScoreEntry& entry : entries)
        exact ? writeCsv(table, entry) : writeReadable(table, entry);
    table.end();
    return out.str();
}

} // namespace headscope::sessions
