// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Chat templates: a conversation as the text on which a chat model was trained, as written by transformers'
// apply_chat_template(). Immutable once made: any thread.

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
    bool addGenerationPrompt = true; ///< end with the header of the next answer
    /// Today's date for templates that write it, in seconds since 1970: 26 July 2024, the default of Llama 3.1 without
    /// a clock; fixed, so that ids are reproducible.
    std::int64_t now = 1'721'952'000;
    /// Other variables, such as `tools` or `enable_thinking`, with their values as JSON.
    std::vector<std::pair<std::string, std::string>> variables;
};

class ChatTemplate
{
public:
    /// Reads chat_template.jinja, or `chat_template` of tokenizer_config.json or of a GGUF file. Fails if there is none
    /// or it cannot be parsed.
    [[nodiscard]] static Result<ChatTemplate> load(const std::filesystem::path& modelFolder);
    /// Parses a template. `specialTokens` become variables by their role (bos_token, eos_token ...).
    [[nodiscard]] static Result<ChatTemplate> fromJinja(std::string_view jinja,
                                                        std::vector<std::pair<std::string, std::string>> specialTokens);

    /// Returns the conversation as text, including special tokens: encode it with addSpecial false. Fails for an empty
    /// conversation and if the template does.
    [[nodiscard]] Result<std::string> render(std::span<const ChatMessage> messages,
                                             const ChatOptions& options = {}) const;
    /// Renders messages given as JSON: a list of objects, as in transformers.
    [[nodiscard]] Result<std::string> renderJson(const std::string& messages, const ChatOptions& options = {}) const;
    /// Returns the conversation up to where the model continues, like render(): after the header of the next answer or,
    /// if the last message is the assistant's, after that message, so that it is continued.
    [[nodiscard]] Result<std::string> renderOpen(std::span<const ChatMessage> messages, ChatOptions options = {}) const;
    /// Fails if the first turn of a user cannot be written, or the text does not depend on what it says.
    [[nodiscard]] Result<void> writesUser() const;
    /// Returns the roles in the source that templates usually name; always includes system, user and assistant.
    [[nodiscard]] const std::vector<std::string>& roles() const { return m_roles; }
    /// Returns the first 12 digits of the SHA-256 of its source without trailing white space.
    [[nodiscard]] const std::string& hash() const { return m_hash; }

private:
    ChatTemplate(jinja::Template parsed, std::string_view source,
                 std::vector<std::pair<std::string, std::string>> tokens);

    jinja::Template m_template;
    std::string m_hash;
    std::vector<std::string> m_roles;
    std::vector<std::pair<std::string, std::string>> m_tokens; ///< role and JSON value
};

} // namespace headscope::text
