// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hub/download.h"

#include "core/hub/http.h"
#include "core/io/quote.h"
#include "core/io/writefile.h"

#include <openssl/evp.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

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

fs::path folderOf(const RepositoryName& name, const HubSettings& settings)
{
    std::string folder = (name.kind == RepositoryKind::DataSet ? "datasets--" : "models--") + name.name;
    if (const auto slash = folder.find('/'); slash != std::string::npos)
        folder.replace(slash, 1, "--");
    return settings.cache / folder;
}

fs::path incomplete(const fs::path& blob)
{
    return blob.string() + ".incomplete";
}

/// Bytes of a file; 0 where there is none.
std::uint64_t sizeOf(const fs::path& path)
{
    std::error_code error;
    const auto size = fs::file_size(path, error);
    return error ? 0 : size;
}

bool isComplete(const fs::path& blob, const RemoteFile& file)
{
    std::error_code ignored;
    return fs::exists(blob, ignored) && sizeOf(blob) == file.size;
}

std::string inWords(std::uint64_t bytes)
{
    char text[32];
    std::snprintf(text, sizeof text, bytes < 1'000'000'000 ? "%.1f MB" : "%.2f GB",
                  static_cast<double>(bytes) / (bytes < 1'000'000'000 ? 1e6 : 1e9));
    return text;
}

/// The hash that names the blob of a file: SHA-256 of a large one, else Git's SHA-1 of its kind, size and bytes.
Result<std::string> hashOf(const fs::path& path, const RemoteFile& file, const Control& control)
{
    const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
    const Descriptor in(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
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

/// One file on its way into its blob.
class Arrival
{
public:
    Arrival(const Plan& plan, const RemoteFile& file, const HubSettings& settings, const Control& control)
        : m_plan(plan), m_file(file), m_settings(settings), m_control(control), m_folder(folderOf(plan.name, settings)),
          m_blob(m_folder / "blobs" / file.hash)
    {
    }

    Result<void> fetch()
    {
        if (isComplete(m_blob, m_file))
            return {};
        std::error_code ignored;
        const fs::path locks = m_settings.cache / ".locks" / m_folder.filename();
        fs::create_directories(locks, ignored);
        fs::create_directories(m_blob.parent_path(), ignored);
        // As huggingface_hub locks, so that the two do not write into each other's file.
        const Descriptor lock(::open((locks / (m_file.hash + ".lock")).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
        if (lock.fd < 0)
            return cannotWrite(errno);
        if (::flock(lock.fd, LOCK_EX | LOCK_NB) != 0)
            return ioError("Cannot get " + io::inQuotes(m_file.path)
                           + ": another program is downloading it; wait for that one.");
        const Descriptor out(::open(incomplete(m_blob).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
        if (out.fd < 0)
            return cannotWrite(errno);
        if (auto arrived = tryAll(out.fd); !arrived.has_value())
            return arrived;
        return keep();
    }

private:
    Error cannotWrite(int number) const
    {
        return ioError("Cannot write " + io::inQuotes(incomplete(m_blob).string()) + ": " + std::strerror(number)
                       + (number == ENOSPC ? "; make room and run the download again, what arrived is kept." : "."));
    }

    Result<void> tryAll(int out)
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
                last.problem =
                    "it ended after " + std::to_string(m_have) + " of " + std::to_string(m_file.size) + " bytes";
            else if (!mayPass(last))
                break;
            constexpr std::uint64_t kProgress = 1'000'000; // bytes: a long file may be cut more often than that
            if (m_have > before + kProgress)
                number = 1;
        }
        return failure(last, m_plan.name.path() + "/" + m_file.path, m_settings.endpoint + "/" + m_plan.name.path(),
                       m_settings);
    }

    Answer once(int out)
    {
        const std::string url =
            m_settings.endpoint + "/" + m_plan.name.path() + "/resolve/" + m_plan.repository.commit + "/" + m_file.path;
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

    void restart(int out) { m_have = ::ftruncate(out, 0) == 0 ? 0 : m_have; }

    bool write(int out, std::string_view bytes)
    {
        if (bytes.size() > m_file.size - m_have) {
            restart(out);
            m_failure = ioError("Cannot get " + io::inQuotes(m_file.path) + ": the host sends more than the "
                                + std::to_string(m_file.size) + " bytes it promised; nothing of it was kept.");
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

    Result<void> keep() const
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

    const Plan& m_plan;
    const RemoteFile& m_file;
    const HubSettings& m_settings;
    const Control& m_control;
    fs::path m_folder, m_blob;
    std::uint64_t m_have = 0;
    std::optional<Error> m_failure;
};

/// In the snapshot, under the path of the file, a relative link to its blob.
Result<void> link(const fs::path& snapshot, const RemoteFile& file)
{
    const fs::path place = snapshot / file.path;
    fs::path target = fs::path("..") / "..";
    for (auto parts = std::count(file.path.begin(), file.path.end(), '/'); parts > 0; --parts)
        target /= "..";
    target = target / "blobs" / file.hash;
    std::error_code error;
    fs::create_directories(place.parent_path(), error);
    if (fs::read_symlink(place, error) == target)
        return {};
    fs::remove(place, error);
    fs::create_symlink(target, place, error);
    return error ? Result<void>(ioError("Cannot write " + io::inQuotes(place.string()) + ": " + error.message() + "."))
                 : Result<void>();
}

Result<Repository> asked(const RepositoryName& name, const HubSettings& settings, const Control& control)
{
    if (settings.cache.empty())
        return ioError("There is no place for downloads; expected HF_HUB_CACHE, HF_HOME or HOME in the environment.");
    return Repository::ask(name, settings, control);
}

// What of these files is in the cache already.
Plan planned(const RepositoryName& name, Repository repository, std::vector<RemoteFile> files,
             const HubSettings& settings)
{
    Plan plan{.name = name, .repository = std::move(repository), .files = std::move(files)};
    const fs::path folder = folderOf(name, settings);
    for (const RemoteFile& file : plan.files) {
        const fs::path blob = folder / "blobs" / file.hash;
        plan.total += file.size;
        if (!isComplete(blob, file))
            plan.missing += file.size - std::min(file.size, sizeOf(incomplete(blob)));
    }
    std::error_code ignored;
    fs::path there = settings.cache;
    while (!fs::exists(there, ignored) && there.has_parent_path() && there != there.parent_path())
        there = there.parent_path();
    const fs::space_info space = fs::space(there, ignored);
    plan.free = ignored ? 0 : space.available;
    plan.snapshot = folder / "snapshots" / plan.repository.commit;
    return plan;
}

} // namespace

Result<Plan> plan(const RepositoryName& name, const std::string& weights, const HubSettings& settings,
                  const Control& control)
{
    auto repository = asked(name, settings, control);
    if (!repository.has_value())
        return repository.error();
    auto files = neededFiles(*repository, weights);
    if (!files.has_value())
        return files.error();
    return planned(name, std::move(*repository), std::move(*files), settings);
}

Result<Plan> planOf(const RepositoryName& name, const std::vector<std::string>& paths, const HubSettings& settings,
                    const Control& control)
{
    auto repository = asked(name, settings, control);
    if (!repository.has_value())
        return repository.error();
    std::vector<RemoteFile> files;
    for (const std::string& path : paths) {
        const auto found =
            std::ranges::find_if(repository->files, [&](const RemoteFile& file) { return file.path == path; });
        if (found == repository->files.end())
            return inputError("The " + std::string(name.noun()) + " " + io::inQuotes(name.name) + " has no file "
                              + io::inQuotes(path) + " at " + io::inQuotes(name.revision) + ".");
        files.push_back(*found);
    }
    return planned(name, std::move(*repository), std::move(files), settings);
}

Result<fs::path> download(const Plan& plan, const HubSettings& settings, const Control& control)
{
    if (plan.missing > plan.free)
        return ioError("The " + std::string(plan.name.noun()) + " needs " + inWords(plan.missing) + " more in "
                       + io::inQuotes(settings.cache.string()) + "; " + inWords(plan.free)
                       + " are free. HF_HUB_CACHE may name a folder on another disk.");
    for (const RemoteFile& file : plan.files) {
        if (control.stopped())
            return cancelledError();
        if (auto fetched = Arrival(plan, file, settings, control).fetch(); !fetched.has_value())
            return fetched.error();
    }
    for (const RemoteFile& file : plan.files)
        if (auto linked = link(plan.snapshot, file); !linked.has_value())
            return linked.error();
    // Last: a ref to a snapshot that is not whole would be taken for a model.
    if (plan.name.revision != plan.repository.commit) {
        const fs::path ref = folderOf(plan.name, settings) / "refs" / plan.name.revision;
        std::error_code ignored;
        fs::create_directories(ref.parent_path(), ignored);
        if (auto written = io::writeFile(ref, plan.repository.commit); !written.has_value())
            return written.error();
    }
    return plan.snapshot;
}

Result<std::string> readRemoteText(const Plan& plan, const std::string& path, const HubSettings& settings,
                                   const Control& control)
{
    constexpr std::size_t kLongest = 16'000'000; // bytes
    return getText(settings.endpoint + "/" + plan.name.path() + "/resolve/" + plan.repository.commit + "/" + path,
                   kLongest, plan.name.path(), settings, control);
}

} // namespace headscope::hub
