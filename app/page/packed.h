// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Encodes bytes for a page: gzip, base64, and the digests by which a browser permits a script. Pure functions; any
// thread.

#include <string>
#include <string_view>

namespace headscope::page {

[[nodiscard]] std::string base64(std::string_view bytes);
/// Compresses without time or name, so that the same bytes yield the same output. Throws std::bad_alloc.
[[nodiscard]] std::string gzip(std::string_view bytes);
/// Returns "sha256-…" for a Content Security Policy.
[[nodiscard]] std::string scriptDigest(std::string_view script);
/// Escapes text for elements and quoted attributes.
[[nodiscard]] std::string escapedHtml(std::string_view text);

} // namespace headscope::page
