// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The language of experiments' texts, English or another. Each thread has its own; results are stored in
// English.

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

namespace headscope::experiments {

/// While it exists, translated() of this thread uses the language ("de"; English if unknown).
class Speaking
{
public:
    explicit Speaking(std::string_view language);
    ~Speaking();
    Speaking(const Speaking&) = delete;
    Speaking& operator=(const Speaking&) = delete;

private:
    const void* m_before;
};

/// Returns a text in the language of this thread; unchanged if there is no translation.
[[nodiscard]] std::string translated(std::string_view english);
/// Returns the text with each {} replaced by one of the further arguments.
template <typename First, typename... Rest>
[[nodiscard]] std::string translated(std::string_view english, const First& first, const Rest&... rest)
{
    return fmt::vformat(translated(english), fmt::make_format_args(first, rest...));
}

/// Returns a name in a table ("neither kept", "random 2", "without L3"); names of heads and models are unchanged.
[[nodiscard]] std::string translatedName(std::string_view english);

/// Returns a stored sentence in the language of this thread: itself, or the phrase with {} of which it is an instance,
/// its values included. Unchanged if no phrase fits.
[[nodiscard]] std::string translatedNote(std::string_view english);

/// Returns texts requested on this thread in a language other than English that have no translation.
[[nodiscard]] std::vector<std::string> untranslated();

} // namespace headscope::experiments
