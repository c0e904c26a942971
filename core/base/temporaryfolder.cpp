// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/temporaryfolder.h"

#include <cerrno>
#include <cstdlib>
#include <string>

namespace headscope {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder(const char* purpose)
{
    std::string pattern = (fs::temp_directory_path() / ("headscope-" + std::string(purpose) + "-XXXXXX")).string();
    if (mkdtemp(pattern.data()) == nullptr)
        throw fs::filesystem_error("mkdtemp", pattern, std::error_code(errno, std::generic_category()));
    m_path = pattern;
}

TemporaryFolder::~TemporaryFolder()
{
    std::error_code ignored;
    fs::remove_all(m_path, ignored);
}

} // namespace headscope
