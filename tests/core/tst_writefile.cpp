// SPDX-License-Identifier: GPL-3.0-or-later
// The one way in which files are written: complete or not at all, through no planted link, over nobody's other file.
#include "core/base/writefile.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <functional>
#include <memory>
#include <string>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace headscope;
namespace fs = std::filesystem;

namespace {

const std::string kBefore = "what was there before", kAfter = "what is written now";

std::string bytesOf(const fs::path& path)
{
    QFile file(QString::fromStdString(path.string()));
    return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
}

void put(const fs::path& path, const std::string& bytes)
{
    QFile file(QString::fromStdString(path.string()));
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(bytes.data(), static_cast<qint64>(bytes.size())), static_cast<qint64>(bytes.size()));
}

mode_t modeOf(const fs::path& path)
{
    struct stat status {
    };
    return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
}

/// While it lives no file may grow beyond so many bytes, as on a full disk.
class SmallDisk
{
public:
    explicit SmallDisk(rlim_t bytes)
    {
        std::signal(SIGXFSZ, SIG_IGN);
        ::getrlimit(RLIMIT_FSIZE, &m_before);
        const rlimit now{bytes, m_before.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &now);
    }
    ~SmallDisk() { ::setrlimit(RLIMIT_FSIZE, &m_before); }

private:
    rlimit m_before{};
};

std::string failureOf(const std::function<Result<void>()>& write)
{
    const auto done = write();
    return done.has_value() ? std::string() : done.error().message;
}

} // namespace

class TestWriteFile : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init()
    {
        m_temporary = std::make_unique<QTemporaryDir>();
        m_folder = m_temporary->path().toStdString();
        m_file = m_folder / "out.csv";
    }
    void replacesAWholeFile();
    void keepsModeAndMask_data();
    void keepsModeAndMask();
    void aFullDiskLeavesTheEarlierFile_data();
    void aFullDiskLeavesTheEarlierFile();
    void withoutCommitNothingIsLeft();
    void plantedNamesAreLeftAlone();
    void linksAreWrittenThrough_data();
    void linksAreWrittenThrough();
    void privateFilesReplaceALink();
    void pipesAndDevicesAreWrittenDirectly();
    void openDescriptorsAreAppendedTo();
    void aSessionIsNeverReplaced();
    void impossiblePlacesAreSentences_data();
    void impossiblePlacesAreSentences();

private:
    [[nodiscard]] QStringList names() const
    {
        return QDir(m_temporary->path())
            .entryList(QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot);
    }
    std::unique_ptr<QTemporaryDir> m_temporary;
    fs::path m_folder, m_file;
};

void TestWriteFile::replacesAWholeFile()
{
    for (const std::string& bytes : {kBefore, std::string(1'000'000, 'x'), std::string()}) {
        QVERIFY(writeFile(m_file, bytes).has_value());
        QCOMPARE(bytesOf(m_file), bytes);
        QCOMPARE(names(), QStringList{QStringLiteral("out.csv")});
    }
}

void TestWriteFile::keepsModeAndMask_data()
{
    QTest::addColumn<int>("mask");
    QTest::addColumn<int>("before"); // 0: there is none
    QTest::addColumn<int>("after");
    QTest::newRow("new") << 022 << 0 << 0644;
    QTest::newRow("new, private mask") << 077 << 0 << 0600;
    QTest::newRow("private file") << 022 << 0600 << 0600;
    QTest::newRow("shared file") << 077 << 0664 << 0664;
    QTest::newRow("program") << 022 << 0755 << 0755;
}

void TestWriteFile::keepsModeAndMask()
{
    QFETCH(const int, mask);
    QFETCH(const int, before);
    QFETCH(const int, after);
    if (before != 0) {
        put(m_file, kBefore);
        QCOMPARE(::chmod(m_file.c_str(), static_cast<mode_t>(before)), 0);
    }
    const mode_t old = ::umask(static_cast<mode_t>(mask));
    const auto written = writeFile(m_file, kAfter);
    ::umask(old);
    QVERIFY(written.has_value());
    QCOMPARE(modeOf(m_file), static_cast<mode_t>(after));
}

void TestWriteFile::aFullDiskLeavesTheEarlierFile_data()
{
    QTest::addColumn<int>("room");
    QTest::addColumn<int>("size");
    QTest::newRow("nothing fits") << 0 << 1;
    QTest::newRow("a part fits") << 1000 << 1001;
    QTest::newRow("most fits") << 100'000 << 1'000'000;
}

void TestWriteFile::aFullDiskLeavesTheEarlierFile()
{
    QFETCH(const int, room);
    QFETCH(const int, size);
    put(m_file, kBefore);
    std::string failure;
    {
        const SmallDisk disk(static_cast<rlim_t>(room));
        failure = failureOf([&] { return writeFile(m_file, std::string(static_cast<std::size_t>(size), 'x')); });
    }
    QCOMPARE(failure, "The file '" + m_file.string() + "' cannot be written: File too large.");
    QCOMPARE(bytesOf(m_file), kBefore);
    QCOMPARE(names(), QStringList{QStringLiteral("out.csv")});
}

void TestWriteFile::withoutCommitNothingIsLeft()
{
    put(m_file, kBefore);
    {
        OutputFile file;
        QVERIFY(file.open(m_file).has_value() && file.append(kAfter).has_value());
        QCOMPARE(names().size(), 2);
    }
    QCOMPARE(bytesOf(m_file), kBefore);
    QCOMPARE(names(), QStringList{QStringLiteral("out.csv")});
}

// What faults/02 planted, and whatever else lies beside the file.
void TestWriteFile::plantedNamesAreLeftAlone()
{
    put(m_folder / "victim", kBefore);
    fs::create_symlink("victim", m_folder / "out.csv.partial");
    put(m_folder / "out.csv~", kBefore);
    const QStringList before = names();
    QVERIFY(writeFile(m_file, kAfter).has_value());
    QCOMPARE(bytesOf(m_folder / "victim"), kBefore);
    QCOMPARE(bytesOf(m_folder / "out.csv~"), kBefore);
    QVERIFY(fs::is_symlink(m_folder / "out.csv.partial"));
    QCOMPARE(names().size(), before.size() + 1);
}

void TestWriteFile::linksAreWrittenThrough_data()
{
    QTest::addColumn<QString>("to");
    QTest::addColumn<bool>("exists");
    QTest::newRow("to a file") << QStringLiteral("target") << true;
    QTest::newRow("to a file elsewhere") << QStringLiteral("inner/target") << true;
    QTest::newRow("to no file yet") << QStringLiteral("inner/target") << false;
    QTest::newRow("by another link") << QStringLiteral("other") << true;
}

void TestWriteFile::linksAreWrittenThrough()
{
    QFETCH(const QString, to);
    QFETCH(const bool, exists);
    fs::create_directory(m_folder / "inner");
    fs::create_symlink("inner/target", m_folder / "other");
    const fs::path target = m_folder / to.toStdString();
    if (exists)
        put(target, kBefore);
    fs::create_symlink(to.toStdString(), m_file);
    QVERIFY(checkOutputFile(m_file).has_value());
    QVERIFY(writeFile(m_file, kAfter).has_value());
    QVERIFY(fs::is_symlink(m_file) && fs::is_symlink(m_folder / "other"));
    QCOMPARE(bytesOf(target), kAfter);
}

void TestWriteFile::privateFilesReplaceALink()
{
    put(m_folder / "victim", kBefore);
    fs::create_symlink("victim", m_file);
    QVERIFY(writeFile(m_file, kAfter, FileAccess::Private).has_value());
    QVERIFY(!fs::is_symlink(m_file));
    QCOMPARE(bytesOf(m_folder / "victim"), kBefore);
    QCOMPARE(modeOf(m_file), mode_t{0600});
}

void TestWriteFile::pipesAndDevicesAreWrittenDirectly()
{
    QVERIFY(writeFile("/dev/null", kAfter).has_value());
    QCOMPARE(failureOf([] { return writeFile("/dev/full", kAfter); }),
             std::string("The file '/dev/full' cannot be written: No space left on device."));
    const fs::path pipe = m_folder / "pipe";
    QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
    const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    QVERIFY(reader >= 0);
    QVERIFY(writeFile(pipe, kAfter).has_value());
    char got[64];
    const ssize_t size = ::read(reader, got, sizeof got);
    ::close(reader);
    QCOMPARE(std::string(got, static_cast<std::size_t>(std::max<ssize_t>(size, 0))), kAfter);
    QCOMPARE(names(), QStringList{QStringLiteral("pipe")});
}

// "-o /dev/stdout >> file" adds to the file and replaces nothing.
void TestWriteFile::openDescriptorsAreAppendedTo()
{
    put(m_file, kBefore);
    const int fd = ::open(m_file.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    QVERIFY(fd >= 0);
    fs::create_symlink("/proc/self/fd/" + std::to_string(fd), m_folder / "link");
    for (const fs::path& name : {fs::path("/dev/fd") / std::to_string(fd), m_folder / "link"})
        QVERIFY(writeFile(name, kAfter).has_value());
    ::close(fd);
    QCOMPARE(bytesOf(m_file), kBefore + kAfter + kAfter);
    QVERIFY(!writeFile("/dev/fd/" + std::to_string(fd), kAfter).has_value());
}

void TestWriteFile::aSessionIsNeverReplaced()
{
    const fs::path session = m_folder / "work.headscope", link = m_folder / "link.csv";
    put(session, kBefore);
    fs::create_symlink(session, link);
    for (const fs::path& to : {session, link}) {
        QCOMPARE(failureOf([&] { return writeFile(to, kAfter); }),
                 "The file '" + to.string() + "' cannot be written: it is a session.");
        QVERIFY(!checkOutputFile(to).has_value());
    }
    QCOMPARE(bytesOf(session), kBefore);
}

void TestWriteFile::impossiblePlacesAreSentences_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("says");
    QTest::newRow("a folder") << QStringLiteral("inner") << QStringLiteral("Is a directory");
    QTest::newRow("no folder") << QStringLiteral("none/out.csv") << QStringLiteral("No such file or directory");
    QTest::newRow("below a file") << QStringLiteral("plain/out.csv") << QStringLiteral("Not a directory");
    QTest::newRow("links in a circle") << QStringLiteral("circle") << QStringLiteral("Too many levels");
    QTest::newRow("a long name") << QString(300, u'n') << QStringLiteral("File name too long");
    QTest::newRow("orders to a terminal") << QStringLiteral("none/\x1b[2J") << QStringLiteral("\\x1b[2J");
}

void TestWriteFile::impossiblePlacesAreSentences()
{
    QFETCH(const QString, path);
    QFETCH(const QString, says);
    fs::create_directory(m_folder / "inner");
    put(m_folder / "plain", kBefore);
    fs::create_symlink("circle", m_folder / "circle");
    const QStringList before = names();
    const std::string failure = failureOf([&] { return writeFile(m_folder / path.toStdString(), kAfter); });
    QVERIFY2(QString::fromStdString(failure).contains(says) && failure.ends_with('.'), failure.c_str());
    QCOMPARE(names(), before);
}

QTEST_GUILESS_MAIN(TestWriteFile)
#include "tst_writefile.moc"
