// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What an experiment yields: rows of named columns, beside them the paper's own numbers, and charts drawn from columns.
// Plain values; any thread.

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
    Quantity,  ///< what the title says
    Benchmark, ///< the benchmark that the title names, or its replacement: each cell names it
    Perplexity ///< of the right continuations of such a benchmark
};

struct Column {
    std::string key; ///< in JSON and CSV: "mmlu"
    std::string title;
    Unit unit = Unit::Text;
    Source source = Source::Quantity;
};

/// A score against that of another state on the same rows.
struct Contrast {
    double difference = 0;       ///< now minus then; of perplexities, of their logarithms (nats)
    analysis::Interval interval; ///< of the difference, 95 %
    double p = 1;                ///< two-sided, paired, not corrected for other contrasts
    int n = 0;                   ///< rows that both have

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
    std::optional<double> relative;             ///< to the first row of its kind: -0.12 is 12 % less
    std::string task;                           ///< what was measured: "toy_kv:pairs=16"; empty: no benchmark
    std::optional<double> chance;               ///< what guessing gives on it
    bool samples = false;                       ///< on made-up sample rows instead of the benchmark's own
    std::optional<Contrast> contrast;           ///< with the first row of its kind

    bool operator==(const Cell& other) const;
};

struct Row {
    std::vector<Cell> cells; ///< one a column
    int paper = -1;          ///< index of the paper's row that this one corresponds to; -1: there is none

    bool operator==(const Row&) const = default;
};

/// The paper's own numbers; they are shown and stored apart from ours.
struct PaperRow {
    std::string label;                                   ///< what it was measured on: "Llama-3.1-8B, 10 heads removed"
    std::vector<std::pair<std::string, double>> numbers; ///< key of our column and the paper's value, in our unit

    [[nodiscard]] std::optional<double> find(std::string_view key) const;
};

struct Chart {
    enum class Kind {
        Lines,
        Points,
        Bars,
        Map,
        Layers,  ///< a layer a column, a benchmark a line
        Crossed, ///< what is left of one kind of heads against what is left of the other
        Counts   ///< how many heads it takes
    };
    std::string title;
    std::string x;                   ///< key of a column
    std::vector<std::string> y;      ///< keys of columns; Map: the value, then the vertical axis' column first
    std::vector<std::string> series; ///< keys of text columns that tell lines apart
    Kind kind = Kind::Lines;
};

struct Table {
    std::vector<Column> columns;
    std::vector<Row> rows;

    /// Index of a column; the key must be there.
    [[nodiscard]] std::size_t column(std::string_view key) const;
    [[nodiscard]] const Cell& cell(const Row& row, std::string_view key) const { return row.cells[column(key)]; }
    [[nodiscard]] const std::string& text(const Row& row, std::string_view key) const { return cell(row, key).text; }
    [[nodiscard]] std::optional<double> value(const Row& row, std::string_view key) const
    {
        return cell(row, key).value;
    }

    /// The first row whose text columns read so; null: none.
    [[nodiscard]] const Row* find(const std::vector<std::pair<std::string, std::string>>& texts) const;
    /// Distinct texts of a column, in order of appearance.
    [[nodiscard]] std::vector<std::string> distinct(std::string_view key) const;
    /// The rows where a text column reads so.
    [[nodiscard]] std::vector<const Row*> where(std::string_view key, std::string_view text) const;
    /// The same columns with those rows alone.
    [[nodiscard]] Table only(std::string_view key, std::string_view text) const;
};

/// The name of a column over its numbers: of the benchmarks that were measured, never of one that they stand for. The
/// declared title where nothing was measured, and "MMLU or its stand-in" where a stored table does not say.
[[nodiscard]] std::string heading(const Table& table, std::size_t column);
[[nodiscard]] std::string heading(const Table& table, std::string_view key);

/// p values of all contrasts together, corrected by Holm: [row][column], empty where a cell has none.
[[nodiscard]] std::vector<std::vector<std::optional<double>>> correctedP(const Table& table);

/// One line of a chart: points from rows that have both numbers. Where x is a text column, x counts from 0 and `labels`
/// are its texts.
struct Series {
    std::string name;
    std::vector<std::pair<double, double>> points;
    std::vector<std::string> labels;
};
[[nodiscard]] std::vector<Series> seriesOf(const Table& table, const Chart& chart);

/// A cell for people: "66.32", "53.12 (-12.0 %)", "-".
[[nodiscard]] std::string shown(const Cell& cell, Unit unit);
/// A number for people, in its unit.
[[nodiscard]] std::string shown(double value, Unit unit);
/// "66.32 %" where `shown` writes 66.32: for sentences.
[[nodiscard]] std::string percent(double share);

} // namespace headscope::experiments
