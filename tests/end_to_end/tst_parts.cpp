// SPDX-License-Identifier: GPL-3.0-or-later
// Work that is divided with --part: however many parts there are, joined they are what one process measures. The
// shipped tiny-transformer is the model.
#include "tests/support/clifixture.h"

#include <SQLiteCpp/Database.h>

#include <memory>

using namespace clifixture;

class TestParts : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void init() { m_folder = std::make_unique<Folder>(); }
    void joinedTheyAreOneRun_data();
    void joinedTheyAreOneRun();
    void saysWhyTheyAreNotTheWhole();
    void refusesWhatCannotBeDivided_data();
    void refusesWhatCannotBeDivided();
    void untilDecidedIsNotDivided();

private:
    [[nodiscard]] QString file(int part) const { return m_folder->path(QStringLiteral("p%1.headscope").arg(part)); }
    [[nodiscard]] Outcome runPart(const QStringList& command, int part, int parts, const QString& session) const
    {
        return run(command
                   + QStringList{u"--part"_s, QStringLiteral("%1/%2").arg(part).arg(parts), u"--session"_s, session});
    }
    static void change(const QString& session, const std::string& sql)
    {
        SQLite::Database(session.toStdString(), SQLite::OPEN_READWRITE).exec(sql);
    }
    static int results(const QString& session)
    {
        SQLite::Database db(session.toStdString(), SQLite::OPEN_READONLY);
        return db.execAndGet("SELECT count(*) FROM results").getInt();
    }
    std::unique_ptr<Folder> m_folder;
};

namespace {

const QStringList kRank = {u"rank"_s, kModel, u"--task"_s, u"toy_kv:pairs=4"_s, u"--limit"_s, u"40"_s, u"--json"_s};

/// What a run says of its results; not how long it took and where they came from.
QJsonObject said(const Outcome& outcome)
{
    QJsonObject json = outcome.json();
    for (const QString& key : {u"seconds"_s, u"memory"_s, u"tokens"_s, u"reused"_s})
        json.remove(key);
    return json;
}

} // namespace

void TestParts::initTestCase()
{
    if (!QFile::exists(qEnvironmentVariable("HEADSCOPE_CLI")))
        QSKIP("HEADSCOPE_CLI does not name the program.");
}

void TestParts::joinedTheyAreOneRun_data()
{
    QTest::addColumn<QStringList>("command");
    QTest::addColumn<int>("parts");
    const QStringList score = {u"score"_s, kModel, u"--limit"_s, u"40"_s, u"--json"_s, u"--task"_s};
    const std::pair<const char*, QStringList> commands[] = {
        {"baseline", score + QStringList{u"toy_mc"_s}},
        {"two tasks, ablated", score + QStringList{u"toy_kv:pairs=4,toy_mc"_s, u"--ablate"_s, u"L2H5"_s}},
        {"a mean over all examples", score + QStringList{u"toy_kv:pairs=4"_s, u"--ablate"_s, u"L1H3=mean"_s}},
        {"ranking", kRank + QStringList{u"--head"_s, u"L1H*,L2H5"_s}},
        {"random sets", kRank + QStringList{u"--method"_s, u"random"_s, u"--draws"_s, u"3"_s}},
        {"pairs", kRank + QStringList{u"--method"_s, u"pairs"_s, u"--head"_s, u"L1H2-4"_s}},
    };
    for (const auto& [name, command] : commands)
        for (const int parts : {1, 2, 3, 7})
            QTest::addRow("%s in %d", name, parts) << command << parts;
}

void TestParts::joinedTheyAreOneRun()
{
    QFETCH(QStringList, command);
    QFETCH(int, parts);
    const Outcome alone = run(command);
    VERIFY_DONE(alone);
    QStringList files;
    for (int part = 0; part < parts; ++part) {
        files.append(file(part));
        const Outcome one = runPart(command, part, parts, files.back());
        VERIFY_DONE(one);
        QCOMPARE(one.json()[u"part"_s].toInt(), part);
        QCOMPARE(one.json()[u"parts"_s].toInt(), parts);
        const Outcome checked = run(QStringList{u"session"_s, u"parts"_s, u"--json"_s} + files);
        QCOMPARE(checked.code, part + 1 == parts ? 0 : 1);
        for (const QJsonValue& work : checked.json()[u"works"_s].toArray())
            QCOMPARE(work[u"missing"_s].toArray().size(), parts - part - 1);
    }
    if (parts > 1) {
        int rows = 0;
        for (const QString& one : files)
            rows += results(one);
        VERIFY_DONE(run(QStringList{u"session"_s, u"merge"_s} + files));
        QCOMPARE(results(files.front()), rows); // nothing was measured twice
    }
    VERIFY_DONE(run({u"session"_s, u"parts"_s, files.front()}));
    const int before = results(files.front());
    const Outcome joined = run(command + QStringList{u"--session"_s, files.front()});
    VERIFY_DONE(joined);
    QCOMPARE(said(joined), said(alone));
    QCOMPARE(results(files.front()), before); // nor was anything left out
}

void TestParts::saysWhyTheyAreNotTheWhole()
{
    const QStringList command = kRank + QStringList{u"--head"_s, u"L1H2-4"_s};
    const auto parts = [](const QStringList& files) { return run(QStringList{u"session"_s, u"parts"_s} + files); };
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
    VERIFY_DONE(run(command + QStringList{u"--session"_s, none}));
    VERIFY_FAILS(parts({file(0), file(1), file(2), none}), "holds no part of any work");
    VERIFY_FAILS(parts({none}), "holds no part of any work");
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
    VERIFY_DONE(run({u"session"_s, u"merge"_s, file(2), m_folder->path(u"torn"_s)}));
    VERIFY_FAILS(parts({file(2)}), "Missing: parts 0 and 1 of 3");
    change(file(0), "UPDATE parts SET part = 3");
    VERIFY_FAILS(parts({file(0)}), "part 3 of 3, which cannot be");
}

void TestParts::refusesWhatCannotBeDivided_data()
{
    QTest::addColumn<QStringList>("more");
    QTest::addColumn<QByteArray>("reason");
    const QString session = u"--session"_s, name = u"x.headscope"_s;
    for (const QString& part :
         {u"4/4"_s, u"-1/4"_s, u"1"_s, u"1/0"_s, u"1/"_s, u"/4"_s, u"1/4/2"_s, u"a/b"_s, u"1/99999999"_s})
        QTest::newRow(qPrintable(part)) << QStringList{u"--part="_s + part, session, name}
                                        << QByteArray("expected K/N");
    QTest::newRow("no session") << QStringList{u"--part"_s, u"0/2"_s} << QByteArray("--part needs --session");
    for (const QString& method : {u"race"_s, u"estimate"_s, u"gather"_s, u"aggregate"_s, u"greedy"_s, u"pairs"_s})
        QTest::newRow(qPrintable(method)) << QStringList{u"--method"_s, method, u"--part"_s, u"0/2"_s, session, name}
                                          << "--method " + method.toUtf8() + " cannot be divided";
}

void TestParts::refusesWhatCannotBeDivided()
{
    QFETCH(QStringList, more);
    QFETCH(QByteArray, reason);
    for (QString& one : more)
        if (one.endsWith(u".headscope"_s))
            one = m_folder->path(one);
    VERIFY_FAILS(run(kRank + more), reason);
    QVERIFY(!QFile::exists(m_folder->path(u"x.headscope"_s)) || reason.startsWith("--method"));
}

void TestParts::untilDecidedIsNotDivided()
{
    VERIFY_FAILS(run({u"score"_s, kModel, u"--task"_s, u"toy_mc"_s, u"--ablate"_s, u"L2H5"_s, u"--until-decided"_s,
                      u"0.1"_s, u"--part"_s, u"0/2"_s, u"--session"_s, m_folder->path(u"x.headscope"_s)}),
                 "cannot be divided; leave out --part");
}

QTEST_GUILESS_MAIN(TestParts)
#include "tst_parts.moc"
