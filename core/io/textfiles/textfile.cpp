// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/textfiles/textfile.h"

#include "core/io/openfile.h"
#include "core/io/textfiles/quote.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <istream>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace headscope::io {

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;

struct Descriptor {
    int fd = -1;
    ~Descriptor()
    {
        if (fd >= 0)
            ::close(fd);
    }
};

const char* kindOf(mode_t mode)
{
    return S_ISDIR(mode)    ? "it is a folder"
           : S_ISFIFO(mode) ? "it is a pipe, not a regular file"
                            : "it is not a regular file";
}

} // namespace

Result<std::string> readTextFile(const std::filesystem::path& path, std::uint64_t maxBytes)
{
    const std::string who = "Cannot read " + inQuotes(path.string()) + ": ";
    // O_NONBLOCK so that opening a pipe does not wait for its writer.
    const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (file.fd < 0) {
        const std::string why = errno == ENOENT ? "there is no such file" : std::strerror(errno),
                          link = brokenLink(path);
        return ioError(who + (link.empty() ? why : link) + ".");
    }
    struct stat status {
    };
    if (::fstat(file.fd, &status) != 0)
        return ioError(who + std::strerror(errno) + ".");
    if (!S_ISREG(status.st_mode))
        return inputError(who + kindOf(status.st_mode) + ".");
    const auto size = static_cast<std::uint64_t>(status.st_size);
    if (size > maxBytes)
        return inputError(who + "it has " + std::to_string(size) + " bytes; at most " + std::to_string(maxBytes)
                          + " are supported.");
    // To its end, whatever its size says: the system's own files say 0, and one that is written to grows.
    std::string text(static_cast<std::size_t>(size) + 1, '\0');
    std::size_t have = 0;
    while (true) {
        const ssize_t got = ::read(file.fd, text.data() + have, text.size() - have);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return ioError(who + std::strerror(errno) + ".");
        have += static_cast<std::size_t>(got);
        if (have > maxBytes)
            return inputError(who + "it has more than " + std::to_string(maxBytes)
                              + " bytes, the largest size that is read.");
        if (got == 0)
            break;
        if (have == text.size())
            text.resize(std::min<std::uint64_t>(maxBytes + 1, have + std::max(kPiece, have / 2)));
    }
    if (have < size)
        return ioError(who + "it ended after " + std::to_string(have) + " of " + std::to_string(size) + " bytes.");
    text.resize(have);
    return text;
}

LineRead readLine(std::istream& in, std::string& line, std::size_t maxBytes)
{
    line.clear();
    std::streambuf* const buffer = in.rdbuf();
    for (int letter = buffer->sbumpc(); letter != std::char_traits<char>::eof(); letter = buffer->sbumpc()) {
        if (letter == '\n')
            return LineRead::Line;
        if (line.size() == maxBytes)
            return LineRead::TooLong;
        line += static_cast<char>(letter);
    }
    return line.empty() ? LineRead::End : LineRead::Line;
}

} // namespace headscope::io
