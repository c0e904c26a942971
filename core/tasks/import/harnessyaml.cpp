// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tasks/import/harnessyaml.h"

#include "core/tasks/import/yaml.h"
#include "core/tasks/python/pytext.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <optional>

namespace headscope::tasks {

using nlohmann::json;

namespace {

/// Whether what stands between {{ and }} is a field with filters and nothing that is computed. As in Jinja, the letters
/// of a field's name are those of any script.
bool isPlace(std::string_view text)
{
    return std::ranges::all_of(text, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
               || static_cast<unsigned char>(c) >= 0x80 || std::string_view("_.[]| ").find(c) != std::string_view::npos;
    });
}

/// The first piece of code in a template; empty: there is none.
std::string codeIn(std::string_view text)
{
    if (const std::size_t block = std::min(text.find("{%"), text.find("{#")); block != text.npos)
        return std::string(text.substr(block));
    for (std::size_t open = text.find("{{"); open != text.npos; open = text.find("{{", open + 2)) {
        const std::size_t close = std::min(text.find("}}", open), text.size());
        if (!isPlace(text.substr(open + 2, close - open - 2)))
            return std::string(text.substr(open, close + 2 - open));
    }
    return {};
}

constexpr const char* kFewshotDelimiter = "\n\n"; // between examples; the harness also stops at it

class Config
{
public:
    Config(const YamlDocument& document, std::string where) : m_document(document), m_where(std::move(where)) {}

    Result<TaskDocument> task()
    {
        m_read.harness = true;
        for (const auto& [key, value] : m_document.value.items())
            take(key, value);
        if (!m_version.empty())
            m_task["version"] = m_version;
        // The harness's defaults where ours differ.
        if (!m_task.contains("fewshot_sampler"))
            m_task["fewshot_sampler"] = "default";
        if (!m_task.contains("until") && m_task.value("output_type", json()) == "generate_until")
            m_task["until"] = json::array({kFewshotDelimiter});
        takeData();
        takeMetrics();
        return m_error ? Result<TaskDocument>(*m_error) : Result<TaskDocument>(std::move(m_read));
    }

private:
    void fail(const std::string& key, const std::string& what)
    {
        if (m_error)
            return;
        const auto line = m_document.lines.find(key);
        m_error = inputError("Task file '" + m_where + "', line "
                             + std::to_string(line == m_document.lines.end() ? 1 : line->second) + ": " + what);
    }

    void take(const std::string& key, const json& value)
    {
        constexpr std::array kSame = {"task",      "output_type",  "num_fewshot",    "target_delimiter",
                                      "data_file", "rows",         "fewshot_rows",   "fewshot_file",
                                      "until",     "max_gen_toks", "fewshot_sampler"};
        // What tells of splits and lists; and what is read behind the others.
        constexpr std::array kPassedOver = {"tag",
                                            "group",
                                            "task_alias",
                                            "dataset_name",
                                            "training_split",
                                            "validation_split",
                                            "test_split",
                                            "fewshot_split",
                                            "should_decontaminate",
                                            "doc_to_decontamination_query",
                                            "dataset_path",
                                            "dataset_kwargs",
                                            "metric_list",
                                            "filter_list"};
        if (std::ranges::find(kSame, key) != kSame.end())
            m_task[key] = value;
        else if (key == "description")
            takeDescription(value);
        else if (key.starts_with("doc_to_") && key != "doc_to_decontamination_query")
            takeTemplate(key, value);
        else if (key == "metadata" && value.is_object() && value.contains("version"))
            m_version = value["version"].is_string() ? value["version"].get<std::string>() : value["version"].dump();
        else if (key == "generation_kwargs" && value.is_object())
            takeGeneration(value);
        else if (key == "fewshot_config" && value.is_object() && value.size() == 1 && value.contains("sampler"))
            m_task["fewshot_sampler"] = value["sampler"];
        else if (key == "fewshot_delimiter" ? value != kFewshotDelimiter
                 : key == "repeats"         ? value != 1
                                            : key != "metadata")
            if (std::ranges::find(kPassedOver, key) == kPassedOver.end())
                fail(key, "the key '" + excerpt(key, 40) + "' with this value is not supported here.");
    }

    // The harness renders the description for each row; here it is one text, which becomes the system message in chats.
    void takeDescription(const json& value)
    {
        const std::string text = value.is_string() ? value.get<std::string>() : std::string();
        for (const char* opening : {"{{", "{%", "{#"})
            if (const std::size_t at = text.find(opening); at != text.npos)
                return fail("description", "the description is a template ('" + excerpt(text.substr(at), 40)
                                               + "'), which is not supported; write one text for all rows.");
        m_task["description"] = value;
    }

    void takeTemplate(const std::string& key, const json& value)
    {
        if (key != "doc_to_text" && key != "doc_to_target" && key != "doc_to_choice")
            return fail(key, "the key '" + excerpt(key, 40) + "' is not supported here.");
        json texts = value.is_array() ? value : json::array({value});
        for (json& one : texts) {
            if (!one.is_string())
                one = one.dump(); // the index of a choice
            auto& text = one.get_ref<std::string&>();
            if (const std::string code = codeIn(text); !code.empty())
                return fail(key,
                            key + " contains code ('" + excerpt(code, 60)
                                + "'); only fields and the filters strip, trim, lower and capitalize are supported.");
        }
        if (value.is_string())
            m_read.mayName.push_back(key);
        m_task[key] = value.is_array() ? texts : texts.front();
    }

    void takeGeneration(const json& settings)
    {
        for (const auto& [key, value] : settings.items()) {
            if (key == "until")
                m_task["until"] = value.is_array() ? value : json::array({value});
            else if (key == "max_gen_toks")
                m_task["max_gen_toks"] = value;
            else if ((key == "do_sample" && value != false) || (key == "temperature" && value != 0 && value != 0.0)
                     || (key != "do_sample" && key != "temperature"))
                fail("generation_kwargs", "'" + excerpt(key, 30) + ": " + excerpt(value.dump(), 20)
                                              + "' is not supported; texts are continued greedily.");
        }
    }

    // Returns the first of these splits that the config names.
    json split(std::initializer_list<const char*> keys) const
    {
        for (const char* key : keys)
            if (json name = m_document.value.value(key, json()); name.is_string())
                return name;
        return {};
    }

    // The harness's own way to name local files: dataset_path is the reader, data_files the files by split.
    void takeData()
    {
        const json& config = m_document.value;
        const json evaluated = split({"test_split", "validation_split"});
        const json shots = split({"fewshot_split", "training_split", "validation_split", "test_split"});
        const bool ownShots = m_task.contains("fewshot_rows") || m_task.contains("fewshot_file");
        if (!ownShots) {
            m_read.shotsAmongRows = shots == evaluated;
            m_read.oneMoreShot = split({"fewshot_split"}) == split({"test_split"}); // also if neither is named
        }
        if (m_task.contains("rows") || m_task.contains("data_file"))
            return;
        const json path = config.value("dataset_path", json());
        const json keywords = config.value("dataset_kwargs", json());
        const json files = keywords.is_object() ? keywords.value("data_files", json()) : json();
        if (path != "json" && path != "csv" && path != "parquet")
            return fail("dataset_path", "the rows are those of the data set '"
                                            + excerpt(path.is_string() ? path.get<std::string>() : path.dump(), 60)
                                            + "', which is not in the file; expected data_file, or dataset_path json, "
                                              "csv or parquet with data_files.");
        const auto fileOf = [&](const json& name) {
            return files.is_string()                       ? files
                   : files.is_object() && name.is_string() ? files.value(name.get<std::string>(), json())
                                                           : json();
        };
        const json file = fileOf(evaluated);
        if (!file.is_string())
            return fail("dataset_kwargs", "data_files names no file for the requested split.");
        m_task["data_file"] = file;
        if (const json from = fileOf(shots); from.is_string() && !ownShots && !m_read.shotsAmongRows)
            m_task["fewshot_file"] = from;
    }

    void takeMetrics()
    {
        const json metrics = m_document.value.value("metric_list", json::array());
        const json filters = m_document.value.value("filter_list", json::array({json::object()}));
        json list = json::array();
        for (const json& filter : filters.is_array() ? filters : json::array()) {
            json read = filterOf(filter);
            for (const json& metric : metrics.is_array() ? metrics : json::array()) {
                json one = metric.is_string() ? json{{"metric", metric}} : metric;
                if (!one.is_object())
                    return fail("metric_list", "a metric is neither a name nor a list of keys.");
                const json how = one.value("aggregation", json("mean"));
                if (how != "mean" && how != "nanmean" && how != one.value("metric", json()))
                    return fail("metric_list", "the aggregation " + excerpt(how.dump(), 30) + " is not supported.");
                one.erase("aggregation");
                one.erase("higher_is_better");
                one.update(read);
                list.push_back(std::move(one));
            }
        }
        m_task["metric_list"] = std::move(list);
    }

    // One of the harness's filter lists as the members of our metric.
    json filterOf(const json& filter)
    {
        json read = json::object();
        if (!filter.is_object() || filter.empty())
            return read;
        read["filter"] = filter.value("name", json("none"));
        for (const json& step : filter.value("filter", json::array())) {
            const json function = step.is_object() ? step.value("function", json()) : json();
            if (function == "regex" && !read.contains("regex")) {
                checkStep(step, {"regex_pattern", "group_select", "fallback"});
                read["regex"] = step.value("regex_pattern", json("#### (\\-?[0-9\\.\\,]+)"));
                read["group_select"] = step.value("group_select", json(0));
                if (step.contains("fallback"))
                    read["fallback"] = step["fallback"];
            } else if (function == "remove_whitespace") {
                checkStep(step, {});
                read["remove_whitespace"] = true;
            } else if (function == "take_first") {
                checkStep(step, {});
            } else {
                fail("filter_list", "the filter " + excerpt(function.dump(), 40)
                                        + " is not supported; expected regex, remove_whitespace and take_first.");
            }
        }
        if (read.contains("regex") && read.contains("remove_whitespace"))
            fail("filter_list", "regex and remove_whitespace in one filter are not supported.");
        return read;
    }

    // Ignoring a setting would extract different answers than the harness does.
    void checkStep(const json& step, std::initializer_list<std::string_view> known)
    {
        for (const auto& [key, value] : step.items())
            if (key != "function" && std::ranges::find(known, key) == known.end())
                fail("filter_list", "the key '" + excerpt(key, 40) + "' of the filter " + step["function"].dump()
                                        + " is not supported.");
    }

    const YamlDocument& m_document;
    std::string m_where, m_version;
    TaskDocument m_read{.keys = json::object()};
    json& m_task = m_read.keys;
    std::optional<Error> m_error;
};

} // namespace

Result<TaskDocument> taskOfYaml(std::string_view text, const std::string& where)
{
    const auto document = readYaml(text);
    if (!document.has_value())
        return inputError("Task file '" + where + "', " + document.error().message + ".");
    return Config(*document, where).task();
}

} // namespace headscope::tasks
