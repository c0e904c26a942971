// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/tokenizerconfig.h"

#include "core/io/gguf/gguffile.h"
#include "core/io/textfiles/pythonjson.h"
#include "core/io/textfiles/quote.h"
#include "core/text/components.h"
#include "core/text/jsonfile.h"

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace headscope::text {

namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr std::size_t kLargestConfig = 64u << 20;

/// The file's JSON, or null when there is no such file.
Result<json> readIfThere(const fs::path& path, std::string& hashed)
{
    std::error_code code;
    if (!fs::exists(path, code))
        return json();
    const Result<std::string> bytes = readFile(path, kLargestConfig);
    if (!bytes.has_value())
        return bytes.error();
    hashed += *bytes;
    Result<json> parsed = io::parsePythonJson(*bytes);
    if (!parsed.has_value())
        return Error{parsed.error().kind, fmt::format("'{}' {}.", path.string(), parsed.error().message),
                     parsed.error().detail};
    if (!parsed->is_object())
        return inputError(fmt::format("'{}' contains {}; expected an object.", path.string(), describe(*parsed)));
    return parsed;
}

constexpr std::array kRoles = {"bos_token", "eos_token", "unk_token", "sep_token",
                               "pad_token", "cls_token", "mask_token"}; // of every tokenizer, in transformers' order

/// Settings of tokenizer_config.json that are read elsewhere or cannot change an id.
constexpr std::array kSettled = {"add_bos_token",
                                 "add_eos_token",
                                 "add_prefix_space",
                                 "added_tokens_decoder",
                                 "additional_special_tokens",
                                 "backend",
                                 "chat_control_tokens",
                                 "chat_template",
                                 "clean_up_tokenization_spaces",
                                 "device_map",
                                 "errors",
                                 "extra_special_tokens",
                                 "is_local",
                                 "legacy",
                                 "local_files_only",
                                 "max_length",
                                 "max_len",
                                 "model_input_names",
                                 "model_max_length",
                                 "model_specific_special_tokens",
                                 "name_or_path",
                                 "pad_to_multiple_of",
                                 "pad_token_type_id",
                                 "padding_side",
                                 "processor_class",
                                 "response_schema",
                                 "response_template",
                                 "return_token_type_ids",
                                 "spaces_between_special_tokens",
                                 "special_tokens_map_file",
                                 "split_special_tokens",
                                 "stride",
                                 "tokenizer_class",
                                 "tokenizer_file",
                                 "transformers_version",
                                 "truncation_side",
                                 "truncation_strategy",
                                 "trust_remote_code",
                                 "use_default_system_prompt",
                                 "use_fast",
                                 "verbose"};

bool isRole(std::string_view key)
{
    return std::ranges::find(kRoles, key) != kRoles.end();
}

/// The keys of an object in the order of the file, which decides about the ids of new tokens.
std::vector<std::string> keysOf(const nlohmann::ordered_json& object)
{
    std::vector<std::string> keys;
    for (auto entry = object.begin(); object.is_object() && entry != object.end(); ++entry)
        keys.push_back(entry.key());
    return keys;
}

/// Roles as transformers goes through them: those of every tokenizer, tokens written as objects or in
/// special_tokens_map.json, tokens written as strings, those of an object of tokens; each in the order of its file.
void sortRoles(const std::string& configBytes, const std::string& mapBytes, TokenizerConfig& out)
{
    std::vector<std::string> order(kRoles.begin(), kRoles.end());
    const auto append = [&](const std::vector<std::string>& keys) {
        order.insert(order.end(), keys.begin(), keys.end());
    };
    const auto config = nlohmann::ordered_json::parse(configBytes, nullptr, false);
    const auto map = nlohmann::ordered_json::parse(mapBytes, nullptr, false);
    std::vector<std::string> strings;
    for (const std::string& key : keysOf(config))
        (config[key].is_string() ? strings : order).push_back(key);
    append(keysOf(map));
    append(strings);
    for (const auto* file : {&config, &map})
        for (const char* key : {"model_specific_special_tokens", "extra_special_tokens"})
            if (file->is_object() && file->contains(key))
                append(keysOf((*file)[key]));
    std::ranges::stable_sort(out.roles, {},
                             [&](const auto& role) { return std::ranges::find(order, role.first) - order.begin(); });
}

bool isToken(const json& value)
{
    return value.is_string() || (value.is_object() && value.contains("content"));
}

/// A token given as a string or as an object with `content`; `special` as transformers makes it.
Result<AddedToken> readSpecial(const json& value, const std::string& where, bool alwaysSpecial)
{
    AddedToken token;
    token.special = true;
    if (value.is_string()) {
        token.content = value.get<std::string>();
        return token;
    }
    Result<AddedToken> read = readAddedToken(value, where);
    if (read.has_value() && alwaysSpecial)
        read->special = true;
    return read;
}

/// Tokens under a key, as a list or as an object from role to token.
Result<void> readExtra(const json& value, const std::string& where, TokenizerConfig& out)
{
    if (!value.is_array() && !value.is_object())
        return inputError(fmt::format("{} is {}; expected a list of tokens or an object from role to token.", where,
                                      describe(value)));
    for (auto entry = value.begin(); entry != value.end(); ++entry) {
        Result<AddedToken> token = readSpecial(*entry, where, value.is_object());
        if (!token.has_value())
            return token.error();
        if (value.is_object())
            out.roles.emplace_back(entry.key(), *std::move(token));
        else
            out.extra.push_back(*std::move(token));
    }
    return {};
}

Result<std::vector<AddedToken>> readAddedTokensDecoder(const json& decoder, const std::string& file)
{
    std::vector<AddedToken> tokens;
    if (!decoder.is_object())
        return inputError(fmt::format("'added_tokens_decoder' of {} is {}; expected an object from id to token.", file,
                                      describe(decoder)));
    for (auto entry = decoder.begin(); entry != decoder.end(); ++entry) {
        int id = -1;
        const std::string& key = entry.key();
        const auto [end, status] = std::from_chars(key.data(), key.data() + key.size(), id);
        if (status != std::errc() || end != key.data() + key.size() || id < 0)
            return inputError(fmt::format("'added_tokens_decoder' of {} has the key '{}'; expected an id.", file, key));
        Result<AddedToken> token = readAddedToken(*entry, fmt::format("added token {} of {}", id, file));
        if (!token.has_value())
            return token.error();
        token->id = id;
        tokens.push_back(*std::move(token));
    }
    std::ranges::sort(tokens, {}, &AddedToken::id);
    return tokens;
}

/// added_tokens.json, from token to id: what versions before `added_tokens_decoder` wrote.
Result<std::vector<AddedToken>> readAddedTokensFile(const json& file, const TokenizerConfig& config)
{
    std::vector<AddedToken> tokens;
    for (auto entry = file.begin(); entry != file.end(); ++entry) {
        if (!entry->is_number_unsigned()
            || entry->get<std::uint64_t>() >= static_cast<std::uint64_t>(std::numeric_limits<int>::max()))
            return inputError(
                fmt::format("'{}' of added_tokens.json is {}; expected an id.", entry.key(), entry->dump()));
        AddedToken token;
        token.content = entry.key();
        token.id = entry->get<int>();
        token.special = std::ranges::any_of(config.extra, [&](const auto& t) { return t.content == token.content; })
                        || std::ranges::any_of(config.roles, [&](const auto& role) {
                               return isRole(role.first) && role.second && role.second->content == token.content;
                           });
        token.normalized = !token.special;
        std::erase_if(tokens, [&](const AddedToken& other) { return other.id == token.id; }); // an id has one token
        tokens.push_back(std::move(token));
    }
    std::ranges::sort(tokens, {}, &AddedToken::id);
    return tokens;
}

/// The special tokens of tokenizer_config.json and, where that has no `added_tokens_decoder`, of
/// special_tokens_map.json, whose entries then win.
Result<void> readSpecialTokens(const json& config, const json& map, TokenizerConfig& out)
{
    json all = config.is_object() ? config : json::object();
    const json* listed = all.contains("extra_special_tokens") ? &all["extra_special_tokens"] : nullptr;
    const bool unlisted = listed == nullptr || listed->is_null() || listed->empty();
    if (unlisted && all.contains("additional_special_tokens"))
        all["extra_special_tokens"] = all["additional_special_tokens"];
    if (!out.hasDecoder && map.is_object()) {
        for (auto entry = map.begin(); entry != map.end(); ++entry) {
            json& known = all[entry.key()];
            if (entry.key() == "extra_special_tokens" && entry->is_array() && known.is_array())
                known.insert(known.end(), entry->begin(), entry->end());
            else
                known = *entry;
        }
        if (!all.contains("extra_special_tokens") && all.contains("additional_special_tokens"))
            all["extra_special_tokens"] = all["additional_special_tokens"];
    }

    const auto add = [&](const std::string& key, const json& value) -> Result<void> {
        if (value.is_null()) {
            out.roles.emplace_back(key, std::nullopt);
            return {};
        }
        Result<AddedToken> token = readSpecial(value, fmt::format("'{}' of tokenizer_config.json", key), true);
        if (!token.has_value())
            return token.error();
        out.roles.emplace_back(key, *std::move(token));
        return {};
    };
    for (const char* role : kRoles)
        if (all.contains(role))
            if (const Result<void> done = add(role, all[role]); !done.has_value())
                return done;
    for (auto entry = all.begin(); entry != all.end(); ++entry)
        if (entry.key().ends_with("_token") && !isRole(entry.key()) && isToken(*entry))
            if (const Result<void> done = add(entry.key(), *entry); !done.has_value())
                return done;
    std::vector<const char*> keys = {"model_specific_special_tokens", "extra_special_tokens"};
    if (all.contains(keys[1]) && all[keys[1]].is_object() && !all[keys[1]].empty())
        keys.push_back("additional_special_tokens");
    for (const char* key : keys)
        if (all.contains(key) && !all[key].is_null())
            if (const Result<void> done = readExtra(all[key], fmt::format("'{}'", key), out); !done.has_value())
                return done;
    return {};
}

/// The settings that nothing here reads and that may change ids, in one sentence.
void warnOfUnread(const json& config, std::vector<std::string>& warnings)
{
    std::string names;
    for (auto entry = config.begin(); config.is_object() && entry != config.end(); ++entry) {
        const std::string& key = entry.key();
        const bool off = entry->is_null() || *entry == json(false) || (entry->is_structured() && entry->empty());
        const bool token = isRole(key) || (key.ends_with("_token") && isToken(*entry));
        if (off || token || std::ranges::find(kSettled, key) != kSettled.end())
            continue;
        names += fmt::format("{}'{}'", names.empty() ? "" : ", ", key);
    }
    if (!names.empty())
        warnings.push_back(
            fmt::format("Settings of tokenizer_config.json that are not read and might change tokens: {}.", names));
}

/// A token id, or the first of a list of them.
std::optional<int> firstId(const json& config, const char* key)
{
    const auto it = config.is_object() ? config.find(key) : config.end();
    if (!config.is_object() || it == config.end())
        return std::nullopt;
    const json& id = it->is_array() && !it->empty() ? it->front() : *it;
    if (!id.is_number_unsigned()
        || id.get<std::uint64_t>() >= static_cast<std::uint64_t>(std::numeric_limits<int>::max()))
        return std::nullopt;
    return id.get<int>();
}

/// `chat_template`: a string, or a list or an object of named ones of which "default" counts.
void readChatTemplate(const json& config, TokenizerConfig& out)
{
    const json found = config.is_object() ? config.value("chat_template", json()) : json();
    if (found.is_string())
        out.chatTemplate = found.get<std::string>();
    json named = found.is_object() ? found : json::object();
    for (const json& entry : found.is_array() ? found : json::array())
        if (entry.is_object() && entry.contains("template") && entry.value("name", json()).is_string())
            named[entry["name"].get<std::string>()] = entry["template"];
    for (const auto& [name, text] : named.items()) {
        if (!text.is_string())
            continue;
        if (name == "default")
            out.chatTemplate = text.get<std::string>();
        out.chatTemplates += (out.chatTemplates.empty() ? "" : ", ") + io::inQuotes(name);
    }
}

/// What a GGUF file says instead of those files.
Result<TokenizerConfig> ofGguf(const fs::path& path)
{
    const auto file = io::GgufFile::open(path);
    if (!file.has_value())
        return file.error();
    const io::GgufHeader& header = (*file)->header();
    const auto id = [&](const char* key) {
        const auto value = header.integer(key);
        return value && *value >= 0 && *value <= std::numeric_limits<int>::max()
                   ? std::optional(static_cast<int>(*value))
                   : std::nullopt;
    };
    TokenizerConfig config;
    config.bosId = id("tokenizer.ggml.bos_token_id");
    config.eosId = id("tokenizer.ggml.eos_token_id");
    const auto* tokens = header.texts("tokenizer.ggml.tokens");
    for (const auto& [role, token] : {std::pair("bos_token", config.bosId), std::pair("eos_token", config.eosId)})
        if (tokens && token && static_cast<std::size_t>(*token) < tokens->size())
            config.roles.emplace_back(
                role, AddedToken{.content = (*tokens)[static_cast<std::size_t>(*token)], .special = true});
    if (const std::string* jinja = header.text("tokenizer.chat_template"))
        config.chatTemplate = *jinja;
    return config;
}

} // namespace

int placeOfRole(std::string_view role)
{
    return static_cast<int>(std::ranges::find(kRoles, role) - kRoles.begin());
}

std::optional<std::string> TokenizerConfig::tokenOf(std::string_view role) const
{
    const auto found = std::ranges::find_if(roles, [&](const auto& entry) { return entry.first == role; });
    return found != roles.end() && found->second ? std::optional(found->second->content) : std::nullopt;
}

Result<TokenizerConfig> readTokenizerConfig(const fs::path& folder)
{
    if (const auto gguf = io::ggufAt(folder); gguf.has_value() && *gguf)
        return ofGguf(**gguf);
    TokenizerConfig out;
    std::string unhashed; // config.json is not part of the tokenizer's identity
    const Result<json> config = readIfThere(folder / "tokenizer_config.json", out.hashed);
    if (!config.has_value())
        return config.error();
    const std::string configBytes = out.hashed;
    const Result<json> map = readIfThere(folder / "special_tokens_map.json", out.hashed);
    if (!map.has_value())
        return map.error();
    const std::string mapBytes = out.hashed.substr(configBytes.size());
    const Result<json> added = readIfThere(folder / "added_tokens.json", out.hashed);
    if (!added.has_value())
        return added.error();
    JsonObject object(*config, "tokenizer_config.json");
    out.tokenizerClass = object.string("tokenizer_class", "");
    for (const auto& [key, flag] : {std::pair("add_bos_token", &out.addBos), std::pair("add_eos_token", &out.addEos),
                                    std::pair("add_prefix_space", &out.addPrefixSpace)})
        if (object.find(key) != nullptr)
            *flag = object.flag(key, false);
    out.legacy = object.flag("legacy", false);
    out.cleanUpSpaces = object.flag("clean_up_tokenization_spaces", false);
    out.splitSpecial = object.flag("split_special_tokens", false);
    const json* decoder = object.find("added_tokens_decoder");
    if (object.error())
        return *object.error();
    out.hasDecoder = decoder != nullptr;
    if (const Result<void> done = readSpecialTokens(*config, *map, out); !done.has_value())
        return done.error();
    sortRoles(configBytes, mapBytes, out);
    if (out.hasDecoder || added->is_object()) {
        Result<std::vector<AddedToken>> tokens = out.hasDecoder
                                                     ? readAddedTokensDecoder(*decoder, "tokenizer_config.json")
                                                     : readAddedTokensFile(*added, out);
        if (!tokens.has_value())
            return tokens.error();
        out.listed = *std::move(tokens);
    }
    warnOfUnread(*config, out.warnings);

    for (const char* file : {"generation_config.json", "config.json"}) {
        const Result<json> ids = readIfThere(folder / file, unhashed);
        if (!ids.has_value())
            return ids.error();
        if (!out.bosId)
            out.bosId = firstId(*ids, "bos_token_id");
        if (!out.eosId)
            out.eosId = firstId(*ids, "eos_token_id");
        const auto text = [&](const char* key) {
            return ids->is_object() && ids->contains(key) && (*ids)[key].is_string() ? (*ids)[key].get<std::string>()
                                                                                     : std::string();
        };
        if (out.tokenizerClass.empty())
            out.tokenizerClass = text("tokenizer_class");
        if (out.modelType.empty())
            out.modelType = text("model_type");
    }

    std::error_code code;
    if (fs::exists(folder / "chat_template.jinja", code)) {
        Result<std::string> text = readFile(folder / "chat_template.jinja", kLargestConfig);
        if (!text.has_value())
            return text.error();
        out.chatTemplate = *std::move(text);
    } else {
        readChatTemplate(*config, out);
    }
    return out;
}

} // namespace headscope::text
