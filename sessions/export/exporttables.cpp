// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/export/exporttables.h"

#include "core/base/foldernames.h"
#include "core/base/words/suggestion.h"
#include "core/base/writefile.h"
#include "sessions/export/exportscores.h"
#include "sessions/file/connection.h"
#include "sessions/file/sessionpaths.h"
#include "sessions/rows/columns.h"
#include "sessions/sessionstore.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <ostream>
#include <stop_token>
#include <streambuf>

namespace headscope::sessions {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kReportEvery = 4096;

// A column whose name ends in '#' holds numbers.
struct Table {
    std::string_view name;
    const char* columns; ///< names, with spaces between
    const char* query;   ///< SQL for fmt::format; {} is the list of methods that measure a cost
};

constexpr std::array kTables{
    Table{"examples",
          "model model_hash dtype device task ablation row# gold# prediction# correct# correct_norm# greedy# "
          "greedy_choices log_likelihoods generated rejected "
          "seconds# context continuations file example inputs scoring_version#",
          "SELECT model, model_hash, dtype, device, task, ablation, row, gold, prediction, correct, correct_norm, "
          "greedy, greedy_choices, log_likelihoods, generated, "
          "rejected, seconds, context, continuations, file, example, inputs, scoring_version FROM results_overview"},
    Table{"rankings",
          "model model_hash task method dtype device ablation n# position# head value# delta# low# high# interval_of "
          "created",
          "SELECT m.name, substr(m.hash, 1, 12), k.task, k.method, k.dtype, k.device, a.text, k.n, h.position, h.head, "
          "h.value, CASE WHEN k.measured THEN h.delta END, CASE WHEN h.low < h.high THEN h.low END, "
          "CASE WHEN h.low < h.high THEN h.high END, "
          "CASE WHEN h.low < h.high THEN iif(k.measured, 'delta', 'value') END, k.created FROM "
          "(SELECT *, method IN ('{}') AS measured FROM rankings) k JOIN "
          "models m ON m.id = k.model_id JOIN ablations a ON a.id = k.ablation_id "
          "JOIN ranking_heads h ON h.ranking_id = k.id ORDER BY k.id, h.position"},
    Table{"heads",
          "model model_hash head name colour removal_task removal_delta# removal_low# removal_high# gather# aggregate#",
          // The newest number of each head with nothing else ablated: heads_overview takes the last ranking whole,
          // which may be of a few heads, or of a model that lacks some.
          "WITH measured AS (SELECT k.model_id, h.head, k.method, k.task, h.value, h.delta, h.low, h.high, max(k.id) "
          "FROM rankings k JOIN ablations a ON a.id = k.ablation_id JOIN ranking_heads h ON h.ranking_id = k.id "
          "WHERE a.text = '' GROUP BY k.model_id, h.head, k.method) "
          "SELECT c.model, c.model_hash, c.head, c.name, c.colour, x.task, x.delta, "
          "CASE WHEN x.low < x.high THEN x.low END, CASE WHEN x.low < x.high THEN x.high END, g.value, t.value "
          "FROM heads_overview c JOIN models m ON substr(m.hash, 1, 12) = c.model_hash "
          "LEFT JOIN measured x ON x.model_id = m.id AND x.head = c.head AND x.method = 'exact' "
          "LEFT JOIN measured g ON g.model_id = m.id AND g.head = c.head AND g.method = 'gather' "
          "LEFT JOIN measured t ON t.model_id = m.id AND t.head = c.head AND t.method = 'aggregate'"},
    Table{"ablations", "ablation model tasks# results# runs# patterns#",
          "SELECT ablation, model, tasks, results, runs, patterns FROM ablations_overview"},
    Table{"runs", "position# name ablation model created task dtype device n# acc# note",
          "SELECT position, name, ablation, model, created, task, dtype, device, n, acc, note FROM runs_overview"},
    Table{"models", "name hash source revision family dtype device layers# parameters# tokenizer added",
          "SELECT m.name, m.hash, m.source, m.revision, m.family, m.dtype, m.device, m.layers, m.parameters, t.hash, "
          "m.added FROM models m "
          "LEFT JOIN tokenizers t ON t.id = m.tokenizer_id ORDER BY m.id"},
    Table{
        "patterns",
        "model head matrix with_d# with_dt# with_gate# shown earlier_words dtype ablation source rows# cols# bytes# "
        "max_error# created prompt",
        "SELECT model, head, matrix, with_d, with_dt, with_gate, shown, earlier_words, dtype, ablation, source, rows, "
        "cols, bytes, max_error, created, prompt FROM patterns_overview"},
    Table{"surveys",
          "model model_hash dtype device ablation source tokens# finished# head metric n# mean# deviation# q05# q25# "
          "median# q75# q95# largest#",
          "SELECT model, model_hash, dtype, device, ablation, source, tokens, finished, head, metric, n, mean, "
          "deviation, q05, q25, median, q75, q95, largest FROM surveys_overview"},
    Table{"analyses",
          "model model_hash kind dtype device ablation source part receiver position# measure words value# low# high# "
          "summary created clean corrupt answer distractor",
          "WITH pairs AS (SELECT analysis_id, max(CASE WHEN part = 'clean' THEN words END) AS clean, "
          "max(CASE WHEN part = 'corrupt' THEN words END) AS corrupt, "
          "max(CASE WHEN part = 'answer' THEN words END) AS answer, "
          "max(CASE WHEN part = 'distractor' THEN words END) AS distractor "
          "FROM analysis_values WHERE measure = 'pair' AND position = 0 GROUP BY analysis_id) "
          "SELECT m.name, substr(m.hash, 1, 12), v.kind, v.dtype, v.device, a.text, v.source, x.part, "
          "nullif(x.receiver, ''), nullif(x.position, -1), x.measure, nullif(x.words, ''), x.value, x.low, x.high, "
          "v.summary, v.created, p.clean, p.corrupt, p.answer, p.distractor FROM analyses v "
          "JOIN models m ON m.id = v.model_id JOIN ablations a ON a.id = v.ablation_id "
          "JOIN analysis_values x ON x.analysis_id = v.id LEFT JOIN pairs p ON p.analysis_id = v.id "
          "ORDER BY v.id, x.number"},
    Table{"history", "step# created label model ablation",
          "SELECT h.id, h.created, h.label, m.name, a.text FROM history h LEFT JOIN models m ON m.id = h.model_id "
          "JOIN ablations a ON a.id = h.ablation_id ORDER BY h.id"},
};

constexpr auto kNames = [] {
    std::array<std::string_view, kTables.size() + 1> names{"scores"};
    for (std::size_t i = 0; i < kTables.size(); ++i)
        names[i + 1] = kTables[i].name;
    return names;
}();

std::vector<TableColumn> columnsOf(std::string_view words)
{
    std::vector<TableColumn> columns;
    while (!words.empty()) {
        const std::size_t end = std::min(words.find(' '), words.size());
        std::string_view word = words.substr(0, end);
        words.remove_prefix(std::min(end + 1, words.size()));
        const bool number = word.ends_with('#');
        word.remove_suffix(number ? 1 : 0);
        columns.push_back({std::string(word), number});
    }
    return columns;
}

TableValue valueAt(SQLite::Statement& row, int column)
{
    const SQLite::Column cell = row.getColumn(column);
    if (cell.isNull())
        return {};
    if (cell.isInteger())
        return cell.getInt64();
    if (cell.isFloat())
        return cell.getDouble();
    return textAt(row, column);
}

// What is left of a cell without the folders of a machine: paths stand in these columns and in no other.
std::string cellWithoutFolders(const TableColumn& column, const std::string& text)
{
    return column.name == "source" || column.name == "file"                               ? withoutFolders(text)
           : column.name == "ablation" || column.name == "name" || column.name == "label" ? ablationWithoutFolders(text)
                                                                                          : text;
}

std::int64_t writeRows(SQLite::Database& db, const Table& table, const TableOptions& options, std::ostream& out,
                       const Control& control)
{
    const std::vector<TableColumn> columns = columnsOf(table.columns);
    TableWriter writer(out, options.format, std::string(table.name), columns);
    SQLite::Statement query(db, fmt::format(fmt::runtime(table.query), fmt::join(kMeasuringMethods, "', '")));
    std::vector<TableValue> values(static_cast<std::size_t>(query.getColumnCount()));
    std::int64_t rows = 0;
    const bool paths = options.paths && options.format != TableFormat::Latex && options.format != TableFormat::Markdown;
    while (!control.stopped() && out && query.executeStep()) {
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = valueAt(query, static_cast<int>(i));
        for (std::size_t i = 0; !paths && i < values.size(); ++i)
            if (auto* text = std::get_if<std::string>(&values[i]))
                *text = cellWithoutFolders(columns[i], *text);
        writer.row(values);
        if (++rows % kReportEvery == 0)
            control.progress("exporting", rows, 0);
    }
    writer.end();
    return rows;
}

/// A stream into a file; the first failure is remembered and makes the stream bad.
class OutputBuffer : public std::streambuf
{
public:
    [[nodiscard]] Result<void> open(const fs::path& path)
    {
        setp(m_bytes.data(), m_bytes.data() + m_bytes.size());
        return m_file.open(path);
    }
    [[nodiscard]] Result<void> commit()
    {
        flush();
        return m_done.has_value() ? m_file.commit() : m_done;
    }

protected:
    int_type overflow(int_type letter) override
    {
        flush();
        if (!m_done.has_value())
            return traits_type::eof();
        return traits_type::eq_int_type(letter, traits_type::eof()) ? traits_type::not_eof(letter)
                                                                    : sputc(traits_type::to_char_type(letter));
    }

private:
    void flush()
    {
        if (m_done.has_value())
            m_done = m_file.append({pbase(), static_cast<std::size_t>(pptr() - pbase())});
        setp(m_bytes.data(), m_bytes.data() + m_bytes.size());
    }

    OutputFile m_file;
    Result<void> m_done;
    std::vector<char> m_bytes = std::vector<char>(std::size_t{1} << 16);
};

} // namespace

std::span<const std::string_view> tableNames()
{
    return kNames;
}

Result<std::int64_t> exportTable(SessionStore& session, std::string_view name, const TableOptions& options,
                                 std::ostream& out, const Control& control)
{
    const std::stop_callback stopping(control.stop,
                                      [handle = session.connection().db().getHandle()] { sqlite3_interrupt(handle); });
    if (name == kNames.front()) {
        auto scores = scoreTable(session);
        if (!scores.has_value())
            return control.stopped() ? cancelledError() : scores.error();
        const bool forPeople = options.format == TableFormat::Latex || options.format == TableFormat::Markdown;
        for (ScoreEntry& entry : *scores)
            if (!options.paths || forPeople)
                entry.series.ablation = ablationWithoutFolders(entry.series.ablation);
        out << scoreText(*scores, options.format);
        return static_cast<std::int64_t>(scores->size());
    }
    const auto table =
        std::find_if(kTables.begin(), kTables.end(), [name](const Table& each) { return each.name == name; });
    if (table == kTables.end())
        return inputError(fmt::format("There is no table '{}'{}; expected one of {}.", name,
                                      didYouMean(name, {kNames.begin(), kNames.end()}), fmt::join(kNames, ", ")));
    auto rows = session.connection().read<std::int64_t>(
        [&](SQLite::Database& db) { return writeRows(db, *table, options, out, control); });
    return control.stopped() ? Result<std::int64_t>(cancelledError()) : rows;
}

Result<std::int64_t> exportTable(SessionStore& session, std::string_view name, const TableOptions& options,
                                 const fs::path& file, const Control& control)
{
    OutputBuffer buffer;
    std::ostream out(&buffer);
    if (const auto opened = buffer.open(file); !opened.has_value())
        return opened.error();
    auto rows = exportTable(session, name, options, out, control);
    const auto written = rows.has_value() ? buffer.commit() : Result<void>();
    return written.has_value() ? rows : written.error();
}

} // namespace headscope::sessions
