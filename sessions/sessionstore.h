// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A session: one SQLite file with models, examples, results and everything shown about them. An object lives on one
// thread; another thread (or process) opens its own on the same file. Readers never wait for the writer.

#include "core/base/result.h"
#include "sessions/records.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace SQLite {
class Database;
}

namespace headscope::sessions {

class Connection;

struct OpenOptions {
    bool create = true;            ///< create the file if it does not exist
    bool readOnly = false;         ///< never write, not even to upgrade
    bool again = false;            ///< return only results stored through this store; they replace those of before
    int busyTimeoutMs = 10000;     ///< longest wait for another writer
    std::int64_t maximumBytes = 0; ///< upper limit of the file size; 0: limited by the disk only
    /// If set, other writers are waited for until `stop`, where the file system allows several: a process that is
    /// suspended while it writes may continue much later. Receives a sentence with that process after two seconds.
    std::function<void(const std::string&)> notify = {};
    std::stop_token stop = {};
};

/// Every call either completes on disk or has no effect; errors are one sentence for the user.
class SessionStore
{
public:
    /// Opens or creates a session. Rejects files that are not intact sessions of this or an earlier version; upgrades
    /// earlier ones. A file or folder that cannot be written is opened read-only (see readOnly() and notices()).
    [[nodiscard]] static Result<SessionStore> open(const std::filesystem::path& path, const OpenOptions& options = {});
    SessionStore(SessionStore&&) noexcept;
    SessionStore& operator=(SessionStore&&) noexcept;
    ~SessionStore();

    [[nodiscard]] const std::filesystem::path& path() const;
    [[nodiscard]] bool readOnly() const;
    /// Returns notices for the user after opening, one sentence each: read-only, upgraded, network file system.
    [[nodiscard]] const std::vector<std::string>& notices() const;
    /// Returns the uid made at creation; copies made by saveAs or by the shell share it.
    [[nodiscard]] Result<std::string> uid();
    /// Returns a number that changes whenever another connection has written; cheap enough to poll.
    [[nodiscard]] Result<std::int64_t> dataVersion();

    // Models and tokenizers. The hash is the identity; the other fields are replaced by the newest.
    [[nodiscard]] Result<void> putTokenizer(const TokenizerRecord& tokenizer);
    [[nodiscard]] Result<std::vector<TokenizerRecord>> tokenizers();
    [[nodiscard]] Result<void> putModel(const ModelRecord& model);
    [[nodiscard]] Result<std::vector<ModelRecord>> models();
    [[nodiscard]] Result<std::optional<ModelRecord>> model(std::string_view hash);

    // Examples. An existing hash is not modified.
    [[nodiscard]] Result<void> putExamples(std::span<const ExampleRecord> examples);
    [[nodiscard]] Result<std::optional<ExampleRecord>> example(std::string_view hash);
    /// Returns whether exactly this model and all of these examples are in the session.
    [[nodiscard]] Result<bool> holds(const ModelRecord& model, std::span<const std::string> exampleHashes);
    /// Returns row ids of a task's examples in order of row; pages are then read with examples().
    [[nodiscard]] Result<std::vector<std::int64_t>> exampleIds(std::string_view task);
    [[nodiscard]] Result<std::vector<ExampleRecord>> examples(std::span<const std::int64_t> ids);
    [[nodiscard]] Result<std::int64_t> exampleCount();
    /// Returns every task that has examples, sorted.
    [[nodiscard]] Result<std::vector<std::string>> tasks();

    // Ablation sets; the canonical text is the identity, empty is the baseline.
    [[nodiscard]] Result<void> putAblation(std::string_view text);
    [[nodiscard]] Result<std::vector<std::string>> ablations();

    // Results. Model and examples must be in the session. Existing results are not replaced.
    [[nodiscard]] Result<void> putResults(const SeriesKey& key, std::span<const ResultRecord> results);
    /// The same within a transaction, for ResultWriter.
    void insert(SQLite::Database& db, const SeriesKey& key, std::span<const ResultRecord> results);
    /// Returns whether everything is to be measured again (OpenOptions::again).
    [[nodiscard]] bool again() const { return m_measured.has_value(); }
    /// Returns hashes of the examples that need not run again.
    [[nodiscard]] Result<std::unordered_set<std::string>> doneExamples(const SeriesKey& key);
    [[nodiscard]] Result<std::vector<ResultRecord>> results(const SeriesKey& key);
    [[nodiscard]] Result<std::optional<ResultRecord>> result(const SeriesKey& key, std::string_view exampleHash);
    [[nodiscard]] Result<std::vector<SeriesScore>> scores();
    /// Returns every series of a model in one state, without totals.
    [[nodiscard]] Result<std::vector<SeriesKey>> seriesOf(std::string_view modelHash, std::string_view ablation);

    // Runs: the scored states that can be restored.
    /// Returns the run's uid. Saving a uid again replaces its name, note, position and series.
    [[nodiscard]] Result<std::string> putRun(const RunRecord& run);
    /// Adds the series to the first run of the same model and ablation; if there is none, appends the run.
    [[nodiscard]] Result<void> listRun(const RunRecord& run);
    [[nodiscard]] Result<std::vector<RunRecord>> runs();
    [[nodiscard]] Result<void> removeRun(std::string_view uid);
    [[nodiscard]] Result<void> addHistory(const HistoryEntry& entry);
    [[nodiscard]] Result<std::vector<HistoryEntry>> history();

    // Rankings, patterns, figures, labels.
    [[nodiscard]] Result<std::string> addRanking(const RankingRecord& ranking); ///< returns the uid
    [[nodiscard]] Result<std::vector<RankingRecord>> rankings();
    [[nodiscard]] Result<PatternInfo> putPattern(const PatternRecord& pattern); ///< replaces one of the same identity
    [[nodiscard]] Result<std::vector<PatternInfo>> patterns();
    [[nodiscard]] Result<PatternRecord> pattern(std::int64_t id);
    [[nodiscard]] Result<void> putFigure(const FigureRecipe& figure);
    [[nodiscard]] Result<std::vector<FigureRecipe>> figures();
    [[nodiscard]] Result<void> removeFigure(std::string_view name);
    [[nodiscard]] Result<void> putLabel(const LabelChange& change); ///< a label without name and colour is removed
    [[nodiscard]] Result<std::vector<HeadLabel>> labels(std::string_view modelHash);
    [[nodiscard]] Result<std::vector<ConflictRecord>> conflicts();

    // Window state and tours: any bytes under a key.
    [[nodiscard]] Result<void> setUiState(std::string_view key, std::string_view value);
    [[nodiscard]] Result<std::optional<std::string>> uiState(std::string_view key);
    [[nodiscard]] Result<void> setTour(const TourProgress& progress);
    [[nodiscard]] Result<std::vector<TourProgress>> tours();

    /// The open file; for the other parts of sessions/.
    [[nodiscard]] Connection& connection() { return *m_connection; }

private:
    explicit SessionStore(std::unique_ptr<Connection> connection);
    [[nodiscard]] bool answers(const SeriesKey& key, const std::string& exampleHash) const;
    std::unique_ptr<Connection> m_connection;
    std::optional<std::unordered_set<std::string>> m_measured; ///< series and examples measured again so far
};

} // namespace headscope::sessions
