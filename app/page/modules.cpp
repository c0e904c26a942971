// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/page/pagepieces.h"

#include "core/io/textfiles/textfile.h"

#include <set>
#include <sstream>

namespace headscope::page {

namespace {

constexpr std::string_view kImport = "import ";
constexpr std::string_view kExport = "export ";

/// "dom" of `import { el } from './dom.js';`.
std::string importedModule(const std::string& line)
{
    const auto from = line.rfind("'./");
    const auto end = line.rfind(".js';");
    return from == std::string::npos || end == std::string::npos ? std::string()
                                                                 : line.substr(from + 3, end - from - 3);
}

/// "{ el }" of the same line.
std::string importedNames(const std::string& line)
{
    return line.substr(kImport.size(), line.rfind(" from ") - kImport.size());
}

/// "el" of `export function el(tag) {`, "study" of `export const study = {};`.
std::string exportedName(const std::string& line)
{
    std::istringstream words(line);
    std::string word;
    do
        words >> word;
    while (word == "export" || word == "async" || word == "function" || word == "const");
    return word.substr(0, word.find('('));
}

class ModuleJoiner
{
public:
    explicit ModuleJoiner(std::filesystem::path folder) : m_folder(std::move(folder)) {}

    [[nodiscard]] Result<void> add(const std::string& module)
    {
        if (!m_added.insert(module).second)
            return {};
        const auto text = io::readTextFile(m_folder / (module + ".js"));
        if (!text.has_value())
            return text.error();
        std::istringstream lines(*text);
        std::string body, names;
        for (std::string line; std::getline(lines, line);) {
            if (line.starts_with(kImport)) {
                const std::string imported = importedModule(line);
                if (const auto joined = add(imported); !joined.has_value())
                    return joined;
                body += "const " + importedNames(line) + " = module_" + imported + ";\n";
                continue;
            }
            if (line.starts_with(kExport)) {
                names += (names.empty() ? "" : ", ") + exportedName(line);
                line.erase(0, kExport.size());
            }
            body += line + '\n';
        }
        m_script += "const module_" + module + " = (() => {\n" + body + "return { " + names + " };\n})();\n";
        return {};
    }
    [[nodiscard]] const std::string& script() const { return m_script; }

private:
    std::filesystem::path m_folder;
    std::set<std::string> m_added;
    std::string m_script;
};

} // namespace

Result<std::string> joinedModules(const std::filesystem::path& main)
{
    ModuleJoiner joiner(main.parent_path());
    const auto added = joiner.add(main.stem().string());
    return added.has_value() ? Result<std::string>(joiner.script()) : Result<std::string>(added.error());
}

} // namespace headscope::page
