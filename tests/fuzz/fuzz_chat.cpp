// SPDX-License-Identifier: GPL-3.0-or-later
// libFuzzer target: a chat template. Nothing may crash or take long; what is written is valid UTF-8, and what is
// refused says why.

#include "core/text/chattemplate.h"
#include "core/text/unicode/utf8.h"

#include <cstdlib>
#include <string_view>

using namespace headscope;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size)
{
    const std::string_view source(reinterpret_cast<const char*>(data), size);
    const auto chat = text::ChatTemplate::fromJinja(source, {{"bos_token", "<s>"}, {"eos_token", "</s>"}});
    if (!chat.has_value()) {
        if (!chat.error().message.ends_with('.'))
            std::abort();
        return 0;
    }
    const auto text = chat->renderJson(
        R"([{"role": "system", "content": " A "}, {"role": "user", "content": [{"type": "text", "text": "\u00e9"}]},
            {"role": "assistant", "content": null, "tool_calls": [{"function": {"name": "f", "arguments": {"x": 1.5}}}]}])",
        {.variables = {
             {"tools", R"([{"type": "function", "function": {"name": "f", "parameters": {"a": [1, true]}}}])"}}});
    if (text.has_value() ? text::firstInvalidUtf8(*text).has_value() : !text.error().message.ends_with('.'))
        std::abort();
    return 0;
}
