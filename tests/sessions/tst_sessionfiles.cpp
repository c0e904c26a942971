// SPDX-License-Identifier: GPL-3.0-or-later
// Files that cannot be opened or written: one sentence each, and what was stored stays.
#include "sessions/file/filesystem.h"
#include "sessions/file/maintenance.h"
#include "sessions/file/schema.h"
#include "sessions/file/sessionpaths.h"
#include "sessions/sessionstore.h"
#include "tests/support/sanitized.h"
#include "tests/support/sessionfixture.h"

#include <SQLiteCpp/Database.h>

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QScopeGuard>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <stop_token>
#include <utility>
#include <vector>

#include <grp.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace headscope;
using namespace headscope::sessions;
using namespace headscope::testing;
using namespace Qt::StringLiterals;

namespace {

/// Runs `work` in a child process, as a user that permissions apply to; returns what it says.
std::string inChild(const std::function<std::string()>& work, bool dropPrivileges = true)
{
    int ends[2];
    if (pipe(ends) != 0)
        return "no pipe";
    const pid_t child = fork();
    if (child == 0) {
        constexpr unsigned kNobody = 65534;
        std::string said = "could not change user";
        if (!dropPrivileges || geteuid() != 0
            || (setgroups(0, nullptr) == 0 && setgid(kNobody) == 0 && setuid(kNobody) == 0))
            said = work();
        const auto written = write(ends[1], said.data(), said.size());
        _exit(written == static_cast<ssize_t>(said.size()) ? 0 : 1);
    }
    close(ends[1]);
    std::string said;
    char buffer[4096];
    for (ssize_t n = 0; (n = read(ends[0], buffer, sizeof buffer)) > 0;)
        said.append(buffer, static_cast<std::size_t>(n));
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    return status == 0 ? said : "the child failed";
}

std::string bytesOf(const std::string& path)
{
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// Opens, tries to write, counts what can be read: "opened, read-only, 24 results" or the error.
std::string visit(const std::string& path)
{
    auto session = SessionStore::open(path);
    if (!session.has_value())
        return session.error().message;
    const auto results = session->results(series());
    if (!results.has_value())
        return results.error().message;
    const auto wrote = session->putAblation("L9H9");
    std::string said =
        (session->readOnly() ? "read-only, " : "writable, ") + std::to_string(results->size()) + " results.";
    for (const std::string& notice : session->notices())
        said += " " + notice;
    return said + (wrote.has_value() ? "" : " " + wrote.error().message);
}

constexpr int kWrites = 20;

/// Opens and writes again and again; says what went wrong.
std::string writeOften(const std::string& path, const std::string& name)
{
    std::string problem;
    for (int i = 0; i < kWrites && problem.empty(); ++i) {
        auto session = SessionStore::open(path);
        problem = session.has_value() ? failure(session->setUiState(name + std::to_string(i), std::string(9000, 'x')))
                                      : session.error().message;
    }
    return problem;
}

} // namespace

class TestSessionFiles : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }
    void refusesWhatIsNotASession_data();
    void refusesWhatIsNotASession();
    void waitsForNoPipeBesideASession_data();
    void waitsForNoPipeBesideASession();
    void refusesNewerVersionsAndLeavesThemAlone();
    void refusesVersionsThatItIsNot_data();
    void refusesVersionsThatItIsNot();
    void anUpgradeByANewerVersionStays();
    void theNumberOfAnEarlierVersionIsCorrected();
    void readsPastALogOfNoise();
    void opensPathsWithOddCharacters();
    void opensReadOnlyFiles();
    void writesAgainToAFileThatWasReadOnly();
    void opensFilesInReadOnlyFolders();
    void readsTheLogOfACrashInAReadOnlyFolder();
    void readingLeavesTheFolderAsItWas_data();
    void readingLeavesTheFolderAsItWas();
    void leavesAFileWithAForeignLogAlone();
    void fullFileKeepsWhatItHad();
    void fullDiskKeepsWhatItHad();
    void noticesThatTheFileIsGone();
    void noticesWhatIsDoneToTheFile_data();
    void noticesWhatIsDoneToTheFile();
    void makesNoSessionBesideTheLogOfAnother();
    void keepsItsLocksWhileItIsOpenedAgain();
    void givesFilesToTheirOwnerOnly();
    void saysWhatTheFileSystemLacks_data();
    void saysWhatTheFileSystemLacks();
    void saysWhichPathsAreTooLong();
    void twoProgramsShareARollbackJournal();
    void othersMayWriteAndCompact();
    void waitsForAnotherWriterThenSaysSo();
    void waitsForAnotherWriterUntilItIsStopped();
    void knowsNetworkFileSystems();
    void warnsAndKeepsNoLogOnNetworkFileSystems_data();
    void warnsAndKeepsNoLogOnNetworkFileSystems();

private:
    [[nodiscard]] std::string path(const char* name = "a.session") const
    {
        return m_folder->filePath(QString::fromUtf8(name)).toStdString();
    }
    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestSessionFiles::refusesWhatIsNotASession_data()
{
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("sentence");
    QTest::newRow("text") << QStringLiteral("text")
                          << QStringLiteral("'PATH' is not a session: file is not a database.");
    QTest::newRow("half a header") << QStringLiteral("short")
                                   << QStringLiteral("'PATH' is not a session: file is not a database.");
    QTest::newRow("header only") << QStringLiteral("header")
                                 << QStringLiteral("'PATH' is not a session: file is not a database.");
    QTest::newRow("another program's") << QStringLiteral("other")
                                       << QStringLiteral("'PATH' is not a session: it is a SQLite file of another "
                                                         "program (application id 0x0, expected 0x48645363).");
    QTest::newRow("folder") << QStringLiteral("folder")
                            << QStringLiteral("'PATH' is not a session: expected a file, got a folder.");
    QTest::newRow("pipe") << QStringLiteral("pipe")
                          << QStringLiteral("'PATH' is not a session: expected a file, got a device or pipe.");
    QTest::newRow("no folder") << QStringLiteral(
        "nowhere") << QStringLiteral("Session 'PATH' cannot be opened: the folder 'FOLDER' does not exist.");
    QTest::newRow("nothing in it") << QStringLiteral("empty")
                                   << QStringLiteral("'PATH' is not a session: the file is empty.");
    QTest::newRow("a link to itself") << QStringLiteral(
        "loop") << QStringLiteral("Session 'PATH' cannot be opened: it is a link that leads to itself.");
    QTest::newRow("in a link to itself") << QStringLiteral(
        "loops") << QStringLiteral("Session 'PATH' cannot be opened: a link of its folder leads to itself.");
    QTest::newRow("no file") << QStringLiteral("missing") << QStringLiteral("There is no session 'PATH'.");
}

void TestSessionFiles::refusesWhatIsNotASession()
{
    QFETCH(QString, kind);
    QFETCH(QString, sentence);
    std::string file = path();
    OpenOptions options;
    if (kind == QLatin1String("text"))
        std::ofstream(file) << "These are notes, and not a session at all.";
    if (kind == QLatin1String("short"))
        std::ofstream(file) << "SQLite";
    if (kind == QLatin1String("header"))
        std::ofstream(file) << std::string("SQLite format 3\0", 16) << std::string(4096, 'x');
    if (kind == QLatin1String("other"))
        SQLite::Database(file, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec("CREATE TABLE cookies(a)");
    if (kind == QLatin1String("folder"))
        QVERIFY(QDir().mkdir(QString::fromStdString(file)));
    if (kind == QLatin1String("pipe"))
        QCOMPARE(mkfifo(file.c_str(), 0600), 0);
    if (kind == QLatin1String("nowhere"))
        file = path("nowhere/a.session");
    if (kind == QLatin1String("empty"))
        std::ofstream(file).close();
    if (kind.startsWith(QLatin1String("loop")))
        QCOMPARE(symlink(file.c_str(), file.c_str()), 0);
    if (kind == QLatin1String("loops"))
        file += "/a.session";
    options.create = kind != QLatin1String("missing") && kind != QLatin1String("empty");
    const auto session = SessionStore::open(file, options);
    QVERIFY(!session.has_value());
    sentence.replace(QStringLiteral("PATH"), QString::fromStdString(file));
    sentence.replace(QStringLiteral("FOLDER"), QString::fromStdString(path("nowhere")));
    QCOMPARE(QString::fromStdString(session.error().message), sentence);
}

void TestSessionFiles::waitsForNoPipeBesideASession_data()
{
    QTest::addColumn<QString>("suffix");
    QTest::addColumn<QString>("kind");
    for (const char* suffix : {"-wal", "-shm", "-journal"})
        for (const char* kind : {"device or pipe", "folder", "link to itself"})
            QTest::addRow("%s %s", kind, suffix) << QString::fromUtf8(suffix) << QString::fromUtf8(kind);
}

void TestSessionFiles::waitsForNoPipeBesideASession()
{
    QFETCH(QString, suffix);
    QFETCH(QString, kind);
    const std::string session = path(), beside = session + suffix.toStdString();
    QCOMPARE(fillFile(session), std::string());
    if (kind == QLatin1String("folder"))
        QVERIFY(QDir().mkdir(QString::fromStdString(beside)));
    else if (kind == QLatin1String("link to itself"))
        QCOMPARE(symlink(beside.c_str(), beside.c_str()), 0);
    else
        QCOMPARE(mkfifo(beside.c_str(), 0600), 0);
    for (const bool readOnly : {false, true}) {
        OpenOptions options;
        options.readOnly = readOnly;
        const auto opened = SessionStore::open(session, options);
        QVERIFY(!opened.has_value());
        QCOMPARE(opened.error().message, "Session '" + session + "' cannot be opened: '" + beside
                                             + "' beside it is not a file but a " + kind.toStdString()
                                             + "; move it away first.");
    }
    std::filesystem::remove(beside);
    QVERIFY(SessionStore::open(session).has_value());
}

void TestSessionFiles::refusesNewerVersionsAndLeavesThemAlone()
{
    QCOMPARE(fillFile(path()), std::string());
    const std::string newer = std::to_string(kSchemaVersion + 1);
    SQLite::Database(path(), SQLite::OPEN_READWRITE).exec("PRAGMA user_version = " + newer);
    QFile file(QString::fromStdString(path()));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray before = file.readAll();
    const auto session = SessionStore::open(path());
    QVERIFY(!session.has_value());
    QCOMPARE(session.error().message, "Session '" + path()
                                          + "' was written by a newer version of Headscope: it has schema " + newer
                                          + ", this one reads up to " + std::to_string(kSchemaVersion) + ".");
    file.seek(0);
    QCOMPARE(file.readAll(), before);
}

void TestSessionFiles::refusesVersionsThatItIsNot_data()
{
    QTest::addColumn<int>("version");
    QTest::addColumn<QString>("finding");
    QTest::newRow("none") << 0
                          << QStringLiteral("is damaged: expected a schema from 1 to %1, got 0.").arg(kSchemaVersion);
    QTest::newRow("negative")
        << -1 << QStringLiteral("is damaged: expected a schema from 1 to %1, got -1.").arg(kSchemaVersion);
    QTest::newRow("a later one")
        << 99
        << QStringLiteral("was written by a newer version of Headscope: it has schema 99, this one reads up to %1.")
               .arg(kSchemaVersion);
}

void TestSessionFiles::refusesVersionsThatItIsNot()
{
    QFETCH(int, version);
    QFETCH(QString, finding);
    QCOMPARE(fillFile(path()), std::string());
    SQLite::Database(path(), SQLite::OPEN_READWRITE).exec("PRAGMA user_version = " + std::to_string(version));
    const auto session = SessionStore::open(path());
    QVERIFY(!session.has_value());
    QVERIFY2(session.error().message.ends_with(finding.toStdString()), session.error().message.c_str());
}

// Two versions on one file: the earlier, which had it open, stores nothing in what the later has made of it.
void TestSessionFiles::anUpgradeByANewerVersionStays()
{
    auto session = SessionStore::open(path());
    VERIFY_OK(session);
    VERIFY_OK(session->setUiState("geometry", "before"));
    const int newer = kSchemaVersion + 1;
    SQLite::Database other(path(), SQLite::OPEN_READWRITE);
    other.exec("CREATE TABLE future(x); PRAGMA user_version = " + std::to_string(newer));
    const auto kept = session->setUiState("geometry", "after");
    QVERIFY(!kept.has_value());
    QCOMPARE(kept.error().message, "Nothing was stored in session '" + path()
                                       + "': a newer version of Headscope has upgraded it; open it with that version.");
    QCOMPARE(*session->uiState("geometry"), std::optional<std::string>("before"));
    QCOMPARE(other.execAndGet("PRAGMA user_version").getInt(), newer);
}

// Versions before 0.2.0 wrote their own number into a session that was upgraded while they had it open.
void TestSessionFiles::theNumberOfAnEarlierVersionIsCorrected()
{
    QCOMPARE(fillFile(path()), std::string());
    SQLite::Database file(path(), SQLite::OPEN_READWRITE);
    const auto number = [&file] { return file.execAndGet("PRAGMA user_version").getInt(); };
    file.exec("PRAGMA user_version = 2");
    QVERIFY(SessionStore::open(path(), {.create = false, .readOnly = true}).has_value());
    QCOMPARE(number(), 2);
    QCOMPARE(visit(path()), std::string("writable, 12 results."));
    QCOMPARE(number(), kSchemaVersion);
    file.exec("CREATE TABLE other(x); PRAGMA user_version = 2");
    const auto refused = SessionStore::open(path());
    QVERIFY(!refused.has_value());
    QVERIFY2(refused.error().message.ends_with("which sessions do not have."), refused.error().message.c_str());
}

void TestSessionFiles::readsPastALogOfNoise()
{
    QCOMPARE(fillFile(path()), std::string());
    std::mt19937 random(11);
    std::string noise(100000, '\0');
    for (char& byte : noise)
        byte = static_cast<char>(random());
    std::ofstream(path() + "-wal", std::ios::binary) << noise;
    QCOMPARE(visit(path()), std::string("writable, 12 results."));
}

void TestSessionFiles::opensPathsWithOddCharacters()
{
    const std::string odd = path("50% of a? #1 'x' \xC3\xA9.session");
    {
        auto session = SessionStore::open(odd);
        VERIFY_OK(session);
        VERIFY_OK(session->putAblation("L2H5"));
    }
    QVERIFY(QFile::exists(QString::fromStdString(odd)));
    QCOMPARE(SessionStore::open(odd)->ablations()->size(), 1U);
}

void TestSessionFiles::opensReadOnlyFiles()
{
    QCOMPARE(fillFile(path()), std::string());
    QCOMPARE(chmod(m_folder->path().toUtf8().constData(), 0777), 0);
    QCOMPARE(chmod(path().c_str(), 0444), 0);
    const std::string reason = "because the file is read-only; nothing new is stored.";
    QCOMPARE(inChild([this] { return visit(path()); }),
             "read-only, 12 results. Session '" + path() + "' is open for reading only, " + reason
                 + " Nothing was stored in session '" + path() + "': the file is read-only.");
}

// Whoever reads it leaves a log and shared memory with the permissions that it had.
void TestSessionFiles::writesAgainToAFileThatWasReadOnly()
{
    QCOMPARE(fillFile(path()), std::string());
    QCOMPARE(chmod(m_folder->path().toUtf8().constData(), 0777), 0);
    QCOMPARE(chown(path().c_str(), 65534, 65534) == 0 || geteuid() != 0, true);
    const std::string said = inChild([this] {
        chmod(path().c_str(), 0444);
        std::string all = visit(path()).substr(0, 9);
        chmod(path().c_str(), 0644);
        return all + ", then " + visit(path());
    });
    QCOMPARE(said, std::string("read-only, then writable, 12 results."));
    // Those of another person stay as they are.
    if (geteuid() != 0)
        return;
    std::ofstream(path() + "-shm").put('x');
    QCOMPARE(chmod((path() + "-shm").c_str(), 0644), 0);
    const std::string others = inChild([this] { return visit(path()); });
    QVERIFY2(others.find("because '" + path() + "-shm' beside it is read-only;") != std::string::npos, others.c_str());
}

void TestSessionFiles::opensFilesInReadOnlyFolders()
{
    QCOMPARE(fillFile(path()), std::string());
    QCOMPARE(chmod(path().c_str(), 0666), 0);
    QCOMPARE(chmod(m_folder->path().toUtf8().constData(), 0555), 0);
    const std::string said = inChild([this] { return visit(path()); });
    const std::string made = inChild([this] { return visit(path("new.session")); });
    QCOMPARE(chmod(m_folder->path().toUtf8().constData(), 0755), 0);
    QVERIFY2(said.starts_with("read-only, 12 results."), said.c_str());
    QVERIFY2(said.find("because its folder is read-only") != std::string::npos, said.c_str());
    QCOMPARE(made, "Session '" + path("new.session") + "' cannot be created: the folder is read-only.");
}

void TestSessionFiles::readsTheLogOfACrashInAReadOnlyFolder()
{
    // A child that ends without closing leaves its results in the log.
    QCOMPARE(inChild(
                 [this] {
                     static auto session = SessionStore::open(path());
                     return session.has_value() ? fill(*session) : session.error().message;
                 },
                 false),
             std::string());
    QVERIFY(QFile(QString::fromStdString(path() + "-wal")).size() > 0);
    QFile::remove(QString::fromStdString(path() + "-shm"));
    for (const char* suffix : {"", "-wal"}) // for the other user; sessions are their owner's alone when they are made
        QCOMPARE(chmod((path() + suffix).c_str(), 0644), 0);
    QCOMPARE(chmod(m_folder->path().toUtf8().constData(), 0555), 0);
    const std::string said = inChild([this] { return visit(path()); });
    QCOMPARE(chmod(m_folder->path().toUtf8().constData(), 0755), 0);
    QVERIFY2(said.starts_with("read-only, 12 results."), said.c_str());
}

void TestSessionFiles::readingLeavesTheFolderAsItWas_data()
{
    QTest::addColumn<QString>("file");
    QTest::newRow("closed") << QString();
    QTest::newRow("copy without a log") << u"copy"_s;
    QTest::newRow("earlier schema") << u"schema7"_s;
    QTest::newRow("log of a crash") << u"crash"_s;
}

void TestSessionFiles::readingLeavesTheFolderAsItWas()
{
    QFETCH(QString, file);
    namespace fs = std::filesystem;
    if (file == "schema7"_L1) {
        fs::copy_file(HEADSCOPE_SOURCE_DIR "/tests/data/sessions/schema7.session", path());
        fs::permissions(path(), fs::perms{0600});
    } else if (file == "crash"_L1) {
        QCOMPARE(inChild(
                     [this] {
                         static auto session = SessionStore::open(path());
                         return session.has_value() ? fill(*session) : session.error().message;
                     },
                     false),
                 std::string());
    } else if (file == "copy"_L1) {
        const QTemporaryDir elsewhere;
        const std::string original = elsewhere.filePath(u"a"_s).toStdString();
        QCOMPARE(fillFile(original), std::string());
        auto session = SessionStore::open(original);
        VERIFY_OK(session);
        VERIFY_OK(saveAs(*session, path()));
    } else {
        QCOMPARE(fillFile(path()), std::string());
    }
    const auto folder = [this] { // the shared memory is only an index of the log, which each first reader makes anew
        std::vector<std::string> all;
        for (const auto& entry : fs::directory_iterator(m_folder->path().toStdString()))
            all.push_back(entry.path().string()
                          + (entry.path().string().ends_with("-shm") ? "" : bytesOf(entry.path().string())));
        std::sort(all.begin(), all.end());
        return all;
    };
    const auto before = folder();
    const QTemporaryDir elsewhere;
    {
        auto session = SessionStore::open(path(), {.readOnly = true});
        VERIFY_OK(session);
        QCOMPARE(session->results(series())->size(), 12U);
        QVERIFY(!session->putAblation("L9H9").has_value());
        VERIFY_OK(saveAs(*session, elsewhere.filePath(u"copy"_s).toStdString()));
        QVERIFY(!session->putAblation("L9H9").has_value());
    }
    QVERIFY(folder() == before);
}

// A log says of which pages it is, not of which file: somebody may lay a hostile one beside a good session.
void TestSessionFiles::leavesAFileWithAForeignLogAlone()
{
    const QString file = QString::fromStdString(path());
    const QString hostile = QString::fromStdString(path("hostile.session"));
    QCOMPARE(fillFile(path()), std::string());
    QVERIFY(QFile::copy(file, hostile));
    QCOMPARE(inChild(
                 [this] {
                     static SQLite::Database db(path("hostile.session"), SQLite::OPEN_READWRITE);
                     db.exec("CREATE TRIGGER t AFTER INSERT ON results BEGIN DELETE FROM runs; END");
                     return std::string();
                 },
                 false),
             std::string());
    QVERIFY(QFile::rename(hostile + QStringLiteral("-wal"), file + QStringLiteral("-wal")));
    const auto bytes = [&file] {
        QFile whole(file);
        return whole.open(QIODevice::ReadOnly) ? whole.readAll() : QByteArray();
    };
    const QByteArray before = bytes();
    for (const bool readOnly : {true, false}) {
        const auto session = SessionStore::open(path(), {.readOnly = readOnly});
        QVERIFY(!session.has_value());
        QCOMPARE(session.error().message,
                 "Session '" + path() + "' is refused: it has the trigger 't', which sessions do not have.");
        QVERIFY(bytes() == before);
    }
    QVERIFY(QFile::remove(file + QStringLiteral("-wal")));
    QCOMPARE(visit(path()), std::string("writable, 12 results."));
}

void TestSessionFiles::fullFileKeepsWhatItHad()
{
    QCOMPARE(fillFile(path()), std::string());
    OpenOptions options;
    options.maximumBytes = 400000;
    auto session = SessionStore::open(path(), options);
    VERIFY_OK(session);
    const auto full = session->setUiState("large", std::string(1000000, 'x'));
    QVERIFY(!full.has_value());
    QCOMPARE(full.error().message,
             "Session '" + path() + "' could not grow: the disk is full; nothing stored before is lost.");
    QCOMPARE(session->results(series())->size(), 12U);
    VERIFY_OK(session->setUiState("small", "x"));
    QCOMPARE(verify(*session)->problems, std::vector<std::string>());
}

void TestSessionFiles::fullDiskKeepsWhatItHad()
{
    const std::string disk = path("disk");
    QCOMPARE(mkdir(disk.c_str(), 0755), 0);
    if (mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=1m") != 0)
        QSKIP("A small disk can only be mounted by root; fullFileKeepsWhatItHad tests the same without one.");
    const auto unmount = qScopeGuard([&disk] { umount(disk.c_str()); });
    const std::string file = disk + "/a.session";
    {
        auto session = SessionStore::open(file);
        VERIFY_OK(session);
        QCOMPARE(fill(*session), std::string());
        std::ofstream(disk + "/filler") << std::string(2000000, 'x');
        const auto full = session->setUiState("large", std::string(300000, 'x'));
        QVERIFY(!full.has_value());
        QCOMPARE(full.error().message,
                 "Session '" + file + "' could not grow: the disk is full; nothing stored before is lost.");
        QCOMPARE(session->results(series())->size(), 12U);
        QVERIFY(QFile::remove(QString::fromStdString(disk + "/filler")));
        VERIFY_OK(session->setUiState("large", std::string(300000, 'x')));
    }
    auto again = SessionStore::open(file);
    VERIFY_OK(again);
    QCOMPARE(verify(*again)->problems, std::vector<std::string>());
    QCOMPARE(again->results(series("L2H5"))->size(), 12U);
}

void TestSessionFiles::noticesThatTheFileIsGone()
{
    auto session = SessionStore::open(path());
    VERIFY_OK(session);
    QCOMPARE(fill(*session), std::string());
    QVERIFY(QFile::remove(QString::fromStdString(path())));
    const auto lost = session->putAblation("L1H1");
    QVERIFY(!lost.has_value());
    QVERIFY2(lost.error().message.find("was removed or replaced while it was open") != std::string::npos,
             lost.error().message.c_str());
    VERIFY_OK(saveAs(*session, path("saved.session")));
    auto saved = SessionStore::open(path("saved.session"));
    VERIFY_OK(saved);
    QCOMPARE(readEverything(*saved), readEverything(*session));
}

void TestSessionFiles::noticesWhatIsDoneToTheFile_data()
{
    QTest::addColumn<QString>("deed");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* deed, const char* says) {
        QTest::newRow(deed) << QString::fromUtf8(deed) << QString::fromUtf8(says);
    };
    row("truncate -s 0", "was overwritten");
    row("cp another session", "was overwritten");
    row("cp an earlier copy", "was overwritten");
    row("cp noise", "was overwritten");
    row("mv an earlier copy", "was removed or replaced");
    row("mv elsewhere", "was removed or replaced");
    row("rm the log", "lost its log");
    row("rm the log and the shared memory", "lost its log");
    row("rm the shared memory", "lost its shared memory");
}

// It is said in a sentence, nothing is stored any more, and no file is written to that was put there.
void TestSessionFiles::noticesWhatIsDoneToTheFile()
{
    QFETCH(QString, deed);
    QFETCH(QString, says);
    namespace fs = std::filesystem;
    QCOMPARE(fillFile(path()), std::string());
    fs::copy_file(path(), path("earlier"));
    QCOMPARE(fillFile(path("other")), std::string());
    std::ofstream(path("noise")) << std::string(200'000, 'n');
    for (const char* name : {"A", "B"}) { // closed, so that all of it is in the file
        auto session = SessionStore::open(path());
        VERIFY_OK(session);
        VERIFY_OK(session->setUiState(name, "kept"));
    }
    std::string after;
    {
        auto session = SessionStore::open(path());
        VERIFY_OK(session);
        VERIFY_OK(session->setUiState("C", "kept"));
        const auto overwrite = [&](const char* with) { // as cp does: the same file, other bytes
            std::ofstream out(path(), std::ios::binary | std::ios::trunc);
            out << std::ifstream(path(with), std::ios::binary).rdbuf();
        };
        if (deed == "truncate -s 0"_L1)
            fs::resize_file(path(), 0);
        else if (deed == "cp another session"_L1)
            overwrite("other");
        else if (deed == "cp an earlier copy"_L1)
            overwrite("earlier");
        else if (deed == "cp noise"_L1)
            overwrite("noise");
        else if (deed == "mv an earlier copy"_L1)
            fs::rename(path("earlier"), path());
        else if (deed == "mv elsewhere"_L1)
            fs::rename(path(), path("elsewhere"));
        if (deed.startsWith("rm the log"_L1))
            fs::remove(path() + "-wal");
        if (deed.endsWith("the shared memory"_L1))
            fs::remove(path() + "-shm");
        after = bytesOf(path());
        for (int again = 0; again < 2; ++again) {
            const auto lost = session->setUiState("D", "not kept");
            QVERIFY(!lost.has_value());
            QVERIFY2(lost.error().message.find(says.toStdString()) != std::string::npos, lost.error().message.c_str());
        }
    }
    if (!deed.startsWith("rm"_L1)) {
        QVERIFY(bytesOf(path()) == after);
        // A log of a file that is still there is left to the person.
        QCOMPARE(fs::exists(path() + "-wal") && fs::file_size(path() + "-wal") > 0, says == "was overwritten"_L1);
    }
    if (deed == "mv an earlier copy"_L1)
        QCOMPARE(visit(path()), std::string("writable, 12 results."));
    if (!deed.startsWith("rm"_L1) && deed != "mv elsewhere"_L1)
        return;
    auto whole = SessionStore::open(path(deed == "mv elsewhere"_L1 ? "elsewhere" : "a.session"));
    VERIFY_OK(whole);
    QCOMPARE(verify(*whole)->problems, std::vector<std::string>());
    QCOMPARE(whole->uiState("C").value().value_or(""), std::string("kept"));
}

// The log of a session that was moved away while it was open is not that of a new one.
void TestSessionFiles::makesNoSessionBesideTheLogOfAnother()
{
    QCOMPARE(fillFile(path("full")), std::string());
    for (const char* suffix : {"-wal", "-journal"}) {
        const std::string left = path() + suffix;
        std::ofstream(left) << std::string(5000, 'x');
        for (const bool empty : {false, true}) {
            if (empty)
                std::ofstream(path()).close();
            const auto made = SessionStore::open(path());
            const bool played = empty && left.ends_with("-journal"); // as after a crash, which SQLite sees to
            QCOMPARE(made.has_value(), played);
            if (!made.has_value())
                QVERIFY2(made.error().message.find("cannot be created: '" + left + "' of an earlier session")
                             != std::string::npos,
                         made.error().message.c_str());
            QCOMPARE(QFile::exists(QString::fromStdString(path())), empty);
        }
        auto full = SessionStore::open(path("full"));
        QVERIFY(full.has_value());
        const auto copied = saveAs(*full, path("new"));
        VERIFY_OK(copied);
        QFile::remove(QString::fromStdString(path("new")));
        QFile::remove(QString::fromStdString(path()));
        QFile::remove(QString::fromStdString(left));
    }
}

// Closing any descriptor of a file takes away all locks that the process has on it.
void TestSessionFiles::keepsItsLocksWhileItIsOpenedAgain()
{
    QCOMPARE(fillFile(path()), std::string());
    auto session = SessionStore::open(path());
    VERIFY_OK(session);
    for (const bool readOnly : {true, false})
        VERIFY_OK(SessionStore::open(path(), {.readOnly = readOnly}));
    const std::string mode = inChild(
        [this] {
            SQLite::Database other(path(), SQLite::OPEN_READWRITE);
            try {
                return other.execAndGet("PRAGMA journal_mode = delete").getString();
            } catch (const std::exception& error) {
                return std::string(error.what());
            }
        },
        false);
    QVERIFY2(mode != "delete", mode.c_str()); // which takes the file for itself alone
}

void TestSessionFiles::givesFilesToTheirOwnerOnly()
{
    namespace fs = std::filesystem;
    const auto mode = [](const std::string& file) { return static_cast<unsigned>(fs::status(file).permissions()); };
    const auto before = umask(0022);
    const auto restore = qScopeGuard([before] { umask(before); });
    QCOMPARE(fillFile(path()), std::string());
    QCOMPARE(mode(path()), 0600U);
    auto session = SessionStore::open(path());
    VERIFY_OK(session);
    VERIFY_OK(session->putAblation("L1H1"));
    QCOMPARE(mode(path() + "-wal"), 0600U);
    for (const unsigned given : {0600U, 0640U, 0664U}) {
        QCOMPARE(chmod(path().c_str(), given), 0);
        for (const bool withoutPaths : {false, true}) {
            const std::string copy = path("copy") + std::to_string(given) + (withoutPaths ? "w" : "");
            if (withoutPaths)
                VERIFY_OK(duplicateWithoutPaths(*session, copy));
            else
                VERIFY_OK(duplicate(*session, copy));
            QCOMPARE(mode(copy), given);
        }
    }
    fs::remove(path());
    VERIFY_OK(saveAs(*session, path("saved")));
    QCOMPARE(mode(path("saved")), 0600U);
}

void TestSessionFiles::saysWhatTheFileSystemLacks_data()
{
    QTest::addColumn<QByteArray>("lacks");
    for (const char* what : {"locks", "shm", "mapping"})
        QTest::newRow(what) << QByteArray(what);
}

// In a process of its own, which is told so by what it has preloaded.
void TestSessionFiles::saysWhatTheFileSystemLacks()
{
    if (testing::kSanitized)
        QSKIP("A sanitizer has to be the first library of a process.");
    QFETCH(QByteArray, lacks);
    namespace fs = std::filesystem;
    const auto visited = [&](const std::string& file) {
        QProcess child;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(u"LD_PRELOAD"_s, QStringLiteral(HEADSCOPE_LIMITED_FILES));
        environment.insert(u"HEADSCOPE_WITHOUT"_s, QString::fromUtf8(lacks));
        child.setProcessEnvironment(environment);
        child.start(QCoreApplication::applicationFilePath(), {u"--visit"_s, QString::fromStdString(file)});
        child.waitForFinished(-1);
        return child.readAllStandardOutput().toStdString();
    };
    QCOMPARE(fillFile(path()), std::string());
    fs::copy_file(path(), path("logged"));
    QCOMPARE(inChild(
                 [this] {
                     static auto session = SessionStore::open(path("logged"));
                     return failure(session->putAblation("L7H7")); // which stays in the log
                 },
                 false),
             std::string());
    QVERIFY(fs::file_size(path("logged-wal")) > 0);
    const std::string known = visited(path()), logged = visited(path("logged")), made = visited(path("new"));
    if (lacks == "locks") {
        for (const std::string& said : {known, logged}) {
            QVERIFY2(said.starts_with("read-only, 12 results."), said.c_str());
            QVERIFY2(said.find("because its file system has no file locks") != std::string::npos, said.c_str());
        }
        QVERIFY2(logged.find("3 ablations") != std::string::npos, logged.c_str());
        QVERIFY2(made.find("cannot be created: its file system has no file locks") != std::string::npos, made.c_str());
        QVERIFY(!fs::exists(path("new")));
    } else {
        for (const auto& [said, rows] : {std::pair(known, "12 results"), {logged, "12 results"}, {made, "0 results"}}) {
            QVERIFY2(said.starts_with(std::string("writable, ") + rows), said.c_str());
            QVERIFY2(said.find("without shared memory") != std::string::npos, said.c_str());
        }
        QVERIFY2(logged.find("4 ablations") != std::string::npos, logged.c_str());
        QVERIFY2(visited(path()).starts_with("writable, 12 results"), visited(path()).c_str()); // and once more
        QVERIFY(!fs::exists(path() + "-wal"));
    }
    for (const auto& entry : fs::directory_iterator(m_folder->path().toStdString()))
        QVERIFY2(!entry.path().filename().string().starts_with(".headscope-"), entry.path().c_str());
    if (lacks != "locks") // back on a disk that has it
        QCOMPARE(visit(path("new")), std::string("writable, 0 results."));
}

void TestSessionFiles::saysWhichPathsAreTooLong()
{
    namespace fs = std::filesystem;
    fs::path folder = m_folder->path().toStdString();
    for (int i = 0; i < 20; ++i)
        folder /= std::string(46, 'f');
    fs::create_directories(folder);
    const std::string deep = (folder / "a.session").string(), longName = path(std::string(250, 'n').c_str());
    for (const auto& [file, why] : {std::pair(deep, "and SQLite opens at most 504"), {longName, "at most 247"}}) {
        const auto made = SessionStore::open(file);
        QVERIFY(!made.has_value());
        QVERIFY2(made.error().message.find(why) != std::string::npos, made.error().message.c_str());
        auto session = SessionStore::open(path());
        VERIFY_OK(session);
        const auto copied = saveAs(*session, file);
        QVERIFY(!copied.has_value());
        QVERIFY2(copied.error().message.find(why) != std::string::npos, copied.error().message.c_str());
        QVERIFY(!fs::exists(file));
    }
    // The longest that are said to be possible are.
    const std::string root = m_folder->path().toStdString();
    fs::path most = root;
    while (most.string().size() + 49 < 504 - 24)
        most /= std::string(46, 'g');
    most /= std::string(504 - 24 - most.string().size() - 2, 'h');
    fs::create_directories(most);
    const std::string last = (most / std::string(24, 'n')).string();
    QCOMPARE(last.size(), 504U);
    QCOMPARE(visit(last), std::string("writable, 0 results."));
    QCOMPARE(visit(path(std::string(247, 'n').c_str())), std::string("writable, 0 results."));
    // A link to a session is that session, with its log.
    QCOMPARE(symlink(last.c_str(), path("link").c_str()), 0);
    QCOMPARE(visit(path("link")), std::string("writable, 0 results."));
    QCOMPARE(symlink("nowhere", path("broken").c_str()), 0);
    QCOMPARE(SessionStore::open(path("broken")).error().message,
             "Session '" + path("broken") + "' cannot be created: it is a link to 'nowhere', which does not exist.");
}

void TestSessionFiles::twoProgramsShareARollbackJournal()
{
    qputenv("HEADSCOPE_FILE_SYSTEM_TYPE", "6969");
    const auto forget = qScopeGuard([] { qunsetenv("HEADSCOPE_FILE_SYSTEM_TYPE"); });
    QCOMPARE(fillFile(path()), std::string());
    QProcess other;
    other.start(QCoreApplication::applicationFilePath(), {u"--write"_s, QString::fromStdString(path())});
    const std::string ours = writeOften(path(), "ours");
    QVERIFY(other.waitForFinished(-1));
    QCOMPARE(ours + other.readAllStandardOutput().toStdString(), std::string());
    auto session = SessionStore::open(path());
    VERIFY_OK(session);
    QCOMPARE(verify(*session)->problems, std::vector<std::string>());
    for (int i = 0; i < kWrites; ++i)
        for (const char* name : {"ours", "other"})
            QVERIFY(session->uiState(name + std::to_string(i)).value().has_value());
}

void TestSessionFiles::othersMayWriteAndCompact()
{
    QCOMPARE(fillFile(path()), std::string());
    auto session = SessionStore::open(path());
    VERIFY_OK(session);
    for (int i = 0; i < 20; ++i) {
        auto other = SessionStore::open(path());
        VERIFY_OK(other);
        VERIFY_OK(other->setUiState("other", std::string(static_cast<std::size_t>(i % 5) * 100'000, 'x')));
        if (i % 4 == 3)
            VERIFY_OK(compact(*other));
        VERIFY_OK(session->setUiState("ours", std::to_string(i)));
    }
    QCOMPARE(verify(*session)->problems, std::vector<std::string>());
}

void TestSessionFiles::waitsForAnotherWriterThenSaysSo()
{
    QCOMPARE(fillFile(path()), std::string());
    OpenOptions options;
    options.busyTimeoutMs = 20;
    auto session = SessionStore::open(path(), options);
    VERIFY_OK(session);
    SQLite::Database other(path(), SQLite::OPEN_READWRITE);
    other.exec("BEGIN IMMEDIATE");
    const auto busy = session->putAblation("L1H1");
    QVERIFY(!busy.has_value());
    QCOMPARE(busy.error().message,
             "Session '" + path() + "' is being written by another program; gave up after 0.02 s.");
    QCOMPARE(session->results(series())->size(), 12U);
    other.exec("COMMIT");
    VERIFY_OK(session->putAblation("L1H1"));
}

// Stopped while it writes (SIGSTOP), a process may go on much later; whoever waits says for whom.
void TestSessionFiles::waitsForAnotherWriterUntilItIsStopped()
{
    QCOMPARE(fillFile(path()), std::string());
    SQLite::Database other(path(), SQLite::OPEN_READWRITE);
    std::vector<std::string> said;
    std::stop_source stop;
    OpenOptions options{.busyTimeoutMs = 20, .stop = stop.get_token()};
    bool ends = true;
    options.notify = [&](const std::string& line) {
        said.push_back(line);
        ends ? other.exec("COMMIT") : static_cast<int>(stop.request_stop());
    };
    auto session = SessionStore::open(path(), options);
    VERIFY_OK(session);
    other.exec("BEGIN IMMEDIATE");
    VERIFY_OK(session->putAblation("L1H1"));
    const std::string sentence =
        "Waiting for process " + std::to_string(getpid()) + ", which is writing to session '" + path() + "'.";
    QCOMPARE(said, std::vector{sentence});
    ends = false;
    other.exec("BEGIN IMMEDIATE");
    const auto stopped = session->putAblation("L1H2");
    QVERIFY(!stopped.has_value() && stopped.error().kind == Error::Kind::Cancelled);
    QCOMPARE(said, (std::vector{sentence, sentence}));
    other.exec("COMMIT");
    VERIFY_OK(session->putAblation("L1H2"));
}

void TestSessionFiles::knowsNetworkFileSystems()
{
    QCOMPARE(networkFileSystem(0x6969UL), std::optional<std::string>("NFS"));
    QCOMPARE(networkFileSystem(0xFF534D42UL), std::optional<std::string>("SMB"));
    QCOMPARE(networkFileSystem(0x65735546UL), std::optional<std::string>("FUSE"));
    QVERIFY(!networkFileSystem(0xEF53UL).has_value());     // ext4
    QVERIFY(!networkFileSystem(0x01021994UL).has_value()); // tmpfs
    QVERIFY(!networkFileSystem(std::filesystem::path("/proc")).has_value());
    QVERIFY(!networkFileSystem(std::filesystem::path("/no/such/folder")).has_value());
}

void TestSessionFiles::warnsAndKeepsNoLogOnNetworkFileSystems_data()
{
    QTest::addColumn<QByteArray>("type"); // as stat -f -c %t prints it
    QTest::addColumn<QString>("name");
    QTest::newRow("nfs") << QByteArray("6969") << QStringLiteral("NFS");
    QTest::newRow("cifs") << QByteArray("ff534d42") << QStringLiteral("SMB");
    QTest::newRow("fuse.sshfs") << QByteArray("65735546") << QStringLiteral("FUSE");
    QTest::newRow("9p") << QByteArray("1021997") << QStringLiteral("9P");
}

void TestSessionFiles::warnsAndKeepsNoLogOnNetworkFileSystems()
{
    QFETCH(QByteArray, type);
    QFETCH(QString, name);
    const auto said = [&](const SessionStore& session) {
        return std::count_if(session.notices().begin(), session.notices().end(), [&](const std::string& notice) {
            return notice.find("network file system (" + name.toStdString() + ")") != std::string::npos;
        });
    };
    const auto hasLog = [this] { return QFile::exists(QString::fromStdString(path() + "-wal")); };
    QCOMPARE(fillFile(path()), std::string());
    {
        qputenv("HEADSCOPE_FILE_SYSTEM_TYPE", type);
        const auto forget = qScopeGuard([] { qunsetenv("HEADSCOPE_FILE_SYSTEM_TYPE"); });
        auto first = SessionStore::open(path());
        VERIFY_OK(first);
        QCOMPARE(said(*first), 1);
        auto second = SessionStore::open(path());
        VERIFY_OK(second);
        VERIFY_OK(first->putAblation("L1H1"));
        VERIFY_OK(second->putAblation("L1H2"));
        QVERIFY(!hasLog());
        QCOMPARE(first->ablations()->size(), 4U);
        QCOMPARE(verify(*second)->problems, std::vector<std::string>());
    }
    // Back on a disk of this machine, readers need not wait for writers again.
    auto local = SessionStore::open(path());
    VERIFY_OK(local);
    QCOMPARE(said(*local), 0);
    VERIFY_OK(local->putAblation("L1H3"));
    QVERIFY(hasLog());
}

int main(int argc, char** argv)
{
    if (argc == 3 && std::string(argv[1]) == "--write") {
        std::fputs(writeOften(argv[2], "other").c_str(), stdout);
        return 0;
    }
    if (argc == 3 && std::string(argv[1]) == "--visit") {
        const std::string said = visit(argv[2]);
        auto session = SessionStore::open(argv[2], {.readOnly = true});
        std::printf("%s %zu ablations\n", said.c_str(), session.has_value() ? session->ablations()->size() : 0);
        return 0;
    }
    QCoreApplication application(argc, argv);
    TestSessionFiles test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_sessionfiles.moc"
