// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tasks/import/table.h"

#include "core/tasks/import/rows.h"
#include "core/tasks/import/texttemplate.h"
#include "core/tasks/python/pytext.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace headscope::tasks {

using nlohmann::json;

namespace {

std::string cellText(const json& value)
{
    return value.is_string() ? value.get<std::string>() : value.is_null() ? std::string() : value.dump();
}

// Options are written as a list, and by some sets (ARC) as an object with a list in it.
const json* listIn(const json& value)
{
    if (value.is_array())
        return &value;
    if (value.is_object() && value.contains("text") && value["text"].is_array())
        return &value["text"];
    return nullptr;
}

std::optional<int> numberIn(const std::string& text)
{
    int number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    return problem == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

std::optional<int> letterIn(const std::string& text)
{
    return text.size() == 1 && text[0] >= 'A' && text[0] <= 'Z' ? std::optional(text[0] - 'A') : std::nullopt;
}

// The index of the right option; nothing where the answer names none.
std::optional<int> goldAmong(const std::string& answer, const std::vector<std::string>& choices, AnswerForm form)
{
    std::optional<int> index;
    switch (form) {
    case AnswerForm::Letter: index = letterIn(answer); break;
    case AnswerForm::FromZero: index = numberIn(answer); break;
    case AnswerForm::FromOne:
        if (const auto number = numberIn(answer))
            index = *number - 1;
        break;
    case AnswerForm::Text:
        if (const auto found = std::ranges::find(choices, answer); found != choices.end())
            index = static_cast<int>(found - choices.begin());
    }
    return index && *index >= 0 && *index < std::ssize(choices) ? index : std::nullopt;
}

json ownTaskOf(const TableMeaning& meaning)
{
    json document{{"task", meaning.name}, {"version", "1"}, {"doc_to_text", "{{prompt}}"}};
    switch (meaning.scoring) {
    case Scoring::MultipleChoice:
        document["output_type"] = "multiple_choice";
        document["doc_to_choice"] = "{{choices}}";
        document["doc_to_target"] = "{{gold}}";
        document["metric_list"] = {"acc", "acc_norm"};
        break;
    case Scoring::LogLikelihood:
        document["output_type"] = "loglikelihood";
        document["doc_to_target"] = "{{answer}}";
        document["metric_list"] = {"acc", "perplexity"};
        break;
    default:
        document["output_type"] = "generate_until";
        document["doc_to_target"] = "{{answer}}";
        document["until"] = {"\n"};
        document["max_gen_toks"] = 32;
        document["metric_list"] = json::array({{{"metric", "exact_match"}, {"remove_whitespace", true}}, "contains"});
    }
    document["rows"] = json::array();
    return document;
}

} // namespace

Result<Table> Table::read(const std::filesystem::path& file)
{
    const std::string name = file.filename().string();
    auto rows = readRows(file, name);
    if (!rows.has_value())
        return rows.error();
    Table table;
    std::vector<Row>& read = rows->rows;
    if (rows->csv && !read.empty()) {
        for (const json& column : read.front().value)
            table.m_columns.emplace_back(strip(cellText(column)));
        read.erase(read.begin());
    } else if (!read.empty()) {
        for (const auto& [column, value] : read.front().value.items())
            table.m_columns.push_back(column);
    }
    for (const Row& row : read) {
        std::vector<Cell> cells(table.m_columns.size());
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const json* value = nullptr;
            if (rows->csv)
                value = i < row.value.size() ? &row.value[i] : nullptr;
            else if (row.value.is_object() && row.value.contains(table.m_columns[i]))
                value = &row.value[table.m_columns[i]];
            if (!value)
                continue;
            const json* list = listIn(*value);
            cells[i] = {.text = cellText(*value), .isList = list != nullptr};
            for (std::size_t j = 0; list && j < list->size(); ++j)
                cells[i].list.push_back(cellText((*list)[j]));
        }
        table.m_rows.push_back(std::move(cells));
    }
    if (table.m_columns.empty() || table.m_rows.empty())
        return inputError("'" + name + "' has no row that can be read"
                          + (rows->rejected.empty() ? "." : ": " + toText(rows->rejected.front())));
    return table;
}

std::size_t Table::indexOf(const std::string& column) const
{
    return static_cast<std::size_t>(std::ranges::find(m_columns, column) - m_columns.begin());
}

const Table::Cell& Table::cell(int row, const std::string& column) const
{
    static const Cell kNone;
    const std::size_t index = indexOf(column);
    return index < m_columns.size() ? m_rows[static_cast<std::size_t>(row)][index] : kNone;
}

bool Table::isList(const std::string& column) const
{
    return cell(0, column).isList;
}

std::vector<std::string> Table::options(int row, const std::vector<std::string>& columns) const
{
    std::vector<std::string> options;
    for (const std::string& column : columns) {
        const Cell& here = cell(row, column);
        const std::vector<std::string> one{here.text};
        for (const std::string& option : here.isList ? here.list : one)
            if (!strip(option).empty())
                options.emplace_back(strip(option));
    }
    return options;
}

AnswerForm Table::guess(const std::string& column, const std::vector<std::string>& choices) const
{
    const int options = static_cast<int>(this->options(0, choices).size());
    bool letters = true, numbers = true;
    int least = options, most = 0;
    for (int i = 0; i < rowCount(); ++i) {
        const std::string answer(strip(cell(i, column).text));
        letters = letters && letterIn(answer).has_value();
        const auto number = numberIn(answer);
        numbers = numbers && number.has_value();
        least = std::min(least, number.value_or(least));
        most = std::max(most, number.value_or(most));
    }
    if (letters)
        return AnswerForm::Letter;
    if (!numbers || most > options)
        return AnswerForm::Text;
    return least > 0 && most == options ? AnswerForm::FromOne : AnswerForm::FromZero;
}

Result<TableRow> Table::row(int index, const TableMeaning& meaning) const
{
    const std::string where = "Row " + std::to_string(index + 1) + ": ";
    const auto pattern = TextTemplate::parse(meaning.prompt);
    if (!pattern.has_value())
        return pattern.error();
    json values = json::object();
    for (const std::string& column : m_columns)
        values[column] = cell(index, column).text;
    const auto prompt = pattern->render(values);
    if (!prompt.has_value())
        return prompt.error();
    TableRow row{.prompt = *prompt, .choices = {}, .answer = std::string(strip(cell(index, meaning.answer).text))};
    if (strip(row.prompt).empty())
        return inputError(where + "the prompt is empty.");
    if (row.answer.empty())
        return inputError(where + "there is no answer in the column '" + excerpt(meaning.answer, 30) + "'.");
    if (meaning.scoring != Scoring::MultipleChoice)
        return row;
    row.choices = options(index, meaning.choices);
    if (row.choices.size() < 2)
        return inputError(where + "there are fewer than two options.");
    const auto gold = goldAmong(row.answer, row.choices, meaning.form);
    if (!gold)
        return inputError(where + "the answer '" + excerpt(row.answer, 30) + "' names none of its "
                          + std::to_string(row.choices.size()) + " options.");
    row.gold = *gold;
    row.answer = row.choices[static_cast<std::size_t>(*gold)];
    return row;
}

Result<TableTask> Table::task(const TableMeaning& meaning) const
{
    TableTask made;
    json document = ownTaskOf(meaning);
    for (int i = 0; i < rowCount(); ++i) {
        const auto one = row(i, meaning);
        if (!one.has_value()) {
            if (made.refused++ == 0)
                made.firstRefusal = one.error().message;
            continue;
        }
        json written{{"prompt", one->prompt}};
        if (one->gold >= 0)
            written.update({{"choices", one->choices}, {"gold", std::to_string(one->gold)}});
        else
            written["answer"] = one->answer;
        document["rows"].push_back(std::move(written));
        ++made.rows;
    }
    if (made.rows == 0)
        return inputError(made.firstRefusal);
    made.json = document.dump(1, ' ', false, json::error_handler_t::replace);
    return made;
}

} // namespace headscope::tasks
