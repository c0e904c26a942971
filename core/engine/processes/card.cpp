// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/processes/card.h"

#include "core/base/hash.h"
#include "core/base/writefile.h"
#include "core/engine/processes/connection.h"
#include "core/io/quote.h"

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace headscope::engine {

namespace fs = std::filesystem;
using io::inQuotes;

namespace {

constexpr std::size_t kMaxPrivateBytes = 4096;
constexpr char kDigits[] = "0123456789abcdef";

std::string hexOf(const Digest& digest)
{
    std::string text;
    for (const std::uint8_t byte : digest) {
        text += kDigits[byte >> 4];
        text += kDigits[byte & 15];
    }
    return text;
}

std::optional<Digest> digestOf(std::string_view hex)
{
    Digest digest;
    if (hex.size() != 2 * digest.size())
        return {};
    for (std::size_t i = 0; i < digest.size(); ++i) {
        const auto [end, fault] = std::from_chars(hex.data() + 2 * i, hex.data() + 2 * i + 2, digest[i], 16);
        if (fault != std::errc() || end != hex.data() + 2 * i + 2)
            return {};
    }
    return digest;
}

} // namespace

fs::path cardPath(const std::string& host, int port, const std::string& run)
{
    const char *cache = std::getenv("XDG_CACHE_HOME"), *home = std::getenv("HOME");
    const fs::path base = cache && *cache ? fs::path(cache) : fs::path(home && *home ? home : "/") / ".cache";
    const std::string name = sha256Hex(host + '\n' + std::to_string(port) + '\n' + run).substr(0, 24);
    return base / "headscope" / "meetings" / (name + ".card");
}

Result<void> writeCard(const fs::path& path, const MeetingCard& card)
{
    std::error_code ignored;
    fs::create_directories(path.parent_path(), ignored);
    return writeFile(
        path, "port " + std::to_string(card.port) + "\nsecret " + (card.secret ? hexOf(*card.secret) : "-") + "\n",
        FileAccess::Private);
}

Result<MeetingCard> readCard(const fs::path& path)
{
    const auto read = readPrivateFile(path);
    if (!read.has_value())
        return read.error();
    const std::string_view text = *read;
    const std::size_t line = text.find("\nsecret ");
    MeetingCard card;
    if (text.starts_with("port ") && text.ends_with('\n') && line != std::string_view::npos) {
        const auto [end, fault] = std::from_chars(text.data() + 5, text.data() + line, card.port);
        const std::string_view secret = text.substr(line + 8, text.size() - line - 9);
        card.secret = digestOf(secret);
        if (fault == std::errc() && end == text.data() + line && card.port > 0 && card.port < 65536
            && (card.secret || secret == "-"))
            return card;
    }
    return inputError(inQuotes(path.string()) + " is not a meeting card.");
}

Result<std::string> readPrivateFile(const fs::path& path)
{
    const std::string who = "Cannot read " + inQuotes(path.string()) + ": ";
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    struct stat status {
    };
    if (file.fd() < 0 || ::fstat(file.fd(), &status) != 0)
        return ioError(who + std::strerror(errno) + ".");
    if (!S_ISREG(status.st_mode))
        return inputError(who + "it is not a regular file.");
    if (status.st_uid != ::geteuid() || (status.st_mode & 077) != 0)
        return inputError(who + "expected a file of this person's with mode 0600, which others cannot read.");
    std::string text(kMaxPrivateBytes + 1, '\0');
    const ssize_t size = ::read(file.fd(), text.data(), text.size());
    if (size < 0)
        return ioError(who + std::strerror(errno) + ".");
    if (static_cast<std::size_t>(size) > kMaxPrivateBytes)
        return inputError(who + "it has more than " + std::to_string(kMaxPrivateBytes) + " bytes.");
    text.resize(static_cast<std::size_t>(size));
    return text;
}

} // namespace headscope::engine
