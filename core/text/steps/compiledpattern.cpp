// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/steps/compiledpattern.h"

#include "core/text/steps/patterndialect.h"
#include "core/text/unicode/characters.h"
#include "core/text/unicode/utf8.h"

#include <fmt/format.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

namespace headscope::text {

namespace {

constexpr std::size_t kJitStackMax = 8u << 20;
constexpr std::uint32_t kMatchLimit = 20'000'000;
constexpr std::uint32_t kHeapLimitKiB = 64u << 10;
constexpr std::size_t kLongestExpression = 64u << 10;

struct MatchDataFree {
    void operator()(pcre2_match_data* p) const { pcre2_match_data_free(p); }
};
struct ContextFree {
    void operator()(pcre2_match_context* p) const { pcre2_match_context_free(p); }
};
struct StackFree {
    void operator()(pcre2_jit_stack* p) const { pcre2_jit_stack_free(p); }
};

/// What one thread needs to match: PCRE2 wants these apart from the compiled code.
struct Scratch {
    std::unique_ptr<pcre2_match_data, MatchDataFree> data{pcre2_match_data_create(1, nullptr)};
    std::unique_ptr<pcre2_match_context, ContextFree> context{pcre2_match_context_create(nullptr)};
    std::unique_ptr<pcre2_jit_stack, StackFree> stack{pcre2_jit_stack_create(64u << 10, kJitStackMax, nullptr)};

    Scratch()
    {
        pcre2_set_match_limit(context.get(), kMatchLimit);
        pcre2_set_heap_limit(context.get(), kHeapLimitKiB);
        pcre2_jit_stack_assign(context.get(), nullptr, stack.get());
    }
};

Scratch& scratch()
{
    thread_local Scratch s;
    return s;
}

std::string pcreMessage(int code)
{
    PCRE2_UCHAR buffer[256];
    if (pcre2_get_error_message(code, buffer, sizeof buffer) < 0)
        return fmt::format("error {}", code);
    return reinterpret_cast<const char*>(buffer);
}

pcre2_code* compiled(const std::string& expression, int& error, std::size_t& at)
{
    // MULTILINE: in Ruby's syntax '^' and '$' are the edges of every line.
    return pcre2_compile(reinterpret_cast<PCRE2_SPTR>(expression.data()), expression.size(),
                         PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C, &error, &at, nullptr);
}

bool isScriptOfPcre2(const std::string& name)
{
    int error = 0;
    std::size_t at = 0;
    pcre2_code* code = compiled("\\p{sc:" + name + "}", error, at);
    pcre2_code_free(code);
    return code != nullptr;
}

/// `text` with characters newer than PCRE2's tables exchanged for older ones of the same category and length.
/// Leaves `buffer` empty when nothing had to change.
void exchangeNewCharacters(std::string_view text, std::string& buffer)
{
    std::size_t i = asciiPrefix(text);
    std::string replacement;
    while (i < text.size()) {
        const std::size_t begin = i;
        if (static_cast<unsigned char>(text[i]) < 0xE0) { // nothing below U+0800 is new
            i += utf8Length(static_cast<unsigned char>(text[i]));
            continue;
        }
        const char32_t c = nextCharacter(text, i);
        const char32_t other = standIn(c);
        if (other == c)
            continue;
        if (buffer.empty())
            buffer.assign(text);
        replacement.clear();
        appendUtf8(replacement, other);
        buffer.replace(begin, replacement.size(), replacement);
    }
}

} // namespace

struct Pattern::Code {
    struct Free {
        void operator()(pcre2_code* p) const { pcre2_code_free(p); }
    };
    std::unique_ptr<pcre2_code, Free> code;
    std::string expression;
    bool translated = false; ///< PCRE2 got another expression
    std::string literal;     ///< when not empty: plain search, no code
};

Result<Pattern> Pattern::compile(const std::string& expression)
{
    if (expression.size() > kLongestExpression)
        return inputError(fmt::format("A pattern of the tokenizer has {} bytes; expected at most {}.",
                                      expression.size(), kLongestExpression));
    if (const auto at = firstInvalidUtf8(expression))
        return inputError(fmt::format("A pattern of the tokenizer is not valid UTF-8 at byte {}.", *at));
    const TranslatedPattern translated = translatePattern(expression, isScriptOfPcre2);
    if (!translated.refused.empty())
        return inputError(fmt::format("The tokenizer's pattern '{}' uses {}, which Headscope does not support.",
                                      expression, translated.refused));
    int error = 0;
    std::size_t at = 0;
    auto code = std::make_shared<Code>();
    code->expression = expression;
    code->translated = translated.expression != expression;
    code->code.reset(compiled(translated.expression, error, at));
    if (!code->code)
        return inputError(fmt::format("The tokenizer's pattern '{}' cannot be read{}: {}.", expression,
                                      !code->translated ? fmt::format(" at byte {}", at) : std::string(),
                                      pcreMessage(error)));
    pcre2_jit_compile(code->code.get(), PCRE2_JIT_COMPLETE); // without JIT support the interpreter does the same
    return Pattern(std::move(code));
}

Result<Pattern> Pattern::literal(const std::string& string)
{
    if (string.empty())
        return inputError("The tokenizer has an empty string as a pattern; expected at least one character.");
    auto code = std::make_shared<Code>();
    code->literal = string;
    return Pattern(std::move(code));
}

Result<void> Pattern::find(std::string_view text, std::vector<Stretch>& out) const
{
    if (text.empty())
        return {};
    std::size_t last = 0; // end of the last match
    bool any = false;
    const auto add = [&](std::size_t begin, std::size_t end) {
        any = true;
        if (last != begin)
            out.push_back({last, begin, false});
        out.push_back({begin, end, true});
        last = end;
    };
    if (!m_code->code) {
        const std::string& needle = m_code->literal;
        for (std::size_t at = text.find(needle); at != text.npos; at = text.find(needle, at + needle.size()))
            add(at, at + needle.size());
    } else {
        Scratch& s = scratch();
        std::string exchanged;
        exchangeNewCharacters(text, exchanged);
        const std::string_view subject = exchanged.empty() ? text : std::string_view(exchanged);
        const auto* bytes = reinterpret_cast<PCRE2_SPTR>(subject.data());
        const PCRE2_SIZE* ovector = pcre2_get_ovector_pointer(s.data.get());
        std::size_t from = 0;
        while (from <= text.size()) {
            // The text was checked once for all: PCRE2's own check would make every match cost the whole text.
            const int rc = pcre2_match(m_code->code.get(), bytes, subject.size(), from, PCRE2_NO_UTF_CHECK,
                                       s.data.get(), s.context.get());
            if (rc == PCRE2_ERROR_NOMATCH)
                break;
            if (rc < 0)
                return inputError(
                    fmt::format("The tokenizer's pattern '{}' could not be matched on a text of {} bytes: {}.",
                                m_code->expression, text.size(), pcreMessage(rc)));
            const std::size_t begin = ovector[0];
            const std::size_t end = ovector[1];
            if (begin == end) { // an empty match: go on behind the next character
                if (begin != last || !any)
                    add(begin, end);
                if (begin >= text.size())
                    break;
                from = end + utf8Length(static_cast<unsigned char>(text[end]));
                continue;
            }
            add(begin, end);
            from = end;
        }
    }
    if (last != text.size())
        out.push_back({last, text.size(), false});
    return {};
}

bool Pattern::matchedDifferentlyBefore() const
{
    if (!m_code->code)
        return false;
    if (m_code->translated)
        return true;
    bool inClass = false;
    const std::string& expression = m_code->expression;
    for (std::size_t i = 0; i < expression.size(); ++i) { // '^' and '$' matched only at the ends of the text
        const char c = expression[i];
        if (c == '\\')
            ++i;
        else if (c == '[' || c == ']')
            inClass = c == '[';
        else if (!inClass && (c == '^' || c == '$'))
            return true;
    }
    // Empty matches at the ends of the text were dropped.
    Scratch& s = scratch();
    return pcre2_match(m_code->code.get(), reinterpret_cast<PCRE2_SPTR>(""), 0, 0, 0, s.data.get(), s.context.get())
           >= 0;
}

} // namespace headscope::text
