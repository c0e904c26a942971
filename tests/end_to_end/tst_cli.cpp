// SPDX-License-Identifier: GPL-3.0-or-later
// headscope-cli as a whole: exit codes, the demonstration, and one plain sentence for each kind of bad argument.
#include "sessions/sessionstore.h"
#include "sessions/uistates.h"
#include "tests/support/clifixture.h"

#include <QRegularExpression>

#include <cmath>

using namespace headscope;
using namespace clifixture;

class TestCli : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void init() { m_folder = std::make_unique<Folder>(); }
    void wrongUseIsExitCodeTwo_data();
    void wrongUseIsExitCodeTwo();
    void demonstrates();
    void refusesBadArguments_data();
    void refusesBadArguments();
    void refusesBadSessions();
    void describesAModelByItsConfigAlone();
    void stepsTurnAlike();
    void listsFoldersThatWereAdded();
    void oneOfAThingIsSingular();
    void intervalsOverTwoPromptsAreStudents();
    void experimentsTakeAllFactsWhereThereAreFewer_data();
    void experimentsTakeAllFactsWhereThereAreFewer();
    void anAdapterIsNoTeacher();
    void aTrainingKeepsItsSeed();
    void anotherRunOfAnExperimentReplacesNone();

private:
    std::unique_ptr<Folder> m_folder;
};

void TestCli::initTestCase()
{
    if (!QFile::exists(qEnvironmentVariable("HEADSCOPE_CLI")))
        QSKIP("HEADSCOPE_CLI names no program; ctest sets it.");
}

void TestCli::wrongUseIsExitCodeTwo_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::newRow("nothing") << QStringList{};
    QTest::newRow("unknown command") << QStringList{u"nonsense"_s};
    QTest::newRow("score without task") << QStringList{u"score"_s, u"tiny-transformer"_s};
    QTest::newRow("pattern without prompt") << QStringList{u"pattern"_s, u"tiny-transformer"_s, u"--head"_s, u"L0H0"_s};
    QTest::newRow("pattern with two prompts") << QStringList{
        u"pattern"_s, u"tiny-transformer"_s, u"--head"_s, u"L0H0"_s, u"--text"_s, u"a"_s, u"--task"_s, u"toy_mc"_s};
    const auto unread = [](const char* name, const QStringList& command, const QString& option) {
        QTest::newRow(name) << command + QStringList{u"tiny-transformer"_s, u"--text"_s, u"a"_s, option, u"fox"_s};
    };
    unread("answer of logprob", {u"logprob"_s}, u"--answer"_s);
    unread("distractor of logprob", {u"logprob"_s}, u"--distractor"_s);
    unread("answer of experts", {u"experts"_s}, u"--answer"_s);
    unread("distractor of experts", {u"experts"_s}, u"--distractor"_s);
    unread("distractor of lens", {u"lens"_s}, u"--distractor"_s);
    const QStringList score{u"why-score"_s, u"--head"_s, u"L0H0"_s, u"--query"_s, u"0"_s, u"--key"_s, u"0"_s};
    unread("answer of why-score", score, u"--answer"_s);
    unread("distractor of why-score", score, u"--distractor"_s);
    QTest::newRow("unknown scale") << QStringList{
        u"pattern"_s, u"tiny-transformer"_s, u"--head"_s, u"L0H0"_s, u"--text"_s, u"a"_s, u"--scale"_s, u"loud"_s};
    QTest::newRow("unknown method") << QStringList{u"rank"_s,   u"tiny-transformer"_s, u"--task"_s,
                                                   u"toy_mc"_s, u"--method"_s,         u"magic"_s};
    QTest::newRow("negative row") << QStringList{
        u"pattern"_s, u"tiny-transformer"_s, u"--head"_s, u"L0H0"_s, u"--text"_s, u"a"_s, u"--row"_s, u"-1"_s};
    QTest::newRow("negative top") << QStringList{u"rank"_s, u"tiny-transformer"_s, u"--task"_s, u"toy_mc"_s, u"--top"_s,
                                                 u"-1"_s};
    QTest::newRow("no memory") << QStringList{u"score"_s,  u"tiny-transformer"_s, u"--task"_s,
                                              u"toy_mc"_s, u"--memory"_s,         u"0"_s};
    QTest::newRow("limit is no number") << QStringList{u"score"_s,  u"tiny-transformer"_s, u"--task"_s,
                                                       u"toy_mc"_s, u"--limit"_s,          u"many"_s};
}

void TestCli::wrongUseIsExitCodeTwo()
{
    QFETCH(QStringList, arguments);
    const Outcome outcome = run(arguments);
    QCOMPARE(outcome.code, 2);
    QVERIFY(!outcome.err.isEmpty());
    QVERIFY2(outcome.err.size() < 300, outcome.err.constData()); // CLI11 tells all digits of the largest double
}

void TestCli::demonstrates()
{
    const QString out = m_folder->path(u"demo"_s);
    const Outcome outcome = run({u"demo"_s, kModel, u"-o"_s, out, u"--json"_s});
    QVERIFY2(outcome.code == 0, outcome.err.constData());
    const QJsonObject told = outcome.json();
    const QString head = told[u"head"_s].toString();
    QVERIFY(!head.isEmpty());
    QVERIFY(entry(told[u"baseline"_s].toArray(), u"toy_kv:pairs=8"_s)[u"value"_s].toDouble() > 0.95);
    const QJsonObject broken = entry(told[u"results"_s].toArray(), u"toy_kv:pairs=8"_s);
    QVERIFY(broken[u"value"_s].toDouble() < 0.1);
    QVERIFY(broken[u"p"_s].toDouble() < 1e-10);
    QVERIFY(entry(told[u"results"_s].toArray(), u"toy_knowledge"_s)[u"value"_s].toDouble() > 0.95);
    QVERIFY(told[u"files"_s].toArray().size() >= 3);
    for (const QJsonValue& file : told[u"files"_s].toArray()) {
        QVERIFY(QDir::isAbsolutePath(file.toString()));
        QVERIFY2(QFile(file.toString()).size() > 1000, qPrintable(file.toString()));
    }
    // The pictures are the same files each time, and nothing is run twice.
    const QString picture = told[u"files"_s][0].toString();
    const QByteArray before = read(picture);
    const Outcome again = run({u"demo"_s, kModel, u"-o"_s, out, u"--json"_s});
    QCOMPARE(again.code, 0);
    QCOMPARE(again.json()[u"results"_s], told[u"results"_s]);
    QCOMPARE(read(picture), before);
    auto session = sessions::SessionStore::open((out + u"/demo.headscope"_s).toStdString());
    QVERIFY(session.has_value());
    QCOMPARE(session->rankings()->size(), std::size_t{1});
    QCOMPARE(session->patterns()->size(), std::size_t{2});
    QCOMPARE(session->runs()->size(), std::size_t{2});
    QCOMPARE(session->runs()->back().series.size(), std::size_t{5});
    VERIFY_FAILS(run({u"demo"_s, kLlama, u"-o"_s, out, u"--json"_s}), "tokenizer");
}

void TestCli::refusesBadArguments_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QByteArray>("said");
    const QStringList text = {u"pattern"_s, kModel, u"--head"_s, u"L0H0"_s, u"--text"_s};
    const QStringList score = {u"score"_s, kModel, u"--limit"_s, u"4"_s, u"--task"_s};
    QTest::newRow("word outside the vocabulary") << text + QStringList{u"The zeppelin"_s} << QByteArray("zeppelin");
    QTest::newRow("empty prompt") << text + QStringList{QString()} << QByteArray("empty");
    QTest::newRow("prompt beyond the positions")
        << text + QStringList{QString(u"The "_s).repeated(1025)} << QByteArray("1024");
    QTest::newRow("head that does not exist")
        << QStringList{u"pattern"_s, kModel, u"--text"_s, u"The"_s, u"--head"_s, u"L0H8"_s} << QByteArray("L0H8");
    QTest::newRow("layer that does not exist")
        << QStringList{u"pattern"_s, kModel, u"--text"_s, u"The"_s, u"--head"_s, u"L4H0"_s} << QByteArray("L4");
    QTest::newRow("no head") << QStringList{u"pattern"_s, kModel, u"--text"_s, u"The"_s, u"--head"_s, u"second"_s}
                             << QByteArray("second");
    QTest::newRow("row that does not exist")
        << text + QStringList{u"The color"_s, u"--row"_s, u"2"_s} << QByteArray("row 2");
    QTest::newRow("suffix") << text + QStringList{u"The"_s, u"-o"_s, u"x.bmp"_s} << QByteArray("x.bmp");
    QTest::newRow("folder of the picture")
        << text + QStringList{u"The"_s, u"-o"_s, u"/there/is/none/x.csv"_s} << QByteArray("/there/is/none/x.csv");
    QTest::newRow("unknown task") << score + QStringList{u"toy_elephant"_s} << QByteArray("toy_elephant");
    QTest::newRow("unknown setting") << score + QStringList{u"toy_kv:pears=8"_s} << QByteArray("toy_kv:pears=8");
    QTest::newRow("ablation") << score + QStringList{u"toy_mc"_s, u"--ablate"_s, u"L2X5"_s} << QByteArray("L2X5");
    QTest::newRow("ablated head that does not exist")
        << score + QStringList{u"toy_mc"_s, u"--ablate"_s, u"L9H0"_s} << QByteArray("L9");
    QTest::newRow("samples folder") << score + QStringList{u"toy_mc"_s, u"--samples"_s, u"/there/is/none/s.jsonl"_s}
                                    << QByteArray("/there/is/none/s.jsonl");
    QTest::newRow("data folder") << score + QStringList{u"piqa"_s, u"--data"_s, u"/there/is/none"_s}
                                 << QByteArray("/there/is/none");
    QTest::newRow("task beyond the vocabulary") << score + QStringList{u"piqa"_s} << QByteArray("None of the");
    QTest::newRow("device") << QStringList{u"info"_s, kModel, u"--dtype"_s, u"int3"_s} << QByteArray("int3");
}

void TestCli::refusesBadArguments()
{
    QFETCH(QStringList, arguments);
    QFETCH(QByteArray, said);
    VERIFY_FAILS(run(arguments + QStringList{u"--json"_s}), said);
}

void TestCli::refusesBadSessions()
{
    const QStringList arguments = {u"score"_s,   kModel, u"--task"_s, u"toy_mc"_s,
                                   u"--limit"_s, u"4"_s, u"--json"_s, u"--session"_s};
    write(m_folder->path(u"text"_s), "This is not a database, whatever its name says. " + QByteArray(4096, 'x'));
    VERIFY_FAILS(run(arguments + QStringList{m_folder->path(u"text"_s)}), m_folder->path(u"text"_s).toUtf8());
    VERIFY_FAILS(run(arguments + QStringList{u"/there/is/none/a.headscope"_s}), "/there/is/none");
    VERIFY_FAILS(run(arguments + QStringList{m_folder->path()}), m_folder->path().toUtf8());

    // A session whose version was raised by a later program; user_version is at byte 60, big-endian.
    const QString newer = m_folder->path(u"newer"_s);
    QCOMPARE(run(arguments + QStringList{newer}).code, 0);
    QByteArray bytes = read(newer);
    bytes[63] = 99;
    write(newer, bytes);
    VERIFY_FAILS(run(arguments + QStringList{newer}), "99");
    QCOMPARE(read(newer), bytes);

    // Reading only: root may write everywhere, so the rights alone do not tell.
    const QString old = m_folder->path(u"readonly"_s);
    QCOMPARE(run(arguments + QStringList{old}).code, 0);
    QFile::setPermissions(old, QFileDevice::ReadOwner);
    if (QFile(old).open(QIODevice::ReadWrite))
        QSKIP("This user may write to read-only files, so that case cannot be made here.");
    VERIFY_FAILS(run(arguments + QStringList{old}), "read-only");
}

void TestCli::listsFoldersThatWereAdded()
{
    const QString folder = QFileInfo(m_folder->copiedModel()).path();
    const Outcome listed = run({u"models"_s, u"--add-folder"_s, folder, u"--json"_s});
    VERIFY_DONE(listed);
    const auto own = [](const QJsonObject& told) {
        for (const QJsonValue& model : told[u"models"_s].toArray())
            if (model[u"origin"_s] == u"own"_s)
                return model.toObject();
        return QJsonObject();
    };
    const QJsonObject model = own(listed.json());
    QCOMPARE(model[u"name"_s].toString(), u"model"_s);
    QVERIFY(model[u"memory"_s].toDouble() > model[u"parameters"_s].toDouble());
    QVERIFY(model[u"fits"_s].toBool() && model[u"file_bytes"_s].toInteger() > 0);
    // From now on it is found by its name.
    QCOMPARE(own(run({u"models"_s, u"--json"_s}).json()), model);
    QCOMPARE(run({u"info"_s, u"model"_s, u"--json"_s}).json()[u"family"_s], model[u"family"_s]);
    VERIFY_FAILS(run({u"models"_s, u"--add-folder"_s, u"/there/is/none"_s}), "/there/is/none");
    VERIFY_DONE(run({u"models"_s, u"--forget-folder"_s, folder}));
    QVERIFY(own(run({u"models"_s, u"--json"_s}).json()).isEmpty());
    VERIFY_FAILS(run({u"info"_s, u"model"_s}), "No model 'model'");
    VERIFY_FAILS(run({u"models"_s, u"--forget-folder"_s, folder}), "was not added");
}

void TestCli::describesAModelByItsConfigAlone()
{
    const QJsonObject whole = run({u"info"_s, kModel, u"--json"_s}).json();
    const QString model = m_folder->copiedModel({u"model.safetensors"_s});
    const Outcome outcome = run({u"info"_s, model, u"--json"_s});
    VERIFY_DONE(outcome);
    const QJsonObject told = outcome.json();
    for (const QString& key : {u"family"_s, u"layers"_s, u"parameters"_s, u"hidden"_s, u"vocabulary"_s,
                               u"kv_cache_bytes"_s, u"memory"_s, u"memory_by_dtype"_s, u"bytes"_s, u"dtype"_s})
        QCOMPARE(told[key], whole[key]);
    QVERIFY(!told[u"has_weights"_s].toBool());
    QVERIFY(whole[u"has_weights"_s].toBool());
    QVERIFY(!told[u"self_test"_s][u"passed"_s].toBool());
    const auto weights = [&](const QString& dtype) {
        return told[u"memory_by_dtype"_s][dtype][u"2048"_s][u"weights"_s].toInteger();
    };
    QCOMPARE(weights(u"fp32"_s), 4 * told[u"parameters"_s].toInteger());
    QCOMPARE(weights(u"bf16"_s), 2 * told[u"parameters"_s].toInteger());
    // How long a pass takes is told from the config and a product that was measured here.
    const auto seconds = [](const QJsonObject& of, const QString& length) {
        return of[u"time"_s][u"pass_seconds"_s][length].toDouble();
    };
    QVERIFY(told[u"time"_s][u"gflops"_s].toDouble() > 0 && told[u"time"_s][u"click"_s][u"seconds"_s].toDouble() > 0);
    QVERIFY(seconds(told, u"128"_s) > 0 && seconds(told, u"4096"_s) > 2 * seconds(told, u"2048"_s)); // attention
    QVERIFY(run({u"info"_s, model}).out.contains("The weights are not there"));
    // Everything else still needs them, and weights that are damaged are not passed over.
    VERIFY_FAILS(run({u"score"_s, model, u"--task"_s, u"toy_mc"_s}), "weights");
    write(model + u"/model.safetensors"_s, "damaged");
    VERIFY_FAILS(run({u"info"_s, model}), "model.safetensors");
}

// Where a long text turns by its whole length, steps equal the whole pass as far as they turn alike, and info says so.
void TestCli::stepsTurnAlike()
{
    const QString golden = QStringLiteral(HEADSCOPE_SOURCE_DIR "/tests/data/golden/hub/phi3/"),
                  model = m_folder->path(u"m"_s);
    QVERIFY(QDir().mkpath(model) && QFile::copy(golden + u"model.safetensors"_s, model + u"/model.safetensors"_s));
    QJsonObject config = QJsonDocument::fromJson(read(golden + u"config.json"_s)).object();
    for (const int past : {1, 2, 8, 12}) {
        config[u"original_max_position_embeddings"_s] = past;
        write(model + u"/config.json"_s, QJsonDocument(config).toJson());
        const QJsonObject told = run({u"info"_s, model, u"--json"_s}).json();
        QVERIFY(told[u"self_test"_s][u"passed"_s].toBool());
        QCOMPARE(told[u"rotation"_s][u"by_length_past"_s].toInt(), past);
        QVERIFY(told[u"rotation"_s][u"read_anew"_s].toBool());
    }
    QVERIFY(run({u"info"_s, model}).out.contains("is read anew from its start"));
}

// Every number of things in the output agrees with its noun: "1 example", never "1 examples".
void TestCli::oneOfAThingIsSingular()
{
    const QString session = m_folder->path(u"one.headscope"_s), copy = m_folder->path(u"copy.headscope"_s);
    const QStringList task{kModel, u"--session"_s, session, u"--task"_s, u"toy_kv:pairs=2"_s};
    const QStringList first = task + QStringList{u"--limit"_s, u"1"_s};
    for (const QStringList& arguments : std::initializer_list<QStringList>{
             QStringList{u"score"_s} + first + QStringList{u"--ablate"_s, u"L2H5"_s},
             QStringList{u"score"_s} + first,
             QStringList{u"rank"_s} + first + QStringList{u"--top"_s, u"1"_s},
             QStringList{u"rank"_s} + first + QStringList{u"--method"_s, u"gather"_s, u"--top"_s, u"1"_s},
             {u"pattern"_s, kModel, u"--head"_s, u"L2H5"_s, u"--text"_s, u"the"_s},
             QStringList{u"attribute"_s} + task + QStringList{u"--sample"_s, u"0"_s, u"--top"_s, u"1"_s},
             QStringList{u"patch"_s} + first + QStringList{u"--what"_s, u"heads"_s, u"--exchange"_s, u"value"_s},
             {u"probe"_s, kModel, u"--sequences"_s, u"1"_s, u"--top"_s, u"1"_s},
             {u"session"_s, u"info"_s, session},
             {u"session"_s, u"verify"_s, session},
             {u"session"_s, u"duplicate"_s, session, copy},
             {u"session"_s, u"merge"_s, copy, session}}) {
        const Outcome outcome = run(arguments);
        VERIFY_DONE(outcome);
        static const QRegularExpression plural(u"(?<![\\w.,:=-])1 (more )?[a-z]+(?<!s)s\\b"_s);
        const QString said = QString::fromUtf8(outcome.err + outcome.out);
        const auto match = plural.match(said);
        QVERIFY2(!match.hasMatch(), qPrintable(arguments.join(u' ') + u": "_s + match.captured() + u'\n' + said));
    }
}

// The mean of an experiment over two prompts, from what the command pattern prints for each: the half width is
// Student's quantile for one degree of freedom, tan(0.475 pi), times half their difference.
void TestCli::intervalsOverTwoPromptsAreStudents()
{
    double tokens[2] = {};
    for (int sample = 0; sample < 2; ++sample)
        tokens[sample] = run({u"pattern"_s, u"tiny-transformer"_s, u"--task"_s, u"toy_kv:pairs=8"_s, u"--sample"_s,
                              QString::number(sample), u"--head"_s, u"L2H5"_s, u"--json"_s})
                             .json()[u"effective_tokens"_s]
                             .toDouble();
    const Outcome measured = run({u"experiment"_s, u"heatmaps"_s, u"--model"_s, u"tiny-transformer"_s, u"--limit"_s,
                                  u"2"_s, u"--json"_s, u"--quiet"_s});
    VERIFY_DONE(measured);
    QJsonValue row;
    for (const QJsonValue& one : measured.json()[u"rows"_s].toArray())
        if (one[u"head"_s].toString() == u"L2H5"_s)
            row = one;
    const double mean = (tokens[0] + tokens[1]) / 2, half = 12.706204736174696 * std::abs(tokens[0] - tokens[1]) / 2;
    QVERIFY(half > 0 && std::abs(row[u"effective"_s].toDouble() - mean) < 1e-6);
    QVERIFY(std::abs(row[u"effective_interval"_s][0].toDouble() - (mean - half)) < 1e-5);
    QVERIFY(std::abs(row[u"effective_interval"_s][1].toDouble() - (mean + half)) < 1e-5);
}

void TestCli::experimentsTakeAllFactsWhereThereAreFewer_data()
{
    QTest::addColumn<QString>("model");
    QTest::newRow("toy_knowledge") << u"tiny-transformer"_s;
    QTest::newRow("facts") << u"small-transformer"_s;
}

// A limit is of every benchmark of an experiment; of facts there are 300.
void TestCli::experimentsTakeAllFactsWhereThereAreFewer()
{
    QFETCH(QString, model);
    VERIFY_DONE(run({u"experiment"_s, u"individual-pruning"_s, u"--model"_s, model, u"--limit"_s, u"301"_s,
                     u"--forecast"_s, u"--quiet"_s}));
}

// The student would have the weights without it.
void TestCli::anAdapterIsNoTeacher()
{
    const QString adapter = m_folder->path(u"adapter"_s), student = m_folder->path(u"student"_s);
    writeAdapter(adapter);
    VERIFY_FAILS(run({u"distill"_s, u"tiny-transformer+"_s + adapter, u"--keep-heads"_s, u"L2H5"_s, u"-o"_s, student}),
                 "which an adapter does not change");
    QVERIFY(!QFile::exists(student));
}

void TestCli::aTrainingKeepsItsSeed()
{
    const QStringList step{u"train"_s, u"tiny-transformer"_s, u"-o"_s, m_folder->path(u"trained"_s), u"--steps"_s,
                           u"1"_s};
    VERIFY_DONE(run(step + QStringList{u"--seed"_s, u"7"_s}));
    VERIFY_FAILS(run(step), "begun with seed 7");
    VERIFY_DONE(run(step + QStringList{u"--seed"_s, u"7"_s}));
}

// Two numbers of examples are two results; the later one is what figures show.
void TestCli::anotherRunOfAnExperimentReplacesNone()
{
    const QString session = m_folder->path(u"runs.headscope"_s);
    const auto measure = [&](const QString& limit) {
        return run({u"experiment"_s, u"heatmaps"_s, u"--model"_s, u"tiny-transformer"_s, u"--limit"_s, limit,
                    u"--session"_s, session, u"--quiet"_s});
    };
    const auto limits = [&] {
        QStringList found;
        auto store = sessions::SessionStore::open(session.toStdString());
        for (const auto& [key, json] : *sessions::uiStates(*store, "experiment/"))
            found += QString::number(
                QJsonDocument::fromJson(QByteArray::fromStdString(json))[u"settings"_s][u"limit"_s].toInt());
        return found;
    };
    for (const char* limit : {"2", "3", "3"})
        VERIFY_DONE(measure(QLatin1String(limit)));
    QCOMPARE(limits(), (QStringList{u"3"_s, u"2"_s}));
}

QTEST_GUILESS_MAIN(TestCli)
#include "tst_cli.moc"
