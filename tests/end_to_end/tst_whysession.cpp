// SPDX-License-Identifier: GPL-3.0-or-later
// What analyses tell on the command line stays in the session, and figures are drawn of it without the model; for a
// Transformer, an SSM and a hybrid, once for each question.
#include "tests/support/clifixture.h"

#include <cmath>

using namespace clifixture;

namespace {

const QString kSsm = QStringLiteral(HEADSCOPE_SOURCE_DIR "/resources/models/tiny-ssm");
const QString kHybrid = QStringLiteral(HEADSCOPE_SOURCE_DIR "/resources/models/tiny-hybrid");
const QStringList kSample = {u"--task"_s, u"toy_kv:pairs=4"_s, u"--sample"_s, u"0"_s};

} // namespace

class TestWhySession : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void init() { m_folder = std::make_unique<Folder>(); }
    void figuresOfTheSession_data();
    void figuresOfTheSession();
    void patchesByTokenAndKeptProbes();
    void aComparisonIsFoundAgain();
    void aSeriesIsFoundAgain();
    void aSessionThatCanNotBeWrittenIsASentence();

private:
    QJsonObject kept(const QStringList& arguments) const
    {
        const Outcome outcome = run(arguments + QStringList{u"--session"_s, session(), u"--json"_s});
        if (outcome.code != 0)
            qWarning("%s", outcome.err.constData());
        return outcome.json();
    }
    [[nodiscard]] QByteArray figure(const QString& name, const QString& file) const
    {
        const QString path = m_folder->path(file);
        const Outcome outcome = run({u"figure"_s, session(), name, u"-o"_s, path});
        if (outcome.code != 0)
            qWarning("%s", outcome.err.constData());
        return read(path);
    }
    QString session() const { return m_folder->path(u"why.headscope"_s); }
    std::unique_ptr<Folder> m_folder;
};

void TestWhySession::initTestCase()
{
    if (!QFile::exists(qEnvironmentVariable("HEADSCOPE_CLI")))
        QSKIP("HEADSCOPE_CLI names no program; ctest sets it.");
}

void TestWhySession::figuresOfTheSession_data()
{
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("receiver");
    QTest::newRow("transformer") << kModel << u"L2H5.k"_s;
    QTest::newRow("ssm") << kSsm << u"L2H1.b"_s;
    QTest::newRow("hybrid") << kHybrid << u"L3H1.v"_s;
}

void TestWhySession::figuresOfTheSession()
{
    QFETCH(const QString, model);
    QFETCH(const QString, receiver);
    const QJsonObject lens = kept(QStringList{u"lens"_s, model} + kSample);
    const QJsonObject parts = kept(QStringList{u"attribute"_s, model} + kSample);
    const QJsonObject patched = kept(QStringList{u"patch"_s, model} + kSample);
    const QJsonObject edges = kept(QStringList{u"edges"_s, model, u"--receiver"_s, receiver} + kSample);
    kept(QStringList{u"lens"_s, model} + kSample); // the same question takes its place
    VERIFY_DONE(run({u"session"_s, u"verify"_s, session()}));
    const QByteArray words = figure(u"lens"_s, u"lens.csv"_s);
    const QByteArray answer = lens[u"positions"_s].toArray().last()[u"followed"_s].toString().trimmed().toUtf8();
    QVERIFY2(words.trimmed().split('\n').last().contains(',' + answer + ' '), words.constData());
    QVERIFY2(figure(u"lens"_s, u"lens.svg"_s).contains(answer), "the answer is written in the picture");
    const QByteArray circuit = figure(u"edges"_s, u"edges.csv"_s);
    for (const QJsonValue& value : edges[u"edges"_s].toArray()) {
        const QJsonObject edge = value.toObject();
        const QByteArray line = edge[u"sender"_s].toString().toUtf8() + ',' + receiver.toUtf8() + ','
                                + QByteArray::number(edge[u"effect"_s].toDouble(), 'g', 9);
        QVERIFY2(circuit.contains('\n' + line), (line + '\n' + circuit).constData());
    }
    QVERIFY(figure(u"edges"_s, u"edges.pdf"_s).startsWith("%PDF"));
    const QByteArray bars = figure(u"attribution"_s, u"parts.csv"_s);
    QVERIFY2(bars.contains("\nsum,"), bars.constData());
    QVERIFY(bars.contains(QByteArray::number(parts[u"difference"_s].toDouble(), 'g', 9)));
    const QByteArray map = figure(u"patching"_s, u"patching.csv"_s);
    const QByteArray rows = map.mid(map.indexOf("\nlayer,") + 1); // behind what it is of
    QCOMPARE(rows.count('\n'), static_cast<qsizetype>(patched[u"cells"_s].toArray().size()) + 1);
    const QJsonObject swept =
        kept(QStringList{u"knockout"_s, model, u"--queries"_s, u"33"_s, u"--keys"_s, u"9"_s} + kSample);
    const QByteArray line = figure(u"knockout"_s, u"knockout.csv"_s);
    for (const QJsonValue& window : swept[u"windows"_s].toArray())
        QVERIFY2(line.contains(QByteArray::number(window[u"value"_s].toDouble(), 'g', 9)), line.constData());
    QCOMPARE(figure(u"edges"_s, u"again.svg"_s), figure(u"edges"_s, u"edges.svg"_s)); // the same bytes
}

void TestWhySession::patchesByTokenAndKeptProbes()
{
    kept(QStringList{u"patch"_s, kModel, u"--what"_s, u"stream"_s} + kSample);
    const QByteArray grid = figure(u"patching"_s, u"grid.csv"_s);
    QVERIFY2(grid.contains(",L0,L1,L2,L3"), grid.constData());
    kept({u"probe"_s, kModel, u"--sequences"_s, u"2"_s, u"--task"_s, u"toy_kv:pairs=4"_s, u"--limit"_s, u"8"_s});
    kept({u"weights"_s, kModel, u"--head"_s, u"L2H5"_s});
    for (const QString& name : {u"probe-retrieval"_s, u"probe-sink"_s, u"copying"_s}) {
        const QByteArray map = figure(name, name + u".csv"_s);
        QVERIFY2(map.mid(map.indexOf("\nlayer,") + 1).count('\n') == 33, map.constData()); // 32 heads
    }
    kept({u"probe"_s, kModel, u"--sequences"_s, u"2"_s, u"--task"_s, u"toy_kv:pairs=4"_s, u"--limit"_s, u"8"_s});
    kept({u"probe"_s, kModel, u"--sequences"_s, u"2"_s, u"--seed"_s, u"7"_s});
    // Under an ablation it is another analysis.
    kept(QStringList{u"lens"_s, kModel, u"--ablate"_s, u"L2H5"_s} + kSample);
    kept(QStringList{u"lens"_s, kModel} + kSample);
    const Outcome told = run({u"session"_s, u"info"_s, session(), u"--json"_s});
    QVERIFY2(told.code == 0, told.err.constData());
    VERIFY_DONE(run({u"session"_s, u"verify"_s, session()}));
    const Outcome listed = run({u"figure"_s, session(), u"--list"_s});
    QVERIFY2(listed.out.contains("lens") && listed.out.contains("probe-sink"), listed.out.constData());
    VERIFY_FAILS(run({u"figure"_s, session(), u"edges"_s, u"-o"_s, m_folder->path(u"e.svg"_s)}), "no edges of");
}

void TestWhySession::aComparisonIsFoundAgain()
{
    const QString adapter = m_folder->path(u"turned"_s);
    writeAdapter(adapter);
    const QJsonArray heads = kept({u"compare"_s, kModel, kModel + u'+' + adapter, u"--task"_s, u"toy_kv:pairs=4"_s,
                                   u"--limit"_s, u"3"_s})[u"heads"_s]
                                 .toArray();
    QCOMPARE(heads.size(), 32);
    VERIFY_DONE(run({u"session"_s, u"verify"_s, session()}));
    const QByteArray dots = figure(u"changed-heads"_s, u"dots.csv"_s), map = figure(u"changed-map"_s, u"map.csv"_s);
    const auto written = [](const QJsonValue& number) { return QByteArray::number(number.toDouble(), 'g', 9); };
    for (const QJsonValue& head : heads) {
        if (head[u"qk"_s].toDouble() > 0) // layer 0
            QVERIFY2(dots.contains(written(head[u"qk"_s])), dots.constData());
        QVERIFY2(dots.contains(written(head[u"effect"_s])), dots.constData());
        QVERIFY2(map.contains(written(static_cast<double>(static_cast<float>(head[u"effect"_s].toDouble())))),
                 map.constData());
    }
    QVERIFY(figure(u"changed-heads"_s, u"dots.svg"_s).contains("relative change of QK"));
    const QByteArray own = m_folder->path(QString()).toUtf8();
    QVERIFY2(!dots.contains(own) && !figure(u"changed-heads"_s, u"again.svg"_s).contains(own), "no folder is drawn");
    kept({u"compare"_s, kModel, kModel + u'+' + adapter}); // of the weights: another question
    QVERIFY(figure(u"changed-map"_s, u"weights.svg"_s).contains("relative change of QK"));
}

void TestWhySession::aSeriesIsFoundAgain()
{
    for (const char* step : {"run/step-200", "run/step-30"}) {
        const QString folder = m_folder->path(QLatin1String(step));
        QDir().mkpath(folder);
        for (const QString& name : {u"config.json"_s, u"model.safetensors"_s, u"tokenizer.json"_s})
            QFile::copy(kModel + u'/' + name, folder + u'/' + name);
    }
    const QJsonObject told = kept({u"series"_s, m_folder->path(u"run"_s), u"--metric"_s, u"sink"_s});
    const QByteArray line = figure(u"series"_s, u"series.csv"_s);
    for (const QJsonValue& point : told[u"points"_s].toArray())
        QVERIFY2(line.contains(QByteArray::number(point[u"step"_s].toInt()))
                     && line.contains(QByteArray::number(point[u"value"_s].toDouble(), 'g', 9)),
                 line.constData());
    VERIFY_DONE(run({u"session"_s, u"verify"_s, session()}));
}

void TestWhySession::aSessionThatCanNotBeWrittenIsASentence()
{
    write(session(), "no session");
    VERIFY_FAILS(run(QStringList{u"lens"_s, kModel, u"--session"_s, session()} + kSample), "why.headscope");
}

QTEST_GUILESS_MAIN(TestWhySession)
#include "tst_whysession.moc"
