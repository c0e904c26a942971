// SPDX-License-Identifier: GPL-3.0-or-later
// headscope-cli as a person or a script calls it: exit codes, JSON members, resuming, and one plain sentence for each
// kind of bad input. The shipped tiny-transformer is the model.
#include "sessions/sessionstore.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <csignal>

using namespace headscope;
using namespace Qt::StringLiterals;

namespace {

constexpr int kLongEnough = 300000; // ms; a stop for a hung program, not a measure

struct Outcome {
    int code = -1;
    QByteArray out;
    QByteArray err;
    [[nodiscard]] QJsonObject json() const { return QJsonDocument::fromJson(out).object(); }
};

Outcome finished(QProcess& process)
{
    if (!process.waitForFinished(kLongEnough))
        process.kill();
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1, process.readAllStandardOutput(), process.readAllStandardError()};
}

/// Everything runs on the processor, also where there is a GPU.
Outcome run(const QStringList& arguments)
{
    QProcess process;
    process.start(qEnvironmentVariable("HEADSCOPE_CLI"), arguments + QStringList{u"--device"_s, u"cpu"_s});
    return finished(process);
}

QJsonObject entry(const QJsonArray& list, const QString& task)
{
    for (const QJsonValue& value : list)
        if (value[u"task"_s].toString() == task)
            return value.toObject();
    return {};
}

QByteArray read(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void write(const QString& path, const QByteArray& bytes)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(bytes), bytes.size());
}

/// Failing: exit code 1, nothing on stdout, one sentence on stderr that holds `part`.
#define VERIFY_FAILS(outcome, part)                                                                                     \
    do {                                                                                                                \
        const Outcome failed = (outcome);                                                                               \
        QVERIFY2(failed.code == 1, (QByteArray::number(failed.code) + ": " + failed.err).constData());                  \
        QVERIFY2(failed.out.isEmpty(), failed.out.constData());                                                         \
        QVERIFY2(failed.err.startsWith("headscope-cli: ") && failed.err.count('\n') == 1, failed.err.constData());       \
        QVERIFY2(failed.err.trimmed().endsWith('.'), failed.err.constData());                                           \
        QVERIFY2(failed.err.contains(part), failed.err.constData());                                                    \
    } while (false)

} // namespace

class TestCli : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        qputenv("XDG_CONFIG_HOME", m_folder->path().toUtf8()); // what the program remembers from run to run
    }

    void wrongUseIsExitCodeTwo_data();
    void wrongUseIsExitCodeTwo();
    void scoresWithTheContractsMembers();
    void comparesWithTheBaseline();
    void takesFromTheSessionWhatItHolds();
    void writesOneSampleALine();
    void stoppedByTheUserKeepsFinishedExamples();
    void drawsPatterns();
    void drawsSeveralHeads();
    void drawsSamplesOfTasks();
    void ranksHeads();
    void ranksByPattern();
    void readsATokenizerFromElsewhere();
    void swapsLayers();
    void demonstrates();

    void refusesBrokenModels_data();
    void refusesBrokenModels();
    void refusesBadArguments_data();
    void refusesBadArguments();
    void refusesBadSessions();

private:
    [[nodiscard]] QString path(const QString& name) const { return m_folder->filePath(name); }
    /// A copy of the shipped model that a test may damage.
    [[nodiscard]] QString copiedModel(const QStringList& without = {}) const;
    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_model = QStringLiteral(HEADSCOPE_SOURCE_DIR "/resources/models/tiny-transformer");
    QString m_llama = QStringLiteral(HEADSCOPE_SOURCE_DIR "/tests/data/golden/llama");
};

QString TestCli::copiedModel(const QStringList& without) const
{
    const QString copy = path(u"model"_s);
    QDir().mkpath(copy);
    for (const QString& name : {u"config.json"_s, u"model.safetensors"_s, u"tokenizer.json"_s, u"tokenizer_config.json"_s})
        if (!without.contains(name))
            QFile::copy(m_model + u'/' + name, copy + u'/' + name);
    return copy;
}

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
    QTest::newRow("pattern with two prompts") << QStringList{u"pattern"_s, u"tiny-transformer"_s, u"--head"_s, u"L0H0"_s, u"--text"_s, u"a"_s, u"--task"_s, u"toy_mc"_s};
    QTest::newRow("unknown scale") << QStringList{u"pattern"_s, u"tiny-transformer"_s, u"--head"_s, u"L0H0"_s, u"--text"_s, u"a"_s, u"--scale"_s, u"loud"_s};
    QTest::newRow("unknown method") << QStringList{u"rank"_s, u"tiny-transformer"_s, u"--task"_s, u"toy_mc"_s, u"--method"_s, u"magic"_s};
    QTest::newRow("limit is no number") << QStringList{u"score"_s, u"tiny-transformer"_s, u"--task"_s, u"toy_mc"_s, u"--limit"_s, u"many"_s};
}

void TestCli::wrongUseIsExitCodeTwo()
{
    QFETCH(QStringList, arguments);
    const Outcome outcome = run(arguments);
    QCOMPARE(outcome.code, 2);
    QVERIFY(!outcome.err.isEmpty());
}

void TestCli::scoresWithTheContractsMembers()
{
    const Outcome outcome = run({u"score"_s, m_model, u"--task"_s, u"toy_kv:pairs=4,8,toy_mc"_s, u"--limit"_s, u"24"_s, u"--json"_s});
    QVERIFY2(outcome.code == 0, outcome.err.constData());
    QCOMPARE(outcome.out.count('\n'), 1);
    const QJsonObject told = outcome.json();
    for (const QString& key : {u"results"_s, u"baseline"_s, u"ablation"_s, u"seconds"_s, u"tokens"_s, u"model"_s, u"dtype"_s, u"device"_s, u"notes"_s})
        QVERIFY2(told.contains(key), qPrintable(key));
    const QJsonArray results = told[u"results"_s].toArray();
    QCOMPARE(results.size(), 3);
    QCOMPARE(results[0][u"task"_s].toString(), u"toy_kv:pairs=4"_s);
    QCOMPARE(results[1][u"task"_s].toString(), u"toy_kv:pairs=8"_s);
    for (const QJsonValue& result : results) {
        for (const QString& key : {u"task"_s, u"metric"_s, u"filter"_s, u"value"_s, u"stderr"_s, u"n"_s, u"rejected"_s, u"subset"_s, u"delta"_s, u"interval"_s, u"p"_s})
            QVERIFY2(result.toObject().contains(key), qPrintable(key));
        QCOMPARE(result[u"n"_s].toInt(), 24);
        QCOMPARE(result[u"metric"_s].toString(), u"acc"_s);
        QVERIFY(result[u"value"_s].toDouble() > 0.9);
    }
    QVERIFY(told[u"baseline"_s].toArray().isEmpty());
    QCOMPARE(told[u"ablation"_s].toString(), QString());
    QVERIFY(told[u"tokens"_s].toInt() > 24 * 3 * 20);
}

void TestCli::comparesWithTheBaseline()
{
    // The whole third layer off: no dictionary can be read without it, whichever head does the work.
    const Outcome outcome = run({u"score"_s, m_model, u"--task"_s, u"toy_kv:pairs=8,toy_knowledge"_s, u"--limit"_s, u"32"_s, u"--ablate"_s, u"L2H4-7"_s,
                                 u"--ablate"_s, u"L2H0-3"_s, u"--json"_s});
    QVERIFY2(outcome.code == 0, outcome.err.constData());
    const QJsonObject told = outcome.json();
    QCOMPARE(told[u"ablation"_s].toString(), u"L2H0-7"_s);
    const QJsonObject now = entry(told[u"results"_s].toArray(), u"toy_kv:pairs=8"_s), before = entry(told[u"baseline"_s].toArray(), u"toy_kv:pairs=8"_s);
    QVERIFY(before[u"value"_s].toDouble() > 0.9);
    QVERIFY(now[u"value"_s].toDouble() < 0.3);
    QVERIFY(std::abs(now[u"delta"_s].toDouble() - (now[u"value"_s].toDouble() - before[u"value"_s].toDouble())) < 1e-9);
    QCOMPARE(now[u"baseline"_s].toDouble(), before[u"value"_s].toDouble());
    QVERIFY(now[u"p"_s].toDouble() < 1e-3);
    QCOMPARE(now[u"test"_s].toString(), u"exact McNemar"_s);
    const QJsonArray interval = now[u"interval"_s].toArray();
    QCOMPARE(interval.size(), 2);
    QVERIFY(interval[0].toDouble() <= now[u"delta"_s].toDouble() && interval[1].toDouble() >= now[u"delta"_s].toDouble());
    QVERIFY(entry(told[u"results"_s].toArray(), u"toy_knowledge"_s)[u"value"_s].toDouble() > 0.8);

    const Outcome people = run({u"score"_s, m_model, u"--task"_s, u"toy_kv:pairs=8"_s, u"--limit"_s, u"8"_s, u"--ablate"_s, u"L2H*"_s});
    QCOMPARE(people.code, 0);
    QVERIFY2(people.out.contains("baseline") && people.out.contains("toy_kv:pairs=8"), people.out.constData());
}

void TestCli::takesFromTheSessionWhatItHolds()
{
    const QStringList arguments = {u"score"_s, m_model, u"--task"_s, u"toy_kv:pairs=8"_s, u"--ablate"_s, u"L2H3"_s, u"--session"_s, path(u"a.headscope"_s), u"--json"_s};
    const Outcome first = run(arguments + QStringList{u"--limit"_s, u"16"_s});
    QVERIFY2(first.code == 0, first.err.constData());
    QCOMPARE(first.json()[u"reused"_s].toInt(), 0);
    const Outcome second = run(arguments + QStringList{u"--limit"_s, u"24"_s});
    QCOMPARE(second.json()[u"reused"_s].toInt(), 32); // 16 each of baseline and ablated
    const Outcome third = run(arguments + QStringList{u"--limit"_s, u"24"_s});
    QCOMPARE(third.json()[u"reused"_s].toInt(), 48);
    QCOMPARE(third.json()[u"tokens"_s].toInt(), 0);
    QCOMPARE(third.json()[u"results"_s], second.json()[u"results"_s]);
    QCOMPARE(third.json()[u"baseline"_s], second.json()[u"baseline"_s]);

    // The same from the file as without one.
    const Outcome fresh = run({u"score"_s, m_model, u"--task"_s, u"toy_kv:pairs=8"_s, u"--ablate"_s, u"L2H3"_s, u"--limit"_s, u"24"_s, u"--json"_s});
    QCOMPARE(fresh.json()[u"results"_s], third.json()[u"results"_s]);

    auto session = sessions::SessionStore::open(path(u"a.headscope"_s).toStdString());
    QVERIFY(session.has_value());
    QCOMPARE(*session->exampleCount(), 24);
    const auto runs = session->runs();
    QVERIFY(runs.has_value());
    QCOMPARE(runs->size(), std::size_t{2});
    QCOMPARE((*runs)[0].ablation, std::string());
    QCOMPARE((*runs)[1].ablation, std::string("L2H3"));
    QCOMPARE((*runs)[1].series.size(), std::size_t{1});
}

void TestCli::writesOneSampleALine()
{
    const QString file = path(u"samples.jsonl"_s);
    const Outcome outcome = run({u"score"_s, m_model, u"--task"_s, u"toy_kv:pairs=4"_s, u"--limit"_s, u"9"_s, u"--ablate"_s, u"L2H*"_s, u"--samples"_s, file, u"--json"_s});
    QVERIFY2(outcome.code == 0, outcome.err.constData());
    const QList<QByteArray> lines = read(file).trimmed().split('\n');
    QCOMPARE(lines.size(), 9);
    int right = 0;
    for (int i = 0; i < 9; ++i) {
        const QJsonObject line = QJsonDocument::fromJson(lines[i]).object();
        for (const QString& key : {u"id"_s, u"task"_s, u"row"_s, u"prediction"_s, u"gold"_s, u"correct"_s, u"log_likelihoods"_s, u"greedy"_s, u"baseline"_s})
            QVERIFY2(line.contains(key), qPrintable(key));
        QCOMPARE(line[u"row"_s].toInt(), i);
        QCOMPARE(line[u"id"_s].toString().size(), 64);
        QCOMPARE(line[u"log_likelihoods"_s].toArray().size(), 1);
        right += line[u"correct"_s].toBool() ? 1 : 0;
        const QJsonObject before = line[u"baseline"_s].toObject();
        QVERIFY(before[u"log_likelihoods"_s][0].toDouble() > line[u"log_likelihoods"_s][0].toDouble());
    }
    QVERIFY(std::abs(outcome.json()[u"results"_s][0][u"value"_s].toDouble() - right / 9.0) < 1e-9);
}

void TestCli::stoppedByTheUserKeepsFinishedExamples()
{
    // Enough work that the signal comes in the middle of it; which examples are finished by then does not matter.
    const QString file = path(u"stopped.headscope"_s);
    const QStringList arguments = {u"score"_s, m_model, u"--task"_s, u"toy_kv:pairs=48"_s, u"--limit"_s, u"20000"_s, u"--session"_s, file, u"--device"_s, u"cpu"_s};
    QProcess process;
    process.start(qEnvironmentVariable("HEADSCOPE_CLI"), arguments);
    QVERIFY(process.waitForStarted());
    const auto kept = [&file] {
        if (!QFile::exists(file))
            return std::int64_t{0};
        auto session = sessions::SessionStore::open(file.toStdString(), {.create = false, .readOnly = true});
        if (!session.has_value())
            return std::int64_t{0};
        const auto scores = session->scores();
        return scores.has_value() && !scores->empty() ? scores->front().n : std::int64_t{0};
    };
    QTRY_VERIFY_WITH_TIMEOUT(kept() > 0 || process.state() == QProcess::NotRunning, kLongEnough);
    QCOMPARE(process.state(), QProcess::Running);
    QCOMPARE(::kill(static_cast<pid_t>(process.processId()), SIGINT), 0);
    const Outcome outcome = finished(process);
    QCOMPARE(outcome.code, 130);
    QVERIFY2(outcome.out.isEmpty(), outcome.out.constData());
    QVERIFY2(outcome.err.contains("Stopped by the user."), outcome.err.constData());
    QVERIFY(kept() > 0 && kept() < 20000);
}

void TestCli::drawsPatterns()
{
    const QString text = u"<s> The color of Ada is"_s;
    QStringList arguments = {u"pattern"_s, m_model, u"--text"_s, text, u"--head"_s, u"L1H3"_s, u"--json"_s, u"-o"_s, path(u"p.csv"_s), u"-o"_s, path(u"p.safetensors"_s)};
    const Outcome outcome = run(arguments);
    QVERIFY2(outcome.code == 0, outcome.err.constData());
    const QJsonObject told = outcome.json();
    for (const QString& key : {u"tokens"_s, u"heads"_s, u"entropy"_s, u"effective_tokens"_s, u"sink_mass"_s, u"top"_s, u"files"_s})
        QVERIFY2(told.contains(key), qPrintable(key));
    QCOMPARE(told[u"tokens"_s].toArray().size(), 6);
    QCOMPARE(told[u"tokens"_s][1].toString(), u"The"_s);
    QCOMPARE(told[u"heads"_s][0][u"head"_s].toString(), u"L1H3"_s);
    QCOMPARE(told[u"heads"_s][0][u"kind"_s].toString(), u"attention"_s);
    QVERIFY(std::abs(std::exp(told[u"entropy"_s].toDouble()) - told[u"effective_tokens"_s].toDouble()) < 1e-6);
    QCOMPARE(told[u"files"_s].toArray().size(), 2);

    // Rows of the CSV sum to 1, causal zeros are exact.
    const QList<QByteArray> lines = read(path(u"p.csv"_s)).trimmed().split('\n');
    QCOMPARE(lines.size(), 7);
    for (int row = 0; row < 6; ++row) {
        const QList<QByteArray> cells = lines[row + 1].split(',');
        QCOMPARE(cells.size(), 7);
        double sum = 0;
        for (int column = 0; column < 6; ++column) {
            sum += cells[column + 1].toDouble();
            if (column > row)
                QCOMPARE(cells[column + 1], QByteArray("0"));
        }
        QVERIFY(std::abs(sum - 1) < 1e-5);
    }
    QVERIFY(read(path(u"p.safetensors"_s)).contains("\"L1H3\""));

    const Outcome row = run({u"pattern"_s, m_model, u"--text"_s, text, u"--head"_s, u"L1H3"_s, u"--row"_s, u"2"_s, u"--json"_s});
    QCOMPARE(row.code, 0);
    QCOMPARE(row.json()[u"heads"_s][0][u"row"_s].toInt(), 2);
    QCOMPARE(row.json()[u"top"_s].toArray().size(), 6);
}

void TestCli::drawsSeveralHeads()
{
    if (run({u"pattern"_s, m_model, u"--text"_s, u"The"_s, u"--head"_s, u"L0H0"_s, u"-o"_s, path(u"probe.png"_s)}).err.contains("without Qt"))
        QSKIP("This program was built without pictures.");
    const Outcome outcome = run({u"pattern"_s, m_model, u"--text"_s, u"The color of Ada is"_s, u"--head"_s, u"L0H0-1"_s, u"--head"_s, u"L2H3"_s, u"--json"_s, u"-o"_s,
                                 path(u"many.png"_s), u"-o"_s, path(u"many.pdf"_s), u"-o"_s, path(u"many.svg"_s)});
    QVERIFY2(outcome.code == 0, outcome.err.constData());
    QCOMPARE(outcome.json()[u"heads"_s].toArray().size(), 3);
    for (const QString& head : {u"L0H0"_s, u"L0H1"_s, u"L2H3"_s}) {
        QVERIFY(read(path(u"many."_s + head + u".png"_s)).startsWith("\x89PNG"));
        QVERIFY(read(path(u"many."_s + head + u".pdf"_s)).startsWith("%PDF"));
        QVERIFY(read(path(u"many."_s + head + u".svg"_s)).contains("<svg"));
    }
    QVERIFY(!QFile::exists(path(u"many.png"_s)));
    VERIFY_FAILS(run({u"pattern"_s, m_model, u"--text"_s, u"The"_s, u"--head"_s, u"L0H0"_s, u"-o"_s, u"/there/is/none/x.png"_s}), "/there/is/none/x.png");
}

void TestCli::drawsSamplesOfTasks()
{
    const QString file = path(u"p.headscope"_s);
    const Outcome outcome = run({u"pattern"_s, m_model, u"--task"_s, u"toy_kv:pairs=8"_s, u"--sample"_s, u"3"_s, u"--head"_s, u"L2H3"_s, u"--ablate"_s, u"L1H3"_s,
                                 u"--session"_s, file, u"--json"_s});
    QVERIFY2(outcome.code == 0, outcome.err.constData());
    QCOMPARE(outcome.json()[u"tokens"_s].toArray().last().toString(), u"is"_s);
    auto session = sessions::SessionStore::open(file.toStdString());
    QVERIFY(session.has_value());
    const auto patterns = session->patterns();
    QVERIFY(patterns.has_value());
    QCOMPARE(patterns->size(), std::size_t{1});
    QCOMPARE(patterns->front().head, std::string("L2H3"));
    QCOMPARE(patterns->front().ablation, std::string("L1H3"));
    VERIFY_FAILS(run({u"pattern"_s, m_model, u"--task"_s, u"toy_kv:pairs=8"_s, u"--sample"_s, u"256"_s, u"--head"_s, u"L2H3"_s}), "expected 0 to 255");
}

void TestCli::ranksHeads()
{
    const QString file = path(u"r.headscope"_s);
    const QStringList arguments = {u"rank"_s, m_model, u"--task"_s, u"toy_kv:pairs=4"_s, u"--limit"_s, u"24"_s, u"--heads"_s, u"L1H0-2,L2H*,L1H3"_s, u"--top"_s, u"5"_s,
                                   u"--session"_s, file, u"--json"_s};
    const Outcome outcome = run(arguments);
    QVERIFY2(outcome.code == 0, outcome.err.constData());
    const QJsonObject told = outcome.json();
    for (const QString& key : {u"heads"_s, u"seconds"_s, u"method"_s, u"task"_s, u"baseline"_s, u"n"_s})
        QVERIFY2(told.contains(key), qPrintable(key));
    QCOMPARE(told[u"ranked"_s].toInt(), 12);
    const QJsonArray heads = told[u"heads"_s].toArray();
    QCOMPARE(heads.size(), 5);
    double last = -2;
    for (const QJsonValue& head : heads) {
        QVERIFY(head[u"delta"_s].toDouble() >= last);
        last = head[u"delta"_s].toDouble();
        QVERIFY(std::abs(told[u"baseline"_s].toDouble() + head[u"delta"_s].toDouble() - head[u"value"_s].toDouble()) < 1e-9);
        QCOMPARE(head[u"interval"_s].toArray().size(), 2);
    }
    // The first head is the one whose removal alone costs the most.
    const Outcome alone = run({u"score"_s, m_model, u"--task"_s, u"toy_kv:pairs=4"_s, u"--limit"_s, u"24"_s, u"--ablate"_s, heads[0][u"head"_s].toString(), u"--json"_s});
    QCOMPARE(alone.json()[u"results"_s][0][u"value"_s].toDouble(), heads[0][u"value"_s].toDouble());

    const Outcome again = run(arguments);
    QCOMPARE(again.json()[u"heads"_s], told[u"heads"_s]);
    auto session = sessions::SessionStore::open(file.toStdString());
    QVERIFY(session.has_value());
    const auto rankings = session->rankings();
    QVERIFY(rankings.has_value());
    QCOMPARE(rankings->size(), std::size_t{1});
    QCOMPARE(rankings->front().heads.size(), std::size_t{12});
}

void TestCli::ranksByPattern()
{
    for (const QString& method : {u"gather"_s, u"aggregate"_s}) {
        const Outcome outcome = run({u"rank"_s, m_model, u"--task"_s, u"toy_kv:pairs=8"_s, u"--limit"_s, u"4"_s, u"--method"_s, method, u"--json"_s});
        QVERIFY2(outcome.code == 0, outcome.err.constData());
        QCOMPARE(outcome.json()[u"heads"_s].toArray().size(), 32);
        QVERIFY(outcome.json()[u"heads"_s][0][u"value"_s].toDouble() > 0.5);
        QVERIFY(outcome.json()[u"heads"_s][0][u"delta"_s].isNull());
    }
    VERIFY_FAILS(run({u"rank"_s, m_model, u"--task"_s, u"toy_knowledge"_s, u"--limit"_s, u"4"_s, u"--method"_s, u"gather"_s}), "segments");
}

void TestCli::readsATokenizerFromElsewhere()
{
    const QString bare = copiedModel({u"tokenizer.json"_s, u"tokenizer_config.json"_s});
    const QStringList arguments = {u"score"_s, bare, u"--task"_s, u"toy_mc"_s, u"--limit"_s, u"8"_s, u"--json"_s};
    VERIFY_FAILS(run(arguments), "--tokenizer");
    for (const QString& tokenizer : {m_model, m_model + u"/tokenizer.json"_s}) {
        const Outcome outcome = run(arguments + QStringList{u"--tokenizer"_s, tokenizer});
        QVERIFY2(outcome.code == 0, outcome.err.constData());
        QVERIFY(outcome.json()[u"results"_s][0][u"value"_s].toDouble() > 0.9);
    }
}

void TestCli::swapsLayers()
{
    // A layer replaced by the same layer of the same model changes nothing.
    const Outcome outcome = run({u"score"_s, m_model, u"--task"_s, u"toy_kv:pairs=4"_s, u"--limit"_s, u"8"_s, u"--ablate"_s, u"swap:L1="_s + m_model, u"--json"_s});
    QVERIFY2(outcome.code == 0, outcome.err.constData());
    QCOMPARE(outcome.json()[u"results"_s][0][u"delta"_s].toDouble(), 0.0);
    VERIFY_FAILS(run({u"score"_s, m_model, u"--task"_s, u"toy_kv:pairs=4"_s, u"--limit"_s, u"8"_s, u"--ablate"_s, u"swap:L1=/there/is/none"_s}), "/there/is/none");
}

void TestCli::demonstrates()
{
    const QString out = path(u"demo"_s);
    const Outcome outcome = run({u"demo"_s, m_model, u"-o"_s, out, u"--json"_s});
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
    const Outcome again = run({u"demo"_s, m_model, u"-o"_s, out, u"--json"_s});
    QCOMPARE(again.code, 0);
    QCOMPARE(again.json()[u"results"_s], told[u"results"_s]);
    QCOMPARE(read(picture), before);
    auto session = sessions::SessionStore::open((out + u"/demo.headscope"_s).toStdString());
    QVERIFY(session.has_value());
    QCOMPARE(session->rankings()->size(), std::size_t{1});
    QCOMPARE(session->patterns()->size(), std::size_t{2});
    QCOMPARE(session->runs()->size(), std::size_t{2});
    QCOMPARE(session->runs()->back().series.size(), std::size_t{5});
    VERIFY_FAILS(run({u"demo"_s, m_llama, u"-o"_s, out, u"--json"_s}), "tokenizer");
}

void TestCli::refusesBrokenModels_data()
{
    QTest::addColumn<QString>("damage");
    QTest::addColumn<QByteArray>("said");
    QTest::newRow("missing folder") << u"missing"_s << QByteArray("nowhere");
    QTest::newRow("no model_type") << u"no model_type"_s << QByteArray("model_type");
    QTest::newRow("unknown family") << u"unknown family"_s << QByteArray("elephant");
    QTest::newRow("config is no JSON") << u"no json"_s << QByteArray("config.json");
    QTest::newRow("wrong shapes") << u"wrong shapes"_s << QByteArray("shape");
    QTest::newRow("truncated weights") << u"truncated"_s << QByteArray("model.safetensors");
    QTest::newRow("empty weights") << u"empty"_s << QByteArray("model.safetensors");
    QTest::newRow("no weights") << u"no weights"_s << QByteArray("model.safetensors");
    QTest::newRow("NaN weights") << u"nan"_s << QByteArray("NaN");
    QTest::newRow("broken tokenizer") << u"tokenizer"_s << QByteArray("tokenizer.json");
}

void TestCli::refusesBrokenModels()
{
    QFETCH(QString, damage);
    QFETCH(QByteArray, said);
    QString model = copiedModel();
    const QString config = model + u"/config.json"_s, weights = model + u"/model.safetensors"_s;
    if (damage == u"missing")
        model = path(u"nowhere"_s);
    else if (damage == u"no model_type")
        write(config, read(config).replace("\"model_type\": \"llama\",", ""));
    else if (damage == u"unknown family")
        write(config, read(config).replace("\"model_type\": \"llama\"", "\"model_type\": \"elephant\""));
    else if (damage == u"no json")
        write(config, read(config).chopped(4));
    else if (damage == u"wrong shapes")
        write(config, read(config).replace("\"intermediate_size\": 256", "\"intermediate_size\": 192"));
    else if (damage == u"truncated")
        write(weights, read(weights).chopped(1000));
    else if (damage == u"empty")
        write(weights, {});
    else if (damage == u"no weights")
        QVERIFY(QFile::remove(weights));
    else if (damage == u"nan")
        write(weights, read(weights).chopped(4) + QByteArray("\x00\x00\xc0\x7f", 4));
    else
        write(model + u"/tokenizer.json"_s, "{\"model\":");
    VERIFY_FAILS(run({u"score"_s, model, u"--task"_s, u"toy_mc"_s, u"--limit"_s, u"4"_s, u"--json"_s, u"--session"_s, path(u"never"_s)}), said);
    QVERIFY(!QFile::exists(path(u"never"_s)));
}

void TestCli::refusesBadArguments_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QByteArray>("said");
    const QStringList text = {u"pattern"_s, m_model, u"--head"_s, u"L0H0"_s, u"--text"_s};
    const QStringList score = {u"score"_s, m_model, u"--limit"_s, u"4"_s, u"--task"_s};
    QTest::newRow("word outside the vocabulary") << text + QStringList{u"The zeppelin"_s} << QByteArray("zeppelin");
    QTest::newRow("empty prompt") << text + QStringList{QString()} << QByteArray("empty");
    QTest::newRow("prompt beyond the positions") << text + QStringList{QString(u"The "_s).repeated(1025)} << QByteArray("1024");
    QTest::newRow("head that is not there") << QStringList{u"pattern"_s, m_model, u"--text"_s, u"The"_s, u"--head"_s, u"L0H8"_s} << QByteArray("L0H8");
    QTest::newRow("layer that is not there") << QStringList{u"pattern"_s, m_model, u"--text"_s, u"The"_s, u"--head"_s, u"L4H0"_s} << QByteArray("L4");
    QTest::newRow("no head") << QStringList{u"pattern"_s, m_model, u"--text"_s, u"The"_s, u"--head"_s, u"second"_s} << QByteArray("second");
    QTest::newRow("row that is not there") << text + QStringList{u"The color"_s, u"--row"_s, u"2"_s} << QByteArray("row 2");
    QTest::newRow("suffix") << text + QStringList{u"The"_s, u"-o"_s, u"x.bmp"_s} << QByteArray("x.bmp");
    QTest::newRow("folder of the picture") << text + QStringList{u"The"_s, u"-o"_s, u"/there/is/none/x.csv"_s} << QByteArray("/there/is/none/x.csv");
    QTest::newRow("unknown task") << score + QStringList{u"toy_elephant"_s} << QByteArray("toy_elephant");
    QTest::newRow("unknown setting") << score + QStringList{u"toy_kv:pears=8"_s} << QByteArray("toy_kv:pears=8");
    QTest::newRow("ablation") << score + QStringList{u"toy_mc"_s, u"--ablate"_s, u"L2X5"_s} << QByteArray("L2X5");
    QTest::newRow("ablated head that is not there") << score + QStringList{u"toy_mc"_s, u"--ablate"_s, u"L9H0"_s} << QByteArray("L9");
    QTest::newRow("samples folder") << score + QStringList{u"toy_mc"_s, u"--samples"_s, u"/there/is/none/s.jsonl"_s} << QByteArray("/there/is/none/s.jsonl");
    QTest::newRow("data folder") << score + QStringList{u"piqa"_s, u"--data"_s, u"/there/is/none"_s} << QByteArray("/there/is/none");
    QTest::newRow("task beyond the vocabulary") << score + QStringList{u"piqa"_s} << QByteArray("None of the");
    QTest::newRow("device") << QStringList{u"info"_s, m_model, u"--dtype"_s, u"int3"_s} << QByteArray("int3");
}

void TestCli::refusesBadArguments()
{
    QFETCH(QStringList, arguments);
    QFETCH(QByteArray, said);
    VERIFY_FAILS(run(arguments + QStringList{u"--json"_s}), said);
}

void TestCli::refusesBadSessions()
{
    const QStringList arguments = {u"score"_s, m_model, u"--task"_s, u"toy_mc"_s, u"--limit"_s, u"4"_s, u"--json"_s, u"--session"_s};
    write(path(u"text"_s), "This is not a database, whatever its name says. " + QByteArray(4096, 'x'));
    VERIFY_FAILS(run(arguments + QStringList{path(u"text"_s)}), path(u"text"_s).toUtf8());
    VERIFY_FAILS(run(arguments + QStringList{u"/there/is/none/a.headscope"_s}), "/there/is/none");
    VERIFY_FAILS(run(arguments + QStringList{m_folder->path()}), m_folder->path().toUtf8());

    // A session whose version was raised by a later program; user_version is at byte 60, big-endian.
    const QString newer = path(u"newer"_s);
    QCOMPARE(run(arguments + QStringList{newer}).code, 0);
    QByteArray bytes = read(newer);
    bytes[63] = 99;
    write(newer, bytes);
    VERIFY_FAILS(run(arguments + QStringList{newer}), "99");
    QCOMPARE(read(newer), bytes);

    // Reading only: root may write everywhere, so the rights alone do not tell.
    const QString old = path(u"readonly"_s);
    QCOMPARE(run(arguments + QStringList{old}).code, 0);
    QFile::setPermissions(old, QFileDevice::ReadOwner);
    if (QFile(old).open(QIODevice::ReadWrite))
        QSKIP("This user may write to read-only files, so that case can not be made here.");
    VERIFY_FAILS(run(arguments + QStringList{old}), "read-only");
}

QTEST_GUILESS_MAIN(TestCli)
#include "tst_cli.moc"
