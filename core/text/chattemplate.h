// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Chat templates: a conversation as the text a chat model was trained on, as transformers' apply_chat_template()
// writes it. Immutable once made: any thread.

#include "core/base/result.h"
#include "core/text/chatmessage.h"
#include "core/text/jinja/template.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope::text {

struct ChatOptions {
    bool addGenerationPrompt = true; ///< end with the header of an answer to come
    /// What templates that write the date have for today, in seconds since 1970: 26 July 2024, which Llama 3.1 writes
    /// without a clock; fixed, so that ids are reproducible.
    std::int64_t now = 1'721'952'000;
    /// Other variables, as `tools` or `enable_thinking`, with their values as JSON.
    std::vector<std::pair<std::string, std::string>> variables;
};

class ChatTemplate
{
public:
    /// Reads chat_template.jinja, or `chat_template` of tokenizer_config.json or of a GGUF file. Fails where there is
    /// none and for one that cannot be parsed.
    [[nodiscard]] static Result<ChatTemplate> load(const std::filesystem::path& modelFolder);
    /// `specialTokens` are variables by their role (bos_token, eos_token ...).
    [[nodiscard]] static Result<ChatTemplate> fromJinja(std::string_view jinja,
                                                        std::vector<std::pair<std::string, std::string>> specialTokens);

    /// The conversation as text, special tokens included: encode it with addSpecial false. Fails for an empty
    /// conversation and where the template does.
    [[nodiscard]] Result<std::string> render(std::span<const ChatMessage> messages,
                                             const ChatOptions& options = {}) const;
    /// The same for messages as JSON: a list of objects, as transformers takes them.
    [[nodiscard]] Result<std::string> renderJson(const std::string& messages, const ChatOptions& options = {}) const;
    /// The conversation up to where the model writes on, as render() writes it: behind the header of the next answer
    /// or, where the last message is the assistant's, behind that message as it is, so that it is continued.
    [[nodiscard]] Result<std::string> renderOpen(std::span<const ChatMessage> messages, ChatOptions options = {}) const;
    /// The roles that its source names, of those that templates are known to name; system, user and assistant always.
    [[nodiscard]] const std::vector<std::string>& roles() const { return m_roles; }
    /// The first 12 digits of the SHA-256 of its source without the white space at the end.
    [[nodiscard]] const std::string& hash() const { return m_hash; }

private:
    ChatTemplate(jinja::Template parsed, std::string_view source,
                 std::vector<std::pair<std::string, std::string>> tokens);

    jinja::Template m_template;
    std::string m_hash;
    std::vector<std::string> m_roles;
    std::vector<std::pair<std::string, std::string>> m_tokens; ///< role, and JSON
};

} // namespace headscope::text
