// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What experiments say, in English or in another language. A thread says which one it speaks; results are kept in
// English.

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

namespace headscope::experiments {

/// While it lives, said() of this thread speaks the language ("de"; English where it is not known).
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

/// A text in the language of this thread; as it is where there is no translation.
[[nodiscard]] std::string said(std::string_view english);
/// The same of a sentence with {} for each of what follows.
template <typename First, typename... Rest>
[[nodiscard]] std::string said(std::string_view english, const First& first, const Rest&... rest)
{
    return fmt::vformat(said(english), fmt::make_format_args(first, rest...));
}

/// A name that is in a table ("neither kept", "random 2", "without L3"); of a head or a model as it is.
[[nodiscard]] std::string saidName(std::string_view english);

/// Texts that were asked for on this thread while another language than English was spoken, and have no translation.
[[nodiscard]] std::vector<std::string> untranslated();

} // namespace headscope::experiments
