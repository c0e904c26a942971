// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/page/pagefile.h"

#include "app/page/pagepieces.h"
#include "core/base/writefile.h"
#include "core/io/textfiles/textfile.h"

#include <fmt/format.h>

#include <map>

namespace headscope::page {

namespace {

/// The template with "{{name}}" replaced, in one pass: what is put in is not looked at again.
std::string filled(std::string_view text, const std::map<std::string, std::string, std::less<>>& parts)
{
    std::string out;
    while (!text.empty()) {
        const auto open = text.find("{{");
        out += text.substr(0, open);
        if (open == std::string_view::npos)
            break;
        const auto close = text.find("}}", open);
        const auto part = parts.find(text.substr(open + 2, close - open - 2));
        if (part != parts.end())
            out += part->second;
        text.remove_prefix(close + 2);
    }
    return out;
}

} // namespace

Result<std::string> pageText(const std::filesystem::path& resources, const Data& data)
{
    const std::filesystem::path folder = resources / "page";
    const auto script = joinedModules(folder / "main.js");
    if (!script.has_value())
        return script.error();
    std::map<std::string, std::string, std::less<>> parts;
    for (const char* name : {"page.html", "page.css", "words.de.json"}) {
        auto text = io::readTextFile(folder / name);
        if (!text.has_value())
            return text.error();
        parts[name] = std::move(*text);
    }
    const std::string body = '\n' + *script; // from tag to tag: what the digest is of
    const Encoded encoded = encode(data);
    const std::string html = std::move(parts["page.html"]);
    parts["title"] = escapedHtml(data.title);
    parts["digest"] = scriptDigest(body);
    parts["script"] = body;
    parts["words"] = base64(gzip(parts["words.de.json"]));
    parts["data"] = base64(gzip(encoded.json));
    parts["maps"] = base64(gzip(encoded.maps));
    return filled(html, parts);
}

Result<std::size_t> writePage(const std::filesystem::path& resources, const Data& data,
                              const std::filesystem::path& file, double limitMb)
{
    constexpr double kMb = 1e6;
    const auto text = pageText(resources, data);
    if (!text.has_value())
        return text.error();
    if (static_cast<double>(text->size()) > limitMb * kMb)
        return inputError(fmt::format("The page would have {:.1f} MB, more than the {:g} MB of --limit-mb; take fewer "
                                      "--samples, --head ranked, or raise the limit.",
                                      static_cast<double>(text->size()) / kMb, limitMb));
    if (const auto written = writeFile(file, *text); !written.has_value())
        return written.error();
    return text->size();
}

} // namespace headscope::page
