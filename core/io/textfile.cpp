// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/textfile.h"

#include "core/io/quote.h"

#include <cerrno>
#include <cstring>
#include <fstream>

namespace headscope::io {

Result<std::string> readTextFile(const std::filesystem::path& path, std::uint64_t maxBytes)
{
    const std::string who = "Cannot read " + inQuotes(path.string()) + ": ";
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (!std::filesystem::exists(status))
        return ioError(who + "there is no such file.");
    if (!std::filesystem::is_regular_file(status))
        return inputError(who + "it is not a regular file.");
    const std::uint64_t size = std::filesystem::file_size(path, error);
    if (error)
        return ioError(who + error.message() + ".");
    if (size > maxBytes)
        return inputError(who + "it has " + std::to_string(size) + " bytes; at most " + std::to_string(maxBytes)
                          + " are read.");
    std::ifstream file(path, std::ios::binary);
    std::string text(static_cast<std::size_t>(size), '\0');
    if (!file || (size > 0 && !file.read(text.data(), static_cast<std::streamsize>(size))))
        return ioError(who + std::strerror(errno) + ".");
    return text;
}

} // namespace headscope::io
