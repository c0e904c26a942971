// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A user's table of questions (CSV, JSON lines), and the task file made from it once its columns are assigned. Reads a
// file; the rest is pure. Any thread.

#include "core/base/result.h"
#include "core/tasks/example.h"
#include "core/tasks/import/encodings.h"

#include <filesystem>
#include <string>
#include <vector>

namespace headscope::tasks {

/// How a column identifies the right option.
enum class AnswerForm {
    Text,     ///< the option's own text
    Letter,   ///< A, B, …
    FromZero, ///< 0, 1, …
    FromOne,  ///< 1, 2, …
};

/// The meaning of a table's columns.
struct TableMeaning {
    std::string name; ///< task name
    Scoring scoring = Scoring::MultipleChoice;
    std::string prompt;               ///< a template: "Question: {{question}}\nAnswer:"
    std::vector<std::string> choices; ///< multiple choice: columns with one option each, or one with lists
    std::string answer;               ///< column name
    AnswerForm form = AnswerForm::Text;
};

/// Describes the columns and their meaning in a sentence.
[[nodiscard]] std::string toText(const TableMeaning& meaning);

/// One row, interpreted by the table's meaning.
struct TableRow {
    std::string prompt;
    std::vector<std::string> choices;
    std::string answer; ///< its text; for multiple choice, that of the right option
    int gold = -1;      ///< index of the right option; -1: there are no options
};

/// A task file's text (resources/samples/README.md) with the rows inside.
struct TableTask {
    std::string json;
    int rows = 0;
    int refused = 0;
    std::string firstRefusal; ///< reason for the first rejected row; empty: none was rejected
};

/// The number of rows that fit a meaning.
struct TableFit {
    int looked = 0;
    int usable = 0;
    int first = -1;      ///< index of the first usable row; -1: none
    std::string refusal; ///< why the first unusable row is rejected; empty: all are usable
};

struct TableCell {
    std::string text;
    std::vector<std::string> list;
    bool isList = false;
};

/// The contents of a file.
struct TableContent {
    std::vector<std::string> columns;
    std::vector<std::vector<TableCell>> rows; ///< as many cells as columns
    int unread = 0;                           ///< rows of the file that could not be read
    std::string firstUnread;                  ///< reason for the first of these
    Encoding encoding = Encoding::Utf8;       ///< encoding of the file
};

class Table
{
public:
    /// Reads CSV with a header line and cells separated by commas, semicolons or tabs (.csv, .tsv), or JSON lines, in
    /// one of the encodings above. Fails in one sentence for any other file, one without rows, or one larger than 64
    /// MB.
    [[nodiscard]] static Result<Table> read(const std::filesystem::path& file);
    [[nodiscard]] static bool isTable(const std::filesystem::path& file);

    /// Returns the column names, each unique and without characters that would end a template's place.
    [[nodiscard]] const std::vector<std::string>& columns() const { return m_read.columns; }
    [[nodiscard]] Encoding encoding() const { return m_read.encoding; }
    [[nodiscard]] int rowCount() const { return static_cast<int>(m_read.rows.size()); }
    /// Returns whether a column's cells are lists.
    [[nodiscard]] bool isList(const std::string& column) const;
    /// Returns how most cells of a column identify one of the options.
    [[nodiscard]] AnswerForm guess(const std::string& column, const std::vector<std::string>& choices) const;
    /// Returns the most likely meaning of the columns, by names common in benchmarks; the task is called `name`.
    [[nodiscard]] TableMeaning likelyMeaning(const std::string& name) const;
    [[nodiscard]] Result<TableRow> row(int index, const TableMeaning& meaning) const;
    /// Counts the usable rows among the first `most`.
    [[nodiscard]] TableFit fit(const TableMeaning& meaning, int most) const;
    /// Makes the task file. Fails if no row can be used.
    [[nodiscard]] Result<TableTask> task(const TableMeaning& meaning) const;

private:
    [[nodiscard]] std::size_t indexOf(const std::string& column) const;
    [[nodiscard]] const TableCell& cell(int row, const std::string& column) const;
    /// Returns the options of a row, also empty ones, from columns with one option each or with lists of them.
    [[nodiscard]] std::vector<std::string> optionCells(int row, const std::vector<std::string>& columns) const;

    TableContent m_read;
};

} // namespace headscope::tasks
