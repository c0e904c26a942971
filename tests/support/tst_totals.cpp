// SPDX-License-Identifier: GPL-3.0-or-later
// Shows that packaging/testtotals.py counts test functions, and that a program which did not run is a failure.

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

using namespace Qt::StringLiterals;

class TestTotals : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void countsWhatRan_data();
    void countsWhatRan();
    void noProgramIsAFailure();
    void missingLogIsAFailure();
    void failureAfterTheLastTestCounts();

private:
    struct Outcome {
        QStringList lines;
        int exitCode = -1;
    };
    static Outcome total(const QString& folder, const QByteArray& ctestJson);
};

namespace {

const QByteArray kOneProgram = R"({"tests": [{"name": "tst_x"}]})";

void write(const QString& path, const QString& text)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    QVERIFY(file.write(text.toUtf8()) >= 0);
}

/// A log as Qt Test writes it, with the given lines between the first and the last function.
QString logOf(const QString& lines, const QString& totals)
{
    return u"********* Start testing of TestX *********\nPASS   : TestX::initTestCase()\n"_s + lines
           + u"PASS   : TestX::cleanupTestCase()\n"_s + totals + u"********* Finished testing of TestX *********\n"_s;
}

} // namespace

TestTotals::Outcome TestTotals::total(const QString& folder, const QByteArray& ctestJson)
{
    QProcess python;
    python.start(u"python3"_s, {QStringLiteral(HEADSCOPE_SOURCE_DIR) + u"/packaging/testtotals.py"_s, folder,
                                folder + u"/failed.log"_s});
    python.write(ctestJson);
    python.closeWriteChannel();
    if (!python.waitForFinished())
        return {};
    const QString text = QString::fromUtf8(python.readAllStandardOutput()).trimmed();
    return {text.split(u'\n'), python.exitCode()};
}

void TestTotals::countsWhatRan_data()
{
    QTest::addColumn<QString>("log");
    QTest::addColumn<QString>("last");
    QTest::addColumn<QString>("named");
    const QString totals = u"Totals: 4 passed, 0 failed, 0 skipped, 0 blacklisted, 5ms\n"_s;
    const QString pass = u"PASS   : TestX::a()\nPASS   : TestX::b(row (one))\n"_s;
    QTest::newRow("passed") << logOf(pass, totals) << u"2 passed, 0 failed, 0 skipped"_s << QString();
    QTest::newRow("skipped") << logOf(pass + u"SKIP   : TestX::c() No GPU here.\n   Loc: [x.cpp(3)]\n"_s, totals)
                             << u"2 passed, 0 failed, 1 skipped"_s << u"skipped: tst_x: c(): No GPU here."_s;
    QTest::newRow("failed") << logOf(pass + u"FAIL!  : TestX::c(7) 'ok' returned FALSE. ()\n"_s, totals)
                            << u"2 passed, 1 failed, 0 skipped"_s << u"failed: tst_x: c(7): 'ok' returned FALSE. ()"_s;
    QTest::newRow("expected failure") << logOf(pass + u"XFAIL  : TestX::c() known\nPASS   : TestX::c()\n"_s, totals)
                                      << u"3 passed, 0 failed, 0 skipped"_s << QString();
    QTest::newRow("unexpected pass") << logOf(u"XPASS  : TestX::a() 'x' returned TRUE unexpectedly.\n"_s + pass, totals)
                                     << u"1 passed, 1 failed, 0 skipped"_s << u"failed: tst_x: a()"_s;
    QTest::newRow("warning") << logOf(u"QWARN  : TestX::a() no such slot\n"_s + pass, totals)
                             << u"1 passed, 1 failed, 0 skipped"_s << u"a(): unexpected warning: no such slot"_s;
    QTest::newRow("harmless warning") << logOf(
        u"QWARN  : TestX::a() This plugin does not support propagateSizeHints()\n"_s + pass, totals)
                                      << u"2 passed, 0 failed, 0 skipped"_s << QString();
    QTest::newRow("crashed") << logOf(pass, QString()) << u"0 passed, 1 failed, 0 skipped"_s
                             << u"ended before its last test"_s;
    QTest::newRow("no test") << logOf(QString(), totals) << u"0 passed, 1 failed, 0 skipped"_s << u"contains no test"_s;
    QTest::newRow("empty log") << QString() << u"0 passed, 1 failed, 0 skipped"_s << u"tst_x"_s;
}

void TestTotals::countsWhatRan()
{
    QFETCH(const QString, log);
    QFETCH(const QString, last);
    QFETCH(const QString, named);
    const QTemporaryDir folder;
    write(folder.filePath(u"tst_x.txt"_s), log);
    const Outcome outcome = total(folder.path(), kOneProgram);
    QCOMPARE(outcome.lines.last(), last);
    QCOMPARE(outcome.exitCode, last.contains(u" 0 failed") ? 0 : 1);
    QVERIFY2(outcome.lines.join(u'\n').contains(named), qPrintable(outcome.lines.join(u'\n')));
}

void TestTotals::noProgramIsAFailure()
{
    const QTemporaryDir folder;
    const Outcome outcome = total(folder.path(), R"({"tests": []})");
    QCOMPARE(outcome.lines.last(), u"0 passed, 1 failed, 0 skipped"_s);
    QCOMPARE(outcome.exitCode, 1);
}

void TestTotals::missingLogIsAFailure()
{
    const QTemporaryDir folder;
    const Outcome outcome = total(folder.path(), kOneProgram);
    QCOMPARE(outcome.lines, QStringList({u"failed: tst_x: did not run"_s, u"0 passed, 1 failed, 0 skipped"_s}));
    QCOMPARE(outcome.exitCode, 1);
}

void TestTotals::failureAfterTheLastTestCounts()
{
    const QTemporaryDir folder;
    write(folder.filePath(u"tst_x.txt"_s),
          logOf(u"PASS   : TestX::a()\n"_s, u"Totals: 3 passed, 0 failed, 0 skipped, 0 blacklisted, 5ms\n"_s));
    write(folder.filePath(u"failed.log"_s), u"3:tst_x\n"_s);
    const Outcome outcome = total(folder.path(), kOneProgram);
    QCOMPARE(outcome.lines.last(), u"1 passed, 1 failed, 0 skipped"_s);
    QCOMPARE(outcome.exitCode, 1);
}

QTEST_GUILESS_MAIN(TestTotals)
#include "tst_totals.moc"
