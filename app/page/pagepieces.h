// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The pieces that pageText() puts into a page: its values, its script and encoded bytes. Private to app/page; any
// thread.

#include "app/page/pagedata.h"
#include "core/base/result.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace headscope::page {

/// The values of a page as the two texts in its file.
struct Encoded {
    std::string json;
    /// The maps: for each pattern, in order, its scales and its last row as little-endian fp32; then the cells of
    /// each.
    std::string maps;
};

/// Writes numbers with all digits; non-finite ones are null.
[[nodiscard]] Encoded encode(const Data& data);

/// Joins the page's JavaScript modules into one script for a file without a server, since scripts inside a page cannot
/// import each other. Returns `main` and all its imports from the same folder, dependencies first. Each module becomes
/// a function that returns its exports, so that names cannot collide. Imports and exports must begin their lines, an
/// import must be one line, and exports must be functions or constants (packaging/checkpage.py checks this).
[[nodiscard]] Result<std::string> joinedModules(const std::filesystem::path& main);

[[nodiscard]] std::string base64(std::string_view bytes);
/// Compresses without time or name, so that the same bytes yield the same output. Throws std::bad_alloc.
[[nodiscard]] std::string gzip(std::string_view bytes);
/// Returns "sha256-…" for a Content Security Policy, by which a browser permits a script.
[[nodiscard]] std::string scriptDigest(std::string_view script);
/// Escapes text for elements and quoted attributes.
[[nodiscard]] std::string escapedHtml(std::string_view text);

} // namespace headscope::page
