// SPDX-License-Identifier: GPL-3.0-or-later
// headscope-cli requests and compare-samples as a person calls them.
#include "tests/support/clifixture.h"

using namespace Qt::StringLiterals;

namespace {

struct Run {
    int code = -1;
    QList<QByteArray> lines;
    QByteArray errors;
};

Run cli(const QStringList& arguments)
{
    const clifixture::Outcome done = clifixture::run(arguments);
    Run run{done.code, done.out.split('\n'), done.err};
    run.lines.removeAll(QByteArray());
    return run;
}

} // namespace

class TestRequestsCommand : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { qputenv("HEADSCOPE_RESOURCES", HEADSCOPE_SOURCE_DIR "/resources"); }
    void printsTheGoldenObjects()
    {
        QFile file(QStringLiteral(HEADSCOPE_SOURCE_DIR "/tests/data/requests.jsonl"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const Run run = cli({u"requests"_s, u"--task"_s, u"winogrande,gsm8k"_s, u"--fewshot"_s, u"0"_s});
        QVERIFY2(run.code == 0, run.errors.constData());
        QVERIFY(run.lines.size() >= 4);
        QList<QJsonObject> ours;
        for (const QByteArray& line : run.lines)
            ours.append(QJsonDocument::fromJson(line).object());
        int found = 0;
        while (!file.atEnd()) {
            QJsonObject golden = QJsonDocument::fromJson(file.readLine()).object();
            golden["task"_L1] = golden["task"_L1].toString().remove(u" (num_fewshot=0)"_s);
            found += ours.contains(golden) ? 1 : 0;
        }
        QCOMPARE(found, run.lines.size());
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

    // A row that this tokenizer cannot read is named; the others are printed all the same.
    void listsBadRowsAndGoesOn()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(u"food.json"_s);
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(R"({"task": "food", "version": "1", "output_type": "multiple_choice", "doc_to_text": "{{text}}",
            "doc_to_choice": "{{choices}}", "doc_to_target": "{{answer}}", "metric_list": ["acc"], "rows": [
            {"text": "<s> The food of Bruno is", "choices": ["pasta", "rice"], "answer": 0},
            {"text": "<s> The colour of xylophones is", "choices": ["pasta", "rice"], "answer": 0},
            {"text": "<s> The food of Bruno is", "choices": ["rice", "pasta"], "answer": 1}]})");
        file.close();
        const Run run = cli({u"requests"_s, u"--task"_s, path, u"--model"_s, u"tiny-transformer"_s});
        QVERIFY2(run.code == 0, run.errors.constData());
        QCOMPARE(run.lines.size(), 2);
        QVERIFY2(run.errors.contains("left out: Row 1"), run.errors.constData());
        // None at all is an error.
        QCOMPARE(cli({u"requests"_s, u"--task"_s, u"piqa"_s, u"--model"_s, u"tiny-transformer"_s}).code, 1);
    }

    void comparesSamples()
    {
        QTemporaryDir dir;
        const auto write = [&](const QString& name, const char* second) {
            QFile file(dir.filePath(name));
            QVERIFY(file.open(QIODevice::WriteOnly));
            QByteArray line = "{'doc_id': 0, 'arguments': {'gen_args_0': {'arg_0': 'c', 'arg_1': ' a'}, 'gen_args_1': "
                              "{'arg_0': 'c', 'arg_1': ' b'}}, "
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
        QVERIFY(other.errors.contains("1 of 1 row differ"));
    }

    void writesTheHarnessesFiles()
    {
        QTemporaryDir dir;
        const Run run = cli({u"--json"_s, u"score"_s, u"tiny-transformer"_s, u"--task"_s, u"toy_kv:pairs=4"_s,
                             u"--limit"_s, u"6"_s, u"--log-softmax"_s, u"model"_s, u"--harness"_s, dir.path()});
        QVERIFY2(run.code == 0, run.errors.constData());
        const QJsonObject told = QJsonDocument::fromJson(run.lines.join('\n')).object();
        QCOMPARE(told["log_softmax"_L1].toString(), u"model"_s);
        const QDir folder(dir.filePath(u"tiny-transformer"_s));
        const QStringList results = folder.entryList({u"results_*.json"_s}),
                          samples = folder.entryList({u"samples_toy_kv__pairs=4_*.jsonl"_s});
        QCOMPARE(results.size(), 1);
        QCOMPARE(samples.size(), 1);
        QFile file(folder.filePath(results.front()));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QJsonObject document = QJsonDocument::fromJson(file.readAll()).object();
        QCOMPARE(document["results"_L1]["toy_kv:pairs=4"_L1]["acc,none"_L1], told["results"_L1][0]["value"_L1]);
        QCOMPARE(document["n-samples"_L1]["toy_kv:pairs=4"_L1]["effective"_L1].toInt(), 6);
        QCOMPARE(document["versions"_L1]["toy_kv:pairs=4"_L1].toDouble(), 1.0);
        const Run same = cli(
            {u"--json"_s, u"compare-samples"_s, folder.filePath(samples.front()), folder.filePath(samples.front())});
        QCOMPARE(QJsonDocument::fromJson(same.lines.join('\n'))["matched"_L1].toInt(), 6);
    }

    void saysWhichFilesATaskWants()
    {
        const Run run = cli({u"--json"_s, u"tasks"_s});
        QVERIFY2(run.code == 0, run.errors.constData());
        QStringList named;
        for (const QJsonValue& task : QJsonDocument::fromJson(run.lines.join('\n'))["tasks"_L1].toArray()) {
            const QString name = task["name"_L1].toString();
            named += name;
            QVERIFY2(!task["files"_L1].toString().isEmpty(), qPrintable(name));
            if (task["rows"_L1].toInt() > 0)
                QVERIFY2(!task["source"_L1].toString().isEmpty() && !task["licence"_L1].toString().isEmpty(),
                         qPrintable(name));
        }
        for (const QString& name : {u"mmlu"_s, u"gsm8k"_s, u"bbh"_s, u"kv_retrieval"_s, u"swde"_s})
            QVERIFY2(named.contains(name), qPrintable(name));
    }
};

QTEST_GUILESS_MAIN(TestRequestsCommand)
#include "tst_requestscommand.moc"
