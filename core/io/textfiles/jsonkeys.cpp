// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/textfiles/jsonkeys.h"

#include "core/base/words/suggestion.h"
#include "core/io/textfiles/quote.h"

#include <nlohmann/json.hpp>

namespace headscope::io {

using nlohmann::json;

JsonKeys::JsonKeys(const json& object, std::string where) : m_object(object), m_where(std::move(where))
{
    if (!object.is_object())
        fail(std::string("This is a JSON ") + object.type_name() + "; expected an object.");
}

std::string JsonKeys::text(const char* key, std::string otherwise, bool required)
{
    const json* value = find(key, required);
    if (value && !value->is_string())
        fail(std::string("The key '") + key + "' is a JSON " + value->type_name() + "; expected a string.");
    return value && value->is_string() ? value->get<std::string>() : otherwise;
}

int JsonKeys::integer(const char* key, int otherwise, int least, int most)
{
    const json* value = find(key, false);
    if (value && (!value->is_number_integer() || *value < least || *value > most))
        fail(std::string("The key '") + key + "' is "
             + (value->is_number() ? value->dump() : std::string("a JSON ") + value->type_name())
             + "; expected a whole number from " + std::to_string(least) + " to " + std::to_string(most) + ".");
    return value && value->is_number_integer() && !m_error ? value->get<int>() : otherwise;
}

bool JsonKeys::flag(const char* key)
{
    const json* value = find(key, false);
    if (value && !value->is_boolean())
        fail(std::string("The key '") + key + "' is not true or false.");
    return value && value->is_boolean() && value->get<bool>();
}

std::vector<std::string> JsonKeys::texts(const char* key, bool required)
{
    std::vector<std::string> result;
    const json* value = find(key, required);
    if (value && !value->is_array())
        fail(std::string("The key '") + key + "' is not a list of strings.");
    for (const json& element : value && value->is_array() ? *value : json::array()) {
        if (!element.is_string())
            fail(std::string("The key '") + key + "' is not a list of strings.");
        else
            result.push_back(element);
    }
    return result;
}

const json* JsonKeys::find(const char* key, bool required)
{
    m_asked.insert(key);
    if (m_object.is_object() && m_object.contains(key))
        return &m_object[key];
    if (required)
        fail(std::string("The key '") + key + "' is missing.");
    return nullptr;
}

void JsonKeys::fail(const std::string& message)
{
    if (!m_error)
        m_error = inputError(m_where + ": " + message);
}

std::optional<Error> JsonKeys::finish()
{
    std::string known;
    for (const std::string& key : m_asked)
        known += (known.empty() ? "" : ", ") + key;
    for (const auto& [key, value] : m_object.items())
        if (!m_asked.contains(key))
            fail("The key " + inQuotes(key) + " is not known" + didYouMean(key, {m_asked.begin(), m_asked.end()})
                 + "; expected one of " + known + ".");
    return m_error;
}

} // namespace headscope::io
