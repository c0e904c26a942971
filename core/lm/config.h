// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Typed access to config.json: the first wrong type or value is kept as one sentence, so that families can read their
// keys without checks in between. Records which keys were read, so that the rest can be listed. Any thread; copies
// share the record, so only one thread at a time may read them.

#include "core/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace headscope::lm {

class Config
{
public:
    /// Reads and parses config.json; descends into the object `config` that plain torch modules write, and into
    /// `text_config` of a model that also reads images or sound.
    [[nodiscard]] static Result<Config> load(const std::filesystem::path& folder);
    /// Parses a config from a string; `who` names it in messages.
    [[nodiscard]] static Result<Config> parse(const std::string& text, const std::string& who = "config.json");
    /// Reads and parses one file, such as generation_config.json.
    [[nodiscard]] static Result<Config> readFile(const std::filesystem::path& file);
    explicit Config(nlohmann::json json, std::string where = "config.json");

    /// Returns the type of the whole model if this is its text part; otherwise an empty string.
    [[nodiscard]] const std::string& textPartOf() const { return m_textPartOf; }
    /// Returns `model_type`, or the family that the keys imply; fails if neither determines it.
    [[nodiscard]] Result<std::string> family() const;

    [[nodiscard]] bool has(const char* key) const;      ///< present and not null
    [[nodiscard]] bool contains(const char* key) const; ///< present, even if null
    [[nodiscard]] int integer(const char* key, std::optional<int> fallback = {});
    [[nodiscard]] int positive(const char* key, std::optional<int> fallback = {}); ///< >= 1
    [[nodiscard]] double number(const char* key, std::optional<double> fallback = {});
    [[nodiscard]] double multiple(const char* key, double fallback,
                                  int of); ///< the number times `of`: from 1 to the largest permitted count
    [[nodiscard]] bool boolean(const char* key, std::optional<bool> fallback = {});
    [[nodiscard]] std::string text(const char* key, std::optional<std::string> fallback = {});
    [[nodiscard]] std::vector<int> integers(const char* key); ///< a number or a list of numbers; missing: empty
    [[nodiscard]] std::vector<double> numbers(const char* key, std::size_t count); ///< missing: ones
    [[nodiscard]] std::vector<std::string> texts(const char* key);
    [[nodiscard]] Config object(const char* key);               ///< missing: an empty object
    [[nodiscard]] std::vector<Config> objects(const char* key); ///< missing: an empty list
    /// Returns a value of any type and marks everything in it as read; missing: null.
    [[nodiscard]] const nlohmann::json& value(const char* key) const;
    /// Returns a copy with another value for one key; keys read from the copy count as read here.
    [[nodiscard]] Config with(const char* key, nlohmann::json value) const;
    /// Rejects every value of a key but this one, written as JSON. Missing and null are accepted.
    void only(const char* key, const char* value);
    /// Declares a value that the family assumes: a key with another value is listed as unused.
    void assume(const char* key, const char* value) const;
    /// Declares keys that do not change what the family computes.
    void ignore(std::initializer_list<const char*> keys) const;
    /// Returns keys of the file that are neither read, nor null, nor known to have no effect: "rope_scaling.beta_fast".
    [[nodiscard]] std::vector<std::string> unread() const;

    /// From now on, reads each first key of a pair under the second name, unless the file has both.
    void alias(std::initializer_list<std::pair<const char*, const char*>> names);

    void fail(std::string message);
    [[nodiscard]] const std::optional<Error>& error() const { return m_error; }
    void adopt(const Config& child); ///< takes over a child object's error
    [[nodiscard]] const nlohmann::json& json() const { return *m_json; }

private:
    using Keys = std::set<std::string>;
    [[nodiscard]] static Result<Config> textPart(const nlohmann::json& whole, const std::string& who);
    [[nodiscard]] Config child(nlohmann::json json, std::string where, std::string path) const;
    void read(const char* key) const { m_read->insert(m_path + key); }
    std::shared_ptr<const nlohmann::json> m_json; ///< never null
    std::string m_where;
    std::string m_textPartOf;
    std::string m_path;           ///< prefix of this object's keys: "rope_scaling."
    std::shared_ptr<Keys> m_read; ///< full paths; shared with nested objects; "key.*": with all members
    std::optional<Error> m_error;
};

} // namespace headscope::lm
