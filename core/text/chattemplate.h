// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Chat templates: a conversation as the text a chat model was trained on. Immutable once made: any thread.
// Templates are programs in Jinja. Headscope runs none of them: it knows a few by their hash and writes what they
// write.

#include "core/base/result.h"

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::text {

struct ChatMessage {
    std::string role; ///< system, user or assistant
    std::string content;
};

struct ChatOptions {
    bool addGenerationPrompt = true;  ///< end with the header of an answer to come
    std::string date = "26 Jul 2024"; ///< Llama 3.1 and 3.2 write it; fixed, so that ids are reproducible
};

class ChatTemplate
{
public:
    /// Reads chat_template.jinja, or `chat_template` of tokenizer_config.json. Fails where there is none, and for a
    /// template that is not known, naming those that are.
    [[nodiscard]] static Result<ChatTemplate> load(const std::filesystem::path& modelFolder);
    /// The known template with this Jinja source; white space at its end does not count.
    [[nodiscard]] static Result<ChatTemplate> fromJinja(std::string_view jinja, std::string bosToken);
    /// A known template by its name.
    [[nodiscard]] static Result<ChatTemplate> named(std::string_view name, std::string bosToken);
    /// What the known templates are called.
    [[nodiscard]] static std::vector<std::string> known();

    /// The conversation as text, special tokens included: encode it with addSpecial false. Fails for an empty
    /// conversation and for roles other than system, user and assistant (tool calls are not supported).
    [[nodiscard]] Result<std::string> render(std::span<const ChatMessage> messages,
                                             const ChatOptions& options = {}) const;
    [[nodiscard]] std::string name() const { return m_name; }

private:
    enum class Kind { Llama3, Llama31, ChatMl, ChatMlWithSystem, ChatMlOpen, Qwen25 };
    struct Known;
    ChatTemplate(Kind kind, const char* name, std::string bosToken)
        : m_kind(kind), m_name(name), m_bos(std::move(bosToken))
    {
    }
    static std::span<const Known> table();
    [[nodiscard]] std::string llama3(std::span<const ChatMessage> messages, const ChatOptions& options) const;
    [[nodiscard]] std::string chatMl(std::span<const ChatMessage> messages, const ChatOptions& options) const;

    Kind m_kind;
    const char* m_name; ///< static
    std::string m_bos;
};

} // namespace headscope::text
