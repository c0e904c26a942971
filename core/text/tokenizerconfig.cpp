// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/tokenizerconfig.h"

#include "core/io/gguf/gguffile.h"
#include "core/io/pythonjson.h"
#include "core/text/components.h"
#include "core/text/jsonfile.h"

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include <algorithm>
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
        return inputError(fmt::format("'{}' holds {}; expected an object.", path.string(), describe(*parsed)));
    return parsed;
}

/// A token given as a string or as an object with `content`.
Result<std::optional<AddedToken>> readSpecial(const json& config, const char* key, const std::string& file)
{
    const auto it = config.is_object() ? config.find(key) : config.end();
    if (!config.is_object() || it == config.end() || it->is_null())
        return std::optional<AddedToken>();
    AddedToken token;
    if (it->is_string()) {
        token.content = it->get<std::string>();
        token.special = true;
        return std::optional(token);
    }
    Result<AddedToken> read = readAddedToken(*it, fmt::format("'{}' of {}", key, file));
    if (!read.has_value())
        return read.error();
    read->special = true;
    return std::optional(*std::move(read));
}

Result<std::vector<AddedToken>> readAddedTokensDecoder(const json& config, const std::string& file)
{
    std::vector<AddedToken> tokens;
    const auto it = config.is_object() ? config.find("added_tokens_decoder") : config.end();
    if (!config.is_object() || it == config.end() || it->is_null())
        return tokens;
    if (!it->is_object())
        return inputError(fmt::format("'added_tokens_decoder' of {} is {}; expected an object from id to token.", file,
                                      describe(*it)));
    for (auto entry = it->begin(); entry != it->end(); ++entry) {
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
    std::sort(tokens.begin(), tokens.end(), [](const AddedToken& a, const AddedToken& b) { return a.id < b.id; });
    return tokens;
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

/// `chat_template`: a string, or a list of named ones of which "default" counts.
std::optional<std::string> readChatTemplate(const json& config)
{
    const auto it = config.is_object() ? config.find("chat_template") : config.end();
    if (!config.is_object() || it == config.end())
        return std::nullopt;
    if (it->is_string())
        return it->get<std::string>();
    if (it->is_array()) {
        for (const json& entry : *it) {
            if (entry.is_object() && entry.value("name", json()) == "default" && entry.contains("template")
                && entry["template"].is_string())
                return entry["template"].get<std::string>();
        }
    }
    return std::nullopt;
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
    if (tokens && config.bosId && static_cast<std::size_t>(*config.bosId) < tokens->size())
        config.bos = (*tokens)[static_cast<std::size_t>(*config.bosId)];
    if (const std::string* jinja = header.text("tokenizer.chat_template"))
        config.chatTemplate = *jinja;
    return config;
}

} // namespace

Result<TokenizerConfig> readTokenizerConfig(const fs::path& folder)
{
    if (const auto gguf = io::ggufAt(folder); gguf.has_value() && *gguf)
        return ofGguf(**gguf);
    TokenizerConfig out;
    std::string unhashed; // config.json is not part of the tokenizer's identity
    const Result<json> config = readIfThere(folder / "tokenizer_config.json", out.hashed);
    if (!config.has_value())
        return config.error();
    const Result<json> map = readIfThere(folder / "special_tokens_map.json", out.hashed);
    if (!map.has_value())
        return map.error();
    JsonObject object(*config, "tokenizer_config.json");
    out.tokenizerClass = object.string("tokenizer_class", "");
    if (object.find("add_bos_token") != nullptr)
        out.addBos = object.flag("add_bos_token", false);
    if (object.find("add_eos_token") != nullptr)
        out.addEos = object.flag("add_eos_token", false);
    out.cleanUpSpaces = object.flag("clean_up_tokenization_spaces", false);
    if (object.error())
        return *object.error();

    Result<std::vector<AddedToken>> tokens = readAddedTokensDecoder(*config, "tokenizer_config.json");
    if (!tokens.has_value())
        return tokens.error();
    out.tokens = *std::move(tokens);
    for (const char* key : {"bos_token", "eos_token", "pad_token", "unk_token"}) {
        Result<std::optional<AddedToken>> token = readSpecial(*config, key, "tokenizer_config.json");
        if (token.has_value() && !*token)
            token = readSpecial(*map, key, "special_tokens_map.json");
        if (!token.has_value())
            return token.error();
        if (!*token)
            continue;
        const std::string_view name = key;
        if (name == "bos_token")
            out.bos = (*token)->content;
        if (name == "eos_token")
            out.eos = (*token)->content;
        out.tokens.push_back(**std::move(token));
    }

    for (const char* file : {"generation_config.json", "config.json"}) {
        const Result<json> ids = readIfThere(folder / file, unhashed);
        if (!ids.has_value())
            return ids.error();
        if (!out.bosId)
            out.bosId = firstId(*ids, "bos_token_id");
        if (!out.eosId)
            out.eosId = firstId(*ids, "eos_token_id");
    }

    std::error_code code;
    if (fs::exists(folder / "chat_template.jinja", code)) {
        Result<std::string> text = readFile(folder / "chat_template.jinja", kLargestConfig);
        if (!text.has_value())
            return text.error();
        out.chatTemplate = *std::move(text);
    } else {
        out.chatTemplate = readChatTemplate(*config);
    }
    return out;
}

} // namespace headscope::text
