// SPDX-License-Identifier: GPL-3.0-or-later
// `headscope-cli session` as a user calls it: exit codes, one JSON object, one sentence.
#include "sessions/sessionstore.h"
#include "tests/support/clifixture.h"
#include "tests/support/sessionfixture.h"

#include <SQLiteCpp/Database.h>

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>

#include <string_view>

using namespace headscope;
using namespace headscope::sessions;
using namespace headscope::testing;
using namespace Qt::StringLiterals;

class TestSessionCommand : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void init();
    void tellsWhatASessionHolds();
    void exportsTables_data();
    void exportsTables();
    void exportsEveryTable_data();
    void exportsEveryTable();
    void rankingsSayWhatWasMeasured();
    void headsKeepTheirCostInTheWholeModel();
    void unknownTableLeavesTheFileAlone();
    void anOutputIsNeitherAnInputNorASession();
    void mergesTwice();
    void verifies();
    void compactsAndDuplicates();
    void comparesStatesAndNamesOtherConditions();
    void leavesOutThePathsOfThisMachine();
    void failsInOneSentence();
    void wrongUseIsExitCodeTwo();

private:
    static clifixture::Outcome run(const QStringList& arguments)
    {
        return clifixture::run(QStringList{u"session"_s} + arguments);
    }
    [[nodiscard]] QString path(const QString& name) const { return m_folder->filePath(name); }
    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestSessionCommand::initTestCase()
{
    if (!QFile::exists(qEnvironmentVariable("HEADSCOPE_CLI")))
        QSKIP("HEADSCOPE_CLI names no program; ctest sets it.");
}

void TestSessionCommand::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    auto session = SessionStore::open(path(u"a"_s).toStdString());
    VERIFY_OK(session);
    QCOMPARE(fill(*session), std::string());
}

void TestSessionCommand::tellsWhatASessionHolds()
{
    const clifixture::Outcome told = run({u"info"_s, path(u"a"_s), u"--json"_s});
    QCOMPARE(told.code, 0);
    const QJsonObject info = told.json();
    QCOMPARE(info[u"models"_s].toArray().at(0)[u"name"_s].toString(), u"tiny-transformer"_s);
    QCOMPARE(info[u"examples"_s].toInt(), 12);
    QCOMPARE(info[u"scores"_s].toArray().size(), 4);
    QCOMPARE(info[u"runs"_s].toArray().at(0)[u"ablation"_s].toString(), u"L2H5"_s);
    const clifixture::Outcome plain = run({u"info"_s, path(u"a"_s)});
    QCOMPARE(plain.code, 0);
    QVERIFY(plain.out.contains("12 examples, 1 run"));
    QVERIFY(plain.out.contains("| L2H5 | acc | 12 | 0.2500 |"));
}

void TestSessionCommand::exportsTables_data()
{
    QTest::addColumn<QString>("format");
    QTest::addColumn<QByteArray>("start");
    QTest::newRow("csv") << u"csv"_s << QByteArray("model,model_hash,");
    QTest::newRow("json") << u"json"_s << QByteArray("{\n  \"scores\": [");
    QTest::newRow("latex") << u"latex"_s << QByteArray("\\begin{tabular}");
    QTest::newRow("markdown") << u"markdown"_s << QByteArray("| model | dtype |");
}

void TestSessionCommand::exportsTables()
{
    QFETCH(QString, format);
    QFETCH(QByteArray, start);
    const clifixture::Outcome shown = run({u"export"_s, path(u"a"_s), u"--format"_s, format});
    QCOMPARE(shown.code, 0);
    QVERIFY(shown.out.startsWith(start));
    QCOMPARE(run({u"export"_s, path(u"a"_s), u"--format"_s, format, u"-o"_s, path(u"table"_s)}).code, 0);
    QFile file(path(u"table"_s));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll(), shown.out);
}

void TestSessionCommand::anOutputIsNeitherAnInputNorASession()
{
    const auto bytes = [this](const QString& name) {
        QFile file(path(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    };
    QVERIFY(QFile::copy(path(u"a"_s), path(u"b"_s)));
    QVERIFY(QFile::link(path(u"a"_s), path(u"link"_s)));
    const QByteArray before = bytes(u"a"_s);
    for (const auto& [to, why] : {std::pair(u"a"_s, "is also an input"), std::pair(u"link"_s, "is also an input"),
                                  std::pair(u"b"_s, "is a session or another database")}) {
        const auto refused = run({u"export"_s, path(u"a"_s), u"-o"_s, path(to)});
        QCOMPARE(refused.code, 1);
        QVERIFY2(refused.err.contains(why), refused.err.constData());
        QCOMPARE(bytes(to), before);
    }
    // What a command reads is anywhere among its arguments.
    QFile rows(path(u"rows.jsonl"_s));
    QVERIFY(rows.open(QIODevice::WriteOnly) && rows.write("{}\n") == 3);
    rows.close();
    const auto refused = clifixture::run({u"--session"_s, path(u"a"_s), u"score"_s, u"tiny-transformer"_s, u"--task"_s,
                                          rows.fileName(), u"--samples"_s, rows.fileName()});
    QCOMPARE(refused.code, 1);
    QVERIFY2(refused.err.contains("is also an input"), refused.err.constData());
    QCOMPARE(bytes(u"rows.jsonl"_s), QByteArray("{}\n"));
}

void TestSessionCommand::exportsEveryTable_data()
{
    QTest::addColumn<QString>("table");
    QTest::addColumn<int>("rows");
    QTest::addColumn<QByteArray>("holds");
    QTest::newRow("examples")
        << u"examples"_s << 24
        << QByteArray(
               ",L2H5,1,1,0,0,0,,10,\"[-0.43333333333333335,-12.25]\",,,0.001,\"red Paris blue Oslo, number 1: red\",");
    QTest::newRow("rankings") << u"rankings"_s << 1 << QByteArray(",0,L2H5,0.03,-0.95,-0.97,-0.92,delta,");
    QTest::newRow("heads") << u"heads"_s << 1
                           << QByteArray(",L2H5,the aggregator,#cc0000,toy_kv:pairs=8,-0.95,-0.97,-0.92,,\r\n");
    QTest::newRow("ablations") << u"ablations"_s << 2 << QByteArray("L2H5,tiny-transformer,1,12,1,0\r\n");
    QTest::newRow("runs") << u"runs"_s << 1 << QByteArray(",without L2H5,L2H5,tiny-transformer,");
    QTest::newRow("models") << u"models"_s << 1 << QByteArray("tiny-transformer,");
    QTest::newRow("patterns") << u"patterns"_s << 1
                              << QByteArray("tiny-transformer,L2H5,attention,1,1,0,plain,,fp32,,,2,2,");
    QTest::newRow("history") << u"history"_s << 1 << QByteArray(",L2H5 off,tiny-transformer,L2H5\r\n");
}

void TestSessionCommand::exportsEveryTable()
{
    QFETCH(QString, table);
    QFETCH(int, rows);
    QFETCH(QByteArray, holds);
    const clifixture::Outcome csv = run({u"export"_s, path(u"a"_s), u"--table"_s, table});
    QCOMPARE(csv.code, 0);
    QCOMPARE(csv.out.count("\r\n"), rows + 1);
    QVERIFY2(csv.out.contains(holds), csv.out.constData());
    const clifixture::Outcome json = run({u"export"_s, path(u"a"_s), u"--table"_s, table, u"--format"_s, u"json"_s});
    const QJsonArray list = QJsonDocument::fromJson(json.out).object()[table].toArray();
    QCOMPARE(list.size(), rows);
    QCOMPARE(list[0].toObject().keys().size(), csv.out.left(csv.out.indexOf('\r')).count(',') + 1);
    const clifixture::Outcome latex = run({u"export"_s, path(u"a"_s), u"--table"_s, table, u"--format"_s, u"latex"_s});
    QCOMPARE(latex.out.count("\\\\\n"), rows + 1);
    const clifixture::Outcome markdown =
        run({u"export"_s, path(u"a"_s), u"--table"_s, table, u"--format"_s, u"markdown"_s});
    QCOMPARE(markdown.out.count('\n'), rows + 2);
}

void TestSessionCommand::rankingsSayWhatWasMeasured()
{
    {
        auto session = SessionStore::open(path(u"a"_s).toStdString());
        VERIFY_OK(session);
        for (const char* method : {"estimate", "gather", "race", "greedy"}) {
            const bool interval = std::string_view(method) != "gather";
            RankingRecord ranking;
            ranking.modelHash = exampleModel().hash;
            ranking.dtype = "fp32";
            ranking.task = "toy_kv:pairs=8";
            ranking.method = method;
            ranking.heads = {{"L1H1", 0.5, 0.0, interval ? 0.25 : 0.0, interval ? 0.75 : 0.0}};
            VERIFY_OK(session->addRanking(ranking));
        }
    }
    const QByteArray table = run({u"export"_s, path(u"a"_s), u"--table"_s, u"rankings"_s}).out;
    QVERIFY2(table.contains(",value,delta,low,high,interval_of,created"), table.constData());
    const auto row = [&table](const QByteArray& method) {
        for (const QByteArray& line : table.split('\n'))
            if (line.contains("," + method + ","))
                return line.mid(line.indexOf("L1H1"));
        return QByteArray();
    };
    QVERIFY2(row("estimate").startsWith("L1H1,0.5,,0.25,0.75,value,"), table.constData());
    QVERIFY2(row("gather").startsWith("L1H1,0.5,,,,,"), table.constData());
    QVERIFY2(row("race").startsWith("L1H1,0.5,0,0.25,0.75,delta,"), table.constData());
    QVERIFY2(row("greedy").startsWith("L1H1,0.5,0,0.25,0.75,delta,"), table.constData());
    const QJsonDocument json = QJsonDocument::fromJson(
        run({u"export"_s, path(u"a"_s), u"--table"_s, u"rankings"_s, u"--format"_s, u"json"_s}).out);
    for (const QJsonValue& one : json[u"rankings"_s].toArray())
        if (one[u"method"_s].toString() == u"estimate"_s)
            QVERIFY(one[u"delta"_s].isNull());
}

// A ranking of other heads, or with something ablated, takes nothing from those of before.
void TestSessionCommand::headsKeepTheirCostInTheWholeModel()
{
    {
        auto session = SessionStore::open(path(u"a"_s).toStdString());
        VERIFY_OK(session);
        VERIFY_OK(session->putAblation("L0H0"));
        for (const auto& [head, ablation] : {std::pair("L1H1", ""), std::pair("L2H5", "L0H0")}) {
            RankingRecord ranking;
            ranking.modelHash = exampleModel().hash;
            ranking.dtype = "fp32";
            ranking.task = "toy_kv:pairs=8";
            ranking.method = "exact";
            ranking.ablation = ablation;
            ranking.heads = {{head, 0.5, -0.5, -0.75, -0.25}};
            VERIFY_OK(session->addRanking(ranking));
        }
    }
    const QByteArray table = run({u"export"_s, path(u"a"_s), u"--table"_s, u"heads"_s}).out;
    QVERIFY2(table.contains(",L2H5,the aggregator,#cc0000,toy_kv:pairs=8,-0.95,-0.97,-0.92,,\r\n"), table.constData());
    QVERIFY2(table.contains(",L1H1,,,toy_kv:pairs=8,-0.5,-0.75,-0.25,,\r\n"), table.constData());
    QCOMPARE(table.count("\r\n"), 3);
}

void TestSessionCommand::unknownTableLeavesTheFileAlone()
{
    QFile file(path(u"kept"_s));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("mine") == 4);
    file.close();
    const clifixture::Outcome outcome =
        run({u"export"_s, path(u"a"_s), u"--table"_s, u"elephants"_s, u"-o"_s, path(u"kept"_s)});
    QCOMPARE(outcome.code, 1);
    QVERIFY2(outcome.err.contains("'elephants'"), outcome.err.constData());
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll(), QByteArray("mine"));
    QVERIFY(!QFile::exists(path(u"kept.partial"_s)));
}

void TestSessionCommand::mergesTwice()
{
    VERIFY_OK(SessionStore::open(path(u"b"_s).toStdString()));
    const auto merged = [this] {
        return run({u"merge"_s, path(u"b"_s), path(u"a"_s), u"--json"_s})
            .json()[u"merged"_s]
            .toArray()
            .at(0)
            .toObject();
    };
    QCOMPARE(merged()[u"results"_s].toInt(), 24);
    const QJsonObject again = merged();
    QCOMPARE(again[u"results"_s].toInt(-1), 0);
    QCOMPARE(again[u"conflicts"_s].toInt(-1), 0);
}

void TestSessionCommand::verifies()
{
    const clifixture::Outcome sound = run({u"verify"_s, path(u"a"_s), u"--json"_s});
    QCOMPARE(sound.code, 0);
    QVERIFY(sound.json()[u"ok"_s].toBool());
    SQLite::Database(path(u"a"_s).toStdString(), SQLite::OPEN_READWRITE)
        .exec("UPDATE results SET correct = 1 - correct WHERE example_id = 3 AND series_id = 1");
    const clifixture::Outcome changed = run({u"verify"_s, path(u"a"_s), u"--json"_s, u"--quiet"_s});
    QCOMPARE(changed.code, 1);
    QCOMPARE(changed.json()[u"problems"_s].toArray().size(), 2); // the row, and the sum that it is in
    QVERIFY(changed.err.contains("has 2 problems; expected none."));
}

void TestSessionCommand::compactsAndDuplicates()
{
    QVERIFY(run({u"compact"_s, path(u"a"_s), u"--json"_s}).json()[u"bytes_after"_s].toInt() > 0);
    QCOMPARE(run({u"duplicate"_s, path(u"a"_s), path(u"b"_s)}).code, 0);
    QCOMPARE(run({u"info"_s, path(u"b"_s), u"--json"_s}).json()[u"examples"_s].toInt(), 12);
    QCOMPARE(run({u"duplicate"_s, path(u"a"_s), u"-o"_s, path(u"b"_s)}).code, 1);
}

void TestSessionCommand::comparesStatesAndNamesOtherConditions()
{
    {
        auto session = SessionStore::open(path(u"a"_s).toStdString());
        VERIFY_OK(session);
        SeriesKey key = series("L1H1");
        key.dtype = "bf16";
        std::vector<ResultRecord> results;
        for (const ExampleRecord& example : examples(12))
            results.push_back(resultFor(example, false));
        VERIFY_OK(session->putResults(key, results));
    }
    const QStringList same{u"compare"_s, path(u"a"_s), u"baseline"_s, u"L2H5"_s};
    const clifixture::Outcome alike = run(same);
    QCOMPARE(alike.code, 0);
    QVERIFY2(!alike.out.contains("Not only"), alike.out.constData());
    QCOMPARE(run(same + QStringList{u"--json"_s}).json()[u"tasks"_s][0][u"differs"_s].toArray(), QJsonArray());
    const QStringList other{u"compare"_s, path(u"a"_s), u"baseline"_s, u"L1H1"_s};
    const clifixture::Outcome differing = run(other);
    QVERIFY2(differing.out.contains("\n  Not only the ablation differs: dtype fp32 and bf16.\n"),
             differing.out.constData());
    const QJsonObject expected{{u"condition"_s, u"dtype"_s}, {u"first"_s, u"fp32"_s}, {u"second"_s, u"bf16"_s}};
    QCOMPARE(run(other + QStringList{u"--json"_s}).json()[u"tasks"_s][0][u"differs"_s].toArray(), QJsonArray{expected});
    // A model that was trained again keeps its name; which of the two is meant, nobody can guess.
    {
        auto session = SessionStore::open(path(u"a"_s).toStdString());
        VERIFY_OK(session);
        ModelRecord again = exampleModel("other");
        again.name = exampleModel().name;
        VERIFY_OK(session->putModel(again));
    }
    const auto named = [&](const std::string& model) {
        return run(same + QStringList{u"--model"_s, QString::fromStdString(model)});
    };
    QCOMPARE(named(exampleModel().name).code, 1);
    QVERIFY2(named(exampleModel().name).err.contains("has 2 models 'tiny-transformer'"),
             named(exampleModel().name).err.constData());
    QCOMPARE(named(exampleModel().hash.substr(0, 12)).code, 0);
}

// What is looked for is the bytes of the file: free pages and logs count too.
void TestSessionCommand::leavesOutThePathsOfThisMachine()
{
    const std::string home = "/home/somebody/secret";
    {
        auto session = SessionStore::open(path(u"a"_s).toStdString());
        VERIFY_OK(session);
        ModelRecord model = exampleModel();
        model.source = home + "/models/tiny-transformer";
        VERIFY_OK(session->putModel(model));
        VERIFY_OK(session->putTokenizer({sha256Hex("mine"), "WordLevel", home + "/tokenizer.json", 321}));
        ExampleRecord own = exampleAt(77, "own");
        own.file = home + "/own.jsonl";
        VERIFY_OK(session->putExamples(std::vector<ExampleRecord>{own}));
        VERIFY_OK(session->setUiState("explorer", R"({"A":{"model":")" + home
                                                      + R"(/models/tiny-transformer"},"prompt":{"text":"/of mine"}})"));
        VERIFY_OK(session->setUiState("geometry", "bytes of " + home));
        VERIFY_OK(session->putFigure({"mine", R"({"panels":[{"source":")" + home + R"(/s.headscope"}]})", {}}));
    }
    const auto holds = [&](const QString& name) {
        QFile file(path(name));
        return file.open(QIODevice::ReadOnly) && file.readAll().contains(home.c_str());
    };
    QVERIFY(holds(u"a"_s));
    QCOMPARE(run({u"duplicate"_s, path(u"a"_s), path(u"plain"_s)}).code, 0);
    QVERIFY(holds(u"plain"_s));
    const clifixture::Outcome made = run({u"duplicate"_s, path(u"a"_s), path(u"b"_s), u"--no-paths"_s});
    QVERIFY2(made.code == 0, made.err.constData());
    QVERIFY(!holds(u"b"_s));
    QVERIFY(!QFile::exists(path(u"b-wal"_s)));
    QCOMPARE(run({u"verify"_s, path(u"b"_s)}).code, 0);
    auto copy = SessionStore::open(path(u"b"_s).toStdString());
    VERIFY_OK(copy);
    QCOMPARE(copy->models()->front().source, std::string("tiny-transformer"));
    QCOMPARE((*copy->example(exampleAt(77, "own").hash))->file, std::string("own.jsonl"));
    QVERIFY((*copy->uiState("explorer"))->find("/of mine") != std::string::npos); // a prompt
    QCOMPARE(copy->scores()->size(), SessionStore::open(path(u"a"_s).toStdString())->scores()->size());

    for (const QString& table : {u"models"_s, u"examples"_s, u"patterns"_s}) {
        const clifixture::Outcome rows = run({u"export"_s, path(u"a"_s), u"--table"_s, table, u"--no-paths"_s});
        QVERIFY2(rows.code == 0 && !rows.out.contains(home.c_str()), rows.out.constData());
    }
    QVERIFY(run({u"export"_s, path(u"a"_s), u"--table"_s, u"models"_s}).out.contains(home.c_str()));
}

void TestSessionCommand::failsInOneSentence()
{
    const clifixture::Outcome missing = run({u"info"_s, path(u"nothing"_s), u"--json"_s});
    QCOMPARE(missing.code, 1);
    QCOMPARE(missing.out, QByteArray());
    QCOMPARE(missing.err, "headscope-cli: There is no session '" + path(u"nothing"_s).toUtf8() + "'.\n");
    QVERIFY(!QFile::exists(path(u"nothing"_s)));
}

void TestSessionCommand::wrongUseIsExitCodeTwo()
{
    QCOMPARE(run({}).code, 2);
    QCOMPARE(run({u"info"_s}).code, 2);
    QCOMPARE(run({u"export"_s, path(u"a"_s), u"--format"_s, u"xls"_s}).code, 2);
}

QTEST_GUILESS_MAIN(TestSessionCommand)
#include "tst_sessioncommand.moc"
