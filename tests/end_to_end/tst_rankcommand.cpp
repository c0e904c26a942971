// SPDX-License-Identifier: GPL-3.0-or-later
// headscope-cli rank in all its methods, and rank and score shared by two processes. The shipped tiny-transformer is
// the model.
#include "tests/support/clifixture.h"

#include "sessions/sessionstore.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmath>
#include <memory>

using namespace headscope;
using namespace clifixture;

namespace {

using Variables = QList<std::pair<QString, QString>>;

std::unique_ptr<QProcess> started(const QStringList& arguments, const Variables& variables = {})
{
    auto process = std::make_unique<QProcess>();
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const auto& [name, value] : variables)
        environment.insert(name, value);
    process->setProcessEnvironment(environment);
    process->start(qEnvironmentVariable("HEADSCOPE_CLI"),
                   arguments + QStringList{u"--device"_s, u"cpu"_s, u"--threads"_s, u"1"_s});
    return process;
}

Outcome run(const QStringList& arguments, const Variables& variables)
{
    return finished(*started(arguments, variables));
}

/// Somebody else who listens on this machine.
class Listener
{
public:
    Listener() : m_handle(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0))
    {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        if (::bind(m_handle, reinterpret_cast<sockaddr*>(&address), size) == 0 && ::listen(m_handle, 8) == 0
            && ::getsockname(m_handle, reinterpret_cast<sockaddr*>(&address), &size) == 0)
            m_port = ntohs(address.sin_port);
    }
    ~Listener() { ::close(m_handle); }
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;
    [[nodiscard]] int port() const { return m_port; }
    [[nodiscard]] bool wasCalled() const { return ::accept(m_handle, nullptr, nullptr) >= 0; }

private:
    int m_handle = -1;
    int m_port = 0;
};

/// A port that was free a moment ago.
int freePort()
{
    return Listener().port();
}

Variables member(int rank, int size, int port)
{
    return {{u"RANK"_s, QString::number(rank)},
            {u"WORLD_SIZE"_s, QString::number(size)},
            {u"MASTER_ADDR"_s, u"127.0.0.1"_s},
            {u"MASTER_PORT"_s, QString::number(port)}};
}

/// Two processes with the same arguments; the first one's outcome. The other one starts before it, so that it does not
/// come when all is done.
Outcome runByTwo(const QStringList& arguments, Outcome* other)
{
    const int port = freePort();
    const auto second = started(arguments, member(1, 2, port)), first = started(arguments, member(0, 2, port));
    *other = finished(*second);
    return finished(*first);
}

} // namespace

class TestRankCommand : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void init() { m_folder = std::make_unique<Folder>(); }
    void ranksHeads();
    void ranksByPattern();
    void estimatesSayThatTheyAre();
    void racesTellTheirError();
    void pairsHeads();
    void choosesSetsGreedily();
    void drawsTheSameHeadsForASeed();
    void twoProcessesRankAsOne();
    void twoProcessesScoreAsOne();
    void processesWithOtherWorkAreRefused_data();
    void processesWithOtherWorkAreRefused();
    void goesOnWithoutALostProcess();
    void meetsBesideAnAgent();
    void continuesFromTheSession();
    void loadsOnlyWhatAMinimalModelNeeds();
    void refusesBadInput();

private:
    [[nodiscard]] QStringList rank(const QString& method, const QStringList& more = {}, int limit = 24) const
    {
        return QStringList{u"rank"_s,           kModel,       u"--task"_s,
                           u"toy_kv:pairs=4"_s, u"--limit"_s, QString::number(limit),
                           u"--method"_s,       method,       u"--json"_s}
               + more;
    }
    [[nodiscard]] QString session() const { return m_folder->path(u"s.headscope"_s); }
    std::unique_ptr<Folder> m_folder;
};

void TestRankCommand::initTestCase()
{
    if (!QFile::exists(qEnvironmentVariable("HEADSCOPE_CLI")))
        QSKIP("HEADSCOPE_CLI does not name the program.");
}

void TestRankCommand::ranksHeads()
{
    const QString file = session();
    const QStringList arguments = {u"rank"_s,    kModel,  u"--task"_s,    u"toy_kv:pairs=4"_s,
                                   u"--limit"_s, u"24"_s, u"--heads"_s,   u"L1H0-2,L2H*,L1H3"_s,
                                   u"--top"_s,   u"5"_s,  u"--session"_s, file,
                                   u"--json"_s};
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
        QVERIFY(std::abs(told[u"baseline"_s].toDouble() + head[u"delta"_s].toDouble() - head[u"value"_s].toDouble())
                < 1e-9);
        QCOMPARE(head[u"interval"_s].toArray().size(), 2);
        // Tested together, a head is no surer than by itself, and by Holm than by Benjamini-Hochberg.
        QVERIFY(head[u"p_holm"_s].toDouble() >= head[u"p_bh"_s].toDouble());
        QVERIFY(head[u"p_bh"_s].toDouble() >= head[u"p"_s].toDouble());
    }
    QCOMPARE(heads[0][u"p_holm"_s].toDouble(), std::min(1.0, 12 * heads[0][u"p"_s].toDouble()));
    // Those that nothing depends on cannot be told apart, and none of them from the one whose removal costs most.
    int named = 0;
    for (const QJsonValue& group : told[u"not_told_apart"_s].toArray())
        named += static_cast<int>(group.toArray().size());
    QCOMPARE(named, 12);
    QVERIFY(told[u"not_told_apart"_s].toArray().size() >= 2);
    QVERIFY(!told[u"not_told_apart"_s][0].toArray().contains(heads[4][u"head"_s]));
    // The first head is the one whose removal alone costs the most.
    const Outcome alone = run({u"score"_s, kModel, u"--task"_s, u"toy_kv:pairs=4"_s, u"--limit"_s, u"24"_s,
                               u"--ablate"_s, heads[0][u"head"_s].toString(), u"--json"_s});
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

void TestRankCommand::ranksByPattern()
{
    for (const QString& method : {u"gather"_s, u"aggregate"_s}) {
        const Outcome outcome = run({u"rank"_s, kModel, u"--task"_s, u"toy_kv:pairs=8"_s, u"--limit"_s, u"4"_s,
                                     u"--method"_s, method, u"--json"_s});
        QVERIFY2(outcome.code == 0, outcome.err.constData());
        QCOMPARE(outcome.json()[u"heads"_s].toArray().size(), 32);
        QVERIFY(outcome.json()[u"heads"_s][0][u"value"_s].toDouble() > 0.5);
        QVERIFY(outcome.json()[u"heads"_s][0][u"delta"_s].isNull());
    }
    VERIFY_FAILS(
        run({u"rank"_s, kModel, u"--task"_s, u"toy_knowledge"_s, u"--limit"_s, u"4"_s, u"--method"_s, u"gather"_s}),
        "segments");
}

void TestRankCommand::estimatesSayThatTheyAre()
{
    const Outcome outcome = run(rank(u"estimate"_s, {u"--compare-exact"_s, u"--steps"_s, u"4"_s}));
    VERIFY_DONE(outcome);
    const QJsonObject told = outcome.json();
    QVERIFY(told[u"estimate"_s].toBool());
    const QJsonArray heads = told[u"heads"_s].toArray();
    QCOMPARE(heads.size(), 32);
    for (const QJsonValue& head : heads) {
        QVERIFY(head[u"estimate"_s].toBool());
        QVERIFY(head[u"delta"_s].isNull() && head[u"margin_delta"_s].isDouble());
    }
    QVERIFY(std::abs(told[u"exact"_s][u"spearman_margin"_s][u"rho"_s].toDouble()) <= 1);
    QCOMPARE(told[u"exact"_s][u"spearman_margin"_s][u"n"_s].toInt(), 32);
    const Outcome plain = run({u"rank"_s, kModel, u"--task"_s, u"toy_kv:pairs=4"_s, u"--limit"_s, u"4"_s, u"--method"_s,
                               u"estimate"_s, u"--quiet"_s});
    VERIFY_DONE(plain);
    QVERIFY(plain.out.contains("ESTIMATED"));
}

void TestRankCommand::racesTellTheirError()
{
    const Outcome race = run(rank(u"race"_s, {u"--top"_s, u"2"_s, u"--compare-exact"_s, u"--finish"_s}, 64));
    VERIFY_DONE(race);
    const QJsonObject told = race.json(), itself = told[u"race"_s].toObject();
    QCOMPARE(told[u"exact"_s][u"same_top"_s].toInt(), 2);
    QVERIFY(itself[u"work"_s].toDouble() > 0 && itself[u"work"_s].toDouble() < 1);
    QCOMPARE(itself[u"error_probability"_s].toDouble(), 0.05);
    QVERIFY(itself[u"decided_early"_s].toBool());
    QCOMPARE(told[u"heads"_s].toArray().size(), 2);
    for (const QJsonValue& head : told[u"heads"_s].toArray())
        QCOMPARE(head[u"n"_s].toInt(), 64);
}

void TestRankCommand::pairsHeads()
{
    const Outcome outcome = run(rank(u"pairs"_s, {u"--heads"_s, u"L1H2,L2H5,L3H0"_s, u"--session"_s, session()}));
    VERIFY_DONE(outcome);
    const QJsonArray pairs = outcome.json()[u"pairs"_s].toArray();
    QCOMPARE(pairs.size(), 3);
    // Gather and aggregate head need each other: without one of them the other has nothing to do.
    QCOMPARE(pairs[0][u"kind"_s].toString(), u"synergistic"_s);
    QCOMPARE(pairs[1][u"kind"_s].toString(), u"additive"_s);
    auto kept = sessions::SessionStore::open(session().toStdString());
    QVERIFY(kept.has_value());
    QCOMPARE(kept->rankings()->front().heads.front().head, std::string("L1H2 L2H5"));
}

void TestRankCommand::choosesSetsGreedily()
{
    const Outcome outcome = run(rank(u"greedy"_s, {u"--heads"_s, u"L1H2-4,L2H5"_s, u"--top"_s, u"2"_s}));
    VERIFY_DONE(outcome);
    const QJsonArray heads = outcome.json()[u"heads"_s].toArray();
    QCOMPARE(heads.size(), 2);
    QVERIFY(heads[1][u"delta"_s].toDouble() <= heads[0][u"delta"_s].toDouble());
}

void TestRankCommand::drawsTheSameHeadsForASeed()
{
    const QStringList three = {u"--top"_s, u"3"_s, u"--draws"_s, u"3"_s};
    const Outcome one = run(rank(u"random"_s, three)), same = run(rank(u"random"_s, three)),
                  other = run(rank(u"random"_s, three + QStringList{u"--seed"_s, u"9"_s}));
    for (const Outcome* outcome : {&one, &same, &other})
        VERIFY_DONE(*outcome);
    QCOMPARE(one.json()[u"draws"_s].toArray().size(), 3);
    QCOMPARE(one.json()[u"draws"_s], same.json()[u"draws"_s]);
    QVERIFY(one.json()[u"draws"_s] != other.json()[u"draws"_s]);
}

void TestRankCommand::twoProcessesRankAsOne()
{
    const QStringList arguments = rank(u"exact"_s, {u"--heads"_s, u"L1H2-4,L2H5-6"_s}, 200);
    const Outcome alone = run(arguments);
    VERIFY_DONE(alone);
    Outcome other;
    const Outcome together = runByTwo(arguments + QStringList{u"--session"_s, session()}, &other);
    VERIFY_DONE(together);
    VERIFY_DONE(other);
    QVERIFY(other.out.isEmpty());
    QCOMPARE(together.json()[u"heads"_s], alone.json()[u"heads"_s]);
    QCOMPARE(together.json()[u"baseline"_s], alone.json()[u"baseline"_s]);
    const QJsonArray chunks = together.json()[u"chunks_of_processes"_s].toArray();
    QCOMPARE(chunks.size(), 2);
    QVERIFY(chunks[0].toInt() + chunks[1].toInt() >= 3 * 6); // portions of the examples, each with the baseline
    const auto forecast = [](const Outcome& outcome) { return outcome.json()[u"memory"_s][u"forecast"_s].toDouble(); };
    QVERIFY(forecast(together) > 0 && forecast(together) < forecast(alone)); // a portion is kept at one time
    auto kept = sessions::SessionStore::open(session().toStdString());
    QVERIFY(kept.has_value());
    QCOMPARE(kept->rankings()->size(), std::size_t{1});
    VERIFY_FAILS(run(rank(u"race"_s), member(0, 2, freePort())), "--method race in one");
}

void TestRankCommand::twoProcessesScoreAsOne()
{
    const QStringList arguments = {u"score"_s,   kModel,  u"--task"_s,   u"toy_kv:pairs=4,toy_mc"_s,
                                   u"--limit"_s, u"40"_s, u"--ablate"_s, u"L1H3=mean"_s,
                                   u"--json"_s};
    const QString samples = m_folder->path(u"a.jsonl"_s), shared = m_folder->path(u"b.jsonl"_s);
    const Outcome alone = run(arguments + QStringList{u"--samples"_s, samples});
    VERIFY_DONE(alone);
    Outcome other;
    const Outcome together =
        runByTwo(arguments + QStringList{u"--samples"_s, shared, u"--session"_s, session()}, &other);
    VERIFY_DONE(together);
    VERIFY_DONE(other);
    QVERIFY(other.out.isEmpty());
    QCOMPARE(together.json()[u"results"_s], alone.json()[u"results"_s]);
    QCOMPARE(together.json()[u"baseline"_s], alone.json()[u"baseline"_s]);
    QFile one(samples), both(shared);
    QVERIFY(one.open(QIODevice::ReadOnly) && both.open(QIODevice::ReadOnly));
    QCOMPARE(both.readAll(), one.readAll());                                 // every log-likelihood to the last digit
    QCOMPARE(together.json()[u"chunks_of_processes"_s].toArray().size(), 2); // of each task
    const Outcome again = run(arguments + QStringList{u"--session"_s, session()});
    QCOMPARE(again.json()[u"reused"_s].toInt(), 2 * 2 * 40);
}

void TestRankCommand::processesWithOtherWorkAreRefused_data()
{
    QTest::addColumn<QStringList>("other");
    QTest::newRow("another model of the same shape") << QStringList{u"MODEL"_s};
    QTest::newRow("other rows") << QStringList{u"--seed"_s, u"7"_s};
    QTest::newRow("other heads, as many") << QStringList{u"--heads"_s, u"L1H5-6"_s};
    QTest::newRow("another type") << QStringList{u"--dtype"_s, u"bf16"_s};
}

// Their rows are as many and look right: what came of it was a ranking of two models, without a word.
void TestRankCommand::processesWithOtherWorkAreRefused()
{
    QFETCH(QStringList, other);
    const QStringList arguments = rank(u"exact"_s, {u"--heads"_s, u"L2H5-6"_s});
    QStringList strange = arguments + other;
    if (other.first() == u"MODEL"_s) {
        const QString folder = m_folder->path(u"other"_s), weights = folder + u"/model.safetensors"_s;
        const QDir shipped(QStringLiteral(HEADSCOPE_SOURCE_DIR "/resources/models/tiny-transformer"));
        QVERIFY(QDir().mkpath(folder));
        for (const QString& name : shipped.entryList(QDir::Files))
            QVERIFY(QFile::copy(shipped.filePath(name), folder + u'/' + name));
        QByteArray bytes = read(weights);
        bytes[bytes.size() - 1] ^= 0x01;
        QVERIFY(QFile::remove(weights));
        write(weights, bytes);
        strange = arguments;
        strange.replace(strange.indexOf(kModel), folder);
    } else if (other.first() == u"--heads"_s) {
        strange = rank(u"exact"_s, other);
    }
    const Outcome alone = run(arguments);
    VERIFY_DONE(alone);
    const int port = freePort();
    const Variables hurry = {{u"HEADSCOPE_PATIENCE"_s, u"5"_s}};
    const auto second = started(strange, member(1, 2, port) + hurry),
               first = started(arguments, member(0, 2, port) + hurry);
    const Outcome theirs = finished(*second), ours = finished(*first);
    // Whoever claims first decides; never is anything taken from both. Who comes after all is done meets nobody.
    if (ours.code == 0)
        QCOMPARE(ours.json()[u"heads"_s], alone.json()[u"heads"_s]);
    else
        VERIFY_FAILS(ours, "do not agree on the work");
    if (theirs.code != 0)
        QVERIFY2(theirs.code == 1 && theirs.err.count('\n') == 1, theirs.err.constData());
    QVERIFY(ours.code == 0 || theirs.code == 0 || theirs.err.contains("Process 0 is gone"));
    QVERIFY(ours.code != 0 || theirs.code != 0);
}

void TestRankCommand::goesOnWithoutALostProcess()
{
    const QStringList arguments = rank(u"exact"_s, {u"--heads"_s, u"L2H5-6"_s});
    const Variables hurry = {{u"HEADSCOPE_PATIENCE"_s, u"1"_s}};
    const Outcome alone = run(arguments), left = run(arguments, member(0, 2, freePort()) + hurry);
    VERIFY_DONE(alone);
    VERIFY_DONE(left);
    QCOMPARE(left.json()[u"heads"_s], alone.json()[u"heads"_s]);
    VERIFY_FAILS(run(arguments, member(1, 2, freePort()) + hurry), "meeting point");
}

void TestRankCommand::meetsBesideAnAgent()
{
    // torchrun's agent listens at the port itself; it is not asked for anything.
    const Listener agent;
    QVERIFY(agent.port() > 0);
    const QStringList arguments = rank(u"exact"_s, {u"--heads"_s, u"L2H5-6"_s});
    const Outcome alone = run(arguments);
    VERIFY_DONE(alone);
    const Variables beside = {{u"TORCHELASTIC_USE_AGENT_STORE"_s, u"True"_s}, {u"XDG_CACHE_HOME"_s, m_folder->path()}};
    const auto second = started(arguments, member(1, 2, agent.port()) + beside),
               first = started(arguments, member(0, 2, agent.port()) + beside);
    VERIFY_DONE(finished(*second));
    const Outcome together = finished(*first);
    VERIFY_DONE(together);
    QCOMPARE(together.json()[u"heads"_s], alone.json()[u"heads"_s]);
    QVERIFY(!agent.wasCalled());
    QVERIFY(QDir(m_folder->path(u"headscope/meetings"_s)).isEmpty()); // the card is gone
}

void TestRankCommand::continuesFromTheSession()
{
    // Stopped after some heads, as a first run over those heads would leave it.
    const QStringList common = {u"--session"_s, session()};
    VERIFY_DONE(run(rank(u"exact"_s, common + QStringList{u"--heads"_s, u"L2H2-5"_s})));
    const Outcome scored = run({u"score"_s, kModel, u"--task"_s, u"toy_kv:pairs=4"_s, u"--limit"_s, u"24"_s,
                                u"--ablate"_s, u"L2H5"_s, u"--session"_s, session(), u"--json"_s});
    QCOMPARE(scored.json()[u"reused"_s].toInt(), 48);
    // On one thread: batches that run side by side take their most at different moments.
    const Outcome all = run(rank(u"exact"_s, common + QStringList{u"--heads"_s, u"L2H*"_s})),
                  fresh = run(rank(u"exact"_s, {u"--heads"_s, u"L2H*"_s, u"--threads"_s, u"1"_s}));
    VERIFY_DONE(all);
    QCOMPARE(all.json()[u"heads"_s], fresh.json()[u"heads"_s]);
    const auto share = [](const Outcome& outcome) {
        const QJsonValue memory = outcome.json()[u"memory"_s];
        return memory[u"forecast"_s].toDouble() / memory[u"measured"_s].toDouble();
    };
    QVERIFY2(share(fresh) > 0.9 && share(fresh) < 1.1, qPrintable(QString::number(share(fresh))));
    const Outcome beside = run(rank(u"exact"_s, {u"--heads"_s, u"L2H*"_s})); // never more than was told
    QVERIFY2(share(beside) > 0.9, qPrintable(QString::number(share(beside))));
}

void TestRankCommand::loadsOnlyWhatAMinimalModelNeeds()
{
    // In another type than the stored one the weights cannot stay in their file.
    const QStringList bf16 = {u"--dtype"_s, u"bf16"_s};
    const Outcome info = run(QStringList{u"info"_s, kModel, u"--json"_s} + bf16);
    const QString memory = QString::number(info.json()[u"memory"_s][u"128"_s][u"total"_s].toInteger() - 1);
    const QStringList little = QStringList{u"--memory"_s, memory} + bf16;
    const Outcome outcome = run(rank(u"exact"_s, QStringList{u"--ablate"_s, u"upto:L1"_s} + little, 4));
    VERIFY_DONE(outcome);
    QCOMPARE(outcome.json()[u"heads"_s].toArray().size(), 16);
    VERIFY_FAILS(run(rank(u"exact"_s, little, 4)), "The model needs");
}

void TestRankCommand::refusesBadInput()
{
    VERIFY_FAILS(run(rank(u"exact"_s, {u"--heads"_s, u"L9H9"_s})), "L9");
    VERIFY_FAILS(run(rank(u"exact"_s, {u"--ablate"_s, u"L2H8"_s})), "heads 0 to 7");
    VERIFY_FAILS(run(rank(u"race"_s, {u"--top"_s, u"32"_s})), "got 32");
    VERIFY_FAILS(run(rank(u"race"_s, {u"--ablate"_s, u"L0H0=mean"_s})), "--method exact");
    VERIFY_FAILS(run(rank(u"random"_s, {u"--top"_s, u"33"_s})), "got --top 33");
    VERIFY_FAILS(run(rank(u"exact"_s), {{u"WORLD_SIZE"_s, u"2"_s}}), "RANK is not");
    VERIFY_FAILS(
        run(rank(u"exact"_s), {{u"WORLD_SIZE"_s, u"2"_s}, {u"RANK"_s, u"2"_s}, {u"MASTER_PORT"_s, u"29500"_s}}),
        "expected a number from 0 to 1");
    QCOMPARE(run(rank(u"exact"_s, {u"--error"_s, u"2"_s})).code, 2);
}

QTEST_GUILESS_MAIN(TestRankCommand)
#include "tst_rankcommand.moc"
