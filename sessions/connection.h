// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Opens one SQLite file of unknown origin as a session and keeps it honest. Private to sessions/; one thread at a time.

#include "core/base/result.h"
#include "sessions/filewatch.h"
#include "sessions/sessionstore.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace headscope::sessions {

/// A row whose type or size is not what the schema promises; only damaged or hostile files have one.
struct BadRow : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A request that names something the session does not have.
struct BadRequest : std::runtime_error {
    using std::runtime_error::runtime_error;
};

constexpr std::int64_t kMaxValueBytes = 64LL * 1024 * 1024; ///< no value of a session is larger

/// A folder in the system's temporary folder that goes with its owner.
class TemporaryFolder
{
public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }

private:
    std::filesystem::path m_path;
};

class Connection
{
public:
    /// Opens, hardens, checks, and upgrades or creates. Never changes a file that it then refuses.
    [[nodiscard]] static Result<std::unique_ptr<Connection>> open(const std::filesystem::path& path,
                                                                  const OpenOptions& options);

    [[nodiscard]] SQLite::Database& db() { return *m_db; }
    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }
    [[nodiscard]] bool readOnly() const { return !m_readOnlyReason.empty(); }
    [[nodiscard]] const std::vector<std::string>& notices() const { return m_notices; }

    /// Runs `work` in one transaction that is on disk when this returns, or not at all.
    [[nodiscard]] Result<void> write(const std::function<void(SQLite::Database&)>& work);

    /// Runs `work` and turns what it throws into one sentence.
    template <typename T> [[nodiscard]] Result<T> read(const std::function<T(SQLite::Database&)>& work)
    {
        try {
            return work(*m_db);
        } catch (...) {
            return currentError();
        }
    }

    /// The exception being handled, as one sentence about this file.
    [[nodiscard]] Error currentError() const;

    /// Empty as long as the file that was opened is still the one at path() and nobody but SQLite wrote to it. The
    /// first time that it is not, what this connection still knows is kept in a file of its own, and nothing is stored
    /// any more.
    [[nodiscard]] Result<void> stillThere();

private:
    Connection(std::filesystem::path path, OpenOptions options);
    [[nodiscard]] Result<void> examineFile();
    [[nodiscard]] Result<void> examineCompanions() const;
    void connect();
    void harden() const;
    [[nodiscard]] Result<void> accept();
    [[nodiscard]] Result<void> create();
    [[nodiscard]] Result<void> upgrade(int from);
    void chooseJournal();
    [[nodiscard]] Result<void> quickCheck();
    void abandon(const std::string& damage);
    [[nodiscard]] std::filesystem::path rescue();

    std::filesystem::path m_path;
    OpenOptions m_options;
    std::string m_readOnlyReason; ///< "the file is read-only"; empty when it can be written
    std::vector<std::string> m_notices;
    std::unique_ptr<TemporaryFolder> m_copy; ///< where the file had to be copied to be read
    bool m_isNew = false;
    bool m_network = false;
    FileWatch m_watch;
    std::string m_lost; ///< the sentence about a file that is not ours any more; empty: it is
    std::unique_ptr<SQLite::Database> m_db;
};

} // namespace headscope::sessions
