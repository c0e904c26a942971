// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hub/arrival.h"

#include "core/hub/blobs.h"
#include "core/io/textfiles/quote.h"

#include <openssl/evp.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace headscope::hub {

namespace fs = std::filesystem;

namespace {

/// Closes a descriptor at the end of its scope.
struct Descriptor {
    int fd = -1;
    explicit Descriptor(int opened) : fd(opened) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor()
    {
        if (fd >= 0)
            ::close(fd);
    }
};

/// What is continued is a file of this name, never what a link of this name leads to.
constexpr int kOwn = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;

/// The hash that names the blob of a file: SHA-256 of a large one, else Git's SHA-1 of its kind, size and bytes.
Result<std::string> hashOf(const fs::path& path, const RemoteFile& file, const Control& control)
{
    const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
    const Descriptor in(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    if (in.fd < 0 || !context || EVP_DigestInit_ex(context.get(), file.large ? EVP_sha256() : EVP_sha1(), nullptr) != 1)
        return ioError("Cannot read " + io::inQuotes(path.string()) + " again: " + std::strerror(errno) + ".");
    if (!file.large) {
        const std::string kind = "blob " + std::to_string(file.size);
        EVP_DigestUpdate(context.get(), kind.c_str(), kind.size() + 1);
    }
    std::vector<char> piece(std::size_t{1} << 20);
    std::uint64_t done = 0;
    for (ssize_t got = 0; (got = ::read(in.fd, piece.data(), piece.size())) != 0;) {
        if (got < 0)
            return ioError("Cannot read " + io::inQuotes(path.string()) + " again: " + std::strerror(errno) + ".");
        if (control.stopped())
            return cancelledError();
        EVP_DigestUpdate(context.get(), piece.data(), static_cast<std::size_t>(got));
        done += static_cast<std::uint64_t>(got);
        control.progress("checking " + file.path, static_cast<std::int64_t>(done),
                         static_cast<std::int64_t>(file.size));
    }
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int size = 0;
    EVP_DigestFinal_ex(context.get(), digest, &size);
    std::string hex;
    for (unsigned int i = 0; i < size; ++i) {
        constexpr const char* kDigits = "0123456789abcdef";
        hex += {kDigits[digest[i] >> 4], kDigits[digest[i] & 15]};
    }
    return hex;
}

} // namespace

Arrival::Arrival(const RepositoryName& name, const std::string& commit, const RemoteFile& file,
                 const HubSettings& settings, const Control& control)
    : m_name(name), m_commit(commit), m_file(file), m_settings(settings), m_control(control),
      m_folder(folderOf(name, settings)), m_blob(m_folder / "blobs" / file.hash)
{
}

Result<void> Arrival::fetch()
{
    if (isComplete(m_blob, m_file))
        return {};
    std::error_code ignored;
    const fs::path locks = m_settings.cache / ".locks" / m_folder.filename();
    fs::create_directories(locks, ignored);
    fs::create_directories(m_blob.parent_path(), ignored);
    // As huggingface_hub locks, so that the two do not write into each other's file.
    const Descriptor lock(::open((locks / (m_file.hash + ".lock")).c_str(), kOwn, 0644));
    if (lock.fd < 0)
        return cannotWrite(errno);
    if (::flock(lock.fd, LOCK_EX | LOCK_NB) != 0)
        return ioError("Cannot get " + io::inQuotes(m_file.path)
                       + ": another program is downloading it; wait for that one.");
    const Descriptor out(::open(incomplete(m_blob).c_str(), kOwn, 0644));
    struct stat status {
    };
    if (out.fd < 0 || ::fstat(out.fd, &status) != 0)
        return cannotWrite(errno);
    if (!S_ISREG(status.st_mode) || status.st_nlink != 1)
        return cannotWrite(EEXIST);
    if (auto arrived = tryAll(out.fd); !arrived.has_value())
        return arrived;
    return keep();
}

Error Arrival::cannotWrite(int number) const
{
    return ioError("Cannot write " + io::inQuotes(incomplete(m_blob).string()) + ": " + std::strerror(number)
                   + (number == ENOSPC ? "; make room and run the download again, what arrived is kept." : "."));
}

Result<void> Arrival::tryAll(int out)
{
    Answer last;
    for (int number = 1; number <= m_settings.tries; ++number) {
        if (number > 1 && !waitBefore(number, last, m_settings, m_control))
            return cancelledError();
        m_have = sizeOf(incomplete(m_blob));
        if (m_have > m_file.size)
            restart(out);
        const std::uint64_t before = m_have;
        if (m_have < m_file.size || m_file.size == 0)
            last = once(out);
        if (m_control.stopped())
            return cancelledError();
        if (m_failure)
            return *m_failure;
        if (m_have == m_file.size)
            return {};
        if (last.status == 416) // what is there is of no use to the host
            restart(out);
        else if (last.problem.empty() && (last.status == 200 || last.status == 206))
            last.problem = "it ended after " + std::to_string(m_have) + " of " + std::to_string(m_file.size) + " bytes";
        else if (!isRetryable(last))
            break;
        constexpr std::uint64_t kProgress = 1'000'000; // bytes: a long file may be cut more often than that
        if (m_have > before + kProgress)
            number = 1;
    }
    return failure(last, m_name.path() + "/" + m_file.path, m_settings.endpoint + "/" + m_name.path(), m_settings);
}

Answer Arrival::once(int out)
{
    const std::string url = m_settings.endpoint + "/" + m_name.path() + "/resolve/" + m_commit + "/" + m_file.path;
    return get({.url = url,
                .from = m_have,
                .begin =
                    [this, out](bool resumed) {
                        if (!resumed && m_have > 0)
                            restart(out);
                        return ::lseek(out, static_cast<off_t>(m_have), SEEK_SET) >= 0;
                    },
                .sink = [this, out](std::string_view bytes) { return write(out, bytes); }},
               m_settings, m_control);
}

void Arrival::restart(int out)
{
    m_have = ::ftruncate(out, 0) == 0 ? 0 : m_have;
}

bool Arrival::write(int out, std::string_view bytes)
{
    if (bytes.size() > m_file.size - m_have) {
        restart(out);
        m_failure = ioError("Cannot get " + io::inQuotes(m_file.path) + ": the host sends more than the "
                            + std::to_string(m_file.size) + " bytes that it announced; nothing was kept.");
        return false;
    }
    while (!bytes.empty()) {
        const ssize_t put = ::write(out, bytes.data(), bytes.size());
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0) {
            m_failure = cannotWrite(errno);
            return false;
        }
        bytes.remove_prefix(static_cast<std::size_t>(put));
        m_have += static_cast<std::uint64_t>(put);
    }
    m_control.progress(m_file.path, static_cast<std::int64_t>(m_have), static_cast<std::int64_t>(m_file.size));
    return true;
}

Result<void> Arrival::keep() const
{
    const auto hash = hashOf(incomplete(m_blob), m_file, m_control);
    if (!hash.has_value())
        return hash.error();
    std::error_code error;
    if (*hash != m_file.hash) {
        fs::remove(incomplete(m_blob), error);
        return ioError("Cannot get " + io::inQuotes(m_file.path) + ": what arrived has the hash " + *hash
                       + "; the hub says " + m_file.hash + ". It was removed; run the download again.");
    }
    fs::rename(incomplete(m_blob), m_blob, error);
    return error ? Result<void>(cannotWrite(error.value())) : Result<void>();
}

} // namespace headscope::hub
