// SPDX-License-Identifier: GPL-3.0-or-later
// Sessions of somebody else whose texts are as long as they may be, column by column: every command ends within a bound
// of work. Longer ones are refused by their column.
#include "tests/support/clifixture.h"

#include "sessions/file/maintenance.h"
#include "sessions/rows/columns.h"
#include "sessions/sessionstore.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <QRegularExpression>

#include <csignal>
#include <map>
#include <set>

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace headscope;
using namespace clifixture;

namespace {

constexpr rlim_t kMostSeconds = 60; ///< of the processor; a quadratic loop over the longest text takes hours

struct Column {
    std::string table, name;
};

std::vector<std::string> columnsOf(SQLite::Database& db, const std::string& table, const char* which)
{
    SQLite::Statement query(db, std::string("SELECT name FROM pragma_table_info('") + table + "') WHERE " + which);
    std::vector<std::string> names;
    while (query.executeStep())
        names.push_back(query.getColumn(0).getString());
    return names;
}

std::string joined(const std::vector<std::string>& names)
{
    std::string all;
    for (const std::string& name : names)
        all += (all.empty() ? "" : ", ") + name;
    return all;
}

std::vector<Column> textColumns(SQLite::Database& db)
{
    std::vector<Column> all;
    SQLite::Statement tables(db, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name");
    while (tables.executeStep()) {
        const std::string table = tables.getColumn(0).getString();
        for (const std::string& name : columnsOf(db, table, "type = 'TEXT'"))
            all.push_back({table, name});
    }
    return all;
}

/// Texts of so many bytes in these columns of the first row of a table, which is made where there is none.
void putLong(SQLite::Database& db, const std::string& table, const std::map<std::string, std::int64_t>& bytes)
{
    db.exec("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON; PRAGMA synchronous = OFF; "
            "PRAGMA journal_mode = OFF");
    if (db.execAndGet("SELECT count(*) FROM " + table).getInt() == 0) {
        std::vector<std::string> values;
        SQLite::Statement types(db, "SELECT type FROM pragma_table_info('" + table + "')");
        while (types.executeStep()) {
            const std::string type = types.getColumn(0).getString();
            values.push_back(type == "TEXT" ? "'x'" : type == "BLOB" ? "x'00'" : "1");
        }
        db.exec("INSERT INTO " + table + " VALUES (" + joined(values) + ")");
    }
    const std::string key = joined(columnsOf(db, table, "pk > 0 ORDER BY pk"));
    std::vector<std::string> columns;
    for (const auto& [column, size] : bytes)
        columns.push_back(column + " = ?");
    SQLite::Statement update(db, "UPDATE " + table + " SET " + joined(columns) + " WHERE (" + key + ") = (SELECT " + key
                                     + " FROM " + table + " LIMIT 1)");
    int next = 1;
    for (const auto& [column, size] : bytes)
        update.bind(next++, std::string(static_cast<std::size_t>(size), 'x'));
    QCOMPARE(update.exec(), 1);
}

} // namespace

class TestLongTexts : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void everyCommandEndsSoon_data();
    void everyCommandEndsSoon();
    void longerTextsAreRefused_data() { columns(); }
    void longerTextsAreRefused();
    void figuresHearAStop();

private:
    void columns();
    [[nodiscard]] QString copy() const
    {
        const QString file = m_folder.path(u"long.headscope"_s);
        QFile::remove(file);
        QFile::copy(m_folder.path(u"newest.headscope"_s), file);
        return file;
    }
    Folder m_folder;
    std::vector<Column> m_columns;
};

void TestLongTexts::initTestCase()
{
    if (!QFile::exists(qEnvironmentVariable("HEADSCOPE_CLI")))
        QSKIP("HEADSCOPE_CLI does not name the program.");
    const rlimit most{kMostSeconds, kMostSeconds}; // of each command, which inherits it
    const auto loaded = static_cast<pid_t>(LoadedCli::instance().processId());
    QCOMPARE(::prlimit(loaded, RLIMIT_CPU, &most, nullptr), 0);
    const QString file = m_folder.path(u"newest.headscope"_s);
    QVERIFY(QFile::copy(QStringLiteral(HEADSCOPE_SOURCE_DIR "/tests/data/sessions/schema10.session"), file));
    QVERIFY(QFile(file).setPermissions(QFile::ReadOwner | QFile::WriteOwner));
    QVERIFY(sessions::SessionStore::open(file.toStdString()).has_value()); // upgraded
    SQLite::Database db(file.toStdString(), SQLite::OPEN_READWRITE);
    db.exec("PRAGMA journal_mode = DELETE");
    m_columns = textColumns(db);
    QVERIFY(m_columns.size() > 60);
}

void TestLongTexts::columns()
{
    QTest::addColumn<Column>("column");
    for (const Column& column : m_columns)
        QTest::addRow("%s.%s", column.table.c_str(), column.name.c_str()) << column;
}

// A row a table, with the longest text that is allowed in each of its columns.
void TestLongTexts::everyCommandEndsSoon_data()
{
    QTest::addColumn<std::string>("table");
    std::set<std::string> tables;
    for (const Column& column : m_columns)
        if (tables.insert(column.table).second)
            QTest::addRow("%s", column.table.c_str()) << column.table;
}

void TestLongTexts::everyCommandEndsSoon()
{
    QFETCH(const std::string, table);
    const QString file = copy(), figure = m_folder.path(u"f.svg"_s), list = m_folder.path(u"t.csv"_s);
    {
        std::map<std::string, std::int64_t> most;
        for (const Column& column : m_columns)
            if (column.table == table)
                most[column.name] = sessions::mostBytesOf(column.name);
        SQLite::Database db(file.toStdString(), SQLite::OPEN_READWRITE);
        putLong(db, table, most);
    }
    for (const QStringList& command :
         {QStringList{u"session"_s, u"info"_s, file}, QStringList{u"session"_s, u"verify"_s, file},
          QStringList{u"session"_s, u"export"_s, file, u"--table"_s, u"examples"_s, u"-o"_s, list},
          QStringList{u"figure"_s, file, u"scores"_s, u"-o"_s, figure}}) {
        const Outcome outcome = run(command);
        QVERIFY2(outcome.code == 0 || outcome.code == 1,
                 qPrintable(command.join(u' ') + u": "_s + QString::number(outcome.code) + u' '
                            + QString::fromUtf8(outcome.err.left(300))));
    }
}

void TestLongTexts::longerTextsAreRefused()
{
    QFETCH(const Column, column);
    const QString file = copy();
    const std::int64_t most = sessions::mostBytesOf(column.name);
    {
        SQLite::Database db(file.toStdString(), SQLite::OPEN_READWRITE);
        putLong(db, column.table, {{column.name, most + 1}});
    }
    std::string said;
    sessions::OpenOptions options;
    options.readOnly = true;
    auto session = sessions::SessionStore::open(file.toStdString(), options);
    if (!session.has_value()) {
        said = session.error().message;
    } else {
        const auto report = sessions::verify(*session);
        said = report.has_value() ? joined(report->problems) : report.error().message;
    }
    const bool bounded = said.find("column '" + column.name + "'") != std::string::npos
                         && said.find(std::to_string(most + 1) + " bytes, expected at most " + std::to_string(most))
                                != std::string::npos;
    // Columns that hold one of a few words have a stricter check of their own.
    QVERIFY2(bounded || said.find("CHECK constraint") != std::string::npos, said.c_str());
}

// A command that does not look at its token ends at once all the same: this one waits for a reader of its pipe.
void TestLongTexts::figuresHearAStop()
{
    const QString pipe = m_folder.path(u"pipe.svg"_s);
    QCOMPARE(::mkfifo(pipe.toUtf8().constData(), 0600), 0);
    for (const int signal : {SIGTERM, SIGINT}) {
        QProcess process;
        process.start(qEnvironmentVariable("HEADSCOPE_CLI"),
                      {u"figure"_s, m_folder.path(u"newest.headscope"_s), u"scores"_s, u"-o"_s, pipe});
        QVERIFY(process.waitForStarted());
        const auto blocked = [&] { // by then the program waits for the signal itself
            static const QRegularExpression mask(u"SigBlk:\\s*([0-9a-f]+)"_s);
            const auto found = mask.match(QString::fromUtf8(read(u"/proc/%1/status"_s.arg(process.processId()))));
            return found.hasMatch() && (found.captured(1).toULongLong(nullptr, 16) >> (signal - 1) & 1) != 0;
        };
        QTRY_VERIFY(blocked());
        ::kill(static_cast<pid_t>(process.processId()), signal);
        QCOMPARE(finished(process).code, 130);
    }
}

QTEST_GUILESS_MAIN(TestLongTexts)
#include "tst_longtexts.moc"
