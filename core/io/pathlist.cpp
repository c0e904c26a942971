// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/pathlist.h"

#include "core/base/writefile.h"
#include "core/io/textfiles/quote.h"
#include "core/io/textfiles/textfile.h"

#include <cstdlib>
#include <sstream>

namespace headscope::io {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kLargest = 4'000'000; // bytes: as many paths as there may be, each as long as it can be

fs::path cleaned(const fs::path& path)
{
    std::error_code code;
    const fs::path whole = fs::absolute(path, code).lexically_normal();
    return whole.has_filename() || !whole.has_relative_path() ? whole : whole.parent_path(); // "/a/" is "/a"
}

fs::path personalFolder(const char* variable, const char* belowHome)
{
    if (const char* given = std::getenv(variable); given && *given)
        return fs::path(given) / "headscope";
    if (const char* home = std::getenv("HOME"); home && *home)
        return fs::path(home) / belowHome / "headscope";
    return {};
}

} // namespace

fs::path configFolder()
{
    return personalFolder("XDG_CONFIG_HOME", ".config");
}

fs::path cacheFolder()
{
    return personalFolder("XDG_CACHE_HOME", ".cache");
}

fs::path dataFolder()
{
    return personalFolder("XDG_DATA_HOME", ".local/share");
}

fs::path packedFolder()
{
    const fs::path cache = cacheFolder();
    return cache.empty() ? cache : cache / "packed";
}

std::vector<fs::path> PathList::read() const
{
    auto paths = readable();
    return paths.has_value() ? std::move(*paths) : std::vector<fs::path>();
}

Result<std::vector<fs::path>> PathList::readable() const
{
    std::vector<fs::path> paths;
    std::error_code none;
    if (m_file.empty() || !fs::exists(m_file, none))
        return paths;
    const auto text = readTextFile(m_file, kLargest);
    if (!text.has_value())
        return text.error();
    std::istringstream lines(*text);
    for (std::string line; paths.size() < kMost && std::getline(lines, line);)
        if (const fs::path path(line); path.is_absolute() && line.find('\0') == std::string::npos)
            paths.push_back(path);
    return paths;
}

Result<void> PathList::add(const fs::path& path) const
{
    const fs::path own = cleaned(path);
    if (own.string().find('\n') != std::string::npos)
        return inputError("A folder with a line break in its name cannot be remembered: " + inQuotes(own.string())
                          + ".");
    auto paths = readable();
    if (!paths.has_value())
        return paths.error();
    std::erase(*paths, own);
    paths->insert(paths->begin(), own);
    paths->resize(std::min(paths->size(), kMost));
    return write(*paths);
}

Result<void> PathList::remove(const fs::path& path) const
{
    auto paths = readable();
    if (!paths.has_value())
        return paths.error();
    if (std::erase(*paths, cleaned(path)) == 0)
        return inputError("Folder " + inQuotes(path.string()) + " was not added.");
    return write(*paths);
}

Result<void> PathList::write(const std::vector<fs::path>& paths) const
{
    if (m_file.empty())
        return ioError("Folders cannot be remembered; expected XDG_CONFIG_HOME or HOME in the environment.");
    std::string text;
    for (const fs::path& path : paths)
        text += path.string() + '\n';
    std::error_code code;
    fs::create_directories(m_file.parent_path(), code);
    return writeFile(m_file, text);
}

} // namespace headscope::io
