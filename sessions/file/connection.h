// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Opens an SQLite file of unknown origin as a session and keeps it intact. Private to sessions/; one thread at a time.

#include "core/base/result.h"
#include "core/base/temporaryfolder.h"
#include "sessions/file/filesystem.h"
#include "sessions/sessionstore.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

namespace headscope::sessions {

/// A row whose type or size violates the schema, found only in damaged or hostile files.
struct BadRow : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A request for something that the session does not contain.
struct BadRequest : std::runtime_error {
    using std::runtime_error::runtime_error;
};

constexpr std::int64_t kMaxValueBytes = 64LL * 1024 * 1024; ///< largest value in a session

class Connection
{
public:
    /// Opens, hardens, checks, and upgrades or creates a file. Never modifies a file that it rejects.
    [[nodiscard]] static Result<std::unique_ptr<Connection>> open(const std::filesystem::path& path,
                                                                  const OpenOptions& options);
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    [[nodiscard]] SQLite::Database& db() { return *m_db; }
    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }
    [[nodiscard]] bool readOnly() const { return !m_readOnlyReason.empty(); }
    [[nodiscard]] const std::vector<std::string>& notices() const { return m_notices; }

    /// Runs `work` in one transaction that is on disk when this returns, or not at all.
    [[nodiscard]] Result<void> write(const std::function<void(SQLite::Database&)>& work);

    /// Runs `work` and converts exceptions to a one-sentence error.
    template <typename T> [[nodiscard]] Result<T> read(const std::function<T(SQLite::Database&)>& work)
    {
        try {
            return work(*m_db);
        } catch (...) {
            return currentError();
        }
    }

    /// Returns the exception being handled as one sentence about this file.
    [[nodiscard]] Error currentError() const;

    /// Fails once the file, its log or its shared memory is no longer the one that was opened, or once something other
    /// than SQLite has written to it; nothing is stored after that.
    [[nodiscard]] Result<void> checkUnchanged();

private:
    Connection(std::filesystem::path path, OpenOptions options);
    [[nodiscard]] Result<void> examineFile();
    [[nodiscard]] Result<void> examineNew();
    [[nodiscard]] Result<void> examineCompanions() const;
    [[nodiscard]] std::filesystem::path beside(const char* suffix) const { return m_file.string() + suffix; }
    void connect();
    void connectAside();
    /// SQLite's busy handler: returns whether to try again.
    static int waitForWriter(void* connection, int calls) noexcept;
    [[nodiscard]] std::string unwritableCompanion() const;
    void harden();
    [[nodiscard]] Result<void> accept();
    [[nodiscard]] Result<void> create();
    [[nodiscard]] Result<void> upgrade(int from);
    void chooseJournal();
    [[nodiscard]] Result<void> quickCheck();
    void remember();
    [[nodiscard]] std::string damage();

    /// Device and inode of the file, its log and its shared memory; zeros for missing ones.
    using Identities = std::array<std::pair<dev_t, ino_t>, 3>;
    [[nodiscard]] Identities identities() const;
    [[nodiscard]] std::string uid();
    /// Returns the change counter in the file's header, which SQLite only increments. Empty without such a header.
    [[nodiscard]] std::optional<std::uint32_t> changes();

    std::filesystem::path m_path; ///< as given by the caller
    std::filesystem::path m_file; ///< with links resolved
    OpenOptions m_options;
    std::string m_readOnlyReason; ///< "the file is read-only"; empty if it can be written
    std::vector<std::string> m_notices;
    std::chrono::steady_clock::time_point m_busySince; ///< for the writer that is waited for
    bool m_told = false;                               ///< who that is
    std::unique_ptr<TemporaryFolder> m_copy;           ///< if the file had to be copied to be read
    bool m_network = false;
    FolderSupport m_support;
    Identities m_identities{};
    std::string m_uid;           ///< empty without a log: SQLite then checks the file itself
    std::uint32_t m_changes = 0; ///< the header's change counter when last checked
    std::string m_lost;          ///< why the file is no longer the one that was opened; empty: it is
    std::unique_ptr<SQLite::Database> m_db;
};

} // namespace headscope::sessions
