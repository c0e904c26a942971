// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The result of an experiment: rows of named columns, the paper's own numbers beside them, and charts drawn from
// columns. Plain values; any thread.

#include "core/analysis/statistics.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::experiments {

enum class Unit {
    Text,
    Count,
    Share,  ///< 0 to 1; shown in percent
    Change, ///< a difference of shares; shown in percent, with its sign
    Number,
    Bytes
};

/// What the numbers of a column are measured on.
enum class Source {
    Quantity,   ///< the quantity in the title
    Benchmark,  ///< the benchmark in the title, or its replacement: each cell names it
    Perplexity, ///< perplexity of the right continuations of such a benchmark
    Checkpoints ///< a text that names checkpoints of one model
};

struct Column {
    std::string key; ///< in JSON and CSV: "mmlu"
    std::string title;
    Unit unit = Unit::Text;
    Source source = Source::Quantity;
};

/// A score compared with that of another state on the same rows.
struct Contrast {
    double difference = 0;       ///< now minus then; for perplexities, of their logarithms (nats)
    analysis::Interval interval; ///< 95 % interval of the difference
    double p = 1;                ///< two-sided, paired, not corrected for other contrasts
    int n = 0;                   ///< rows in both

    [[nodiscard]] bool operator==(const Contrast& other) const;
};

struct Cell {
    Cell() = default; ///< not measured
    Cell(std::string t) : text(std::move(t)) {}
    Cell(const char* t) : text(t) {}
    Cell(double v) : value(v) {}
    Cell(int v) : value(v) {}

    std::string text;
    std::optional<double> value;
    std::optional<analysis::Interval> interval; ///< 95 %
    int n = 0;                                  ///< examples
    std::optional<double> relative;             ///< relative to the first row of its kind: -0.12 is 12 % less
    std::string task;                           ///< the measured task: "toy_kv:pairs=16"; empty: not a benchmark
    std::optional<double> chance;               ///< score of guessing on it
    bool samples = false;                       ///< on invented sample rows instead of the benchmark's own
    std::optional<Contrast> contrast;           ///< comparison with the first row of its kind

    bool operator==(const Cell& other) const;
};

struct Row {
    std::vector<Cell> cells; ///< one per column
    int paper = -1;          ///< index of the paper's row that this one corresponds to; -1: there is none

    bool operator==(const Row&) const = default;
};

/// The paper's own numbers; shown and stored apart from measured ones.
struct PaperRow {
    std::string label;                                   ///< model and state: "Llama-3.1-8B, 10 heads removed"
    std::vector<std::pair<std::string, double>> numbers; ///< column key, and the paper's value in Headscope's unit

    [[nodiscard]] std::optional<double> find(std::string_view key) const;
};

struct Chart {
    enum class Kind {
        Lines,
        Points,
        Bars,
        Map,
        Layers,  ///< one layer per column, one benchmark per line
        Crossed, ///< remaining part of one kind of heads by that of the other
        Counts   ///< number of heads needed
    };
    std::string title;
    std::string x;                   ///< key of a column
    std::vector<std::string> y;      ///< column keys; Map: the value, then the vertical axis' column first
    std::vector<std::string> series; ///< keys of text columns that distinguish lines
    Kind kind = Kind::Lines;
};

struct Table {
    std::vector<Column> columns;
    std::vector<Row> rows;

    /// Returns the index of a column; the key must exist.
    [[nodiscard]] std::size_t column(std::string_view key) const;
    [[nodiscard]] const Cell& cell(const Row& row, std::string_view key) const { return row.cells[column(key)]; }
    [[nodiscard]] const std::string& text(const Row& row, std::string_view key) const { return cell(row, key).text; }
    [[nodiscard]] std::optional<double> value(const Row& row, std::string_view key) const
    {
        return cell(row, key).value;
    }

    /// Returns the first row with these texts in its text columns; null: none.
    [[nodiscard]] const Row* find(const std::vector<std::pair<std::string, std::string>>& texts) const;
    /// Returns the distinct texts of a column, in order of appearance.
    [[nodiscard]] std::vector<std::string> distinct(std::string_view key) const;
    /// Returns the rows with this text in a text column.
    [[nodiscard]] std::vector<const Row*> where(std::string_view key, std::string_view text) const;
    /// Returns a table with the same columns and only those rows.
    [[nodiscard]] Table only(std::string_view key, std::string_view text) const;
};

/// Returns a column's heading: the measured benchmarks, never those that they replace. The declared title if nothing
/// was measured, and "MMLU or its stand-in" if a stored table does not record it.
[[nodiscard]] std::string heading(const Table& table, std::size_t column);
[[nodiscard]] std::string heading(const Table& table, std::string_view key);

/// Returns the Holm-corrected p-values, which verdicts use: [row][column], empty for cells without a contrast.
/// Corrected over all contrasts of a model, or of a table whose rows have none or are checkpoints of one.
[[nodiscard]] std::vector<std::vector<std::optional<double>>> correctedP(const Table& table);

/// One line of a chart: points from rows that have both numbers. If x is a text column, x counts from 0 and `labels`
/// are its texts.
struct Series {
    std::string name;
    std::vector<std::pair<double, double>> points;
    std::vector<std::string> labels;
};
[[nodiscard]] std::vector<Series> seriesOf(const Table& table, const Chart& chart);

/// Formats a cell for display: "66.32", "53.12 (-12.0 %)", "-".
[[nodiscard]] std::string shown(const Cell& cell, Unit unit);
/// Formats a number for display, in its unit.
[[nodiscard]] std::string shown(double value, Unit unit);
/// Returns "66.32 %" where `shown` writes 66.32: for sentences.
[[nodiscard]] std::string percent(double share);
/// Returns whether the interval of a score includes the floor: the score of guessing among the options, or 0 for a task
/// without options. A fall from there carries no information.
[[nodiscard]] bool atFloor(const Cell& cell);
/// Returns a share for sentences, with a note if it is at the floor: "26.0 % (not above the floor)".
[[nodiscard]] std::string percent(const Cell& cell);

} // namespace headscope::experiments
