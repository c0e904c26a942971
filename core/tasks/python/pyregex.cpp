// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tasks/python/pyregex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <array>

namespace headscope::tasks {

namespace {

std::string wordClass(int code)
{
    std::array<unsigned char, 256> buffer{};
    pcre2_get_error_message(code, buffer.data(), buffer.size());
    return reinterpret_cast<const char*>(buffer.data());
}

} // namespace

Result<PyRegex> PyRegex::compile(std::string_view pattern, bool ignoreCase)
{
    std::unique_ptr<pcre2_compile_context, decltype(&pcre2_compile_context_free)> context(
        pcre2_compile_context_create(nullptr), pcre2_compile_context_free);
    pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
    int error = 0;
    PCRE2_SIZE offset = 0;
    pcre2_code* const code =
        pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
                      PCRE2_UTF | PCRE2_UCP | (ignoreCase ? PCRE2_CASELESS : 0U), &error, &offset, context.get());
    if (!code)
        return inputError("The regular expression '" + std::string(pattern) + "' is not valid at byte "
                          + std::to_string(offset) + ": " + wordClass(error) + ".");
    PyRegex regex;
    regex.m_code = std::shared_ptr<void>(code, [](void* p) { pcre2_code_free(static_cast<pcre2_code*>(p)); });
    pcre2_jit_compile(code, PCRE2_JIT_COMPLETE); // without JIT the interpreter matches the same
    std::uint32_t groups = 0;
    pcre2_pattern_info(code, PCRE2_INFO_CAPTURECOUNT, &groups);
    regex.m_groups = static_cast<int>(groups);
    return regex;
}

// Calls visit(span of the whole match, ovector) until it returns false or the text ends.
template <typename Visit> Result<void> PyRegex::forEach(std::string_view text, Visit visit) const
{
    const auto* const code = static_cast<const pcre2_code*>(m_code.get());
    std::unique_ptr<pcre2_match_data, decltype(&pcre2_match_data_free)> data(
        pcre2_match_data_create_from_pattern(code, nullptr), pcre2_match_data_free);
    std::size_t position = 0;
    std::uint32_t options = 0;
    while (position <= text.size()) {
        const int found = pcre2_match(code, reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), position, options,
                                      data.get(), nullptr);
        if (found == PCRE2_ERROR_NOMATCH)
            break;
        if (found < 0)
            return inputError("A regular expression could not be matched: " + wordClass(found) + ".");
        const PCRE2_SIZE* const ends = pcre2_get_ovector_pointer(data.get());
        if (!visit(ends))
            break;
        position = ends[1];
        // After an empty match the next one must not be empty at the same place (re, since Python 3.7).
        options = ends[0] == ends[1] ? PCRE2_NOTEMPTY_ATSTART : 0U;
    }
    return {};
}

Result<std::vector<PyRegex::Groups>> PyRegex::findAll(std::string_view text) const
{
    std::vector<Groups> matches;
    const Result<void> done = forEach(text, [&](const PCRE2_SIZE* ends) {
        Groups groups(static_cast<std::size_t>(m_groups) + 1);
        for (std::size_t i = 0; i < groups.size(); ++i) {
            if (ends[2 * i] != PCRE2_UNSET)
                groups[i] = std::string(text.substr(ends[2 * i], ends[2 * i + 1] - ends[2 * i]));
        }
        matches.push_back(std::move(groups));
        return true;
    });
    if (!done.has_value())
        return done.error();
    return matches;
}

Result<bool> PyRegex::search(std::string_view text) const
{
    bool found = false;
    const Result<void> done = forEach(text, [&](const PCRE2_SIZE*) {
        found = true;
        return false;
    });
    if (!done.has_value())
        return done.error();
    return found;
}

Result<std::string> PyRegex::removed(std::string_view text) const
{
    std::string result;
    std::size_t kept = 0;
    const Result<void> done = forEach(text, [&](const PCRE2_SIZE* ends) {
        result.append(text.substr(kept, ends[0] - kept));
        kept = ends[1];
        return true;
    });
    if (!done.has_value())
        return done.error();
    return result.append(text.substr(kept));
}

std::string PyRegex::escaped(std::string_view text)
{
    std::string result;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        const bool plain =
            byte >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        // A backslash before a control character or a space is read as the character itself only for some; use \x.
        if (plain)
            result += c;
        else if (byte < 0x20 || byte == 0x7F) {
            constexpr const char* kHex = "0123456789abcdef";
            result.append("\\x").append(1, kHex[byte >> 4]).append(1, kHex[byte & 15]);
        } else
            result.append(1, '\\').append(1, c);
    }
    return result;
}

} // namespace headscope::tasks
