// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tasks/import/texttemplate.h"

#include "core/tasks/python/pytext.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace headscope::tasks {

using nlohmann::json;

namespace {

std::vector<std::string> split(std::string_view text, char at)
{
    std::vector<std::string> parts;
    for (std::size_t begin = 0;;) {
        const std::size_t end = std::min(text.find(at, begin), text.size());
        parts.emplace_back(strip(text.substr(begin, end - begin)));
        if (end == text.size())
            return parts;
        begin = end + 1;
    }
}

Result<json> lookUp(const json& row, const std::vector<std::string>& path)
{
    const json* value = &row;
    for (const std::string& part : path) {
        const bool index = std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
        if (value->is_object() && value->contains(part))
            value = &(*value)[part];
        else if (value->is_array() && index && part.size() < 9
                 && static_cast<std::size_t>(std::stoi(part)) < value->size())
            value = &(*value)[static_cast<std::size_t>(std::stoi(part))];
        else
            return inputError("The field '" + part + "' is missing.");
    }
    return *value;
}

std::string writtenAsInPython(const json& value)
{
    if (value.is_boolean())
        return value.get<bool>() ? "True" : "False";
    return value.is_string() ? value.get<std::string>() : value.dump();
}

} // namespace

Result<TextTemplate> TextTemplate::parse(std::string_view text)
{
    TextTemplate result;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t open = text.find("{{", begin);
        if (open != begin)
            result.m_pieces.push_back({std::string(text.substr(begin, open - begin)), {}, {}});
        if (open == text.npos)
            break;
        const std::size_t close = text.find("}}", open);
        if (close == text.npos)
            return inputError("The template '" + excerpt(text) + "' opens '{{' without '}}'.");
        Piece piece;
        piece.filters = split(text.substr(open + 2, close - open - 2), '|');
        std::string path = replaceAll(piece.filters.front(), "]", "");
        std::replace(path.begin(), path.end(), '[', '.');
        piece.path = split(path, '.');
        piece.filters.erase(piece.filters.begin());
        if (std::any_of(piece.path.begin(), piece.path.end(), [](const std::string& part) { return part.empty(); }))
            return inputError("The template '" + excerpt(text) + "' has a place without a field name.");
        for (const std::string& filter : piece.filters) {
            if (filter != "strip" && filter != "trim" && filter != "lower" && filter != "capitalize")
                return inputError("The template '" + excerpt(text) + "' uses the filter '" + filter
                                  + "'; expected strip, lower or capitalize.");
        }
        result.m_pieces.push_back(std::move(piece));
        begin = close + 2;
    }
    return result;
}

TextTemplate TextTemplate::column(std::string name)
{
    TextTemplate result;
    result.m_pieces.push_back({{}, {std::move(name)}, {}});
    return result;
}

Result<std::string> TextTemplate::render(const json& row) const
{
    std::string result;
    for (const Piece& piece : m_pieces) {
        if (piece.path.empty()) {
            result += piece.text;
            continue;
        }
        Result<json> value = lookUp(row, piece.path);
        if (!value.has_value())
            return value.error();
        if (value->is_structured() || value->is_null())
            return inputError("The field '" + piece.path.back() + "' is a JSON " + value->type_name()
                              + "; expected a string or a number.");
        std::string text = writtenAsInPython(*value);
        for (const std::string& filter : piece.filters) {
            if (filter == "lower")
                text = lower(text);
            else if (filter == "capitalize")
                text = capitalize(text);
            else
                text = std::string(strip(text));
        }
        result += text;
    }
    return result;
}

Result<json> TextTemplate::value(const json& row) const
{
    if (m_pieces.size() == 1 && !m_pieces.front().path.empty() && m_pieces.front().filters.empty())
        return lookUp(row, m_pieces.front().path);
    Result<std::string> text = render(row);
    if (!text.has_value())
        return text.error();
    return json(*text);
}

} // namespace headscope::tasks
