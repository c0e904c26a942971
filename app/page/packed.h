// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Bytes as a page holds them: gzip, base64, and the digests by which a browser lets a script run. Pure functions; any
// thread.

#include <string>
#include <string_view>

namespace headscope::page {

[[nodiscard]] std::string base64(std::string_view bytes);
/// Without a time or a name, so that the same bytes give the same text. Throws std::bad_alloc.
[[nodiscard]] std::string gzip(std::string_view bytes);
/// "sha256-…" of a Content Security Policy.
[[nodiscard]] std::string scriptDigest(std::string_view script);
/// For the text of an element and for attributes in quotes.
[[nodiscard]] std::string escapedHtml(std::string_view text);

} // namespace headscope::page
