// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Untrusted JSON files: read with limits on size and depth, accessed without exceptions. Private to core/text. Any
// thread.

#include "core/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace headscope::text {

inline constexpr std::size_t kLargestFile = 1u << 30;

/// Reads a file of at most `limit` bytes.
[[nodiscard]] Result<std::string> readFile(const std::filesystem::path& path, std::size_t limit = kLargestFile);

/// Parses JSON of at most 64 levels. `name` is used in the message.
[[nodiscard]] Result<nlohmann::json> parseJson(std::string_view text, const std::string& name);

/// Typed access to members of an object; a missing or null member gives the fallback, one of another type an error.
class JsonObject
{
public:
    /// `where` names the object in messages; `json` must outlive this.
    JsonObject(const nlohmann::json& json, std::string where) : m_json(json), m_where(std::move(where)) {}

    [[nodiscard]] const nlohmann::json* find(const char* key) const; ///< null if missing or null
    [[nodiscard]] bool flag(const char* key, bool fallback);
    [[nodiscard]] std::string string(const char* key, std::string fallback);
    [[nodiscard]] std::optional<std::string> optionalString(const char* key);
    [[nodiscard]] std::optional<std::int64_t> integer(const char* key);
    [[nodiscard]] std::string required(const char* key); ///< a string
    /// Returns the first error of the calls so far, if any.
    [[nodiscard]] const std::optional<Error>& error() const { return m_error; }
    [[nodiscard]] const std::string& where() const { return m_where; }

private:
    void fail(const char* key, const char* expected, const nlohmann::json* got);

    const nlohmann::json& m_json;
    std::string m_where;
    std::optional<Error> m_error;
};

/// Returns "a string", "an object" ... for messages.
[[nodiscard]] const char* describe(const nlohmann::json& json);

} // namespace headscope::text
