// SPDX-License-Identifier: GPL-3.0-or-later
// headscope-cli requests and compare-samples as a person calls them.

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

using namespace Qt::StringLiterals;

namespace {

struct Run {
    int code = -1;
    QList<QByteArray> lines;
    QByteArray errors;
};

Run cli(const QStringList& arguments)
{
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(u"HEADSCOPE_RESOURCES"_s, QStringLiteral(HEADSCOPE_SOURCE_DIR "/resources"));
    process.setProcessEnvironment(environment);
    process.start(qEnvironmentVariable("HEADSCOPE_CLI"), arguments);
    Run run;
    if (!process.waitForFinished(120000))
        return run;
    run.code = process.exitCode();
    run.lines = process.readAllStandardOutput().split('\n');
    run.lines.removeAll(QByteArray());
    run.errors = process.readAllStandardError();
    return run;
}

} // namespace

class TestRequestsCommand : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void printsTheGoldenObjects()
    {
        const QString data = QStringLiteral(HEADSCOPE_SOURCE_DIR "/../shared/data");
        QFile file(data + u"/golden/requests.jsonl"_s);
        if (!file.open(QIODevice::ReadOnly))
            QSKIP("../shared/data/golden/requests.jsonl is not there");
        const Run run = cli({u"requests"_s, u"--task"_s, u"winogrande,gsm8k"_s, u"--data"_s, data, u"--fewshot"_s, u"0"_s, u"--limit"_s, u"20"_s});
        QVERIFY2(run.code == 0, run.errors.constData());
        QCOMPARE(run.lines.size(), 40);
        QList<QJsonObject> ours;
        for (const QByteArray& line : run.lines)
            ours.append(QJsonDocument::fromJson(line).object());
        int found = 0;
        while (!file.atEnd()) {
            QJsonObject golden = QJsonDocument::fromJson(file.readLine()).object();
            golden["task"_L1] = golden["task"_L1].toString().section(u' ', 0, 0);
            found += ours.contains(golden) ? 1 : 0;
        }
        QCOMPARE(found, 40); // 20 of each
    }

    void runsFromTheSamples()
    {
        const Run run = cli({u"requests"_s, u"--task"_s, u"piqa"_s});
        QVERIFY2(run.code == 0, run.errors.constData());
        QCOMPARE(run.lines.size(), 3);
        QVERIFY(run.errors.contains("(sample)"));
        QCOMPARE(QJsonDocument::fromJson(run.lines[0])["continuations"_L1].toArray().size(), 2);
    }

    void failsWithOneSentence()
    {
        const Run run = cli({u"requests"_s, u"--task"_s, u"alchemy"_s});
        QCOMPARE(run.code, 1);
        QVERIFY(run.lines.isEmpty());
        QVERIFY(run.errors.contains("There is no task 'alchemy'"));
        QCOMPARE(cli({u"requests"_s}).code, 2);
    }

    void comparesSamples()
    {
        QTemporaryDir dir;
        const auto write = [&](const QString& name, const char* second) {
            QFile file(dir.filePath(name));
            QVERIFY(file.open(QIODevice::WriteOnly));
            QByteArray line = "{'doc_id': 0, 'arguments': {'gen_args_0': {'arg_0': 'c', 'arg_1': ' a'}, 'gen_args_1': {'arg_0': 'c', 'arg_1': ' b'}}, "
                              "'resps': [[['-1.5', 'False']], [['SECOND', 'True']]], 'filter': 'none', 'acc': 1.0}\n";
            file.write(line.replace('\'', '"').replace("SECOND", second));
        };
        write(u"a.jsonl"_s, "-0.25");
        write(u"b.jsonl"_s, "-2.25");
        const QString a = dir.filePath(u"a.jsonl"_s), b = dir.filePath(u"b.jsonl"_s);
        const Run same = cli({u"--json"_s, u"compare-samples"_s, a, a});
        QVERIFY2(same.code == 0, same.errors.constData());
        QCOMPARE(QJsonDocument::fromJson(same.lines.join('\n'))["matched"_L1].toInt(), 1);
        const Run other = cli({u"--json"_s, u"compare-samples"_s, a, b});
        QCOMPARE(other.code, 1);
        const QJsonDocument json = QJsonDocument::fromJson(other.lines.join('\n'));
        QCOMPARE(json["predictions_differ"_L1].toInt(), 1);
        QCOMPARE(json["largest_difference"_L1].toDouble(), 2.0);
        QVERIFY(other.errors.contains("1 of 1 rows differ"));
    }
};

QTEST_GUILESS_MAIN(TestRequestsCommand)
#include "tst_requestscommand.moc"
