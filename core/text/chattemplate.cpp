// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/chattemplate.h"

#include "core/base/hash.h"
#include "core/text/tokenizerconfig.h"
#include "core/text/unicode/characters.h"
#include "core/text/unicode/utf8.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace headscope::text {

/// A known template: SHA-256 of its source without the white space at the end.
struct ChatTemplate::Known {
    const char* hash;
    Kind kind;
    const char* name;
};

namespace {

/// Python's str.strip(), which Jinja's trim is: White_Space and the four separators U+001C to U+001F.
std::string_view trimmed(std::string_view text)
{
    const auto blank = [](char32_t c) { return (c >= 0x1C && c <= 0x1F) || isWhitespace(c); };
    std::size_t begin = 0;
    std::size_t end = text.size();
    while (begin < end) {
        std::size_t i = begin;
        if (!blank(nextCharacter(text, i)))
            break;
        begin = i;
    }
    while (end > begin) {
        std::size_t i = end;
        if (!blank(previousCharacter(text, i)))
            break;
        end = i;
    }
    return text.substr(begin, end - begin);
}

std::string_view withoutTrailingSpace(std::string_view source)
{
    const std::size_t last = source.find_last_not_of(" \t\r\n");
    return last == source.npos ? std::string_view() : source.substr(0, last + 1);
}

} // namespace

std::span<const ChatTemplate::Known> ChatTemplate::table()
{
    // Several spellings of one template: a newline inside a Jinja string can be written as itself or as \n.
    static constexpr Known kKnown[] = {
        {"ba03a121d097859c7b5b9cd03af99aafe95275210d2876f642ad9929a150f122", Kind::Llama3, "Llama 3"},
        {"4f46ecd43418f216df8c26936c60e5d04bcc81db47db5d86fbe889f64212dd4c", Kind::Llama3, "Llama 3"},
        {"47d5a7b4840c2ff2dfa0828b2465a654bef3a6cdfe032e5e105f395e4ceee812", Kind::Llama3, "Llama 3"},
        {"25d9364ce09288ed874ade392dfd082b81d3ea3b4d887f008fdcfd8427c7186b", Kind::Llama3, "Llama 3"},
        {"93c0e9aa3629bbd77e68dbc0f5621f6e6b23aa8d74b932595cdb8d64684526d7", Kind::Llama31, "Llama 3.1"},
        {"d82792f95932f1c9cef5c4bd992f171225e3bf8c7b609b4557c9e1ec96be819f", Kind::Llama31, "Llama 3.2"},
        {"153280e3ff55d19da1398bdb3914ee2a51b80429bfaedde11d7d216c39db80f3", Kind::ChatMl, "ChatML"},
        {"fcf7a096fe99a48fd9ad2b250bf9237e96e8f48bffec1c7ea4d3f225176cd40e", Kind::ChatMl, "ChatML"},
        {"58c1a1f04baa7adaeaba1f90267c3d57d9396f0c1f0129bdde9e76d3c6784af7", Kind::ChatMl, "ChatML"},
        {"d7b5b8c7b58f7a6bf868aa46a5f73ee976d7292f40fcb9c3e7a1defd8d235cfb", Kind::ChatMl, "ChatML"},
        {"8c0d16dff6538b0c244cec6954dcd9492831bb13dcf1cd5afd2693c91a857a3b", Kind::ChatMl, "ChatML"},
        {"1eca4a136b0ee4b7ce51bf09c5366f71d4345b9358f4dc1a6fc161912975b450", Kind::ChatMl, "ChatML"},
        {"793202280c0910ab26bc6eb57c8212c2417324c6d8c4efd0d10d59092ab3e3eb", Kind::ChatMlWithSystem, "Qwen 2"},
        {"f0206845c9ebc3abb4735d44f286eb81ce99238ad2accc710c6fc60e6cb8ccc8", Kind::ChatMlWithSystem, "Qwen 2"},
        {"7a2fad4301dcce93b13747dfd6ee5fa696dc12de86b85b86344bea8f649022b3", Kind::ChatMlOpen, "Qwen 1.5"},
        {"55b2f4a26ac9ee719330a61a0c39d9e538b0e9322212f048326318cff4f8674a", Kind::Qwen25, "Qwen 2.5"},
    };
    return kKnown;
}

std::vector<std::string> ChatTemplate::known()
{
    std::vector<std::string> names;
    for (const Known& k : table()) {
        if (names.empty() || names.back() != k.name)
            names.emplace_back(k.name);
    }
    return names;
}

Result<ChatTemplate> ChatTemplate::fromJinja(std::string_view jinja, std::string bosToken)
{
    const std::string hash = sha256Hex(withoutTrailingSpace(jinja));
    for (const Known& k : table()) {
        if (hash == k.hash)
            return ChatTemplate(k.kind, k.name, std::move(bosToken));
    }
    return inputError(
        fmt::format("The model's chat template (SHA-256 {}...) is not one that Headscope knows; expected that of {}.",
                    hash.substr(0, 12), fmt::join(known(), ", ")));
}

Result<ChatTemplate> ChatTemplate::named(std::string_view name, std::string bosToken)
{
    for (const Known& k : table()) {
        if (name == k.name)
            return ChatTemplate(k.kind, k.name, std::move(bosToken));
    }
    return inputError(
        fmt::format("There is no chat template '{}'; expected one of {}.", name, fmt::join(known(), ", ")));
}

Result<ChatTemplate> ChatTemplate::load(const std::filesystem::path& modelFolder)
{
    const Result<TokenizerConfig> config = readTokenizerConfig(modelFolder);
    if (!config.has_value())
        return config.error();
    if (!config->chatTemplate)
        return inputError(fmt::format("The model folder '{}' has no chat template; expected chat_template.jinja, or "
                                      "'chat_template' in tokenizer_config.json.",
                                      modelFolder.string()));
    return fromJinja(*config->chatTemplate, config->tokenOf("bos_token").value_or(""));
}

Result<std::string> ChatTemplate::render(std::span<const ChatMessage> messages, const ChatOptions& options) const
{
    if (messages.empty())
        return inputError("The conversation is empty; a chat template needs at least one message.");
    for (const ChatMessage& m : messages) {
        if (m.role != "system" && m.role != "user" && m.role != "assistant")
            return inputError(fmt::format(
                "A message has the role '{}'; expected system, user or assistant (tools are not supported).", m.role));
        if (const auto at = firstInvalidUtf8(m.content))
            return inputError(fmt::format("A message is not valid UTF-8 at byte {}.", *at));
    }
    return m_kind == Kind::Llama3 || m_kind == Kind::Llama31 ? llama3(messages, options) : chatMl(messages, options);
}

std::string ChatTemplate::llama3(std::span<const ChatMessage> messages, const ChatOptions& options) const
{
    std::string out = m_bos;
    const auto block = [&](std::string_view role, std::string_view content) {
        out += fmt::format("<|start_header_id|>{}<|end_header_id|>\n\n{}<|eot_id|>", role, content);
    };
    if (m_kind == Kind::Llama31) { // a system block always, with the first message in it if that is one
        const bool given = messages.front().role == "system";
        block("system", fmt::format("Cutting Knowledge Date: December 2023\nToday Date: {}\n\n{}", options.date,
                                    given ? trimmed(messages.front().content) : std::string_view()));
        messages = messages.subspan(given ? 1 : 0);
    }
    for (const ChatMessage& m : messages)
        block(m.role, trimmed(m.content));
    if (options.addGenerationPrompt)
        out += "<|start_header_id|>assistant<|end_header_id|>\n\n";
    return out;
}

std::string ChatTemplate::chatMl(std::span<const ChatMessage> messages, const ChatOptions& options) const
{
    std::string out;
    if (messages.front().role != "system") {
        if (m_kind == Kind::Qwen25)
            out =
                "<|im_start|>system\nYou are Qwen, created by Alibaba Cloud. You are a helpful assistant.<|im_end|>\n";
        else if (m_kind == Kind::ChatMlWithSystem)
            out = "<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n";
        else if (m_kind == Kind::ChatMlOpen)
            out = "<|im_start|>system\nYou are a helpful assistant<|im_end|>\n";
    }
    for (std::size_t i = 0; i < messages.size(); ++i) {
        out += fmt::format("<|im_start|>{}\n{}", messages[i].role, messages[i].content);
        // Qwen 1.5 leaves the last message open when no answer is asked for.
        const bool open = m_kind == Kind::ChatMlOpen && i + 1 == messages.size() && !options.addGenerationPrompt;
        if (!open)
            out += "<|im_end|>\n";
    }
    const bool answered = m_kind == Kind::ChatMlOpen && messages.back().role == "assistant";
    if (options.addGenerationPrompt && !answered)
        out += "<|im_start|>assistant\n";
    return out;
}

} // namespace headscope::text
