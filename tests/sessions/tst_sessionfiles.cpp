// SPDX-License-Identifier: GPL-3.0-or-later
// Files that can not be opened or written: one sentence each, and what was stored stays.
#include "sessions/filesystem.h"
#include "sessions/maintenance.h"
#include "sessions/schema.h"
#include "sessions/sessionstore.h"
#include "tests/support/sessionfixture.h"

#include <SQLiteCpp/Database.h>

#include <QDir>
#include <QFile>
#include <QScopeGuard>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>

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
    void readsPastALogOfNoise();
    void opensPathsWithOddCharacters();
    void opensReadOnlyFiles();
    void opensFilesInReadOnlyFolders();
    void readsTheLogOfACrashInAReadOnlyFolder();
    void leavesAFileWithAForeignLogAlone();
    void fullFileKeepsWhatItHad();
    void fullDiskKeepsWhatItHad();
    void noticesThatTheFileIsGone();
    void noticesWhatIsDoneToTheFile_data();
    void noticesWhatIsDoneToTheFile();
    void othersMayWriteAndCompact();
    void waitsForAnotherWriterThenSaysSo();
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
                          << QStringLiteral("'PATH' is not a session: it does not begin as a SQLite file does.");
    QTest::newRow("half a header") << QStringLiteral(
        "short") << QStringLiteral("'PATH' is not a session: it does not begin as a SQLite file does.");
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
        "nowhere") << QStringLiteral("Session 'PATH' can not be opened: the folder 'FOLDER' does not exist.");
    QTest::newRow("nothing in it") << QStringLiteral("empty")
                                   << QStringLiteral("'PATH' is not a session: the file is empty.");
    QTest::newRow("a link to itself") << QStringLiteral(
        "loop") << QStringLiteral("Session 'PATH' can not be opened: it is a link that leads to itself.");
    QTest::newRow("in a link to itself") << QStringLiteral(
        "loops") << QStringLiteral("Session 'PATH' can not be opened: a link of its folder leads to itself.");
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
        QCOMPARE(opened.error().message, "Session '" + session + "' can not be opened: '" + beside
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
    QTest::newRow("an earlier one") << 2 << QStringLiteral("which sessions do not have.");
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
    QCOMPARE(made, "Session '" + path("new.session") + "' can not be made: the folder is read-only.");
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
    QCOMPARE(chmod(m_folder->path().toUtf8().constData(), 0555), 0);
    const std::string said = inChild([this] { return visit(path()); });
    QCOMPARE(chmod(m_folder->path().toUtf8().constData(), 0755), 0);
    QVERIFY2(said.starts_with("read-only, 12 results."), said.c_str());
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
    row("truncate -s 0", "was cut");
    row("truncate to half", "was cut");
    row("cp another session", "was overwritten by another file");
    row("cp an earlier copy", "was overwritten by an earlier copy");
    row("cp noise", "was overwritten");
    row("mv an earlier copy", "was removed or replaced");
}

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
        else if (deed == "truncate to half"_L1)
            fs::resize_file(path(), fs::file_size(path()) / 2);
        else if (deed == "cp another session"_L1)
            overwrite("other");
        else if (deed == "cp an earlier copy"_L1)
            overwrite("earlier");
        else if (deed == "cp noise"_L1)
            overwrite("noise");
        else
            fs::rename(path("earlier"), path());
        after = bytesOf(path());
        for (int again = 0; again < 2; ++again) {
            const auto lost = session->setUiState("D", "not kept");
            QVERIFY(!lost.has_value());
            QVERIFY2(lost.error().message.find(says.toStdString()) != std::string::npos, lost.error().message.c_str());
            QVERIFY2(lost.error().message.find(".rescued-1.session'") != std::string::npos
                         || lost.error().message.find(".lost-wal'") != std::string::npos,
                     lost.error().message.c_str());
        }
    }
    // Whoever put something there finds it as it was put, and no log that would be played into it.
    QVERIFY(bytesOf(path()) == after);
    QVERIFY(!fs::exists(path() + "-wal"));
    if (deed.endsWith("copy"_L1) || deed.endsWith("session"_L1)) {
        auto there = SessionStore::open(path());
        VERIFY_OK(there);
        QCOMPARE(verify(*there)->problems, std::vector<std::string>());
    }
    if (!fs::exists(path("a.rescued-1.session"))) {
        QVERIFY(fs::exists(path() + ".lost-wal"));
        return;
    }
    auto rescued = SessionStore::open(path("a.rescued-1.session"));
    VERIFY_OK(rescued);
    QCOMPARE(verify(*rescued)->problems, std::vector<std::string>());
    QCOMPARE(rescued->uiState("C").value().value_or(""), std::string("kept"));
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

QTEST_GUILESS_MAIN(TestSessionFiles)
#include "tst_sessionfiles.moc"
