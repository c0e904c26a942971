// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A table of questions that a person has (CSV, JSON lines), and a task file made of it once its columns are named.
// Reads a file; the rest is pure. Any thread.

#include "core/base/result.h"
#include "core/tasks/example.h"
#include "core/tasks/import/encodings.h"

#include <filesystem>
#include <string>
#include <vector>

namespace headscope::tasks {

/// How a column says which option is right.
enum class AnswerForm {
    Text,     ///< the option's own text
    Letter,   ///< A, B, …
    FromZero, ///< 0, 1, …
    FromOne,  ///< 1, 2, …
};

/// What the columns of a table mean.
struct TableMeaning {
    std::string name; ///< of the task
    Scoring scoring = Scoring::MultipleChoice;
    std::string prompt;               ///< a template: "Question: {{question}}\nAnswer:"
    std::vector<std::string> choices; ///< multiple choice: columns with an option each, or one with lists
    std::string answer;               ///< the column
    AnswerForm form = AnswerForm::Text;
};

/// The columns and what they mean, in a sentence.
[[nodiscard]] std::string toText(const TableMeaning& meaning);

/// One row, read as its meaning says.
struct TableRow {
    std::string prompt;
    std::vector<std::string> choices;
    std::string answer; ///< its text; of multiple choice the right option's
    int gold = -1;      ///< index of it; -1: there are no options
};

/// A task file's text (resources/samples/README.md) with the rows inside.
struct TableTask {
    std::string json;
    int rows = 0;
    int refused = 0;
    std::string firstRefusal; ///< why; empty: none was
};

/// How many rows a meaning fits.
struct TableFit {
    int looked = 0;
    int usable = 0;
    int first = -1;      ///< the first that can be used; -1: none
    std::string refusal; ///< why the first that cannot is left out; empty: all can
};

struct TableCell {
    std::string text;
    std::vector<std::string> list;
    bool isList = false;
};

/// What is in a file.
struct TableContent {
    std::vector<std::string> columns;
    std::vector<std::vector<TableCell>> rows; ///< as many cells as columns
    int unread = 0;                           ///< rows of the file that are not rows of the table
    std::string firstUnread;                  ///< why
    Encoding encoding = Encoding::Utf8;       ///< of the file
};

class Table
{
public:
    /// CSV with a header line and commas, semicolons or tabs between its cells (.csv, .tsv), or JSON lines, in one of
    /// the encodings above. Fails in one sentence for what is not a table of this kind, has no row, or is larger than
    /// 64 MB.
    [[nodiscard]] static Result<Table> read(const std::filesystem::path& file);
    [[nodiscard]] static bool isTable(const std::filesystem::path& file);

    /// Each has a name of its own, without what would end a place in a template.
    [[nodiscard]] const std::vector<std::string>& columns() const { return m_read.columns; }
    [[nodiscard]] Encoding encoding() const { return m_read.encoding; }
    [[nodiscard]] int rowCount() const { return static_cast<int>(m_read.rows.size()); }
    /// Whether a column's cells are lists.
    [[nodiscard]] bool isList(const std::string& column) const;
    /// The options of a row, from columns with an option each or with lists of them.
    [[nodiscard]] std::vector<std::string> options(int row, const std::vector<std::string>& columns) const;
    /// How most cells of a column name one of the options.
    [[nodiscard]] AnswerForm guess(const std::string& column, const std::vector<std::string>& choices) const;
    /// What the columns most likely mean, by names that benchmarks use; the task is called `name`.
    [[nodiscard]] TableMeaning likelyMeaning(const std::string& name) const;
    [[nodiscard]] Result<TableRow> row(int index, const TableMeaning& meaning) const;
    /// Of the first `most` rows.
    [[nodiscard]] TableFit fit(const TableMeaning& meaning, int most) const;
    /// Fails where no row can be used.
    [[nodiscard]] Result<TableTask> task(const TableMeaning& meaning) const;

private:
    [[nodiscard]] std::size_t indexOf(const std::string& column) const;
    [[nodiscard]] const TableCell& cell(int row, const std::string& column) const;

    TableContent m_read;
};

} // namespace headscope::tasks
