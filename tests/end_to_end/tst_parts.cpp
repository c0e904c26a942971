// SPDX-License-Identifier: GPL-3.0-or-later
// Work that is divided with --part: however many parts there are, joined they are what one process measures. The
// shipped tiny-transformer is the model.
#include "tests/support/sharedcommands.h"

#include <SQLiteCpp/Database.h>

#include <memory>
#include <set>

using namespace clifixture;

class TestParts : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init() { m_folder = std::make_unique<Folder>(); }
    void everyCommandIsTried();
    void joinedTheyAreOneRun_data();
    void joinedTheyAreOneRun();
    void saysWhyTheyAreNotTheWhole();
    void refusesWhatIsNoPart_data();
    void refusesWhatIsNoPart();
    void refusesWhatCannotBeDivided_data();
    void refusesWhatCannotBeDivided();

private:
    [[nodiscard]] QString file(int part) const { return m_folder->path(QStringLiteral("p%1.headscope").arg(part)); }
    [[nodiscard]] Outcome runPart(const QStringList& command, int part, int parts, const QString& session) const
    {
        return runHere(
            command + QStringList{u"--part"_s, QStringLiteral("%1/%2").arg(part).arg(parts), u"--session"_s, session});
    }
    static void change(const QString& session, const std::string& sql)
    {
        SQLite::Database(session.toStdString(), SQLite::OPEN_READWRITE).exec(sql);
    }
    /// Results of examples, and of chunks that no other table has.
    static int results(const QString& session)
    {
        SQLite::Database db(session.toStdString(), SQLite::OPEN_READONLY);
        return db.execAndGet("SELECT (SELECT count(*) FROM results) + (SELECT count(*) FROM chunks)").getInt();
    }
    std::unique_ptr<Folder> m_folder;
};

namespace {

/// A quarter of the examples where there are hundreds: nothing has to be met in the middle of its work here.
QStringList shortened(QStringList arguments)
{
    const qsizetype limit = arguments.indexOf(u"--limit"_s) + 1;
    if (limit > 0 && arguments[limit].toInt() > 200)
        arguments[limit] = QString::number(arguments[limit].toInt() / 4);
    return arguments;
}

const QStringList kRank = {u"rank"_s, kModel, u"--task"_s, u"toy_kv:pairs=4"_s, u"--limit"_s, u"40"_s, u"--json"_s};

} // namespace

// What the program itself says that it can do.
void TestParts::everyCommandIsTried()
{
    std::set<QString> tried;
    for (const SharedCommand& command : sharedCommands()) {
        const qsizetype method = command.arguments.indexOf(u"--method"_s);
        tried.insert(command.arguments.front());
        if (method >= 0)
            tried.insert(u"rank "_s + command.arguments[method + 1]);
    }
    const Outcome listed = runHere({u"options"_s});
    VERIFY_DONE(listed);
    int divided = 0;
    for (const QJsonValue& command : listed.json()[u"commands"_s].toArray())
        for (const QJsonValue& option : command[u"options"_s].toArray())
            if (option.toString() == u"--part"_s) {
                const QString name = command[u"name"_s].toString();
                QVERIFY2(tried.contains(name), qPrintable(name));
                ++divided;
            }
    QVERIFY(divided >= 6);
    for (const std::string_view method : headscope::app::findOption("--method")->choiceList())
        if (const QString name = u"rank "_s + QString::fromUtf8(method.data(), std::ssize(method));
            name != u"rank exact"_s)
            QVERIFY2(tried.contains(name), qPrintable(name));
}

void TestParts::joinedTheyAreOneRun_data()
{
    QTest::addColumn<QStringList>("command");
    QTest::addColumn<bool>("follows");
    for (const SharedCommand& command : sharedCommands())
        if (command.undivided.isEmpty())
            QTest::newRow(command.name) << shortened(command.arguments) << command.follows;
}

void TestParts::joinedTheyAreOneRun()
{
    QFETCH(QStringList, command);
    QFETCH(bool, follows);
    const Outcome alone = runHere(command);
    VERIFY_DONE(alone);
    for (const int parts : {1, 2, 3, 7}) {
        init();
        QStringList files;
        int rows = 0;
        for (int part = 0; part < parts; ++part) {
            files.append(file(part));
            const Outcome one = runPart(command, part, parts, files.back());
            VERIFY_DONE(one);
            QCOMPARE(one.json()[u"part"_s].toInt(), part);
            QCOMPARE(one.json()[u"parts"_s].toInt(), parts);
            rows += results(files.back());
            const Outcome checked = runHere(QStringList{u"session"_s, u"parts"_s, u"--json"_s} + files);
            QCOMPARE(checked.code, part + 1 == parts ? 0 : 1);
            for (const QJsonValue& work : checked.json()[u"works"_s].toArray())
                QCOMPARE(work[u"missing"_s].toArray().size(), parts - part - 1);
        }
        if (parts > 1)
            VERIFY_DONE(runHere(QStringList{u"session"_s, u"merge"_s} + files));
        QCOMPARE(results(files.front()), rows); // nothing was measured twice
        VERIFY_DONE(runHere({u"session"_s, u"parts"_s, files.front()}));
        const Outcome joined = runHere(command + QStringList{u"--session"_s, files.front()});
        VERIFY_DONE(joined);
        QCOMPARE(resultsOf(joined), resultsOf(alone));
        QVERIFY(follows || results(files.front()) <= rows); // nor was anything left out
        VERIFY_DONE(runHere({u"session"_s, u"verify"_s, files.front()}));
    }
}

void TestParts::saysWhyTheyAreNotTheWhole()
{
    const QStringList command = kRank + QStringList{u"--head"_s, u"L1H2-4"_s};
    const auto parts = [](const QStringList& files) { return runHere(QStringList{u"session"_s, u"parts"_s} + files); };
    for (const int part : {0, 1, 2})
        VERIFY_DONE(runPart(command, part, 3, file(part)));
    VERIFY_DONE(parts({file(2), file(0), file(1)})); // in any order
    VERIFY_FAILS(parts({file(0), file(2)}), "Missing: part 1 of 3");
    VERIFY_FAILS(parts({file(2)}), "Missing: parts 0 and 1 of 3");
    QVERIFY(QFile::copy(file(1), m_folder->path(u"again"_s)));
    VERIFY_FAILS(parts({file(0), file(1), file(2), m_folder->path(u"again"_s)}), "Part 1 of 3 is in both");
    const QString other = m_folder->path(u"other"_s);
    VERIFY_DONE(runPart(kRank + QStringList{u"--head"_s, u"L1H2-5"_s}, 1, 3, other));
    VERIFY_FAILS(parts({file(0), file(1), file(2), other}), "is part of different work");
    // How the work is divided is part of what it is.
    const QString four = m_folder->path(u"four"_s);
    VERIFY_DONE(runPart(command, 1, 4, four));
    VERIFY_FAILS(parts({file(0), file(1), file(2), four}), "is part of different work");
    const QString none = m_folder->path(u"none"_s);
    VERIFY_DONE(runHere(command + QStringList{u"--session"_s, none}));
    VERIFY_FAILS(parts({file(0), file(1), file(2), none}), "contains no part of any work");
    VERIFY_FAILS(parts({none}), "contains no part of any work");
    change(file(1), "UPDATE parts SET version = '0.1'");
    VERIFY_FAILS(parts({file(0), file(1), file(2)}), "was made by version 0.1");
    change(file(2), "UPDATE parts SET done = 0");
    const Outcome two = parts({file(0), file(1), file(2)});
    QCOMPARE(two.code, 1);
    QVERIFY(two.out.contains("was made by version 0.1") && two.out.contains("Part 2 of 3 in"));
    QCOMPARE(two.out.count('\n'), 2);
    // Run again, an unfinished part is finished, and what it had is not measured again.
    VERIFY_DONE(runPart(command, 2, 3, file(2)));
    VERIFY_FAILS(parts({file(0), file(1), file(2)}), "was made by version 0.1");
    // A merge with a session in which the part is not finished does not take it back.
    QVERIFY(QFile::copy(file(2), m_folder->path(u"torn"_s)));
    change(m_folder->path(u"torn"_s), "UPDATE parts SET done = 0");
    VERIFY_DONE(runHere({u"session"_s, u"merge"_s, file(2), m_folder->path(u"torn"_s)}));
    VERIFY_FAILS(parts({file(2)}), "Missing: parts 0 and 1 of 3");
    change(file(0), "UPDATE parts SET part = 3");
    VERIFY_FAILS(parts({file(0)}), "part 3 of 3, which cannot be");
}

void TestParts::refusesWhatIsNoPart_data()
{
    QTest::addColumn<QStringList>("more");
    QTest::addColumn<QByteArray>("reason");
    for (const QString& part :
         {u"4/4"_s, u"-1/4"_s, u"1"_s, u"1/0"_s, u"1/"_s, u"/4"_s, u"1/4/2"_s, u"a/b"_s, u"1/99999999"_s})
        QTest::newRow(qPrintable(part)) << QStringList{u"--part="_s + part, u"--session"_s, u"x.headscope"_s}
                                        << QByteArray("expected K/N");
    QTest::newRow("no session") << QStringList{u"--part"_s, u"0/2"_s} << QByteArray("--part needs --session");
}

// By every command.
void TestParts::refusesWhatIsNoPart()
{
    QFETCH(QStringList, more);
    QFETCH(QByteArray, reason);
    for (QString& one : more)
        if (one.endsWith(u".headscope"_s))
            one = m_folder->path(one);
    std::set<QString> tried;
    for (const SharedCommand& command : sharedCommands())
        if (tried.insert(command.arguments.front()).second)
            VERIFY_FAILS(runHere(command.arguments + more), reason);
    QVERIFY(!QFile::exists(m_folder->path(u"x.headscope"_s)));
}

void TestParts::refusesWhatCannotBeDivided_data()
{
    QTest::addColumn<QStringList>("command");
    QTest::addColumn<QByteArray>("reason");
    for (const SharedCommand& command : sharedCommands())
        if (!command.undivided.isEmpty())
            QTest::newRow(command.name) << command.arguments << command.undivided;
    const QStringList survey = {u"survey"_s, kModel, u"--task"_s, u"toy_mc"_s, u"--loss"_s, u"L2H5"_s};
    QTest::newRow("loss") << survey << QByteArray("The loss without heads cannot be divided into parts");
    const QStringList experiment = {u"experiment"_s, u"cache-memory"_s, kModel};
    QTest::newRow("memory") << experiment << QByteArray("cannot be divided into parts");
    QTest::newRow("minutes") << experiment + QStringList{u"--minutes"_s, u"1"_s}
                             << QByteArray("--part cannot be combined with --minutes");
}

void TestParts::refusesWhatCannotBeDivided()
{
    QFETCH(QStringList, command);
    QFETCH(QByteArray, reason);
    VERIFY_FAILS(runPart(command, 0, 2, m_folder->path(u"x.headscope"_s)), reason);
}

QTEST_GUILESS_MAIN(TestParts)
#include "tst_parts.moc"
