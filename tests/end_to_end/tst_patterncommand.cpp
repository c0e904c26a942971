// SPDX-License-Identifier: GPL-3.0-or-later
// headscope-cli pattern: numbers, pictures, and what is kept of them.
#include "sessions/sessionstore.h"
#include "tests/support/clifixture.h"

#include <cmath>

using namespace headscope;
using namespace clifixture;

class TestPatternCommand : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void init() { m_folder = std::make_unique<Folder>(); }
    void drawsPatterns();
    void drawsSeveralHeads();
    void drawsSamplesOfTasks();

private:
    std::unique_ptr<Folder> m_folder;
};

void TestPatternCommand::initTestCase()
{
    if (!QFile::exists(qEnvironmentVariable("HEADSCOPE_CLI")))
        QSKIP("HEADSCOPE_CLI names no program; ctest sets it.");
}

void TestPatternCommand::drawsPatterns()
{
    const QString text = u"<s> The color of Ada is"_s;
    QStringList arguments = {u"pattern"_s,
                             kModel,
                             u"--text"_s,
                             text,
                             u"--head"_s,
                             u"L1H2"_s,
                             u"--json"_s,
                             u"-o"_s,
                             m_folder->path(u"p.csv"_s),
                             u"-o"_s,
                             m_folder->path(u"p.safetensors"_s)};
    const Outcome outcome = run(arguments);
    QVERIFY2(outcome.code == 0, outcome.err.constData());
    const QJsonObject told = outcome.json();
    for (const QString& key :
         {u"tokens"_s, u"heads"_s, u"entropy"_s, u"effective_tokens"_s, u"sink_mass"_s, u"top"_s, u"files"_s})
        QVERIFY2(told.contains(key), qPrintable(key));
    QCOMPARE(told[u"tokens"_s].toArray().size(), 6);
    QCOMPARE(told[u"tokens"_s][1].toString(), u"The"_s);
    QCOMPARE(told[u"heads"_s][0][u"head"_s].toString(), u"L1H2"_s);
    QCOMPARE(told[u"heads"_s][0][u"kind"_s].toString(), u"attention"_s);
    QVERIFY(std::abs(std::exp(told[u"entropy"_s].toDouble()) - told[u"effective_tokens"_s].toDouble()) < 1e-6);
    QCOMPARE(told[u"files"_s].toArray().size(), 2);

    // Rows of the CSV sum to 1, causal zeros are exact.
    const QList<QByteArray> lines = read(m_folder->path(u"p.csv"_s)).trimmed().split('\n');
    QCOMPARE(lines.size(), 7);
    for (int row = 0; row < 6; ++row) {
        const QList<QByteArray> cells = lines[row + 1].split(',');
        QCOMPARE(cells.size(), 9);
        QCOMPARE(cells[0].toInt(), row);
        QCOMPARE(cells[1], '"' + told[u"tokens"_s][row].toString().toUtf8() + '"');
        double sum = 0;
        for (int column = 0; column < 6; ++column) {
            sum += cells[column + 3].toDouble();
            if (column > row)
                QCOMPARE(cells[column + 3], QByteArray("0"));
        }
        QVERIFY(std::abs(sum - 1) < 1e-5);
    }
    QVERIFY(read(m_folder->path(u"p.safetensors"_s)).contains("\"L1H2\""));

    const Outcome row =
        run({u"pattern"_s, kModel, u"--text"_s, text, u"--head"_s, u"L1H2"_s, u"--row"_s, u"2"_s, u"--json"_s});
    QCOMPARE(row.code, 0);
    QCOMPARE(row.json()[u"heads"_s][0][u"row"_s].toInt(), 2);
    QCOMPARE(row.json()[u"top"_s].toArray().size(), 6);
}

void TestPatternCommand::drawsSeveralHeads()
{
    if (run({u"pattern"_s, kModel, u"--text"_s, u"The"_s, u"--head"_s, u"L0H0"_s, u"-o"_s,
             m_folder->path(u"probe.png"_s)})
            .err.contains("without Qt"))
        QSKIP("This program was built without pictures.");
    const Outcome outcome = run({u"pattern"_s, kModel, u"--text"_s, u"The color of Ada is"_s, u"--head"_s, u"L0H0-1"_s,
                                 u"--head"_s, u"L2H5"_s, u"--json"_s, u"-o"_s, m_folder->path(u"many.png"_s), u"-o"_s,
                                 m_folder->path(u"many.pdf"_s), u"-o"_s, m_folder->path(u"many.svg"_s)});
    QVERIFY2(outcome.code == 0, outcome.err.constData());
    QCOMPARE(outcome.json()[u"heads"_s].toArray().size(), 3);
    for (const QString& head : {u"L0H0"_s, u"L0H1"_s, u"L2H5"_s}) {
        QVERIFY(read(m_folder->path(u"many."_s + head + u".png"_s)).startsWith("\x89PNG"));
        QVERIFY(read(m_folder->path(u"many."_s + head + u".pdf"_s)).startsWith("%PDF"));
        QVERIFY(read(m_folder->path(u"many."_s + head + u".svg"_s)).contains("<svg"));
    }
    QVERIFY(!QFile::exists(m_folder->path(u"many.png"_s)));
    VERIFY_FAILS(
        run({u"pattern"_s, kModel, u"--text"_s, u"The"_s, u"--head"_s, u"L0H0"_s, u"-o"_s, u"/there/is/none/x.png"_s}),
        "/there/is/none/x.png");
}

void TestPatternCommand::drawsSamplesOfTasks()
{
    const QString file = m_folder->path(u"p.headscope"_s);
    const Outcome outcome = run({u"pattern"_s, kModel, u"--task"_s, u"toy_kv:pairs=8"_s, u"--sample"_s, u"3"_s,
                                 u"--head"_s, u"L2H5"_s, u"--ablate"_s, u"L1H2"_s, u"--session"_s, file, u"--json"_s});
    QVERIFY2(outcome.code == 0, outcome.err.constData());
    QCOMPARE(outcome.json()[u"tokens"_s].toArray().last().toString(), u"is"_s);
    auto session = sessions::SessionStore::open(file.toStdString());
    QVERIFY(session.has_value());
    const auto patterns = session->patterns();
    QVERIFY(patterns.has_value());
    QCOMPARE(patterns->size(), std::size_t{1});
    QCOMPARE(patterns->front().head, std::string("L2H5"));
    QCOMPARE(patterns->front().ablation, std::string("L1H2"));
    VERIFY_FAILS(
        run({u"pattern"_s, kModel, u"--task"_s, u"toy_kv:pairs=8"_s, u"--sample"_s, u"256"_s, u"--head"_s, u"L2H5"_s}),
        "expected 0 to 255");
}

QTEST_GUILESS_MAIN(TestPatternCommand)
#include "tst_patterncommand.moc"
