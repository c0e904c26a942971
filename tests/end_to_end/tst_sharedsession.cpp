// SPDX-License-Identifier: GPL-3.0-or-later
// Processes that share the work of a command through one session: each prints what one process prints, and the session
// has its records, though some are killed and others join late. The shipped tiny-transformer is the model.
// HEADSCOPE_KILLS says how many processes are killed in the work of each command; tests/reference/kill_sharing.py kills
// more, lets clocks jump and fills disks.
#include "tests/support/sharedcommands.h"

#include "app/workbench/models/openmodel.h"
#include "app/workbench/scores/sharing.h"
#include "core/lm/device/threads.h"
#include "sessions/results/resultwriter.h"
#include "sessions/sessionstore.h"

#include <QRegularExpression>

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <csignal>
#include <map>
#include <memory>
#include <random>
#include <set>

#include <sys/resource.h>
#include <unistd.h>

using namespace headscope;
using namespace clifixture;

namespace {

using Variables = QList<std::pair<QString, QString>>;

/// `largest`: bytes that the process may write into a file.
std::unique_ptr<QProcess> started(const QStringList& arguments, const Variables& variables = {},
                                  rlim_t largest = RLIM_INFINITY)
{
    auto process = std::make_unique<QProcess>();
    if (largest != RLIM_INFINITY)
        process->setChildProcessModifier([largest] {
            const rlimit limit{largest, largest};
            ::setrlimit(RLIMIT_FSIZE, &limit);
        });
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const auto& [name, value] : variables)
        environment.insert(name, value);
    process->setProcessEnvironment(environment);
    process->start(qEnvironmentVariable("HEADSCOPE_CLI"),
                   arguments + QStringList{u"--device"_s, u"cpu"_s, u"--threads"_s, u"1"_s});
    return process;
}

/// The records of a session by table, to the last bit: without the numbers of rows (what has one stands in its place),
/// dates, seconds, and checksums over these. An experiment's report says how long it took; it is compared as printed.
class Records
{
public:
    explicit Records(const QString& session) : m_db(session.toStdString(), SQLite::OPEN_READONLY)
    {
        SQLite::Statement tables(m_db, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN "
                                       "('claims', 'session_info', 'ui_state') AND name NOT LIKE 'sqlite_%'");
        while (tables.executeStep())
            for (const auto& [number, record] : rows(tables.getColumn(0).getString()))
                m_all.insert(tables.getColumn(0).getString() + ": " + record);
    }
    [[nodiscard]] const std::multiset<std::string>& all() const { return m_all; }

private:
    const std::map<std::string, std::string>& rows(const std::string& table)
    {
        const auto [found, isNew] = m_rows.try_emplace(table);
        if (!isNew)
            return found->second;
        std::map<std::string, std::string> links;
        SQLite::Statement keys(m_db, "SELECT \"from\", \"table\" FROM pragma_foreign_key_list(?) WHERE \"to\" = 'id'");
        for (keys.bind(1, table); keys.executeStep();)
            links[keys.getColumn(0).getString()] = keys.getColumn(1).getString();
        std::vector<std::string> columns;
        std::string query;
        SQLite::Statement names(m_db, "SELECT name FROM pragma_table_info(?1) WHERE name NOT IN "
                                      "('uid', 'created', 'added', 'seconds') AND (name <> 'checksum' OR ?1 NOT IN "
                                      "('results', 'analyses')) ORDER BY name <> 'id'");
        for (names.bind(1, table); names.executeStep();) {
            columns.push_back(names.getColumn(0).getString());
            query += (query.empty() ? "SELECT quote(" : ", quote(") + columns.back() + ")";
        }
        std::map<std::string, std::string> all;
        SQLite::Statement every(m_db, query + " FROM " + table);
        while (every.executeStep()) {
            std::string record;
            for (int i = columns[0] == "id" ? 1 : 0; i < every.getColumnCount(); ++i) {
                const std::string value = every.getColumn(i).getString();
                const auto link = links.find(columns[static_cast<std::size_t>(i)]);
                record += (link != links.end() && value != "NULL" ? rows(link->second).at(value) : value) + '|';
            }
            all[columns[0] == "id" ? every.getColumn(0).getString() : std::to_string(all.size())] = std::move(record);
        }
        return m_rows[table] = std::move(all);
    }

    SQLite::Database m_db;
    std::map<std::string, std::map<std::string, std::string>> m_rows; ///< by table, and by id or in the order read
    std::multiset<std::string> m_all;
};

/// Chunks in the session that are done, and all; none where there is no session yet, or it is being made.
std::pair<int, int> chunksIn(const QString& session)
{
    try {
        SQLite::Database db(session.toStdString(), SQLite::OPEN_READONLY, 1000);
        SQLite::Statement count(db, "SELECT coalesce(sum(done), 0), count(*) FROM claims");
        count.executeStep();
        return {count.getColumn(0).getInt(), count.getColumn(1).getInt()};
    } catch (const SQLite::Exception&) {
        return {0, 0};
    }
}

} // namespace

class TestSharedSession : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void init() { m_folder = std::make_unique<Folder>(); }
    void eachPrintsWhatOneDoes_data();
    void eachPrintsWhatOneDoes();
    void oneWithoutRoomLosesNothing();
    void theyDivideTheProcessors();
    void saysForWhomItWaits();
    void otherWorkIsNotShared();
    void oldWaysNameTheNewOne();

private:
    [[nodiscard]] static QStringList rank(const QStringList& more, int limit = 200)
    {
        return QStringList{u"rank"_s,  kModel, u"--task"_s, u"toy_kv:pairs=4"_s, u"--limit"_s, QString::number(limit),
                           u"--json"_s}
               + more;
    }
    [[nodiscard]] QStringList shared() const { return {u"--session"_s, m_folder->path(u"s.headscope"_s)}; }
    [[nodiscard]] sessions::SessionStore opened() const
    {
        auto session = sessions::SessionStore::open(m_folder->path(u"s.headscope"_s).toStdString());
        if (!session.has_value())
            qFatal("%s", session.error().message.c_str());
        return std::move(*session);
    }
    std::unique_ptr<Folder> m_folder;
};

void TestSharedSession::initTestCase()
{
    if (!QFile::exists(qEnvironmentVariable("HEADSCOPE_CLI")))
        QSKIP("HEADSCOPE_CLI does not name the program.");
}

void TestSharedSession::eachPrintsWhatOneDoes_data()
{
    QTest::addColumn<QStringList>("command");
    for (const SharedCommand& command : sharedCommands())
        QTest::newRow(command.name) << command.arguments;
}

// Two at once, of which one is killed when a share of the chunks is done; another joins in its place.
void TestSharedSession::eachPrintsWhatOneDoes()
{
    QFETCH(QStringList, command);
    const Outcome alone = runHere(command);
    VERIFY_DONE(alone);
    const QString undisturbed = m_folder->path(u"alone.headscope"_s);
    VERIFY_DONE(runHere(command + QStringList{u"--session"_s, undisturbed}));
    const int kills = std::max(qEnvironmentVariableIntValue("HEADSCOPE_KILLS"), 1);
    std::mt19937 random(static_cast<unsigned>(qHash(QByteArray(QTest::currentDataTag()), 55)));
    const auto member = [&](int rank) {
        return started(command + shared(), {{u"WORLD_SIZE"_s, u"2"_s}, {u"LOCAL_RANK"_s, QString::number(rank)}});
    };
    std::vector<std::unique_ptr<QProcess>> processes;
    for (int rank = 0; rank < 2; ++rank)
        processes.push_back(member(rank));
    for (int killed = 0; killed < kills; ++killed) {
        const auto victim = random() % processes.size();
        const int percent = static_cast<int>(random() % 100);
        QVERIFY(QTest::qWaitFor(
            [&] {
                const auto [done, chunks] = chunksIn(shared().back());
                return (chunks > 0 && done >= percent * chunks / 100)
                       || std::ranges::all_of(processes,
                                              [](const auto& one) { return one->state() == QProcess::NotRunning; });
            },
            kLongEnough));
        processes[victim]->kill();
        QVERIFY(processes[victim]->state() == QProcess::NotRunning || processes[victim]->waitForFinished());
        processes[victim] = member(static_cast<int>(victim));
    }
    for (const auto& process : processes) {
        const Outcome one = finished(*process);
        VERIFY_DONE(one);
        QCOMPARE(resultsOf(one), resultsOf(alone));
    }
    {
        auto session = opened();
        const bool ranks = command.first() == u"rank"_s;
        if (ranks || command.first() == u"score"_s) {
            QCOMPARE(session.runs()->size(), ranks                             ? std::size_t{0}
                                             : command.contains(u"--ablate"_s) ? std::size_t{2}
                                                                               : std::size_t{1});
            QCOMPARE(session.rankings()->size(), ranks ? std::size_t{1} : std::size_t{0});
        }
    }
    VERIFY_DONE(runHere({u"session"_s, u"verify"_s, shared().back()}));
    QVERIFY(Records(shared().back()).all() == Records(undisturbed).all());
}

// As on a full disk, one process cannot store what it measures. It ends in a sentence, and the others do all of it.
void TestSharedSession::oneWithoutRoomLosesNothing()
{
    const QStringList command = rank({u"--head"_s, u"L1H*,L2H*"_s});
    const QString undisturbed = m_folder->path(u"alone.headscope"_s);
    const Outcome alone = runHere(command + QStringList{u"--session"_s, undisturbed});
    VERIFY_DONE(alone);
    const auto whole = static_cast<rlim_t>(QFileInfo(undisturbed).size());
    for (const rlim_t room : {whole / 4, whole / 2}) {
        init();
        VERIFY_DONE(runHere(rank({u"--head"_s, u"L1H2"_s}) + shared())); // something to lose
        const auto without = started(command + shared(), {}, room), with = started(command + shared());
        const Outcome full = finished(*without), other = finished(*with);
        VERIFY_FAILS(full, "nothing stored before is lost");
        VERIFY_DONE(other);
        QCOMPARE(resultsOf(other), resultsOf(alone));
        VERIFY_DONE(runHere({u"session"_s, u"verify"_s, shared().back()}));
    }
}

// Those that are at work, unless they were told how many threads to use.
void TestSharedSession::theyDivideTheProcessors()
{
    for (const int asked : {0, 2}) {
        init();
        app::Settings settings{.device = "cpu"};
        settings.threads = asked;
        auto open = app::openModel(settings, HEADSCOPE_SOURCE_DIR "/resources", {.model = "tiny-transformer"}, {});
        QVERIFY(open.has_value());
        auto ours = opened(), theirs = opened();
        sessions::ResultWriter results(theirs);
        auto other = std::make_unique<sessions::Claims>(theirs, "work");
        const std::vector<sessions::WorkChunk> chunks{{0, 0, false}, {1, 0, false}, {2, 0, false}};
        QVERIFY(other->offer(chunks).has_value());
        QCOMPARE(other->next(results)->chunk, std::optional(0));
        const int all = open->scorer->batchesAtOnce();
        std::vector<int> used;
        const auto run = [&](int, sessions::ResultWriter&) -> Result<std::optional<std::string>> {
            used.push_back(open->scorer->batchesAtOnce());
            other.reset(); // which gives its chunk back
            return std::optional<std::string>();
        };
        QVERIFY(app::shareChunks({*open, ours, {}, {}}, {"work", chunks, run}, "", {}).has_value());
        const int half = asked > 0 ? all : lm::batchesAtOnceFor(open->spec(), lm::threadsAmong(2));
        QCOMPARE(used, (std::vector{half, all, all}));
        QCOMPARE(open->scorer->batchesAtOnce(), all);
        if (asked == 0 && all == ::sysconf(_SC_NPROCESSORS_ONLN) && !qEnvironmentVariableIsSet("OMP_NUM_THREADS"))
            QCOMPARE(half, std::max(all / 2, 1));
    }
}

void TestSharedSession::saysForWhomItWaits()
{
    const QStringList command = rank({u"--head"_s, u"L1H*,L2H*"_s}, 400);
    const auto first = started(command + shared());
    const QString file = shared().back();
    // Stopped while it runs a chunk: one that is stopped while it writes keeps everybody from writing.
    const auto stopped = [&] {
        if (!QFile::exists(file))
            return false;
        ::kill(static_cast<pid_t>(first->processId()), SIGSTOP);
        {
            auto session = sessions::SessionStore::open(file.toStdString(), {.busyTimeoutMs = 100});
            const auto scores =
                session.has_value() ? session->scores() : Result<std::vector<sessions::SeriesScore>>(session.error());
            if (scores.has_value() && !scores->empty() && session->setUiState("test", "x").has_value())
                return true;
        }
        ::kill(static_cast<pid_t>(first->processId()), SIGCONT);
        return false;
    };
    QTRY_VERIFY_WITH_TIMEOUT(stopped(), 60000);
    const auto second = started(command + shared());
    // It does what is left, then it waits.
    const QRegularExpression sentence(
        u"Waiting for process %1 on \\S+: [0-9]+ chunks? of [0-9]+ (is|are) not finished\\."_s.arg(first->processId()));
    QByteArray said;
    const auto waits = [&] {
        said += second->readAllStandardError();
        return sentence.match(QString::fromUtf8(said)).hasMatch();
    };
    QTRY_VERIFY_WITH_TIMEOUT(waits(), kLongEnough);
    ::kill(static_cast<pid_t>(first->processId()), SIGCONT);
    const Outcome other = finished(*second);
    VERIFY_DONE(other);
    const Outcome one = finished(*first);
    VERIFY_DONE(one);
    QCOMPARE(resultsOf(one), resultsOf(other));
}

// Two commands in one session at the same time: other rows, heads or types are other work.
void TestSharedSession::otherWorkIsNotShared()
{
    const QStringList common = rank({u"--head"_s, u"L2H5-6"_s});
    for (const QStringList& strange :
         {common + QStringList{u"--seed"_s, u"7"_s}, common + QStringList{u"--dtype"_s, u"bf16"_s},
          rank({u"--head"_s, u"L1H5-6"_s})}) {
        init();
        const Outcome alone = runHere(common), strangeAlone = runHere(strange);
        const auto one = started(common + shared()), other = started(strange + shared());
        const Outcome ours = finished(*one), theirs = finished(*other);
        VERIFY_DONE(ours);
        VERIFY_DONE(theirs);
        QCOMPARE(resultsOf(ours), resultsOf(alone));
        QCOMPARE(resultsOf(theirs), resultsOf(strangeAlone));
    }
}

void TestSharedSession::oldWaysNameTheNewOne()
{
    const QStringList command = rank({u"--head"_s, u"L2H5"_s}, 8);
    const auto with = [](const char* name, const char* value, const QStringList& arguments) {
        qputenv(name, value);
        const Outcome outcome = runHere(arguments);
        qunsetenv(name);
        return outcome;
    };
    for (const char* name : {"HEADSCOPE_SECRET", "HEADSCOPE_SECRET_FILE", "HEADSCOPE_PORT", "HEADSCOPE_PATIENCE"})
        VERIFY_FAILS(with(name, "29500", command),
                     QByteArray(name) + " is set, but processes no longer connect to each other");
    std::set<QString> tried;
    for (const SharedCommand& one : sharedCommands()) // by every command
        if (tried.insert(one.arguments.front()).second)
            VERIFY_FAILS(with("WORLD_SIZE", "2", one.arguments), "the same --session FILE");
    VERIFY_DONE(with("WORLD_SIZE", "1", command));
    VERIFY_FAILS(run({u"bench"_s, u"scaling"_s, u"--costs"_s, u"x.json"_s}), "'bench scaling' was removed");
}

QTEST_GUILESS_MAIN(TestSharedSession)
#include "tst_sharedsession.moc"
