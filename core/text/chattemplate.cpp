// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/chattemplate.h"

#include "core/base/hash.h"
#include "core/text/tokenizerconfig.h"
#include "core/text/unicode/utf8.h"

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace headscope::text {

namespace {

using OrderedJson = nlohmann::ordered_json;

/// Reasoning under the name that a template may read, as transformers' _alias_reasoning_fields() does it.
void aliasReasoning(OrderedJson& message)
{
    for (const char* key : {"reasoning_content", "thinking", "reasoning"}) {
        const auto it = message.find(key);
        if (it == message.end() || it->is_null())
            continue;
        const OrderedJson reasoning = *it;
        OrderedJson out = {{"thinking", reasoning}};
        out.update(message);
        out["reasoning_content"] = reasoning;
        message = std::move(out);
        return;
    }
}

std::vector<std::string> rolesIn(std::string_view source)
{
    std::vector<std::string> roles{"system", "user", "assistant"};
    for (const char* role : {"developer", "tool", "ipython", "function", "observation"})
        for (const char quote : {'\'', '"'})
            if (source.find(quote + std::string(role) + quote) != std::string_view::npos) {
                roles.emplace_back(role);
                break;
            }
    return roles;
}

} // namespace

ChatTemplate::ChatTemplate(jinja::Template parsed, std::string_view source,
                           std::vector<std::pair<std::string, std::string>> tokens)
    : m_template(std::move(parsed)), m_hash(sha256Hex(source).substr(0, 12)), m_roles(rolesIn(source)),
      m_tokens(std::move(tokens))
{
}

Result<ChatTemplate> ChatTemplate::fromJinja(std::string_view jinja,
                                             std::vector<std::pair<std::string, std::string>> specialTokens)
{
    auto parsed = jinja::Template::parse(jinja);
    if (!parsed.has_value())
        return parsed.error();
    for (auto& [role, token] : specialTokens)
        token = OrderedJson(replaceInvalidUtf8(token)).dump();
    const std::string_view source = jinja.substr(0, jinja.find_last_not_of(" \t\r\n") + 1);
    return ChatTemplate(*std::move(parsed), source, std::move(specialTokens));
}

Result<ChatTemplate> ChatTemplate::load(const std::filesystem::path& modelFolder)
{
    const Result<TokenizerConfig> config = readTokenizerConfig(modelFolder);
    if (!config.has_value())
        return config.error();
    if (!config->chatTemplate)
        return inputError(
            config->chatTemplates.empty()
                ? fmt::format("The model folder '{}' has no chat template; expected chat_template.jinja, or "
                              "'chat_template' in tokenizer_config.json.",
                              modelFolder.string())
                : fmt::format("The model folder '{}' has the chat templates {}; expected one named 'default'.",
                              modelFolder.string(), config->chatTemplates));
    std::vector<std::pair<std::string, std::string>> tokens;
    for (const auto& [role, token] : config->roles)
        if (token && placeOfRole(role) < placeOfRole(""))
            tokens.emplace_back(role, token->content);
    return fromJinja(*config->chatTemplate, std::move(tokens));
}

Result<std::string> ChatTemplate::render(std::span<const ChatMessage> messages, const ChatOptions& options) const
{
    OrderedJson all = OrderedJson::array();
    for (const ChatMessage& m : messages) {
        for (const std::string* text : {&m.role, &m.content})
            if (const auto at = firstInvalidUtf8(*text))
                return inputError(fmt::format("A message is not valid UTF-8 at byte {}.", *at));
        all.push_back({{"role", m.role}, {"content", m.content}});
    }
    return renderJson(all.dump(), options);
}

Result<std::string> ChatTemplate::renderOpen(std::span<const ChatMessage> messages, ChatOptions options) const
{
    std::string begun;
    if (!messages.empty() && messages.back().role == "assistant") {
        begun = messages.back().content;
        messages = messages.first(messages.size() - 1);
    }
    options.addGenerationPrompt = true;
    auto text = render(messages, options);
    if (text.has_value())
        *text += begun;
    return text;
}

Result<void> ChatTemplate::writesUser() const
{
    const std::vector<ChatMessage> hello = {{"user", "Hello"}}, other = {{"user", "What is a head?"}};
    const auto one = render(hello), two = render(other);
    if (!one.has_value() || !two.has_value())
        return one.has_value() ? two.error() : one.error();
    return *one == *two ? Result<void>(inputError("The chat template writes the same text for every user message."))
                        : Result<void>();
}

Result<std::string> ChatTemplate::renderJson(const std::string& messages, const ChatOptions& options) const
{
    OrderedJson all = OrderedJson::parse(messages, nullptr, false);
    if (!all.is_array() || !std::ranges::all_of(all, [](const OrderedJson& m) { return m.is_object(); }))
        return inputError(
            "The conversation is not a list of messages in JSON, each an object with a role and content.");
    if (all.empty())
        return inputError("The conversation is empty; a chat template needs at least one message.");
    std::ranges::for_each(all, aliasReasoning);
    // Later ones replace earlier ones, as keywords of apply_chat_template() replace special tokens.
    std::vector<std::pair<std::string, std::string>> variables = options.variables;
    const auto add = [&](const std::string& name, std::string json) {
        if (std::ranges::find(variables, name, [](const auto& v) { return v.first; }) == variables.end())
            variables.emplace_back(name, std::move(json));
    };
    add("messages", all.dump());
    add("tools", "null");
    add("documents", "null");
    add("add_generation_prompt", options.addGenerationPrompt ? "true" : "false");
    for (const auto& [role, token] : m_tokens)
        add(role, token);
    return m_template.render(variables, options.now);
}

} // namespace headscope::text
