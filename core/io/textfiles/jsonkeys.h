// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Typed members of a JSON object that a person wrote: the first fault is remembered, and every key must have been asked
// for. For the readers of core, which alone see the JSON library. Any thread.

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
    /// `where` begins every message: "Task file 'own.json'". Another value than an object is a fault.
    JsonKeys(const nlohmann::json& object, std::string where);

    [[nodiscard]] std::string text(const char* key, std::string otherwise = {}, bool required = false);
    [[nodiscard]] int integer(const char* key, int otherwise, int least, int most);
    [[nodiscard]] bool flag(const char* key);
    [[nodiscard]] std::vector<std::string> texts(const char* key, bool required = false);
    /// A member of any type; null: not there.
    [[nodiscard]] const nlohmann::json* find(const char* key, bool required);
    /// The first message stays.
    void fail(const std::string& message);
    /// The first fault, a key that nobody asked for among them.
    [[nodiscard]] std::optional<Error> finish();

private:
    const nlohmann::json& m_object;
    std::string m_where;
    std::set<std::string> m_asked;
    std::optional<Error> m_error;
};

} // namespace headscope::io
