// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tasks/import/rowreader.h"

#include "core/tasks/python/pytext.h"

#include <nlohmann/json.hpp>

#include <charconv>

namespace headscope::tasks {

RowReader::RowReader(const Row& row, const std::string& file) : m_row(row), m_file(file)
{
    for (const char* field : {"id", "qID", "doc_id", "ind"}) {
        if (const auto found = row.value.find(field); row.value.is_object() && found != row.value.end())
            m_id = found->is_string() ? found->get<std::string>() : found->dump();
        if (!m_id.empty())
            return;
    }
}

RowIssue RowReader::issue(std::string code, std::string field, std::string reason) const
{
    const std::string dump = m_row.value.dump();
    return {m_file,          m_row.firstLine,  m_row.lastLine,    m_row.record, m_id,
            std::move(code), std::move(field), std::move(reason), excerpt(dump)};
}

void RowReader::reject(std::string code, std::string field, std::string reason)
{
    if (!m_rejected)
        m_rejected = issue(std::move(code), std::move(field), std::move(reason));
}

void RowReader::warn(std::string code, std::string field, std::string reason)
{
    m_warnings.push_back(issue(std::move(code), std::move(field), std::move(reason)));
}

bool RowReader::has(const char* field) const
{
    return m_row.value.is_object() && m_row.value.contains(field);
}

std::string RowReader::text(const char* field)
{
    if (!has(field)) {
        reject("missing_field", field, std::string("The field '") + field + "' is missing.");
        return {};
    }
    const nlohmann::json& value = m_row.value[field];
    if (!value.is_string()) {
        reject("wrong_type", field,
               std::string("The field '") + field + "' is a JSON " + value.type_name() + "; expected a string.");
        return {};
    }
    return value.get<std::string>();
}

std::string RowReader::filledText(const char* field)
{
    std::string value = text(field);
    if (ok() && strip(value).empty())
        reject("empty_text", field, std::string("The field '") + field + "' is empty.");
    return value;
}

std::optional<int> RowReader::integer(const char* field)
{
    if (!has(field)) {
        reject("missing_field", field, std::string("The field '") + field + "' is missing.");
        return std::nullopt;
    }
    const nlohmann::json& value = m_row.value[field];
    if (value.is_number_integer() && value >= -1'000'000'000 && value <= 1'000'000'000)
        return value.get<int>();
    if (value.is_string()) {
        const auto& digits = value.get_ref<const std::string&>();
        int number = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
        if (error == std::errc() && end == digits.data() + digits.size())
            return number;
        if (digits.empty())
            reject("unlabelled", field,
                   std::string("The field '") + field + "' is empty, as in test splits without answers.");
    }
    reject("wrong_type", field,
           std::string("The field '") + field + "' is " + excerpt(value.dump(), 30) + "; expected an integer.");
    return std::nullopt;
}

} // namespace headscope::tasks
