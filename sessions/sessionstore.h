// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A session: one SQLite file that keeps models, examples, results and everything shown about them. An object lives on
// one thread; another thread (or process) opens its own on the same file, readers never wait for the writer.

#include "core/base/result.h"
#include "sessions/records.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace headscope::sessions {

class Connection;

struct OpenOptions {
    bool create = true;            ///< make the file when there is none
    bool readOnly = false;         ///< never write, not even to upgrade
    int busyTimeoutMs = 10000;     ///< how long to wait for another writer
    std::int64_t maximumBytes = 0; ///< the file may not grow beyond; 0: no limit but the disk's
};

/// Every call either does all of what it says, on disk, or nothing; errors are one sentence for the user.
class SessionStore
{
public:
    /// Opens or creates. Refuses what is not a sound session of this or an earlier version; upgrades earlier ones. A
    /// file or folder that cannot be written opens for reading (see readOnly() and notices()).
    [[nodiscard]] static Result<SessionStore> open(const std::filesystem::path& path, const OpenOptions& options = {});
    SessionStore(SessionStore&&) noexcept;
    SessionStore& operator=(SessionStore&&) noexcept;
    ~SessionStore();

    [[nodiscard]] const std::filesystem::path& path() const;
    [[nodiscard]] bool readOnly() const;
    /// What the user should know after opening, one sentence each: read-only, upgraded, network file system.
    [[nodiscard]] const std::vector<std::string>& notices() const;
    /// Made at creation; copies made by duplicate or by the shell share it.
    [[nodiscard]] Result<std::string> uid();
    /// Changes whenever another connection has written; cheap enough to poll.
    [[nodiscard]] Result<std::int64_t> dataVersion();

    // Models and tokenizers. The hash is the identity; the other fields are replaced by the newest.
    [[nodiscard]] Result<void> putTokenizer(const TokenizerRecord& tokenizer);
    [[nodiscard]] Result<std::vector<TokenizerRecord>> tokenizers();
    [[nodiscard]] Result<void> putModel(const ModelRecord& model);
    [[nodiscard]] Result<std::vector<ModelRecord>> models();
    [[nodiscard]] Result<std::optional<ModelRecord>> model(std::string_view hash);

    // Examples. A hash that is there already is left as it is.
    [[nodiscard]] Result<void> putExamples(std::span<const ExampleRecord> examples);
    [[nodiscard]] Result<std::optional<ExampleRecord>> example(std::string_view hash);
    /// Whether this very model and all of these examples are in the session.
    [[nodiscard]] Result<bool> holds(const ModelRecord& model, std::span<const std::string> exampleHashes);
    /// Row ids of a task's examples in order of row; pages are then fetched with examples().
    [[nodiscard]] Result<std::vector<std::int64_t>> exampleIds(std::string_view task);
    [[nodiscard]] Result<std::vector<ExampleRecord>> examples(std::span<const std::int64_t> ids);
    [[nodiscard]] Result<std::int64_t> exampleCount();
    /// Every task that has examples, sorted.
    [[nodiscard]] Result<std::vector<std::string>> tasks();

    // Ablation sets; the canonical text is the identity, empty is the baseline.
    [[nodiscard]] Result<void> putAblation(std::string_view text);
    [[nodiscard]] Result<std::vector<std::string>> ablations();

    // Results. Model and examples must be in the session. A result that is there already is not replaced.
    [[nodiscard]] Result<void> putResults(const SeriesKey& key, std::span<const ResultRecord> results);
    /// Hashes of the examples that need not run again.
    [[nodiscard]] Result<std::unordered_set<std::string>> doneExamples(const SeriesKey& key);
    [[nodiscard]] Result<std::vector<ResultRecord>> results(const SeriesKey& key);
    [[nodiscard]] Result<std::optional<ResultRecord>> result(const SeriesKey& key, std::string_view exampleHash);
    [[nodiscard]] Result<std::vector<SeriesScore>> scores();
    /// Every series of a model in one state; nothing is summed.
    [[nodiscard]] Result<std::vector<SeriesKey>> seriesOf(std::string_view modelHash, std::string_view ablation);

    // Runs: the scored states that can be gone back to.
    /// Returns the run's uid. Saving a uid again replaces its name, note, position and series.
    [[nodiscard]] Result<std::string> putRun(const RunRecord& run);
    /// Adds the series to the first run of the same model and ablation; where there is none, the run is the last.
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
    [[nodiscard]] Result<void> putLabel(const HeadLabel& label); ///< an empty name and colour removes it
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
    std::unique_ptr<Connection> m_connection;
};

} // namespace headscope::sessions
