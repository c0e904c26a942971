// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/textfiles/strictjson.h"

#include "core/io/textfiles/quote.h"

#include <nlohmann/json.hpp>

#include <set>
#include <string>
#include <vector>

namespace headscope::io {

Result<void> checkJsonBytes(std::string_view text)
{
    if (text.find('\0') != std::string_view::npos)
        return inputError("contains a NUL byte, which JSON does not allow");
    if (text.starts_with("\xEF\xBB\xBF"))
        return inputError("begins with a byte order mark, which is not allowed");
    return {};
}

Result<nlohmann::json> parseStrictJson(std::string_view text)
{
    using Event = nlohmann::json::parse_event_t;
    if (auto plain = checkJsonBytes(text); !plain.has_value())
        return plain.error();
    std::vector<std::set<std::string>> keys; // of the objects that are open
    std::string failure;
    const auto watch = [&](int depth, Event event, nlohmann::json& value) {
        if (failure.empty() && depth > kMaxJsonDepth)
            failure = "is nested deeper than " + std::to_string(kMaxJsonDepth) + " levels";
        if (event == Event::object_start)
            keys.emplace_back();
        else if (event == Event::object_end)
            keys.pop_back();
        else if (event == Event::key && !keys.back().insert(value.get<std::string>()).second && failure.empty())
            failure = "has the key " + inQuotes(value.get<std::string>()) + " twice";
        return failure.empty();
    };
    // Callbacks that refuse a value drop it, so the events after a failure still arrive balanced.
    nlohmann::json parsed = nlohmann::json::parse(text, watch, false);
    if (!failure.empty())
        return inputError(failure);
    if (parsed.is_discarded())
        return inputError("is not valid JSON");
    return parsed;
}

} // namespace headscope::io
