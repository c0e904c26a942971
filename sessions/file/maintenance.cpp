// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/file/maintenance.h"

#include "sessions/file/connection.h"
#include "sessions/file/newfile.h"
#include "sessions/file/sessionpaths.h"
#include "sessions/results/chunkresults.h"
#include "sessions/rows/analysisrows.h"
#include "sessions/rows/columns.h"
#include "sessions/rows/modelheadrows.h"
#include "sessions/rows/patterncodec.h"
#include "sessions/rows/seriesrows.h"
#include "sessions/rows/surveyrows.h"
#include "sessions/sessionstore.h"

#include <fmt/format.h>
#include <sqlite3.h>

namespace headscope::sessions {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxProblems = 100;

std::int64_t bytesOnDisk(const fs::path& path)
{
    std::int64_t sum = 0;
    for (const fs::path& part : {path, fs::path(path.string() + "-wal")}) {
        std::error_code missing;
        const auto size = fs::file_size(part, missing);
        sum += missing ? 0 : static_cast<std::int64_t>(size);
    }
    return sum;
}

class Verifier
{
public:
    Verifier(SQLite::Database& db, const Control& control) : m_db(db), m_control(control) {}

    VerifyReport run()
    {
        m_control.progress("checking pages", 0, 5);
        pages();
        m_control.progress("checking references", 1, 5);
        references();
        texts();
        m_control.progress("checking examples", 2, 5);
        examples();
        m_control.progress("checking results", 3, 5);
        results();
        totals();
        m_control.progress("checking patterns", 4, 5);
        patterns();
        surveys();
        verifyChunks(m_db, [this](const std::string& work, int chunk) {
            return problem(fmt::format("Chunk {} of shared work {} was changed after it was stored.", chunk,
                                       oneLine(work).substr(0, 12)));
        });
        analyses();
        m_control.progress("checked", 5, 5);
        return m_report;
    }

private:
    // Whether another one may be added.
    bool problem(std::string sentence)
    {
        if (m_report.problems.size() < kMaxProblems)
            m_report.problems.push_back(std::move(sentence));
        return m_report.problems.size() < kMaxProblems;
    }

    [[nodiscard]] bool more() const { return !m_control.stopped() && m_report.problems.size() < kMaxProblems; }

    void pages()
    {
        SQLite::Statement check(m_db, "PRAGMA integrity_check(20)");
        while (check.executeStep())
            if (const std::string line = textAt(check, 0); line != "ok")
                problem("The file is damaged: " + oneLine(line) + ".");
    }

    void references()
    {
        SQLite::Statement check(m_db, "PRAGMA foreign_key_check");
        while (check.executeStep())
            if (!problem(fmt::format("A row of table '{}' refers to a row of '{}' that does not exist.",
                                     textAt(check, 0), textAt(check, 2))))
                return;
    }

    void texts()
    {
        try {
            refuseLongTexts(m_db, true);
        } catch (const BadRow& bad) {
            problem(fmt::format("In the session {}.", bad.what()));
        }
    }

    void examples()
    {
        SQLite::Statement query(m_db, fmt::format("SELECT id, checksum, {} FROM examples", kExampleColumns));
        while (more() && query.executeStep()) {
            ++m_report.examples;
            const ExampleRecord example = exampleAt(query, 2);
            if (checksum(example) != int64At(query, 1))
                problem(fmt::format("Example {} (task {}, row {}) was changed after it was stored.", int64At(query, 0),
                                    example.task, example.row));
        }
    }

    void results()
    {
        SQLite::Statement query(
            m_db, fmt::format("SELECT {}, r.checksum, {} FROM results r JOIN examples e ON e.id = r.example_id "
                              "JOIN series s ON s.id = r.series_id JOIN models m ON m.id = s.model_id "
                              "JOIN ablations a ON a.id = s.ablation_id",
                              kSeriesColumns, kResultColumns));
        while (more() && query.executeStep()) {
            ++m_report.results;
            const SeriesKey key = seriesAt(query, 0);
            const ResultRecord result = resultAt(query, kSeriesColumnCount + 1);
            if (checksum(identity(key), result) != int64At(query, kSeriesColumnCount))
                problem(
                    fmt::format("The result of example {} (task {}, ablation '{}') was changed after it was stored.",
                                result.exampleHash.substr(0, 12), key.task, key.ablation));
        }
    }

    void totals()
    {
        if (isHandIn(m_db))
            return; // the results stayed behind
        SQLite::Statement query(m_db, "WITH sums AS (SELECT series_id, count(*) AS results, count(correct) AS n, "
                                      "coalesce(sum(correct), 0) AS correct, "
                                      "count(correct_norm) AS n_norm, coalesce(sum(correct_norm), 0) AS correct_norm, "
                                      "sum(rejected <> '') AS rejected "
                                      "FROM results INDEXED BY results_summary GROUP BY series_id) "
                                      "SELECT s.task, s.id FROM series s LEFT JOIN sums r ON r.series_id = s.id LEFT "
                                      "JOIN series_totals t ON t.series_id = s.id "
                                      "WHERE (t.results, t.n, t.correct, t.n_norm, t.correct_norm, t.rejected) IS NOT "
                                      "(r.results, r.n, r.correct, r.n_norm, r.correct_norm, r.rejected)");
        while (more() && query.executeStep())
            problem(fmt::format("The totals of series {} (task {}) are not the sums of its results.", int64At(query, 1),
                                textAt(query, 0)));
    }

    void patterns()
    {
        SQLite::Statement query(m_db, "SELECT id, checksum, head, data, scale, rows, cols FROM patterns");
        while (more() && query.executeStep()) {
            ++m_report.patterns;
            const std::string data = blobAt(query, 3);
            const auto decoded = decodePattern(data, realAt(query, 4), intAt(query, 5), intAt(query, 6));
            if (RowChecksum().add(data).value() != int64At(query, 1))
                problem(fmt::format("Pattern {} of {} was changed after it was stored.", int64At(query, 0),
                                    textAt(query, 2)));
            else if (!decoded.has_value())
                problem(decoded.error().message);
        }
    }

    void surveys()
    {
        SQLite::Statement query(m_db, "SELECT head, data, checksum FROM survey_heads");
        while (more() && query.executeStep())
            if (checksum(SurveyHead{textAt(query, 0), {}, {}, blobAt(query, 1)}) != int64At(query, 2))
                problem(
                    fmt::format("The survey of head {} was changed after it was stored.", oneLine(textAt(query, 0))));
    }

    void analyses()
    {
        for (const auto& [id, record] : analysisRecords(m_db)) {
            if (!more())
                return;
            try {
                (void)analysisAt(m_db, id);
            } catch (const BadRow& bad) {
                problem(fmt::format("In an analysis of kind {} {}.", oneLine(record.key.kind), bad.what()));
            }
        }
    }

    SQLite::Database& m_db;
    const Control& m_control;
    VerifyReport m_report;
};

} // namespace

Result<void> saveAs(SessionStore& session, const fs::path& target)
{
    return writeCopy(session, target);
}

Result<void> duplicate(SessionStore& session, const fs::path& target)
{
    return writeCopy(session, target, renewUid);
}

Result<VerifyReport> verify(SessionStore& session, const Control& control)
{
    auto report = session.connection().read<VerifyReport>([&control](SQLite::Database& db) {
        const std::stop_callback stopping(control.stop, [handle = db.getHandle()] { sqlite3_interrupt(handle); });
        return Verifier(db, control).run();
    });
    if (control.stopped())
        return cancelledError();
    if (!report.has_value())
        return report.error();
    // What the reading of all models refuses.
    const auto models = session.models();
    if (!models.has_value())
        report->problems.push_back(models.error().message);
    for (const ModelRecord& model : models.has_value() ? *models : std::vector<ModelRecord>())
        if (const auto heads = storedHeads(model); !heads.has_value())
            report->problems.push_back(heads.error().message);
    return report;
}

Result<CompactReport> compact(SessionStore& session)
{
    if (session.readOnly())
        return ioError("Session '" + session.path().string() + "' cannot be compacted: it is open for reading only.");
    if (auto there = session.connection().checkUnchanged(); !there.has_value())
        return there.error();
    CompactReport report;
    report.bytesBefore = bytesOnDisk(session.path());
    auto done = session.connection().read<bool>([](SQLite::Database& db) {
        const AllowAttach allow(db);
        db.exec("VACUUM");
        db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
        return true;
    });
    if (!done.has_value())
        return done.error();
    report.bytesAfter = bytesOnDisk(session.path());
    return report;
}

} // namespace headscope::sessions
