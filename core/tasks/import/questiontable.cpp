// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tasks/import/questiontable.h"

#include "core/tasks/import/rows.h"
#include "core/tasks/import/texttemplate.h"
#include "core/tasks/python/pytext.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <tuple>
#include <utility>

namespace headscope::tasks {

using nlohmann::json;

namespace {

constexpr std::uint64_t kLargestTable = 64'000'000; // bytes
constexpr int kLookedAt = 2000;                     // rows, for a guess
constexpr std::size_t kMostColumns = 1000;

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
    const std::string letter = lower(text);
    return letter.size() == 1 && letter[0] >= 'a' && letter[0] <= 'z' ? std::optional(letter[0] - 'a') : std::nullopt;
}

// Returns the index of the right option among all option cells, some of which may be empty; nothing if the answer names
// no option or an empty one.
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
    const bool names =
        index && *index >= 0 && *index < std::ssize(choices) && !choices[static_cast<std::size_t>(*index)].empty();
    return names ? index : std::nullopt;
}

bool isOption(const std::string& column)
{
    const std::string low = lower(column);
    const bool letter = low.size() == 1 && low[0] >= 'a' && low[0] <= 'h';
    return letter || low.starts_with("option") || low.starts_with("choice") || low.starts_with("ending");
}

// Splits a name into its stem and its trailing number, without leading zeros.
std::pair<std::string_view, std::string_view> stemAndNumber(std::string_view name)
{
    const std::size_t digits = name.find_last_not_of("0123456789") + 1;
    std::string_view number = name.substr(digits);
    number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
    return {name.substr(0, digits), number};
}

// Orders columns of files that define no order, such as JSON objects: "option2" before "option10".
bool precedes(const std::string& a, const std::string& b)
{
    const auto [stem, number] = stemAndNumber(a);
    const auto [otherStem, otherNumber] = stemAndNumber(b);
    return std::tuple(stem, number.size(), number) < std::tuple(otherStem, otherNumber.size(), otherNumber);
}

// Spreadsheets part cells by what the country's numbers leave free, and say nowhere by what.
char separatorOf(std::string_view bytes)
{
    constexpr std::string_view kSeparators = ",;\t";
    std::array<int, kSeparators.size()> counts{};
    bool quoted = false;
    for (const char c : bytes.substr(0, bytes.find_first_of("\r\n", bytes.find_first_not_of("\r\n")))) {
        quoted = quoted != (c == '"');
        if (const std::size_t at = kSeparators.find(c); !quoted && at != kSeparators.npos)
            ++counts[at];
    }
    return kSeparators[static_cast<std::size_t>(std::ranges::max_element(counts) - counts.begin())];
}

// A place in a template ends at "}}", and "." and "[" lead into what stands at it.
std::string columnName(std::string_view text, const std::vector<std::string>& others)
{
    std::string name(strip(text));
    std::ranges::replace_if(
        name, [](char c) { return std::string_view(".[]{}|").find(c) != std::string_view::npos; }, '_');
    const auto taken = [&] { return std::ranges::find(others, name) != others.end(); };
    if (name.empty())
        name = "column " + std::to_string(others.size() + 1);
    const std::string first = name;
    for (int count = 2; taken(); ++count)
        name = first + " (" + std::to_string(count) + ")";
    return name;
}

TableCell cellOf(const json& value)
{
    const json* list = listIn(value);
    TableCell cell{.text = cellText(value), .list = {}, .isList = list != nullptr};
    for (std::size_t i = 0; list && i < list->size(); ++i)
        cell.list.push_back(cellText((*list)[i]));
    return cell;
}

void refuse(TableContent& content, const std::string& why)
{
    if (content.unread++ == 0)
        content.firstUnread = why;
}

// What a spreadsheet keeps of lines that were emptied is no row.
TableContent cells(const Rows& read)
{
    TableContent content;
    for (const RowIssue& unread : read.rejected)
        refuse(content, toText(unread));
    for (const Row& row : read.rows) {
        const std::size_t known = content.columns.size();
        if (std::ranges::all_of(row.value, [](const json& cell) { return strip(cellText(cell)).empty(); }))
            continue;
        if (known == 0) {
            for (const json& column : row.value) {
                if (content.columns.size() > kMostColumns)
                    return content;
                content.columns.push_back(columnName(cellText(column), content.columns));
            }
            continue;
        }
        std::vector<TableCell> cells(std::max(known, row.value.size()));
        for (std::size_t i = 0; i < row.value.size(); ++i)
            cells[i] = cellOf(row.value[i]);
        if (std::any_of(cells.begin() + static_cast<std::ptrdiff_t>(known), cells.end(),
                        [](const TableCell& cell) { return !cell.text.empty(); })) {
            refuse(content, "Line " + std::to_string(row.firstLine) + " has " + std::to_string(cells.size())
                                + " cells, the first line " + std::to_string(known)
                                + "; quote cells that contain the separator.");
            continue;
        }
        cells.resize(known);
        content.rows.push_back(std::move(cells));
    }
    return content;
}

// Answers refer to options by position, so options that only later rows have are sorted in too.
void orderOptions(std::vector<std::string>& keys)
{
    std::vector<std::string> options;
    std::ranges::copy_if(keys, std::back_inserter(options), isOption);
    std::ranges::stable_sort(options, precedes);
    auto next = options.begin();
    for (std::string& key : keys)
        if (isOption(key))
            key = *next++;
}

TableContent objects(const Rows& read)
{
    TableContent content;
    std::vector<std::string> keys; // as they stand in the file
    for (const RowIssue& unread : read.rejected)
        refuse(content, toText(unread));
    for (const Row& row : read.rows) {
        const std::size_t known = keys.size();
        for (const auto& [key, value] : row.value.items())
            if (keys.size() <= kMostColumns && std::ranges::find(keys, key) == keys.end())
                keys.push_back(key);
        std::stable_sort(keys.begin() + static_cast<std::ptrdiff_t>(known), keys.end(), precedes);
    }
    orderOptions(keys);
    for (const std::string& key : keys)
        content.columns.push_back(columnName(key, content.columns));
    for (const Row& row : read.rows) {
        std::vector<TableCell> cells(keys.size());
        for (std::size_t i = 0; i < keys.size(); ++i)
            if (const auto found = row.value.find(keys[i]); found != row.value.end())
                cells[i] = cellOf(*found);
        content.rows.push_back(std::move(cells));
    }
    return content;
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

std::string toText(const TableMeaning& meaning)
{
    std::string text = "the prompt is " + json(meaning.prompt).dump(-1, ' ', false, json::error_handler_t::replace);
    for (const std::string& choice : meaning.choices)
        text += (&choice == &meaning.choices.front() ? ", the options are in " : ", ") + ("'" + choice + "'");
    text += ", the answer is in '" + meaning.answer + "'";
    if (meaning.choices.empty())
        return text;
    switch (meaning.form) {
    case AnswerForm::Text: return text + " (the option's text)";
    case AnswerForm::Letter: return text + " (a letter)";
    case AnswerForm::FromZero: return text + " (a number from 0)";
    case AnswerForm::FromOne: return text + " (a number from 1)";
    }
    return text;
}

Result<Table> Table::read(const std::filesystem::path& file)
{
    const std::string name = file.filename().string();
    if (!isTable(file))
        return inputError("'" + name + "': unsupported file extension; expected .csv, .tsv or .jsonl.");
    auto bytes = readBytes(file, kLargestTable);
    if (!bytes.has_value())
        return bytes.error();
    const auto read = decoded(std::move(*bytes));
    if (!read.has_value())
        return inputError("'" + name + "' cannot be read. " + read.error().message);
    Table table;
    table.m_read = lower(file.extension().string()) == ".jsonl"
                       ? objects(jsonLines(read->text, name))
                       : cells(csvRows(read->text, name, separatorOf(read->text)));
    table.m_read.encoding = read->encoding;
    if (table.columns().size() > kMostColumns)
        return inputError("'" + name + "' has more than " + std::to_string(kMostColumns) + " columns.");
    if (table.columns().empty() || table.rowCount() == 0)
        return inputError("'" + name + "' has no row that can be read"
                          + (table.m_read.firstUnread.empty() ? "." : ": " + table.m_read.firstUnread));
    return table;
}

bool Table::isTable(const std::filesystem::path& file)
{
    const std::string suffix = lower(file.extension().string());
    return suffix == ".csv" || suffix == ".tsv" || suffix == ".jsonl";
}

std::size_t Table::indexOf(const std::string& column) const
{
    return static_cast<std::size_t>(std::ranges::find(columns(), column) - columns().begin());
}

const TableCell& Table::cell(int row, const std::string& column) const
{
    static const TableCell kNone;
    const std::size_t index = indexOf(column);
    return index < columns().size() ? m_read.rows[static_cast<std::size_t>(row)][index] : kNone;
}

bool Table::isList(const std::string& column) const
{
    return rowCount() > 0 && cell(0, column).isList;
}

std::vector<std::string> Table::optionCells(int row, const std::vector<std::string>& columns) const
{
    std::vector<std::string> options;
    for (const std::string& column : columns) {
        const TableCell& here = cell(row, column);
        const std::vector<std::string> one{here.text};
        for (const std::string& option : here.isList ? here.list : one)
            options.emplace_back(strip(option));
    }
    return options;
}

AnswerForm Table::guess(const std::string& column, const std::vector<std::string>& choices) const
{
    // Where two fit as many rows, the first: options that are numbers are named by themselves.
    constexpr std::array kForms{AnswerForm::Text, AnswerForm::Letter, AnswerForm::FromZero, AnswerForm::FromOne};
    std::array<int, kForms.size()> fits{};
    for (int i = 0; i < std::min(rowCount(), kLookedAt); ++i) {
        const std::vector<std::string> here = optionCells(i, choices);
        const std::string answer(strip(cell(i, column).text));
        for (std::size_t form = 0; form < kForms.size(); ++form)
            fits[form] += goldAmong(answer, here, kForms[form]) ? 1 : 0;
    }
    return kForms[static_cast<std::size_t>(std::ranges::max_element(fits) - fits.begin())];
}

TableMeaning Table::likelyMeaning(const std::string& name) const
{
    TableMeaning meaning{.name = name, .scoring = Scoring::LogLikelihood};
    const auto list = std::ranges::find_if(columns(), [this](const std::string& one) { return isList(one); });
    if (list != columns().end())
        meaning.choices = {*list};
    else
        std::ranges::copy_if(columns(), std::back_inserter(meaning.choices), isOption);
    std::vector<std::string> left;
    std::ranges::copy_if(columns(), std::back_inserter(left), [&](const std::string& column) {
        return std::ranges::find(meaning.choices, column) == meaning.choices.end();
    });
    // Takes the first of the columns that are left whose name has one of the words, else the last or the first.
    const auto take = [&left](std::initializer_list<const char*> words, bool last) {
        if (left.empty())
            return std::string();
        auto found = last ? left.end() - 1 : left.begin();
        for (const char* word : words)
            if (const auto like = std::ranges::find_if(
                    left, [word](const std::string& column) { return lower(column).find(word) != std::string::npos; });
                like != left.end()) {
                found = like;
                break;
            }
        std::string column = *found;
        left.erase(found);
        return column;
    };
    meaning.answer = take({"answer", "label", "gold", "target", "correct", "output", "key"}, true);
    meaning.prompt =
        "{{" + take({"question", "prompt", "query", "input", "context", "text", "goal", "stem"}, false) + "}}";
    if (!meaning.choices.empty()) {
        meaning.scoring = Scoring::MultipleChoice;
        meaning.prompt = "Question: " + meaning.prompt + "\nAnswer:";
        meaning.form = guess(meaning.answer, meaning.choices);
    }
    return meaning;
}

Result<TableRow> Table::row(int index, const TableMeaning& meaning) const
{
    const std::string where = "Row " + std::to_string(index + 1) + ": ";
    const auto pattern = TextTemplate::parse(meaning.prompt);
    if (!pattern.has_value())
        return pattern.error();
    json values = json::object();
    for (const std::string& column : columns())
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
    // The answer refers to a cell by position; empty cells count but are not options.
    const std::vector<std::string> cells = optionCells(index, meaning.choices);
    std::ranges::copy_if(cells, std::back_inserter(row.choices), [](const std::string& one) { return !one.empty(); });
    if (row.choices.size() < 2)
        return inputError(where + "there are fewer than two options.");
    const auto gold = goldAmong(row.answer, cells, meaning.form);
    if (!gold)
        return inputError(where + "the answer '" + excerpt(row.answer, 30) + "' names none of its "
                          + std::to_string(row.choices.size()) + " options.");
    row.gold = *gold - static_cast<int>(std::count(cells.begin(), cells.begin() + *gold, std::string()));
    row.answer = cells[static_cast<std::size_t>(*gold)];
    return row;
}

TableFit Table::fit(const TableMeaning& meaning, int most) const
{
    TableFit fit{.looked = std::min(rowCount(), most), .usable = 0, .first = -1, .refusal = m_read.firstUnread};
    for (int i = 0; i < fit.looked; ++i) {
        const auto one = row(i, meaning);
        if (one.has_value() && fit.usable++ == 0)
            fit.first = i;
        if (!one.has_value() && fit.refusal.empty())
            fit.refusal = one.error().message;
    }
    return fit;
}

Result<TableTask> Table::task(const TableMeaning& meaning) const
{
    TableTask made{.json = {}, .rows = 0, .refused = m_read.unread, .firstRefusal = m_read.firstUnread};
    json document = ownTaskOf(meaning);
    for (int i = 0; i < rowCount(); ++i) {
        const auto one = row(i, meaning);
        if (!one.has_value()) {
            ++made.refused;
            if (made.firstRefusal.empty())
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
