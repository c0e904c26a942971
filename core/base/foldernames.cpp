// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/foldernames.h"

#include <algorithm>
#include <utility>

namespace headscope {

namespace {

std::pair<std::string_view, std::string_view> folderAndName(std::string_view path)
{
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? std::pair(std::string_view(), path)
                                           : std::pair(path.substr(0, slash + 1), path.substr(slash + 1));
}

} // namespace

std::string nameWithoutFolders(std::string_view path)
{
    path = path.substr(0, path.find_last_not_of('/') + 1);
    constexpr std::string_view kFile = ".safetensors";
    if (const std::size_t end = path.find(".safetensors[");
        end != std::string_view::npos) // a tensor's name may have '/'
        return std::string(folderAndName(path.substr(0, end + kFile.size())).second)
               + std::string(path.substr(end + kFile.size()));
    const std::string_view name = folderAndName(path).second;
    if (name.size() == path.size())
        return std::string(path);
    // Two lists of prompts: names may hold a '-' themselves, so the two are known by their common folder, or by a
    // second path that begins at the root behind the first list's suffix.
    for (std::size_t at = path.find('-'); at != std::string_view::npos; at = path.find('-', at + 1)) {
        const auto [folder, first] = folderAndName(path.substr(0, at));
        const auto [other, second] = folderAndName(path.substr(at + 1));
        const bool rooted = other.starts_with('/') && first.ends_with(".txt");
        if (!first.empty() && !second.empty() && !folder.empty() && (folder == other || rooted))
            return std::string(first) + '-' + std::string(second);
    }
    return std::string(name);
}

std::string ablationWithoutFolders(std::string_view text)
{
    std::string shown;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find_first_of(" \t\n", at), text.size());
        const std::string_view word = text.substr(at, end - at);
        const std::size_t named = word.starts_with("steer:") || word.starts_with("swap:") ? word.find('=') : word.npos;
        shown += named == word.npos
                     ? std::string(word)
                     : std::string(word.substr(0, named + 1)) + nameWithoutFolders(word.substr(named + 1));
        at = std::min(end + 1, text.size());
        if (end < text.size())
            shown += text[end];
    }
    return shown;
}

} // namespace headscope
