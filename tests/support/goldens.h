// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Where expected values lie. tests/data has what every test needs; larger sets may lie in a folder beside the tree,
// and are compared in addition where they do.

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace goldens {

namespace fs = std::filesystem;

inline const fs::path kSource = HEADSCOPE_SOURCE_DIR;

/// A file or folder of tests/data.
inline fs::path own(const fs::path& name)
{
    return kSource / "tests" / "data" / name;
}

/// A file or folder beside the tree; empty where it is not there.
inline fs::path beside(const fs::path& name)
{
    const fs::path path = kSource.parent_path() / "shared" / name;
    std::error_code ignored;
    return fs::exists(path, ignored) ? path : fs::path();
}

/// A folder of expected values, and how a test's data row names it.
struct Folder {
    std::string row;
    fs::path path;
};

/// The folders in a folder of tests/data, and those in one beside the tree.
inline std::vector<Folder> foldersIn(const fs::path& ownName, const fs::path& besideName)
{
    std::vector<Folder> folders;
    const auto add = [&](const fs::path& parent, const std::string& prefix) {
        std::error_code ignored;
        for (const auto& entry : fs::directory_iterator(parent, ignored))
            if (entry.is_directory())
                folders.push_back({prefix + entry.path().filename().string(), entry.path()});
    };
    add(own(ownName), {});
    add(beside(besideName), "beside/");
    std::sort(folders.begin(), folders.end(), [](const Folder& a, const Folder& b) { return a.row < b.row; });
    return folders;
}

/// The names of all models in tests/data/golden, in order: "llama", "hub/glm".
inline std::vector<std::string> models()
{
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(own("golden")))
        if (entry.path().filename() == "config.json")
            names.push_back(fs::relative(entry.path().parent_path(), own("golden")).string());
    std::sort(names.begin(), names.end());
    return names;
}

} // namespace goldens
