// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/jsonfile.h"

#include "core/io/textfiles/textfile.h"

#include <nlohmann/json.hpp>

#include <fmt/format.h>

namespace headscope::text {

namespace {

constexpr int kDeepest = 64;

/// Where the text nests deeper than kDeepest, counted without parsing so that no depth can exhaust the stack.
std::optional<std::size_t> tooDeep(std::string_view text)
{
    int depth = 0;
    bool inString = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (inString) {
            if (c == '\\')
                ++i;
            else if (c == '"')
                inString = false;
        } else if (c == '"') {
            inString = true;
        } else if (c == '[' || c == '{') {
            if (++depth > kDeepest)
                return i;
        } else if (c == ']' || c == '}') {
            --depth;
        }
    }
    return std::nullopt;
}

} // namespace

Result<std::string> readFile(const std::filesystem::path& path, std::size_t limit)
{
    return io::readTextFile(path, limit);
}

Result<nlohmann::json> parseJson(std::string_view text, const std::string& name)
{
    if (const auto at = tooDeep(text))
        return inputError(fmt::format("{} nests deeper than {} levels at byte {}.", name, kDeepest, *at));
    try {
        return nlohmann::json::parse(text);
    } catch (const nlohmann::json::parse_error& e) {
        const char* what = e.byte >= text.size() ? "it ends too early" : "unexpected text or invalid UTF-8 there";
        return Error{Error::Kind::Input,
                     fmt::format("{} is not valid JSON at byte {} of {}: {}.", name, e.byte, text.size(), what),
                     e.what()};
    } catch (const nlohmann::json::exception& e) {
        return Error{Error::Kind::Input, fmt::format("{} contains a number that is out of range.", name), e.what()};
    }
}

const char* describe(const nlohmann::json& json)
{
    switch (json.type()) {
    case nlohmann::json::value_t::null: return "null";
    case nlohmann::json::value_t::object: return "an object";
    case nlohmann::json::value_t::array: return "a list";
    case nlohmann::json::value_t::string: return "a string";
    case nlohmann::json::value_t::boolean: return "true or false";
    default: return "a number";
    }
}

const nlohmann::json* JsonObject::find(const char* key) const
{
    if (!m_json.is_object())
        return nullptr;
    const auto it = m_json.find(key);
    return it == m_json.end() || it->is_null() ? nullptr : &*it;
}

void JsonObject::fail(const char* key, const char* expected, const nlohmann::json* got)
{
    if (!m_error)
        m_error = inputError(fmt::format("'{}' of {} is {}; expected {}.", key, m_where,
                                         got == nullptr ? "missing" : describe(*got), expected));
}

bool JsonObject::flag(const char* key, bool fallback)
{
    const nlohmann::json* value = find(key);
    if (value == nullptr)
        return fallback;
    if (!value->is_boolean()) {
        fail(key, "true or false", value);
        return fallback;
    }
    return value->get<bool>();
}

std::optional<std::string> JsonObject::optionalString(const char* key)
{
    const nlohmann::json* value = find(key);
    if (value == nullptr)
        return std::nullopt;
    if (!value->is_string()) {
        fail(key, "a string", value);
        return std::nullopt;
    }
    return value->get<std::string>();
}

std::string JsonObject::string(const char* key, std::string fallback)
{
    return optionalString(key).value_or(std::move(fallback));
}

std::string JsonObject::required(const char* key)
{
    if (find(key) == nullptr)
        fail(key, "a string", nullptr);
    return string(key, {});
}

std::optional<std::int64_t> JsonObject::integer(const char* key)
{
    const nlohmann::json* value = find(key);
    if (value == nullptr)
        return std::nullopt;
    if (!value->is_number_integer()) {
        fail(key, "a whole number", value);
        return std::nullopt;
    }
    if (value->is_number_unsigned() && value->get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX)) {
        fail(key, "a whole number below 2^63", value);
        return std::nullopt;
    }
    return value->get<std::int64_t>();
}

} // namespace headscope::text
