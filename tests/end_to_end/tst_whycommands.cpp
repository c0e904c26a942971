// SPDX-License-Identifier: GPL-3.0-or-later
// headscope-cli lens, attribute, patch, edges, weights, probe and steering by two lists of prompts: their numbers agree
// with each other and with what scores say, and each bad input has its sentence.
#include "core/io/safetensors/safetensors.h"
#include "tests/support/clifixture.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace headscope;
using namespace clifixture;

namespace {

const QString kSsm = QStringLiteral(HEADSCOPE_SOURCE_DIR "/resources/models/tiny-ssm");
const QString kHybrid = QStringLiteral(HEADSCOPE_SOURCE_DIR "/resources/models/tiny-hybrid");
const QStringList kSample = {u"--task"_s, u"toy_kv:pairs=4"_s, u"--sample"_s, u"0"_s};
constexpr double kTolerance = 1e-3; // logits near 20 in fp32

/// Records of a CSV table, the header included: prompts in it may have several lines, in quotation marks.
qsizetype recordsOf(const QByteArray& table)
{
    bool quoted = false;
    return std::ranges::count_if(table, [&](char letter) {
        quoted = quoted != (letter == '"');
        return letter == '\n' && !quoted;
    });
}

QJsonObject jsonOf(const QStringList& arguments)
{
    const Outcome outcome = run(arguments + QStringList{u"--json"_s});
    if (outcome.code != 0)
        qWarning("%s", outcome.err.constData());
    return outcome.json();
}

QJsonObject named(const QJsonArray& list, const QString& key, const QString& name)
{
    for (const QJsonValue& value : list)
        if (value[key].toString() == name)
            return value.toObject();
    return {};
}

std::vector<float> floats(const QString& path, const char* name)
{
    const auto file = io::SafetensorsFile::open(path.toStdString());
    const io::TensorInfo* info = file.has_value() ? (*file)->find(name) : nullptr;
    if (!info)
        return {};
    const auto bytes = (*file)->bytes(*info);
    std::vector<float> values(bytes.size() / sizeof(float));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
}

// Checkpoints of a run, here the same model.
void writeCheckpoints(const QString& run, const QStringList& steps)
{
    for (const QString& step : steps) {
        const QString folder = run + u'/' + step;
        QDir().mkpath(folder);
        for (const QString& name : {u"config.json"_s, u"model.safetensors"_s, u"tokenizer.json"_s})
            QFile::copy(kModel + u'/' + name, folder + u'/' + name);
    }
}

} // namespace

class TestWhyCommands : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void init() { m_folder = std::make_unique<Folder>(); }
    void lensEndsInTheAnswer_data() { models(); }
    void lensEndsInTheAnswer();
    void partsAddUp_data() { models(); }
    void tokensAreAsLikelyAsTheLensSays_data() { models(); }
    void tokensAreAsLikelyAsTheLensSays();
    void partsAddUp();
    void meansOverATaskHaveIntervals();
    void patchesFindTheHeads();
    void patchesOfAllKinds_data();
    void patchesOfAllKinds();
    void pairsOfAFile();
    void tellsTheCostBefore();
    void edgesFeedTheAggregateHead();
    void theTourTellsEdgesAsTheyAre_data();
    void theTourTellsEdgesAsTheyAre();
    void aScoreIsASumOverItsWriters();
    void wordsOfSeveralTokensHaveCounterparts();
    void headsThatAnAdapterChangedAreFound();
    void aSeriesFollowsCheckpoints();
    void aSeriesMeasuresAnyMetric();
    void aSeriesReadsTheFolderOfATrainer();
    void aKnockoutIsSweptOverLayers_data();
    void aKnockoutIsSweptOverLayers();
    void weightsHaveABaseline();
    void probesLabelHeads();
    void listsOfPromptsSteer();
    void expertsOfEachToken();
    void tellsForPeople_data();
    void tellsForPeople();
    void refusesWithASentence_data();
    void refusesWithASentence();

private:
    static void models();
    std::unique_ptr<Folder> m_folder;
};

void TestWhyCommands::initTestCase()
{
    if (!QFile::exists(qEnvironmentVariable("HEADSCOPE_CLI")))
        QSKIP("HEADSCOPE_CLI names no program; ctest sets it.");
}

void TestWhyCommands::models()
{
    QTest::addColumn<QString>("model");
    QTest::newRow("transformer") << kModel;
    QTest::newRow("ssm") << kSsm;
    QTest::newRow("hybrid") << kHybrid;
}

void TestWhyCommands::lensEndsInTheAnswer()
{
    QFETCH(QString, model);
    const QString file = m_folder->path(u"lens.safetensors"_s);
    const QJsonObject told = jsonOf(QStringList{u"lens"_s, model, u"-o"_s, file} + kSample);
    const QJsonArray positions = told[u"positions"_s].toArray();
    QCOMPARE(positions.size(), told[u"tokens"_s].toArray().size());
    const QJsonObject last = positions.last().toObject();
    const QJsonArray layers = last[u"layers"_s].toArray();
    QCOMPARE(layers.size(), 5);
    // The shipped models answer; the last row is their own output.
    QCOMPARE(layers.last()[u"rank"_s].toInt(), 0);
    QCOMPARE(layers.last()[u"top"_s][0][u"token"_s].toString(), last[u"followed"_s].toString());
    QVERIFY(std::abs(std::exp(layers.last()[u"logprob"_s].toDouble()) - layers.last()[u"top"_s][0][u"p"_s].toDouble())
            < 1e-4);
    QVERIFY(layers.first()[u"rank"_s].toInt() > 0);
    const int first = last[u"first_layer"_s].toInt();
    QVERIFY(first > 0 && first <= 4);
    QCOMPARE(layers[first][u"rank"_s].toInt(), 0);
    QVERIFY(layers[first - 1][u"rank"_s].toInt() > 0);
    const auto written = floats(file, "lens.logprob");
    QCOMPARE(written.size(), static_cast<std::size_t>(5 * positions.size()));
    QVERIFY(std::abs(written.back() - layers.last()[u"logprob"_s].toDouble()) < 1e-5);
}

// The last row of the lens is the model's own output: of each token before, what it found probable for the next.
void TestWhyCommands::tokensAreAsLikelyAsTheLensSays()
{
    QFETCH(QString, model);
    const QString file = m_folder->path(u"logprob.safetensors"_s);
    const QJsonObject told =
        jsonOf(QStringList{u"logprob"_s, model, u"--ablate"_s, u"L2H5"_s, u"-o"_s, file} + kSample);
    const QJsonArray tokens = told[u"tokens"_s].toArray();
    const QJsonArray lens = jsonOf(QStringList{u"lens"_s, model} + kSample)[u"positions"_s].toArray();
    const QJsonArray cut =
        jsonOf(QStringList{u"lens"_s, model, u"--ablate"_s, u"L2H5"_s} + kSample)[u"positions"_s].toArray();
    QCOMPARE(tokens.size(), lens.size());
    QVERIFY(tokens[0][u"logprob"_s].isNull() && tokens[0][u"baseline"_s].isNull());
    int compared = 0;
    const auto check = [&](const QJsonArray& positions, qsizetype at, const QString& value) {
        for (const QJsonValue& top : positions[at - 1][u"layers"_s].toArray().last()[u"top"_s].toArray())
            if (top[u"id"_s] == tokens[at][u"id"_s]) {
                QVERIFY(std::abs(std::exp(tokens[at][value].toDouble()) - top[u"p"_s].toDouble()) < 1e-4);
                ++compared;
            }
    };
    for (qsizetype at = 1; at < tokens.size(); ++at) {
        check(lens, at, u"baseline"_s);
        check(cut, at, u"logprob"_s);
    }
    QVERIFY2(compared > 10, qPrintable(QString::number(compared)));
    const auto written = floats(file, "logprob");
    QCOMPARE(written.size(), static_cast<std::size_t>(tokens.size()));
    QVERIFY(std::abs(written.back() - tokens.last()[u"logprob"_s].toDouble()) < 1e-5);
    // With all heads on both are the same run.
    for (const QJsonValue& token : jsonOf(QStringList{u"logprob"_s, model} + kSample)[u"tokens"_s].toArray())
        QCOMPARE(token[u"logprob"_s], token[u"baseline"_s]);
}

void TestWhyCommands::partsAddUp()
{
    QFETCH(QString, model);
    const QString file = m_folder->path(u"parts.safetensors"_s);
    const QJsonObject told = jsonOf(QStringList{u"attribute"_s, model, u"--sources"_s, u"-o"_s, file} + kSample);
    const QJsonArray parts = told[u"parts"_s].toArray();
    QVERIFY(!parts.isEmpty());
    double sum = 0;
    for (const QJsonValue& part : parts) {
        sum += part[u"value"_s].toDouble();
        double sources = 0;
        for (const QJsonValue& source : part[u"sources"_s].toArray())
            sources += source[u"value"_s].toDouble();
        if (part.toObject().contains(u"sources"_s))
            QVERIFY2(std::abs(sources - part[u"value"_s].toDouble()) < kTolerance,
                     qPrintable(part[u"part"_s].toString()));
    }
    QVERIFY(std::abs(sum - told[u"difference"_s].toDouble()) < kTolerance);
    QVERIFY(told[u"difference"_s].toDouble() > 1); // the answer is far before the best wrong value
    QVERIFY(told[u"answer"_s].toString() != told[u"distractor"_s].toString());
    QVERIFY(std::abs(floats(file, "dla.embed").at(0) - named(parts, u"part"_s, u"embed"_s)[u"value"_s].toDouble())
            < 1e-5);
    QCOMPARE(floats(file, "dla.rest").size(), std::size_t{4});

    // An ablated head adds nothing any more, and the parts add up to what is left.
    QString strongest;
    double most = 0;
    for (const QJsonValue& part : parts)
        if (part.toObject().contains(u"sources"_s) && part[u"value"_s].toDouble() > most) {
            most = part[u"value"_s].toDouble();
            strongest = part[u"part"_s].toString();
        }
    QVERIFY(!strongest.isEmpty());
    const QJsonObject without = jsonOf(QStringList{u"attribute"_s, model, u"--ablate"_s, strongest} + kSample);
    QCOMPARE(named(without[u"parts"_s].toArray(), u"part"_s, strongest)[u"value"_s].toDouble(), 0.0);
    QVERIFY(std::abs(without[u"sum"_s].toDouble() - without[u"difference"_s].toDouble()) < kTolerance);
}

void TestWhyCommands::meansOverATaskHaveIntervals()
{
    const QStringList task = {u"attribute"_s, kModel, u"--task"_s, u"toy_kv:pairs=4"_s};
    const QJsonObject all = jsonOf(task + QStringList{u"--limit"_s, u"6"_s});
    QCOMPARE(all[u"n"_s].toInt(), 6);
    double sum = 0, difference = 0;
    for (const QJsonValue& part : all[u"parts"_s].toArray()) {
        sum += part[u"value"_s].toDouble();
        QVERIFY(part[u"interval"_s][0].toDouble() <= part[u"value"_s].toDouble());
        QVERIFY(part[u"interval"_s][1].toDouble() >= part[u"value"_s].toDouble());
    }
    for (int sample = 0; sample < 6; ++sample)
        difference +=
            jsonOf(task + QStringList{u"--sample"_s, QString::number(sample)})[u"difference"_s].toDouble() / 6;
    QVERIFY(std::abs(all[u"difference"_s].toDouble() - difference) < kTolerance);
    QVERIFY(std::abs(sum - difference) < kTolerance);
}

// The heads that the model's card names carry the answer: patched from the clean run they bring most of it back.
void TestWhyCommands::patchesFindTheHeads()
{
    const QString file = m_folder->path(u"patch.safetensors"_s);
    const QJsonObject told = jsonOf({u"patch"_s, kModel, u"--what"_s, u"heads"_s, u"--task"_s, u"toy_kv:pairs=4"_s,
                                     u"--limit"_s, u"8"_s, u"--exchange"_s, u"value"_s, u"-o"_s, file});
    QCOMPARE(told[u"n"_s].toInt() + told[u"left_out"_s].toInt(), 8);
    QVERIFY(told[u"clean"_s].toDouble() > told[u"corrupt"_s].toDouble());
    const QJsonArray cells = told[u"cells"_s].toArray();
    QCOMPARE(cells.size(), 32);
    QString best;
    double most = 0;
    for (const QJsonValue& cell : cells) {
        QVERIFY(cell[u"interval"_s][0].toDouble() <= cell[u"effect"_s].toDouble());
        if (cell[u"normalised"_s].toDouble() > most) {
            most = cell[u"normalised"_s].toDouble();
            best = cell[u"head"_s].toString();
        }
    }
    QVERIFY2(best == u"L2H5"_s || best == u"L1H2"_s, qPrintable(best));
    QVERIFY(most > 0.5);
    QCOMPARE(floats(file, "patch.attn.L2").size(), std::size_t{8});
    QVERIFY(std::abs(floats(file, "patch.attn.L2").at(5) - named(cells, u"head"_s, u"L2H5"_s)[u"value"_s].toDouble())
            < 1e-4);
}

void TestWhyCommands::patchesOfAllKinds_data()
{
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("positions");
    QTest::addColumn<QString>("direction");
    QTest::newRow("stream") << kModel << u"stream"_s << u"each"_s << u"denoise"_s;
    QTest::newRow("stream as a whole") << kHybrid << u"stream"_s << u"all"_s << u"noise"_s;
    QTest::newRow("mixer") << kSsm << u"mixer"_s << u"each"_s << u"denoise"_s;
    QTest::newRow("mlp") << kHybrid << u"mlp"_s << u"last"_s << u"denoise"_s;
    QTest::newRow("heads at the last") << kSsm << u"heads"_s << u"last"_s << u"noise"_s;
    QTest::newRow("state") << kSsm << u"state"_s << u"each"_s << u"denoise"_s;
}

void TestWhyCommands::patchesOfAllKinds()
{
    QFETCH(QString, model);
    QFETCH(QString, what);
    QFETCH(QString, positions);
    QFETCH(QString, direction);
    const QJsonObject told = jsonOf(
        QStringList{u"patch"_s, model, u"--what"_s, what, u"--positions"_s, positions, u"--direction"_s, direction}
        + kSample);
    const int tokens = static_cast<int>(told[u"tokens"_s].toArray().size());
    const int layers = 4, places = positions == u"each"_s ? tokens - (what == u"state"_s ? 1 : 0) : 1;
    const QJsonArray cells = told[u"cells"_s].toArray();
    QCOMPARE(static_cast<int>(cells.size()), layers * places * (what == u"heads"_s ? 8 : 1));
    const double into = told[direction == u"denoise"_s ? u"corrupt"_s : u"clean"_s].toDouble();
    const double from = told[direction == u"denoise"_s ? u"clean"_s : u"corrupt"_s].toDouble();
    for (const QJsonValue& cell : cells)
        QVERIFY(std::abs((cell[u"value"_s].toDouble() - into) / (from - into) - cell[u"normalised"_s].toDouble())
                < 1e-6);
    // All of the first stream is the other run; before the prompts differ nothing changes.
    if (what == u"stream"_s && positions == u"all"_s)
        QVERIFY(std::abs(cells.first()[u"normalised"_s].toDouble() - 1) < kTolerance);
    if (what == u"stream"_s && positions == u"each"_s)
        QCOMPARE(cells.first()[u"normalised"_s].toDouble(), 0.0);
    // Behind the last token that differs, the answer's value stands in one layer's state or in several.
    if (what == u"state"_s)
        QVERIFY(std::any_of(cells.begin(), cells.end(),
                            [](const auto& cell) { return std::abs(cell[u"normalised"_s].toDouble()) > 0.1; }));
}

void TestWhyCommands::pairsOfAFile()
{
    const QString file = m_folder->path(u"pairs.jsonl"_s), table = m_folder->path(u"table.csv"_s);
    const QByteArray begin = R"("<s> Memorize the dictionary :\nbrave fox : 17\ncalm owl : 42\nThe value of the key )";
    write(file, R"({"clean": )" + begin + R"(brave fox is", "corrupt": )" + begin
                    + R"(calm owl is", "answer": "17", "distractor": "42"})" + "\n" + R"({"clean": )" + begin
                    + R"(calm owl is", "corrupt": )" + begin + R"(brave fox is"})" + "\n");
    const QJsonObject told = jsonOf({u"patch"_s, kModel, u"--pairs"_s, file, u"-o"_s, table});
    QCOMPARE(told[u"n"_s].toInt(), 2);
    QCOMPARE(told[u"cells"_s].toArray().size(), 32);
    QCOMPARE(recordsOf(read(table)), 33);
    QVERIFY(read(table).startsWith(
        "layer,head,position,value,effect,low,high,normalised,pairs,clean,corrupt,answer,distractor\n0,L0H0,,"));
    // What is named on the command line goes before what the file says.
    write(file, R"({"clean": )" + begin + R"(brave fox is", "corrupt": )" + begin
                    + R"(calm owl is", "answer": "17", "distractor": "42"})" + "\n");
    const QJsonObject named = jsonOf({u"patch"_s, kModel, u"--pairs"_s, file, u"--distractor"_s, u"93"_s});
    QCOMPARE(named[u"answer"_s].toString(), u"17"_s);
    QCOMPARE(named[u"distractor"_s].toString(), u"93"_s);
    // A pair that cannot be asked is named before anything runs.
    const QByteArray good = R"({"clean": )" + begin + R"(brave fox is", "corrupt": )" + begin + R"(calm owl is")";
    write(file, good + "}\n" + R"({"clean": )" + begin + R"(brave fox is", "corrupt": "The value"})" + "\n");
    VERIFY_FAILS(run({u"patch"_s, kModel, u"--pairs"_s, file}), "pairs.jsonl, pair 2: The prompts have");
    write(file, good + "}\n" + good + R"(, "answer": "17", "distractor": "17"})" + "\n");
    VERIFY_FAILS(run({u"patch"_s, kModel, u"--pairs"_s, file}), "pair 2: Answer and distractor are the same");
    write(file, good + "}\n" + good + R"(, "answer": "17 42"})" + "\n");
    VERIFY_FAILS(run({u"patch"_s, kModel, u"--pairs"_s, file}), "pair 2: '17 42' is 2 tokens");
    write(file, "{\"clean\": \"The\"}\n");
    VERIFY_FAILS(run({u"patch"_s, kModel, u"--pairs"_s, file}), "Line 1 of");
    write(file, "\n");
    VERIFY_FAILS(run({u"patch"_s, kModel, u"--pairs"_s, file}), "contains no pairs");
}

void TestWhyCommands::tellsTheCostBefore()
{
    const QStringList pairs{u"--task"_s, u"toy_kv:pairs=8"_s, u"--limit"_s, u"4"_s, u"--forecast"_s};
    const QJsonObject patches = jsonOf(QStringList{u"patch"_s, kModel} + pairs);
    QCOMPARE(patches[u"cells"_s].toInt(), 32);
    QCOMPARE(patches[u"runs"_s].toInt(), 4 * (2 + 32));
    QVERIFY(patches[u"bytes"_s].toInt() > 4 * 128 * patches[u"tokens"_s].toInt());
    QVERIFY(!patches.contains(u"clean"_s)); // nothing was measured
    // Everything that writes before layer 2: the embedding, sixteen heads, two MLPs.
    const QJsonObject edges = jsonOf(QStringList{u"edges"_s, kModel, u"--receiver"_s, u"L2H5.k"_s} + pairs);
    QCOMPARE(edges[u"cells"_s].toInt(), 19);
}

void TestWhyCommands::edgesFeedTheAggregateHead()
{
    const QStringList task = {u"--task"_s, u"toy_kv:pairs=4"_s, u"--limit"_s, u"4"_s, u"--exchange"_s, u"binding"_s};
    const QString table = m_folder->path(u"edges.csv"_s);
    QString strongest;
    double most = 0;
    for (const QString& part : {u"q"_s, u"k"_s, u"v"_s}) {
        const QJsonObject told =
            jsonOf(QStringList{u"edges"_s, kModel, u"--receiver"_s, u"L2H5."_s + part, u"-o"_s, table} + task);
        const QJsonArray edges = told[u"edges"_s].toArray();
        QCOMPARE(edges.size(), 1 + 2 * (8 + 1)); // the embedding, and two layers of heads with their MLP
        QCOMPARE(recordsOf(read(table)), 20);
        for (const QJsonValue& edge : edges)
            if (std::abs(edge[u"normalised"_s].toDouble()) > most && edge[u"sender"_s].toString().contains(u'H')) {
                most = std::abs(edge[u"normalised"_s].toDouble());
                strongest = edge[u"sender"_s].toString() + u" > "_s + edge[u"receiver"_s].toString();
            }
    }
    QVERIFY(most > 0.5);
    QCOMPARE(strongest, u"L1H2 > L2H5.k"_s); // what gathers which key a value belongs to is read as a key
    // What the sender's listeners say of an edge is what the receiver's senders say of it.
    const QStringList one = {u"--task"_s, u"toy_kv:pairs=4"_s, u"--sample"_s, u"1"_s};
    const QJsonObject into = jsonOf(QStringList{u"edges"_s, kModel, u"--receiver"_s, u"L2H5.v"_s} + one),
                      from = jsonOf(QStringList{u"edges"_s, kModel, u"--sender"_s, u"L1H2"_s} + one);
    QVERIFY(std::abs(named(into[u"edges"_s].toArray(), u"sender"_s, u"L1H2"_s)[u"value"_s].toDouble()
                     - named(from[u"edges"_s].toArray(), u"receiver"_s, u"L2H5.v"_s)[u"value"_s].toDouble())
            < kTolerance);
    QVERIFY(!named(from[u"edges"_s].toArray(), u"receiver"_s, u"logits"_s).isEmpty());
    // SSM heads read through C, B, x and their step.
    QVERIFY(
        !jsonOf(QStringList{u"edges"_s, kSsm, u"--receiver"_s, u"L2H1.dt"_s} + one)[u"edges"_s].toArray().isEmpty());
}

void TestWhyCommands::theTourTellsEdgesAsTheyAre_data()
{
    QTest::addColumn<QString>("exchange");
    QTest::addColumn<QString>("reader");
    QTest::addColumn<QString>("sender");
    QTest::addColumn<QString>("told"); // in the text of the step; empty: less than 0.05
    const auto row = [](const char* exchange, const char* reader, const char* sender, const char* told) {
        QTest::addRow("%s exchanged, %s into %s", exchange, sender, reader)
            << QString::fromLatin1(exchange) << QString::fromLatin1(reader) << QString::fromLatin1(sender)
            << QString::fromLatin1(told);
    };
    row("binding", "L2H5.k", "L1H2", "0.76");
    row("binding", "L2H5.q", "L1H2", "");
    row("binding", "L2H5.v", "L1H2", "");
    row("key", "L2H5.q", "L1H2", "0.83");
    row("key", "L2H5.k", "L1H2", "");
    row("value", "L2H5.v", "L1H2", "");
    row("value", "L2H5.v", "L0.mlp", "0.56");
    row("value", "L2H5.v", "embed", "0.32");
}

void TestWhyCommands::theTourTellsEdgesAsTheyAre()
{
    QFETCH(QString, exchange);
    QFETCH(QString, reader);
    QFETCH(QString, sender);
    QFETCH(QString, told);
    const QJsonObject edges = jsonOf({u"edges"_s, kModel, u"--receiver"_s, reader, u"--task"_s, u"toy_kv:pairs=8"_s,
                                      u"--limit"_s, u"32"_s, u"--exchange"_s, exchange});
    const double share = named(edges[u"edges"_s].toArray(), u"sender"_s, sender)[u"normalised"_s].toDouble(9);
    if (told.isEmpty()) {
        QVERIFY2(std::abs(share) < 0.05, qPrintable(QString::number(share)));
        return;
    }
    QVERIFY2(std::abs(share - told.toDouble()) < 0.006, qPrintable(QString::number(share)));
    for (const char* name : {"which-feeds-which.json", "which-feeds-which.de.json"}) {
        QFile tour(QStringLiteral(HEADSCOPE_SOURCE_DIR "/resources/tours/") + QString::fromLatin1(name));
        QVERIFY(tour.open(QIODevice::ReadOnly));
        const QByteArray text = tour.readAll();
        QVERIFY2(text.contains(told.toUtf8()) || text.contains(QString(told).replace(u'.', u',').toUtf8()), name);
    }
}

// The aggregate head looks at the value because of what the layer before it wrote there.
void TestWhyCommands::aScoreIsASumOverItsWriters()
{
    const QString table = m_folder->path(u"score.csv"_s), file = m_folder->path(u"score.safetensors"_s);
    const auto ask = [](const QStringList& more) {
        return QStringList{u"why-score"_s, kModel, u"--task"_s, u"toy_kv:pairs=8"_s, u"--sample"_s, u"0"_s} + more;
    };
    const QStringList place{u"--head"_s, u"L2H5"_s, u"--query"_s, u"53"_s, u"--key"_s, u"9"_s};
    const auto near = [](double a, double b) { return std::abs(a - b) < 1e-4 * std::max(1.0, std::abs(a)); };
    for (const QStringList& more : {QStringList(), QStringList{u"--raw"_s}}) {
        const QJsonObject told = jsonOf(ask(place + more + QStringList{u"-o"_s, table, u"-o"_s, file}));
        const double score = told[u"score"_s].toDouble();
        for (const QString& side : {u"query"_s, u"key"_s}) {
            double sum = 0;
            for (const QJsonValue& part : told[side + u"_parts"_s].toArray())
                sum += part[u"value"_s].toDouble();
            QVERIFY(near(sum, score));
            double written = 0;
            for (const float value : floats(file, qPrintable(u"score."_s + side)))
                written += value;
            QVERIFY(near(written, score));
        }
        QVERIFY(std::abs(told[u"rounding"_s].toDouble()) < 1e-4 * std::abs(score));
        QCOMPARE(told[u"pairs"_s].toArray().size(), 20);
        QVERIFY(told[u"share"_s].toDouble() > 0.5);
        QVERIFY(read(table).startsWith("side,part,other part,value\nquery,embed,,"));
    }
    // A key that is knocked out is scored, and not attended to.
    const QJsonObject knocked = jsonOf(ask(place + QStringList{u"--ablate"_s, u"knock:L2H5[q=53,k=9]"_s}));
    QVERIFY(knocked[u"score"_s].toDouble() > 1);
    QCOMPARE(knocked[u"share"_s].toDouble(), 0.0);
    for (const auto& [arguments, sentence] :
         {std::pair(QStringList{u"--head"_s, u"L2H5"_s, u"--query"_s, u"9"_s, u"--key"_s, u"53"_s}, "does not see"),
          {place + QStringList{u"--ablate"_s, u"skip:L2.mixer"_s}, "does not run under this ablation"},
          {QStringList{u"--head"_s, u"L2H5"_s, u"--query"_s, u"900"_s, u"--key"_s, u"0"_s}, "does not see"},
          {QStringList{u"--head"_s, u"L2.mlp"_s, u"--query"_s, u"9"_s, u"--key"_s, u"0"_s}, "reads no tokens"},
          {QStringList{u"--head"_s, u"L9H0"_s, u"--query"_s, u"9"_s, u"--key"_s, u"0"_s}, "L9"}}) {
        const auto done = run(ask(arguments));
        QCOMPARE(done.code, 1);
        QVERIFY2(done.err.contains(sentence), done.err.constData());
    }
    // An SSM head that looks values up: to first order, and what that leaves over is the last part.
    const QJsonObject ssm = jsonOf({u"why-score"_s, kSsm, u"--task"_s, u"toy_kv:pairs=8"_s, u"--sample"_s, u"0"_s,
                                    u"--head"_s, u"L2H1"_s, u"--query"_s, u"53"_s, u"--key"_s, u"9"_s});
    QVERIFY(ssm[u"linearised"_s].toBool());
    const QJsonArray parts = ssm[u"query_parts"_s].toArray();
    double sum = 0, largest = 0;
    for (const QJsonValue& part : parts) {
        sum += part[u"value"_s].toDouble();
        largest = std::max(largest, part[u"value"_s].toDouble());
    }
    QVERIFY(near(sum, ssm[u"score"_s].toDouble()));
    QCOMPARE(parts.last()[u"part"_s].toString(), u"residue"_s);
    QVERIFY(std::abs(parts.last()[u"value"_s].toDouble()) < 0.1 * largest);
}

// Words of several tokens: one of the other keys has as many tokens as the one asked for.
void TestWhyCommands::wordsOfSeveralTokensHaveCounterparts()
{
    const QJsonObject patched =
        jsonOf({u"patch"_s, u"small-transformer"_s, u"--task"_s, u"word_kv:pairs=8"_s, u"--sample"_s, u"0"_s});
    QVERIFY(patched[u"clean"_s].toDouble() > 0 && patched[u"corrupt"_s].toDouble() < 0);
    QCOMPARE(patched[u"tokens"_s].toArray().size(), patched[u"other_tokens"_s].toArray().size());
}

// An adapter that turns the queries of layer 0: its heads look for something else, copy the same, and no other changed
// its weights.
void TestWhyCommands::headsThatAnAdapterChangedAreFound()
{
    const QString adapter = m_folder->path(u"turned"_s), table = m_folder->path(u"changes.csv"_s);
    writeAdapter(adapter);
    const QString changed = kModel + u'+' + adapter;
    const Outcome outcome = run({u"compare"_s, kModel, changed, u"--task"_s, u"toy_kv:pairs=4"_s, u"--limit"_s, u"4"_s,
                                 u"--json"_s, u"--output"_s, table});
    QVERIFY2(outcome.code == 0, outcome.err.constData());
    const QJsonArray heads = outcome.json()[u"heads"_s].toArray();
    QCOMPARE(heads.size(), 32);
    for (const QJsonValue& head : heads) {
        const bool first = head[u"head"_s].toString().startsWith(u"L0"_s);
        QCOMPARE(head[u"qk"_s].toDouble() > 1e-3, first);
        QCOMPARE(head[u"ov"_s].toDouble(), 0.0);
        QVERIFY(head[u"pattern"_s].toDouble() > 0 && head[u"pattern"_s].toDouble() <= 1);
        QVERIFY(head[u"effect"_s].isDouble());
        QVERIFY(head[u"interval"_s].isArray() || head[u"effect"_s].toDouble() == 0); // without spread there is none
    }
    QVERIFY(read(table).startsWith("head,ov,qk,pattern,effect,low,high,p (Holm)\n"));
    const Outcome one = run({u"compare"_s, kModel, changed, u"--task"_s, u"toy_kv:pairs=4"_s, u"--limit"_s, u"1"_s});
    QVERIFY2(one.out.contains("Over 1 prompt the effect of 0 heads changed"), one.out.constData() + one.out.size() / 2);
    // The patterns over texts: of all heads of that layer, and no effects.
    write(m_folder->path(u"corpus.txt"_s), "food is pizza\n\nfood is pizza or 29\n");
    const Outcome texts = run({u"compare"_s, kModel, changed, u"--texts"_s, m_folder->path(u"corpus.txt"_s),
                               u"--length"_s, u"4"_s, u"--json"_s});
    QVERIFY2(texts.code == 0, texts.err.constData());
    QVERIFY(texts.json()[u"prompts"_s].toInt() >= 2 && texts.json()[u"answered"_s].toInt() == 0);
    QVERIFY(texts.json()[u"source"_s].toString().contains(u"corpus.txt"_s));
    for (const QJsonValue& head : texts.json()[u"heads"_s].toArray())
        QVERIFY(head[u"pattern"_s].toDouble() > 0 && head[u"effect"_s].isNull());
    const Outcome info = run({u"info"_s, kModel, u"--adapter"_s, adapter, u"--json"_s});
    QCOMPARE(info.json()[u"adapter"_s][u"form"_s].toString(), u"LoRA, rank 1"_s);
    VERIFY_FAILS(run({u"compare"_s, kModel, kHybrid}), "one shape");
    VERIFY_FAILS(run({u"compare"_s, kModel, changed, u"--ablate"_s, u"L0H0"_s}), "--ablate");
    VERIFY_FAILS(run({u"info"_s, adapter}), "LoRA adapter"); // its base is not named
}

// Checkpoints of a run, here the same model twice: the number of each is that of the command for one model.
void TestWhyCommands::aSeriesFollowsCheckpoints()
{
    const QString run1 = m_folder->path(u"run"_s), table = m_folder->path(u"series.csv"_s),
                  picture = m_folder->path(u"series.svg"_s);
    writeCheckpoints(run1, {u"step-200"_s, u"step-30"_s});
    const Outcome metric = run(
        {u"series"_s, run1, u"--metric"_s, u"induction"_s, u"--json"_s, u"--output"_s, table, u"--output"_s, picture});
    QVERIFY2(metric.code == 0, metric.err.constData());
    const QJsonArray points = metric.json()[u"points"_s].toArray();
    QCOMPARE(points.size(), 2);
    QCOMPARE(points[0][u"step"_s].toInt(), 30); // by number, not by name
    QCOMPARE(points[1][u"step"_s].toInt(), 200);
    const QJsonObject probe = run({u"probe"_s, kModel, u"--method"_s, u"induction"_s, u"--json"_s}).json();
    double largest = 0;
    for (const QJsonValue& head : probe[u"heads"_s].toArray()) {
        const double score = head[u"scores"_s][u"induction"_s].toDouble();
        largest = std::max(largest, score);
        QVERIFY(std::abs(points[0][u"heads"_s][head[u"head"_s].toString()].toDouble() - score) < 1e-9);
    }
    QVERIFY(std::abs(points[0][u"value"_s].toDouble() - largest) < 1e-9);
    QVERIFY(read(table).startsWith("step,value,low,high,head,L0H0,"));
    QVERIFY(read(picture).contains("<svg"));

    const QStringList rows = {u"--task"_s, u"toy_kv:pairs=8"_s, u"--limit"_s, u"16"_s, u"--ablate"_s, u"L2H5"_s};
    const Outcome effect = run(QStringList{u"series"_s, run1, u"--json"_s} + rows);
    const QJsonObject score = run(QStringList{u"score"_s, kModel, u"--json"_s} + rows).json();
    const QJsonObject line = score[u"results"_s].toArray().first().toObject();
    QVERIFY2(std::abs(effect.json()[u"points"_s][0][u"value"_s].toDouble() - line[u"delta"_s].toDouble()) < 1e-9,
             effect.out.constData());
    QVERIFY(effect.json()[u"points"_s][0][u"interval"_s].isArray());
    QVERIFY(effect.json()[u"points"_s][0][u"value"_s].toDouble() < -0.3);

    VERIFY_FAILS(run({u"series"_s, run1}), "--metric");
    VERIFY_FAILS(run({u"series"_s, run1, u"--metric"_s, u"retrieval"_s}), "--task");
    VERIFY_FAILS(run({u"series"_s, kModel, kModel, u"--metric"_s, u"sink"_s}), "training step");
    VERIFY_FAILS(run({u"series"_s, run1 + u"/step-30"_s, u"--metric"_s, u"sink"_s}), "at least two");
    VERIFY_FAILS(run({u"series"_s, run1 + u"/step-30"_s, run1 + u"/step-30"_s, u"--metric"_s, u"sink"_s}),
                 "same training step");
    VERIFY_FAILS(run({u"series"_s, run1, u"--metric"_s, u"sink"_s, u"--head"_s, u"L9H9"_s}), "no head");
}

void TestWhyCommands::aSeriesMeasuresAnyMetric()
{
    const QString run1 = m_folder->path(u"run"_s);
    writeCheckpoints(run1, {u"step-200"_s, u"step-30"_s});
    // Any metric of a survey, over the prompts of a task or over texts.
    const QStringList rowsOf{u"--task"_s, u"toy_kv:pairs=4"_s, u"--limit"_s, u"4"_s, u"--json"_s};
    const QJsonObject gathered = run(QStringList{u"series"_s, run1, u"--metric"_s, u"gather"_s} + rowsOf).json();
    QCOMPARE(gathered[u"what"_s].toString(), u"gather over toy_kv:pairs=4"_s);
    QCOMPARE(gathered[u"points"_s][1][u"head"_s].toString(), u"L1H2"_s);
    const QJsonObject surveyed = run(QStringList{u"survey"_s, kModel} + rowsOf).json();
    for (const QJsonValue& head : surveyed[u"heads"_s].toArray())
        QCOMPARE(gathered[u"points"_s][0][u"heads"_s][head[u"head"_s].toString()].toDouble(),
                 head[u"metrics"_s][u"gather"_s][u"mean"_s].toDouble());
    const QString corpus = m_folder->path(u"corpus.txt"_s);
    write(corpus, "food is pizza\n");
    const QStringList entropy{u"series"_s, run1, u"--metric"_s, u"entropy"_s};
    QCOMPARE(run(entropy + QStringList{u"--texts"_s, corpus}).code, 0);
    VERIFY_FAILS(run(entropy), "--texts");
    VERIFY_FAILS(run({u"series"_s, run1, u"--metric"_s, u"duplicate"_s, u"--texts"_s, corpus}), "at no token");
    VERIFY_FAILS(run({u"series"_s, run1, u"--metric"_s, u"sink"_s, u"--texts"_s, corpus}), "leave out --texts");
    VERIFY_FAILS(run(QStringList{u"series"_s, run1, u"--metric"_s, u"sink"_s} + rowsOf), "one number");
}

void TestWhyCommands::aSeriesReadsTheFolderOfATrainer()
{
    const QString run1 = m_folder->path(u"trained"_s);
    writeCheckpoints(run1, {u"stage1-step200-tokens4B"_s, u"checkpoint-30"_s});
    // The folder of a trainer, which has the last model beside the checkpoints, and names that go on behind the step.
    QVERIFY(QFile::copy(kModel + u"/config.json"_s, run1 + u"/config.json"_s));
    const Outcome ablated =
        run({u"series"_s, run1, u"--metric"_s, u"induction"_s, u"--ablate"_s, u"L1H2"_s, u"--json"_s});
    QVERIFY2(ablated.code == 0, ablated.err.constData());
    QCOMPARE(ablated.json()[u"points"_s][1][u"step"_s].toInt(), 200);
    QCOMPARE(ablated.json()[u"what"_s].toString(), u"induction, with L1H2 ablated"_s);
    QVERIFY(ablated.json()[u"points"_s][0][u"value"_s].toDouble() < 0.05);
}

void TestWhyCommands::aKnockoutIsSweptOverLayers_data()
{
    QTest::addColumn<QString>("model");
    QTest::addColumn<int>("layer"); // where the last token has to read the value
    QTest::newRow("transformer") << kModel << 2;
    QTest::newRow("ssm") << kSsm << 2;
    QTest::newRow("hybrid") << kHybrid << 3;
}

void TestWhyCommands::aKnockoutIsSweptOverLayers()
{
    QFETCH(const QString, model);
    QFETCH(const int, layer);
    const QString table = m_folder->path(u"sweep.csv"_s), file = m_folder->path(u"sweep.safetensors"_s);
    const QStringList sample = {u"--task"_s, u"toy_kv:pairs=8"_s, u"--sample"_s, u"0"_s},
                      spans = {u"--queries"_s, u"53"_s, u"--keys"_s, u"9"_s};
    const QJsonObject told = jsonOf(QStringList{u"knockout"_s, model, u"-o"_s, table, u"-o"_s, file} + sample + spans);
    const QJsonArray windows = told[u"windows"_s].toArray();
    QCOMPARE(windows.size(), 4); // of the hybrid's SSM layers, too
    const std::vector<float> values = floats(file, "knockout.value");
    QCOMPARE(values.size(), std::size_t{4});
    for (int i = 0; i < 4; ++i) {
        QVERIFY(std::abs(windows[i][u"value"_s].toDouble() - values[static_cast<std::size_t>(i)]) < 1e-5);
        QVERIFY(i == layer || windows[i][u"value"_s].toDouble() > windows[layer][u"value"_s].toDouble());
    }
    QVERIFY(windows[layer][u"effect"_s].toDouble() < -5);
    QVERIFY(read(table).startsWith("first,last,value,effect\n0,0,"));
    // As wide as the model, after the softmax: what the same ablation leaves.
    const QJsonObject wide =
        jsonOf(QStringList{u"knockout"_s, model, u"--window"_s, u"7"_s, u"--softmax"_s, u"after"_s} + sample + spans);
    const QJsonObject masked =
        jsonOf(QStringList{u"attribute"_s, model, u"--ablate"_s, u"mask:L0-3H*[q=53,k=9]"_s, u"--answer"_s,
                           told[u"answer"_s].toString(), u"--distractor"_s, told[u"distractor"_s].toString()}
               + sample);
    for (const QJsonValue& window : wide[u"windows"_s].toArray())
        QVERIFY(std::abs(window[u"value"_s].toDouble() - masked[u"difference"_s].toDouble()) < 1e-3);
    const clifixture::Outcome words = run(QStringList{u"knockout"_s, model} + sample + spans);
    QVERIFY2(words.out.contains("Lowest in L" + QByteArray::number(layer) + "."), words.out.constData());
}

void TestWhyCommands::weightsHaveABaseline()
{
    const QString file = m_folder->path(u"weights.safetensors"_s);
    const QJsonObject told = jsonOf({u"weights"_s, kModel, u"--head"_s, u"L2H5"_s, u"-o"_s, file});
    QCOMPARE(told[u"heads"_s].toArray().size(), 32);
    QCOMPARE(told[u"composition"_s].toArray().size(), 3 * 6 * 64);
    for (const QJsonValue& one : told[u"composition"_s].toArray()) {
        QVERIFY(std::abs(one[u"baseline"_s].toDouble() - 1 / std::sqrt(128.0)) < 1e-9);
        QVERIFY(one[u"value"_s].toDouble() >= 0 && one[u"value"_s].toDouble() <= 1);
    }
    QCOMPARE(told[u"directions"_s].toArray().size(), 8);
    QCOMPARE(floats(file, "composition.q.L1.L2").size(), std::size_t{64});
    QVERIFY(std::abs(floats(file, "copying.L2").at(5)
                     - named(told[u"heads"_s].toArray(), u"head"_s, u"L2H5"_s)[u"copying"_s].toDouble())
            < 1e-6);
    const QJsonArray ssm = jsonOf({u"weights"_s, kSsm})[u"composition"_s].toArray();
    QCOMPARE(ssm.first()[u"kind"_s].toString(), u"c"_s); // what a query is in an SSM
}

void TestWhyCommands::probesLabelHeads()
{
    const QJsonObject told = jsonOf({u"probe"_s, kModel, u"--task"_s, u"toy_kv:pairs=4"_s, u"--limit"_s, u"4"_s,
                                     u"--sequences"_s, u"2"_s, u"--seed"_s, u"5"_s});
    QCOMPARE(told[u"heads"_s].toArray().size(), 32);
    QCOMPARE(told[u"seed"_s].toInt(), 5);
    const QJsonObject head = named(told[u"heads"_s].toArray(), u"head"_s, u"L2H5"_s);
    QCOMPARE(head[u"scores"_s].toObject().size(), 5);
    QVERIFY(head[u"scores"_s][u"retrieval"_s].toDouble() > 0.9);
    QCOMPARE(head[u"label"_s].toString(), u"retrieval"_s);
    const QJsonObject some = jsonOf(
        {u"probe"_s, kSsm, u"--method"_s, u"previous,sink"_s, u"--sequences"_s, u"1"_s, u"--threshold"_s, u"0"_s});
    QCOMPARE(some[u"heads"_s][0][u"scores"_s].toObject().keys(), (QStringList{u"previous"_s, u"sink"_s}));
    QVERIFY(!some[u"heads"_s][0][u"label"_s].toString().isEmpty());
}

void TestWhyCommands::listsOfPromptsSteer()
{
    const QString toward = m_folder->path(u"red-list.txt"_s), away = m_folder->path(u"blue.txt"_s);
    write(toward, "<s> The color of Ada is\n\n<s> The color of Ben is\n");
    write(away, "<s> The home of Ada is\n<s> The home of Ben is\n");
    const QString steer = u"steer:L2*2="_s + toward + u'-' + away;
    const QStringList prompt = {u"attribute"_s, kModel, u"--text"_s, u"<s> The food of Ada is"_s};
    const QJsonObject plain = jsonOf(prompt), steered = jsonOf(prompt + QStringList{u"--ablate"_s, steer});
    QCOMPARE(steered[u"ablation"_s].toString(), steer);
    QVERIFY(named(plain[u"parts"_s].toArray(), u"part"_s, u"L2.steer"_s).isEmpty());
    QVERIFY(!named(steered[u"parts"_s].toArray(), u"part"_s, u"L2.steer"_s).isEmpty());
    QVERIFY(std::abs(steered[u"sum"_s].toDouble() - steered[u"difference"_s].toDouble()) < kTolerance);
    // Scores follow, as they follow any other intervention.
    const QJsonObject score = jsonOf({u"score"_s, kModel, u"--task"_s, u"toy_knowledge"_s, u"--limit"_s, u"30"_s,
                                      u"--ablate"_s, u"steer:L2*8="_s + toward + u'-' + away});
    QVERIFY(score[u"results"_s][0][u"value"_s].toDouble() < score[u"baseline"_s][0][u"value"_s].toDouble());
    VERIFY_FAILS(run(prompt + QStringList{u"--ablate"_s, u"steer:L2=nothing-here"_s}), "two lists of prompts");
    write(away, "\n");
    VERIFY_FAILS(run(prompt + QStringList{u"--ablate"_s, steer}), "contains no prompts");
}

// A small Mixtral with the shipped model's first words.
void TestWhyCommands::expertsOfEachToken()
{
    QJsonObject tokenizer = QJsonDocument::fromJson(read(kModel + u"/tokenizer.json"_s)).object(),
                model = tokenizer[u"model"_s].toObject(), words;
    const QJsonObject all = model[u"vocab"_s].toObject();
    for (auto word = all.begin(); word != all.end(); ++word)
        if (word.value().toInt() < 47) // it has 48 words
            words[word.key()] = word.value();
    words[u"<unk>"_s] = 47;
    model[u"vocab"_s] = words;
    tokenizer[u"model"_s] = model;
    const QString file = m_folder->path(u"tokenizer.json"_s), table = m_folder->path(u"experts.csv"_s);
    write(file, QJsonDocument(tokenizer).toJson());
    const QString mixtral = QStringLiteral(HEADSCOPE_SOURCE_DIR "/tests/data/golden/hub/mixtral");
    const QStringList asked = {u"experts"_s, mixtral,     u"--tokenizer"_s,
                               file,         u"--text"_s, u"<s> The color of Ada is"_s};
    const QJsonObject told = jsonOf(asked + QStringList{u"-o"_s, table});
    const QJsonArray layers = told[u"layers"_s].toArray();
    QCOMPARE(layers.size(), 2);
    for (const QJsonValue& layer : layers) {
        const QJsonArray tokens = layer[u"tokens"_s].toArray();
        QCOMPARE(tokens.size(), 6);
        QCOMPARE(tokens.last()[u"token"_s].toString().trimmed(), u"is"_s);
        for (const QJsonValue& token : tokens) {
            const QJsonArray chosen = token[u"chosen"_s].toArray();
            QCOMPARE(static_cast<int>(chosen.size()), layer[u"per_token"_s].toInt());
            double sum = 0;
            for (const QJsonValue& one : chosen)
                sum += one[u"weight"_s].toDouble();
            QVERIFY(std::abs(sum - 1) < 1e-5); // Mixtral's weights of the chosen ones
        }
    }
    QVERIFY(read(table).startsWith("layer,position,token,expert,weight\n0,0,<s>,L0X"));
    const Outcome people = run(asked);
    QVERIFY2(people.code == 0 && people.out.contains("The heaviest first"), people.err.constData());
    QVERIFY(!people.out.contains("shared"));
    // One with an expert that runs for every token.
    const QString shared = QStringLiteral(HEADSCOPE_SOURCE_DIR "/tests/data/golden/hub/qwen2_moe");
    QStringList sharedAsked = asked;
    sharedAsked[1] = shared;
    const QJsonObject both = jsonOf(sharedAsked + QStringList{u"-o"_s, table});
    for (const QJsonValue& token : both[u"layers"_s][0][u"tokens"_s].toArray()) {
        const double weight = token[u"shared"_s].toDouble(-1);
        QVERIFY(weight > 0 && weight < 1); // the sigmoid of its gate
    }
    QCOMPARE(read(table).count(".shared,"), 2 * 6);
    QVERIFY(run(sharedAsked).out.contains("A shared one runs for every token"));
    QVERIFY(jsonOf({u"info"_s, shared})[u"layers"_s][0][u"shared_expert"_s].toBool());
}

void TestWhyCommands::tellsForPeople_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QByteArray>("words");
    QTest::newRow("lens") << QStringList{u"lens"_s, kModel} + kSample << QByteArray("is on top from the stream before");
    QTest::newRow("lens of a text") << QStringList{u"lens"_s,  kSsm,  u"--text"_s, u"<s> The color of Ada is"_s,
                                                   u"--row"_s, u"2"_s}
                                    << QByteArray("Position 2 of 6 ('color')");
    QTest::newRow("attribute") << QStringList{u"attribute"_s, kModel, u"--sources"_s} + kSample
                               << QByteArray("all add up to");
    QTest::newRow("attribute over a task")
        << QStringList{u"attribute"_s, kSsm, u"--task"_s, u"toy_mc"_s, u"--limit"_s, u"3"_s}
        << QByteArray("over 3 prompts");
    QTest::newRow("patch") << QStringList{u"patch"_s, kModel} + kSample << QByteArray("0: as without the patch");
    QTest::newRow("patch the stream") << QStringList{u"patch"_s, kModel, u"--what"_s, u"stream"_s} + kSample
                                      << QByteArray("token");
    QTest::newRow("patch over knowledge")
        << QStringList{u"patch"_s, kModel, u"--task"_s, u"toy_knowledge"_s, u"--limit"_s, u"6"_s}
        << QByteArray("Mean logit difference over");
    QTest::newRow("edges") << QStringList{u"edges"_s, kModel, u"--receiver"_s, u"logits"_s} + kSample
                           << QByteArray("each alone carries");
    QTest::newRow("weights") << QStringList{u"weights"_s, kHybrid, u"--head"_s, u"L1H0"_s}
                             << QByteArray("above random");
    QTest::newRow("probe") << QStringList{u"probe"_s, kHybrid, u"--sequences"_s, u"1"_s} << QByteArray("induction");
}

void TestWhyCommands::tellsForPeople()
{
    QFETCH(QStringList, arguments);
    QFETCH(QByteArray, words);
    const Outcome outcome = run(arguments);
    QVERIFY2(outcome.code == 0, outcome.err.constData());
    QVERIFY2(outcome.out.contains(words), outcome.out.constData());
    QVERIFY2(!outcome.out.contains("nan"), outcome.out.constData());
}

void TestWhyCommands::refusesWithASentence_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QByteArray>("words");
    const QString color = u"<s> The color of Ada is"_s, home = u"<s> The home of Ada is"_s;
    const QStringList pair = {u"patch"_s, kModel, u"--clean"_s, color, u"--corrupt"_s, home};
    QTest::newRow("unequal lengths") << QStringList{u"patch"_s, kModel,         u"--clean"_s,
                                                    color,      u"--corrupt"_s, u"<s> The"_s}
                                     << QByteArray("have 6 and 2");
    QTest::newRow("several tokens") << pair + QStringList{u"--answer"_s, u"red blue"_s} << QByteArray("2 tokens");
    QTest::newRow("several tokens of a text")
        << QStringList{u"attribute"_s, kModel, u"--text"_s, color, u"--answer"_s, u"red blue"_s}
        << QByteArray("2 tokens");
    QTest::newRow("same answer and distractor")
        << pair + QStringList{u"--answer"_s, u"red"_s, u"--distractor"_s, u"red"_s} << QByteArray("the same token");
    QTest::newRow("the same of a text") << QStringList{u"attribute"_s, kModel,   u"--text"_s,       color,
                                                       u"--answer"_s,  u"red"_s, u"--distractor"_s, u"red"_s}
                                        << QByteArray("the same token");
    QTest::newRow("the same of a knockout")
        << QStringList{u"knockout"_s, kModel, u"--text"_s,   color,    u"--queries"_s,    u"4"_s,
                       u"--keys"_s,   u"1"_s, u"--answer"_s, u"red"_s, u"--distractor"_s, u"red"_s}
        << QByteArray("the same token");
    const QStringList edges = {u"edges"_s, kModel, u"--clean"_s, color, u"--corrupt"_s, home, u"--receiver"_s};
    QTest::newRow("a gate that is none") << edges + QStringList{u"L2H5.gate"_s}
                                         << QByteArray("expected L2H5.q, L2H5.k, L2H5.v.");
    QTest::newRow("the MLP of no layer") << edges + QStringList{u"L4.mlp"_s} << QByteArray("expected L0 to L3.");
    QTest::newRow("a reader that is left out")
        << edges + QStringList{u"L2H5.q"_s, u"--ablate"_s, u"skip:L2"_s} << QByteArray("Layer L2 is skipped");
    QTest::newRow("equal baselines") << QStringList{u"patch"_s, kModel, u"--clean"_s, color, u"--corrupt"_s, color}
                                     << QByteArray("a patch would have no effect");
    QTest::newRow("no state") << pair + QStringList{u"--what"_s, u"state"_s} << QByteArray("no state");
    QTest::newRow("state of all positions")
        << QStringList{u"patch"_s, kSsm, u"--what"_s, u"state"_s, u"--positions"_s, u"all"_s} + kSample
        << QByteArray("--positions each");
    QTest::newRow("position out of range")
        << QStringList{u"lens"_s, kModel, u"--text"_s, color, u"--row"_s, u"6"_s} << QByteArray("no position 6");
    QTest::newRow("sample out of range") << QStringList{u"patch"_s,  kModel,        u"--task"_s,
                                                        u"toy_kv"_s, u"--sample"_s, u"256"_s}
                                         << QByteArray("expected 0 to 255");
    const QStringList swept = {u"knockout"_s, kSsm, u"--text"_s, color, u"--queries"_s};
    QTest::newRow("sweep of spans that overlap")
        << swept + QStringList{u"2-4"_s, u"--keys"_s, u"3-5"_s} << QByteArray("expected keys that end before");
    QTest::newRow("sweep at no token") << swept + QStringList{u"9"_s, u"--keys"_s, u"3"_s}
                                       << QByteArray("no positions 9-9");
    QTest::newRow("a softmax that is none")
        << swept + QStringList{u"5"_s, u"--keys"_s, u"3"_s, u"--softmax"_s, u"before"_s} << QByteArray("no attention");
    QTest::newRow("spans that overlap") << QStringList{u"lens"_s, kModel,        u"--text"_s,
                                                       color,     u"--ablate"_s, u"mask:L2H*[q=2-4,k=3-5]"_s}
                                        << QByteArray("overlap");
    QTest::newRow("ablation at no token")
        << QStringList{u"lens"_s, kModel, u"--text"_s, color, u"--ablate"_s, u"L2H5@6-9"_s}
        << QByteArray("'L2H5@6-9' names token 6, and the prompt has 6");
    QTest::newRow("mask at no token") << pair + QStringList{u"--ablate"_s, u"mask:L2H5[q=9,k=2]"_s}
                                      << QByteArray("names token 9");
    const QStringList far = {u"--ablate"_s, u"knock:L1H2[q=900-1000,k=5-8]"_s};
    QTest::newRow("pattern at no token") << QStringList{u"pattern"_s, kModel,      u"--head"_s,
                                                        u"L2H5"_s,    u"--text"_s, color}
                                                + far
                                         << QByteArray("names token 900");
    QTest::newRow("score at no token") << QStringList{u"score"_s,  kModel,       u"--task"_s,
                                                      u"toy_mc"_s, u"--limit"_s, u"4"_s}
                                              + far
                                       << QByteArray("names token 900, and the longest text has ");
    QTest::newRow("generate at no token")
        << QStringList{u"generate"_s, kModel, u"--text"_s, color} + far << QByteArray("names token 900");
    QTest::newRow("who listens to the logits") << QStringList{u"edges"_s, kModel, u"--sender"_s, u"logits"_s} + kSample
                                               << QByteArray("Nothing reads the logits");
    QTest::newRow("what feeds the embedding") << QStringList{u"edges"_s, kModel, u"--receiver"_s, u"embed"_s} + kSample
                                              << QByteArray("The embedding reads nothing");
    QTest::newRow("receiver without a part")
        << QStringList{u"edges"_s, kModel, u"--receiver"_s, u"L2H5"_s} + kSample << QByteArray("L2H5.q, L2H5.k");
    QTest::newRow("part of another kind")
        << QStringList{u"edges"_s, kSsm, u"--receiver"_s, u"L2H5.q"_s} + kSample << QByteArray("L2H5.c, L2H5.b");
    QTest::newRow("no such head") << QStringList{u"edges"_s, kModel, u"--sender"_s, u"L2H8"_s} + kSample
                                  << QByteArray("L2H8");
    QTest::newRow("no such layer") << QStringList{u"edges"_s, kModel, u"--receiver"_s, u"L9.mlp"_s} + kSample
                                   << QByteArray("no layer L9");
    QTest::newRow("sources of several") << QStringList{u"attribute"_s, kModel, u"--task"_s,   u"toy_kv"_s,
                                                       u"--limit"_s,   u"2"_s, u"--sources"_s}
                                        << QByteArray("several prompts");
    QTest::newRow("nothing to exchange") << QStringList{u"patch"_s,   kModel, u"--task"_s,     u"toy_knowledge"_s,
                                                        u"--limit"_s, u"4"_s, u"--exchange"_s, u"key"_s}
                                         << QByteArray("no two keys");
    QTest::newRow("layers that do more than add")
        << QStringList{u"attribute"_s,   QStringLiteral(HEADSCOPE_SOURCE_DIR "/tests/data/golden/hub/gemma4"),
                       u"--tokenizer"_s, kModel,
                       u"--text"_s,      color}
        << QByteArray("ablation, patching and the lens can be used");
    QTest::newRow("experts of a model without")
        << QStringList{u"experts"_s, kModel, u"--text"_s, color} << QByteArray("No layer of this model has experts");
    QTest::newRow("retrieval without rows")
        << QStringList{u"probe"_s, kModel, u"--method"_s, u"retrieval"_s} << QByteArray("--task toy_kv");
    QTest::newRow("weights under an ablation")
        << QStringList{u"weights"_s, kModel, u"--ablate"_s, u"upto:L1"_s} << QByteArray("leave out --ablate");
    QTest::newRow("suffix") << QStringList{u"weights"_s, kModel, u"-o"_s, u"w.txt"_s}
                            << QByteArray("safetensors or csv");
    QTest::newRow("unknown word") << QStringList{u"lens"_s, kModel, u"--text"_s, u"xyzzy"_s} << QByteArray("xyzzy");
}

void TestWhyCommands::refusesWithASentence()
{
    QFETCH(QStringList, arguments);
    QFETCH(QByteArray, words);
    clifixture::Outcome outcome = run(arguments);
    if (outcome.err.startsWith("warning: ")) // of the model's folder
        outcome.err.remove(0, outcome.err.indexOf('\n') + 1);
    VERIFY_FAILS(outcome, words);
}

QTEST_GUILESS_MAIN(TestWhyCommands)
#include "tst_whycommands.moc"
