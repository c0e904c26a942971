// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/exportscores.h"

#include "sessions/sessionstore.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace headscope::sessions {

namespace {

ScoreEntry entryFor(const ScoreRow& row, const char* metric, std::int64_t n, std::int64_t correct)
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

std::optional<ScoreChange> changeFor(const std::vector<PairedRow>& pairs, bool norm)
{
    analysis::PairedCounts counts;
    for (const PairedRow& pair : pairs) {
        if (!norm)
            counts.add(pair.baseline, pair.now);
        else if (pair.baselineNorm.has_value() && pair.nowNorm.has_value())
            counts.add(*pair.baselineNorm, *pair.nowNorm);
    }
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

std::string csvField(const std::string& text)
{
    if (text.find_first_of(",\"\r\n") == std::string::npos)
        return text;
    std::string quoted = "\"";
    for (const char c : text)
        quoted += c == '"' ? "\"\"" : std::string(1, c);
    return quoted + "\"";
}

std::string latexField(const std::string& text)
{
    std::string escaped;
    for (const char c : text) {
        switch (c) {
        case '\\': escaped += "\\textbackslash{}"; break;
        case '~': escaped += "\\textasciitilde{}"; break;
        case '^': escaped += "\\textasciicircum{}"; break;
        case '&': case '%': case '$': case '#': case '_': case '{': case '}': escaped += '\\'; [[fallthrough]];
        default: escaped += c;
        }
    }
    return escaped;
}

std::string markdownField(const std::string& text)
{
    std::string escaped;
    for (const char c : text) {
        if (c == '|' || c == '\\' || c == '*' || c == '`')
            escaped += '\\';
        escaped += c == '\n' ? ' ' : c;
    }
    return escaped;
}

std::string csv(std::span<const ScoreEntry> entries)
{
    std::string text = "model,model_hash,tokenizer_hash,dtype,device,task,ablation,metric,n,rejected,value,stderr,low,high,"
                       "paired_n,baseline,delta,delta_low,delta_high,p,lost,gained,scoring_version,inputs\r\n";
    for (const ScoreEntry& entry : entries) {
        const SeriesKey& key = entry.series;
        text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},", csvField(entry.model), csvField(key.modelHash), csvField(key.tokenizerHash),
                            csvField(key.dtype), csvField(key.device), csvField(key.task), csvField(key.ablation), entry.metric, entry.n,
                            entry.rejected, entry.value, entry.standardError, entry.interval.low, entry.interval.high);
        if (const auto& change = entry.change)
            text += fmt::format("{},{},{},{},{},{},{},{},", change->n, change->baseline, change->delta, change->interval.low,
                                change->interval.high, change->p, change->lost, change->gained);
        else
            text += ",,,,,,,,";
        text += fmt::format("{},{}\r\n", key.scoringVersion, csvField(key.inputs));
    }
    return text;
}

std::string json(std::span<const ScoreEntry> entries)
{
    nlohmann::json list = nlohmann::json::array();
    for (const ScoreEntry& entry : entries) {
        const SeriesKey& key = entry.series;
        nlohmann::json one = {{"model", entry.model}, {"model_hash", key.modelHash}, {"tokenizer_hash", key.tokenizerHash}, {"dtype", key.dtype},
                              {"device", key.device}, {"task", key.task}, {"ablation", key.ablation}, {"metric", entry.metric}, {"n", entry.n},
                              {"rejected", entry.rejected}, {"value", entry.value}, {"stderr", entry.standardError},
                              {"value_interval", {entry.interval.low, entry.interval.high}}, {"scoring_version", key.scoringVersion},
                              {"inputs", key.inputs}};
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

// The columns that people read: names, then value, and what changed.
std::vector<std::string> readable(const ScoreEntry& entry)
{
    std::vector<std::string> cells{entry.model, entry.series.dtype, entry.series.task, entry.series.ablation.empty() ? "none" : entry.series.ablation,
                                   entry.metric, std::to_string(entry.n), fmt::format("{:.4f}", entry.value), fmt::format("{:.4f}", entry.standardError)};
    if (const auto& change = entry.change) {
        cells.push_back(fmt::format("{:+.4f}", change->delta));
        cells.push_back(fmt::format("[{:+.4f}, {:+.4f}]", change->interval.low, change->interval.high));
        cells.push_back(change->p < 1e-4 ? fmt::format("{:.1e}", change->p) : fmt::format("{:.4f}", change->p));
    } else {
        cells.insert(cells.end(), 3, "");
    }
    return cells;
}

constexpr const char* kReadableHeads[] = {"model", "dtype", "task", "ablation", "metric", "n", "value", "stderr", "delta", "95 % interval", "p"};

std::string latex(std::span<const ScoreEntry> entries)
{
    std::string text = "\\begin{tabular}{lllllrrrrrr}\n\\toprule\n";
    for (const char* head : kReadableHeads)
        text += (head == kReadableHeads[0] ? "" : " & ") + latexField(head);
    text += " \\\\\n\\midrule\n";
    for (const ScoreEntry& entry : entries) {
        const auto cells = readable(entry);
        for (std::size_t i = 0; i < cells.size(); ++i)
            text += (i == 0 ? "" : " & ") + latexField(cells[i]);
        text += " \\\\\n";
    }
    return text + "\\bottomrule\n\\end{tabular}\n";
}

std::string markdown(std::span<const ScoreEntry> entries)
{
    std::string text = "|";
    std::string rule = "|";
    for (std::size_t i = 0; i < std::size(kReadableHeads); ++i) {
        text += fmt::format(" {} |", kReadableHeads[i]);
        rule += i < 5 ? " --- |" : " ---: |";
    }
    text += "\n" + rule + "\n";
    for (const ScoreEntry& entry : entries) {
        text += "|";
        for (const std::string& cell : readable(entry))
            text += " " + markdownField(cell) + " |";
        text += "\n";
    }
    return text;
}

} // namespace

Result<std::vector<ScoreEntry>> scoreTable(SessionStore& session)
{
    const auto rows = session.scores();
    if (!rows.has_value())
        return rows.error();
    std::vector<ScoreEntry> entries;
    for (const ScoreRow& row : *rows) {
        std::vector<PairedRow> pairs;
        if (!row.series.ablation.empty()) {
            auto found = session.paired(baselineOf(row.series), row.series);
            if (!found.has_value())
                return found.error();
            pairs = std::move(*found);
        }
        if (row.n > 0) {
            entries.push_back(entryFor(row, "acc", row.n, row.correct));
            entries.back().change = changeFor(pairs, false);
        }
        if (row.nNorm > 0) {
            entries.push_back(entryFor(row, "acc_norm", row.nNorm, row.correctNorm));
            entries.back().change = changeFor(pairs, true);
        }
    }
    return entries;
}

Result<TableFormat> tableFormat(std::string_view name)
{
    if (name == "csv")
        return TableFormat::Csv;
    if (name == "json")
        return TableFormat::Json;
    if (name == "latex")
        return TableFormat::Latex;
    if (name == "markdown")
        return TableFormat::Markdown;
    return inputError("There is no table format '" + std::string(name) + "': expected csv, json, latex or markdown.");
}

std::string scoreText(std::span<const ScoreEntry> entries, TableFormat format)
{
    switch (format) {
    case TableFormat::Csv: return csv(entries);
    case TableFormat::Json: return json(entries);
    case TableFormat::Latex: return latex(entries);
    case TableFormat::Markdown: return markdown(entries);
    }
    return {};
}

} // namespace headscope::sessions
