// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Typed members of a user-written JSON object: the first error is kept, and every key must have been requested. For the
// readers of core, the only users of the JSON library. Any thread.

#include "core/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace headscope::io {

class JsonKeys
{
public:
    /// `where` begins every message: "Task file 'own.json'". A value that is not an object is an error.
    JsonKeys(const nlohmann::json& object, std::string where);

    [[nodiscard]] std::string text(const char* key, std::string otherwise = {}, bool required = false);
    [[nodiscard]] int integer(const char* key, int otherwise, int least, int most);
    [[nodiscard]] bool flag(const char* key);
    [[nodiscard]] std::vector<std::string> texts(const char* key, bool required = false);
    /// Returns a member of any type; null if it does not exist.
    [[nodiscard]] const nlohmann::json* find(const char* key, bool required);
    /// Records an error, unless there is an earlier one.
    void fail(const std::string& message);
    /// Returns the first error, which may be a key that was never requested.
    [[nodiscard]] std::optional<Error> finish();

private:
    const nlohmann::json& m_object;
    std::string m_where;
    std::set<std::string> m_asked;
    std::optional<Error> m_error;
};

} // namespace headscope::io
