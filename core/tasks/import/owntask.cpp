// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tasks/import/owntask.h"

#include "core/base/hash.h"
#include "core/io/textfiles/jsonkeys.h"
#include "core/tasks/filters.h"
#include "core/tasks/import/harnessyaml.h"
#include "core/tasks/import/questiontable.h"
#include "core/tasks/import/texttemplate.h"
#include "core/tasks/python/pytext.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace headscope::tasks {

using nlohmann::json;

namespace {

// The file's content, typed. Members that are templates are parsed already.
struct OwnTask {
    std::string name, version = "1", description, file, fewshotFile;
    Scoring scoring = Scoring::MultipleChoice;
    json rows, fewshotRows;
    std::vector<TextTemplate> choices; // one a choice; or one that gives a list
    bool choiceList = false;
    TextTemplate text, target;
    bool harness = false;         // its rules apply where ours differ
    bool columnTarget = false;    // the target is a column's value, not a rendered text
    bool columnOfNumbers = false; // in CSV, where every cell is a text
    int fewshot = 0;
    std::vector<Metric> metrics;
    Assembly assembly;
};

TextTemplate patternOf(io::JsonKeys& keys, const char* key)
{
    Result<TextTemplate> parsed = TextTemplate::parse(keys.text(key, {}, true));
    if (parsed.has_value())
        return std::move(*parsed);
    keys.fail(parsed.error().message);
    return {};
}

Result<Metric> readMetric(const json& entry, Scoring scoring, const std::string& where)
{
    const json object = entry.is_string() ? json{{"metric", entry}} : entry;
    if (!object.is_object())
        return inputError("Task file '" + where + "': a metric is neither a name nor an object.");
    io::JsonKeys keys(object, "Task file '" + where + "'");
    const std::string kind = keys.text("metric", {}, true);
    Metric result;
    result.filter = keys.text("filter", "none");
    const std::string regex = keys.text("regex");
    const int select = keys.integer("group_select", 0, -1, 0);
    if (!regex.empty())
        result.extraction = {Extraction::Kind::Regex, regex, select == -1, {}, keys.text("fallback", kNoAnswer)};
    else if (keys.flag("remove_whitespace"))
        result.extraction.kind = Extraction::Kind::StripLeft;
    result.ignoreCase = keys.flag("ignore_case");
    result.ignorePunctuation = keys.flag("ignore_punctuation");
    result.remove = keys.texts("regexes_to_ignore");

    using Kind = Metric::Kind;
    const std::vector<Kind> allowed = scoring == Scoring::MultipleChoice ? std::vector{Kind::Acc, Kind::AccNorm}
                                      : scoring == Scoring::LogLikelihood
                                          ? std::vector{Kind::Acc, Kind::Perplexity}
                                          : std::vector{Kind::ExactMatch, Kind::Contains};
    const auto found = std::find_if(allowed.begin(), allowed.end(), [&](Kind k) { return kind == tasks::name(k); });
    if (found == allowed.end())
        keys.fail("The metric '" + excerpt(kind, 30) + "' cannot be combined with " + tasks::name(scoring)
                  + "; expected " + tasks::name(allowed[0]) + " or " + tasks::name(allowed[1]) + ".");
    else
        result.kind = *found;
    if (const std::optional<Error> error = keys.finish())
        return *error;
    return result;
}

Shots samplerOf(io::JsonKeys& keys, const TaskDocument& document)
{
    const std::string sampler = keys.text("fewshot_sampler", "first_n");
    if (sampler != "default" && sampler != "first_n")
        keys.fail("The fewshot_sampler is '" + excerpt(sampler, 30) + "'; expected first_n or default.");
    if (!document.harness)
        return sampler == "default" ? Shots::Sampled : Shots::First;
    if (sampler == "default")
        return document.oneMoreShot ? Shots::SampledOne : Shots::Sampled;
    return document.oneMoreShot ? Shots::FirstOthersOne : Shots::FirstOthers;
}

void readChoices(io::JsonKeys& keys, OwnTask& task)
{
    const json* choices = keys.find("doc_to_choice", task.scoring == Scoring::MultipleChoice);
    if (!choices)
        return;
    task.choiceList = choices->is_string();
    for (const json& choice : task.choiceList ? json::array({*choices}) : *choices) {
        Result<TextTemplate> parsed =
            TextTemplate::parse(choice.is_string() ? choice.get<std::string>() : std::string());
        if (parsed.has_value() && choice.is_string())
            task.choices.push_back(std::move(*parsed));
        else
            keys.fail(parsed.has_value() ? "A choice is not a string." : parsed.error().message);
    }
}

Result<OwnTask> readTask(const TaskDocument& document, const std::string& where)
{
    if (!document.keys.is_object())
        return inputError("Task file '" + where + "' is not an object with keys.");
    io::JsonKeys keys(document.keys, "Task file '" + where + "'");
    OwnTask task;
    task.harness = document.harness;
    task.name = keys.text("task", {}, true);
    task.version = keys.text("version", "1");
    task.description = keys.text("description");
    task.file = keys.text("data_file");
    task.fewshotFile = keys.text("fewshot_file");
    task.fewshot = keys.integer("num_fewshot", 0, 0, 1000);
    task.text = patternOf(keys, "doc_to_text");
    task.target = patternOf(keys, "doc_to_target");
    task.assembly.delimiter = keys.text("target_delimiter", " ");
    task.assembly.until = keys.texts("until");
    task.assembly.maxNewTokens = keys.integer("max_gen_toks", 256, 1, 100000);

    const std::string type = keys.text("output_type", "multiple_choice");
    if (type == "loglikelihood")
        task.scoring = Scoring::LogLikelihood;
    else if (type == "generate_until")
        task.scoring = Scoring::Generation;
    else if (type != "multiple_choice")
        keys.fail("The output_type is '" + excerpt(type, 30)
                  + "'; expected multiple_choice, loglikelihood or generate_until.");
    task.assembly.shots = samplerOf(keys, document);
    readChoices(keys, task);
    if (const json* rows = keys.find("rows", task.file.empty()))
        task.rows = *rows;
    if (const json* rows = keys.find("fewshot_rows", false))
        task.fewshotRows = *rows;
    const json* metrics = keys.find("metric_list", true);
    if (metrics && !metrics->is_array())
        keys.fail("The key 'metric_list' is not a list.");
    if (const std::optional<Error> error = keys.finish())
        return *error;
    for (const json& entry : *metrics) {
        Result<Metric> metric = readMetric(entry, task.scoring, where);
        if (!metric.has_value())
            return metric.error();
        task.metrics.push_back(std::move(*metric));
    }
    if (task.metrics.empty())
        return inputError("Task file '" + where + "': metric_list is empty; expected one metric or more.");
    return task;
}

bool isIdentifier(std::string_view text)
{
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    return !text.empty() && letter(text.front())
           && std::ranges::all_of(text, [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

bool areDigits(std::string_view text)
{
    return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// Returns the index of a column in a CSV file, whose first row contains the names.
std::optional<std::size_t> placeInCsv(const Rows& rows, const std::string& name)
{
    if (!rows.csv || rows.rows.empty())
        return std::nullopt;
    const json& header = rows.rows.front().value;
    const auto found = std::find(header.begin(), header.end(), name);
    return found == header.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - header.begin()));
}

bool hasColumn(const Rows& rows, const std::string& name)
{
    return placeInCsv(rows, name)
           || std::ranges::any_of(rows.rows, [&](const Row& row) { return row.value.contains(name); });
}

// Returns whether all cells of a CSV column are integers; the harness's reader then converts them to numbers.
bool isColumnOfNumbers(const Rows& rows, const std::string& name)
{
    const std::optional<std::size_t> place = placeInCsv(rows, name);
    return place && std::all_of(rows.rows.begin() + 1, rows.rows.end(), [&](const Row& row) {
               return *place >= row.value.size() || areDigits(row.value[*place].get_ref<const std::string&>());
           });
}

// As in the harness, text that equals a column name refers to that column. Every identifier does too, so that a row
// without the field is rejected instead of being scored on the field's name.
void nameColumns(OwnTask& task, const TaskDocument& document, const Rows& rows)
{
    for (const std::string& key : document.mayName) {
        const std::string name = document.keys.at(key);
        if (!isIdentifier(name) && !hasColumn(rows, name))
            continue;
        const TextTemplate column = TextTemplate::column(name);
        if (key == "doc_to_text") {
            task.text = column;
        } else if (key == "doc_to_choice") {
            task.choices = {column};
        } else {
            task.target = column;
            task.columnTarget = true;
            task.columnOfNumbers = isColumnOfNumbers(rows, name);
        }
    }
}

// Returns the target as an index into the choices; nothing if it is text. As in the harness, digits from a template and
// numbers in a column are indices; strings of digits in a column are text.
std::optional<int> indexIn(const OwnTask& task, const json& row, const std::string& target)
{
    if (task.columnTarget) {
        const Result<json> value = task.target.value(row);
        if (value.has_value() && value->is_boolean()) // a number in Python
            return value->get<bool>() ? 1 : 0;
        if (value.has_value() && value->is_string() && !task.columnOfNumbers)
            return std::nullopt;
    }
    return !target.empty() && target.size() < 9 && areDigits(target) ? std::optional(std::stoi(target)) : std::nullopt;
}

// The choices of a row: one template each, or one that is a list (in the row or as JSON text).
std::vector<std::string> choicesOf(RowReader& reader, const OwnTask& task)
{
    std::vector<std::string> result;
    const auto add = [&](const Result<json>& value) {
        if (!value.has_value())
            reader.reject("missing_field", "doc_to_choice", value.error().message);
        else if (value->is_string() && !strip(value->get_ref<const std::string&>()).empty())
            result.push_back(*value);
        else
            reader.reject(value->is_string() ? "empty_text" : "wrong_type", "doc_to_choice",
                          "A choice is empty or not a string.");
    };
    if (!task.choiceList) {
        for (const TextTemplate& choice : task.choices) {
            Result<std::string> text = choice.render(reader.row());
            add(text.has_value() ? Result<json>(json(*text)) : Result<json>(text.error()));
        }
    } else if (Result<json> list = task.choices.front().value(reader.row()); !list.has_value() || !list->is_array()) {
        reader.reject("wrong_type", "doc_to_choice",
                      list.has_value() ? "The choices are not a list." : list.error().message);
    } else {
        for (const json& choice : *list)
            add(choice);
    }
    if (reader.ok() && result.size() < 2)
        reader.reject("choice_count", "doc_to_choice", "There are fewer than 2 choices.");
    return result;
}

Doc ownDoc(RowReader& reader, const OwnTask& task)
{
    Doc doc;
    const Result<std::string> text = task.text.render(reader.row());
    const Result<std::string> target = task.target.render(reader.row());
    if (!text.has_value() || !target.has_value()) {
        reader.reject("missing_field", text.has_value() ? "doc_to_target" : "doc_to_text",
                      (text.has_value() ? target : text).error().message);
        return doc;
    }
    doc.text = *text;
    doc.shot = *target;
    if (strip(doc.text).empty())
        reader.reject("empty_text", "doc_to_text", "The prompt is empty.");
    if (strip(*target).empty())
        reader.reject("empty_text", "doc_to_target", "The answer is empty.");
    const bool generates = task.scoring == Scoring::Generation;
    if (task.scoring == Scoring::LogLikelihood || (generates && (!task.harness || task.choices.empty()))) {
        // The harness scores the target unchanged and inserts the delimiter only in few-shot examples.
        doc.target = generates || task.harness ? *target : task.assembly.delimiter + *target;
        return doc;
    }
    const std::vector<std::string> choices = choicesOf(reader, task);
    if (!reader.ok())
        return doc;
    const std::optional<int> index = indexIn(task, reader.row(), *target);
    const auto found = std::ranges::find(choices, *target);
    const std::ptrdiff_t gold = index ? *index : generates ? std::ssize(choices) : found - choices.begin();
    if (gold >= std::ssize(choices)) {
        reader.reject("label_not_in_choices", "doc_to_target",
                      "The answer '" + excerpt(*target, 20) + "' is not "
                          + (generates ? "the number of a choice." : "among the choices."));
        return doc;
    }
    doc.shot = choices[static_cast<std::size_t>(gold)];
    if (generates) {
        doc.target = doc.shot;
        return doc;
    }
    doc.choices = choices;
    doc.gold = static_cast<int>(gold);
    return doc;
}

Result<TaskDocument> documentOf(const std::string& bytes, const std::filesystem::path& file)
{
    const std::string where = file.filename().string();
    if (file.extension() != ".json")
        return taskOfYaml(bytes, where);
    Result<json> document = parseJson(bytes);
    return document.has_value()
               ? Result<TaskDocument>(TaskDocument{.keys = std::move(*document)})
               : inputError("Task file '" + where + "' is not JSON: " + document.error().message + ".");
}

// Rows written in the task file itself, or in a file beside it.
Result<Rows> rowsOf(const json& inside, const std::string& beside, const std::filesystem::path& taskFile)
{
    if (beside.empty())
        return jsonDocument(inside.dump(), taskFile.filename().string());
    return readRows(taskFile.parent_path() / beside, beside);
}

// Everything that decides from an outcome whether it is right, so that rows judged in two ways are never one series.
// The bindings stop compiling where a field is added.
std::string judgedBy(const LeafTask& leaf)
{
    json rules = {name(leaf.scoring), static_cast<int>(leaf.pairing)};
    for (const auto& [kind, filter, extraction, remove, ignoreCase, ignorePunctuation] : leaf.metrics) {
        const auto& [how, pattern, last, values, fallback] = extraction;
        rules.push_back(
            {name(kind), filter, static_cast<int>(how), pattern, last, values, remove, ignoreCase, ignorePunctuation});
        if (fallback != kNoAnswer) // without it the rules are those of earlier versions
            rules.back().push_back(fallback);
    }
    return rules.dump(-1, ' ', false, json::error_handler_t::replace);
}

// Returns the rows that few-shot examples are drawn from.
Result<std::vector<Doc>> shotsOf(const OwnTask& task, const TaskDocument& document, const std::vector<Doc>& docs,
                                 const Converter& convert, const std::filesystem::path& file, LeafTask& leaf)
{
    const std::string where = file.filename().string();
    if (leaf.fewshot == 0 || document.shotsAmongRows)
        return docs;
    if (task.fewshotFile.empty() && task.fewshotRows.is_null())
        return inputError("Task file '" + where + "' requires " + std::to_string(leaf.fewshot)
                          + " examples in the prompt and has neither fewshot_rows nor fewshot_file.");
    Result<Rows> rows = rowsOf(task.fewshotRows, task.fewshotFile, file);
    if (!rows.has_value())
        return rows.error();
    ImportReport report;
    std::vector<Doc> shots =
        convertRows(std::move(*rows), task.fewshotFile.empty() ? where : task.fewshotFile, convert, report);
    if (std::ssize(shots) < leaf.fewshot && !report.rejected.empty())
        return inputError("Task file '" + where
                          + "': an example for the prompt cannot be used: " + toText(report.rejected.front()));
    leaf.report.warnings.insert(leaf.report.warnings.end(), report.rejected.begin(), report.rejected.end());
    return shots;
}

Result<void> addDocument(TaskSet& set, const TaskDocument& document, const std::filesystem::path& file,
                         const TaskOptions& options)
{
    const std::string where = file.filename().string();
    Result<OwnTask> task = readTask(document, where);
    if (!task.has_value())
        return task.error();

    LeafTask leaf;
    leaf.name = task->name;
    leaf.version = task->version;
    leaf.split = "own";
    const bool fixed = task->harness && document.keys.value("num_fewshot", json()) == 0;
    if (fixed && options.fewshot.value_or(0) > 0)
        set.notes.push_back("'" + where + "' fixes the number of examples in the prompt at 0.");
    leaf.fewshot = fixed ? 0 : options.fewshot.value_or(task->fewshot);
    leaf.scoring = task->scoring;
    leaf.metrics = task->metrics;
    leaf.description = task->description;
    for (const Metric& metric : leaf.metrics) {
        if (Result<Filter> filter = Filter::make(metric.extraction); !filter.has_value())
            return filter.error();
    }
    const Converter convert = [&](RowReader& reader) { return ownDoc(reader, *task); };
    Result<Rows> rows = rowsOf(task->rows, task->file, file);
    if (!rows.has_value())
        return rows.error();
    nameColumns(*task, document, *rows);
    const std::string dataFile = task->file.empty() ? where : task->file;
    const std::vector<Doc> docs = convertRows(std::move(*rows), dataFile, convert, leaf.report);
    const Result<std::vector<Doc>> shots = shotsOf(*task, document, docs, convert, file, leaf);
    if (!shots.has_value())
        return shots.error();
    const std::string rules = judgedBy(leaf);
    const auto added = append(set, std::move(leaf), docs, *shots, task->assembly, dataFile, options);
    if (added.has_value()) // what the built-in tasks do changes with their version, what a file says with its content
        set.leaves.back().rowSource = sha256Hex(set.leaves.back().rowSource + rules);
    return added;
}

} // namespace

Result<void> addOwnTask(TaskSet& set, const std::filesystem::path& file, const TaskOptions& options)
{
    Result<std::string> bytes = readBytes(file);
    if (!bytes.has_value())
        return bytes.error();
    const Result<TaskDocument> document = documentOf(*bytes, file);
    return document.has_value() ? addDocument(set, *document, file, options) : Result<void>(document.error());
}

Result<void> addTable(TaskSet& set, const std::filesystem::path& file, const TaskOptions& options)
{
    const std::string where = file.filename().string();
    const Result<Table> table = Table::read(file);
    if (!table.has_value())
        return table.error();
    const TableMeaning meaning = table->likelyMeaning(file.stem().string());
    const Result<TableTask> task = table->task(meaning);
    if (!task.has_value())
        return inputError("'" + where + "' was read as a table: " + toText(meaning) + "; no row fits. "
                          + task.error().message
                          + " Expected columns named question, answer and, for options, A, B, ... or choices; or a "
                            "task file that says what they mean.");
    set.notes.push_back("'" + where + "': " + toText(meaning) + ".");
    if (task->refused > 0)
        set.notes.push_back("'" + where + "': " + std::to_string(task->refused) + " of "
                            + std::to_string(task->rows + task->refused) + " rows were left out. "
                            + task->firstRefusal);
    return addDocument(set, {.keys = json::parse(task->json)}, file, options);
}

} // namespace headscope::tasks
