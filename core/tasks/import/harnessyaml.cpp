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

bool isName(std::string_view text)
{
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    return !text.empty() && letter(text.front())
           && std::ranges::all_of(text, [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

/// Whether what stands between {{ and }} is a field with filters and nothing that is computed.
bool isPlace(std::string_view text)
{
    return std::ranges::all_of(text, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
               || std::string_view("_.[]| ").find(c) != std::string_view::npos;
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

class Config
{
public:
    Config(const YamlDocument& document, std::string where) : m_document(document), m_where(std::move(where)) {}

    Result<json> task()
    {
        for (const auto& [key, value] : m_document.value.items())
            take(key, value);
        if (!m_version.empty())
            m_task["version"] = m_version;
        if (!m_task.contains("fewshot_sampler") && m_task.value("num_fewshot", json()) != 0)
            m_task["fewshot_sampler"] = "default"; // the harness's
        takeData();
        takeMetrics();
        return m_error ? Result<json>(*m_error) : Result<json>(std::move(m_task));
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
        constexpr std::array kSame = {
            "task", "output_type",  "description",  "num_fewshot", "target_delimiter", "data_file",
            "rows", "fewshot_rows", "fewshot_file", "until",       "max_gen_toks",     "fewshot_sampler"};
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
        else if (key.starts_with("doc_to_") && key != "doc_to_decontamination_query")
            takeTemplate(key, value);
        else if (key == "metadata" && value.is_object() && value.contains("version"))
            m_version = value["version"].is_string() ? value["version"].get<std::string>() : value["version"].dump();
        else if (key == "generation_kwargs" && value.is_object())
            takeGeneration(value);
        else if (key == "fewshot_config" && value.is_object() && value.size() == 1 && value.contains("sampler"))
            m_task["fewshot_sampler"] = value["sampler"];
        else if (key == "fewshot_delimiter" ? value != "\n\n" : key == "repeats" ? value != 1 : key != "metadata")
            if (std::ranges::find(kPassedOver, key) == kPassedOver.end())
                fail(key, "the key '" + excerpt(key, 40) + "' with this value is not supported here.");
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
            if (!value.is_array() && isName(text)) // the harness takes it for a column
                text = "{{" + text + "}}";
        }
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

    // The harness's own way to name local files: dataset_path is the reader, data_files the files by split.
    void takeData()
    {
        if (m_task.contains("rows") || m_task.contains("data_file"))
            return;
        const json& config = m_document.value;
        const json path = config.value("dataset_path", json());
        const json keywords = config.value("dataset_kwargs", json());
        const json files = keywords.is_object() ? keywords.value("data_files", json()) : json();
        if (path != "json" && path != "csv" && path != "parquet")
            return fail("dataset_path", "the rows are those of the data set '"
                                            + excerpt(path.is_string() ? path.get<std::string>() : path.dump(), 60)
                                            + "', which is not in the file; expected data_file, or dataset_path json, "
                                              "csv or parquet with data_files.");
        const auto fileOf = [&](const json& split) {
            return files.is_string()                        ? files
                   : files.is_object() && split.is_string() ? files.value(split.get<std::string>(), json())
                                                            : json();
        };
        const json test = config.value("test_split", json());
        const json file = fileOf(test.is_string() ? test : config.value("validation_split", json()));
        if (!file.is_string())
            return fail("dataset_kwargs", "data_files names no file for the requested split.");
        m_task["data_file"] = file;
        if (const json shots = fileOf(config.value("fewshot_split", json())); shots.is_string())
            m_task["fewshot_file"] = shots;
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
                read["regex"] = step.value("regex_pattern", json("#### (\\-?[0-9\\.\\,]+)"));
                read["group_select"] = step.value("group_select", json(0));
            } else if (function == "remove_whitespace") {
                read["remove_whitespace"] = true;
            } else if (function != "take_first") {
                fail("filter_list", "the filter " + excerpt(function.dump(), 40)
                                        + " is not supported; expected regex, remove_whitespace and take_first.");
            }
        }
        return read;
    }

    const YamlDocument& m_document;
    std::string m_where, m_version;
    json m_task = json::object();
    std::optional<Error> m_error;
};

} // namespace

Result<json> taskOfYaml(std::string_view text, const std::string& where)
{
    const auto document = readYaml(text);
    if (!document.has_value())
        return inputError("Task file '" + where + "', " + document.error().message + ".");
    return Config(*document, where).task();
}

} // namespace headscope::tasks
