// SPDX-License-Identifier: GPL-3.0-or-later
// headscope-cli rank in all its methods. The shipped tiny-transformer is
// the model.
#include "tests/support/clifixture.h"

#include "sessions/sessionstore.h"

#include <cmath>
#include <memory>

using namespace headscope;
using namespace clifixture;

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
    void finishedRacesHaveTheBaselineOfAllExamples();
    void pairsHeads();
    void choosesSetsGreedily();
    void drawsTheSameHeadsForASeed();
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
    const QJsonObject printed = outcome.json();
    for (const QString& key : {u"heads"_s, u"seconds"_s, u"method"_s, u"task"_s, u"baseline"_s, u"n"_s})
        QVERIFY2(printed.contains(key), qPrintable(key));
    QCOMPARE(printed[u"ranked"_s].toInt(), 12);
    const QJsonArray heads = printed[u"heads"_s].toArray();
    QCOMPARE(heads.size(), 5);
    double last = -2;
    for (const QJsonValue& head : heads) {
        QVERIFY(head[u"delta"_s].toDouble() >= last);
        last = head[u"delta"_s].toDouble();
        QVERIFY(std::abs(printed[u"baseline"_s].toDouble() + head[u"delta"_s].toDouble() - head[u"value"_s].toDouble())
                < 1e-9);
        QCOMPARE(head[u"interval"_s].toArray().size(), 2);
        // Tested together, a head is no surer than by itself, and by Holm than by Benjamini-Hochberg.
        QVERIFY(head[u"p_holm"_s].toDouble() >= head[u"p_bh"_s].toDouble());
        QVERIFY(head[u"p_bh"_s].toDouble() >= head[u"p"_s].toDouble());
    }
    QCOMPARE(heads[0][u"p_holm"_s].toDouble(), std::min(1.0, 12 * heads[0][u"p"_s].toDouble()));
    // Those that nothing depends on cannot be told apart, and none of them from the one whose removal costs most.
    int named = 0;
    for (const QJsonValue& group : printed[u"not_told_apart"_s].toArray())
        named += static_cast<int>(group.toArray().size());
    QCOMPARE(named, 12);
    QVERIFY(printed[u"not_told_apart"_s].toArray().size() >= 2);
    QVERIFY(!printed[u"not_told_apart"_s][0].toArray().contains(heads[4][u"head"_s]));
    // The first head is the one whose removal alone costs the most.
    const Outcome alone = run({u"score"_s, kModel, u"--task"_s, u"toy_kv:pairs=4"_s, u"--limit"_s, u"24"_s,
                               u"--ablate"_s, heads[0][u"head"_s].toString(), u"--json"_s});
    QCOMPARE(alone.json()[u"results"_s][0][u"value"_s].toDouble(), heads[0][u"value"_s].toDouble());

    const Outcome again = run(arguments);
    QCOMPARE(again.json()[u"heads"_s], printed[u"heads"_s]);
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
    const QJsonObject printed = outcome.json();
    QVERIFY(printed[u"estimate"_s].toBool());
    const QJsonArray heads = printed[u"heads"_s].toArray();
    QCOMPARE(heads.size(), 32);
    for (const QJsonValue& head : heads) {
        QVERIFY(head[u"estimate"_s].toBool());
        QVERIFY(head[u"delta"_s].isNull() && head[u"margin_delta"_s].isDouble());
    }
    QVERIFY(std::abs(printed[u"exact"_s][u"spearman_margin"_s][u"rho"_s].toDouble()) <= 1);
    QCOMPARE(printed[u"exact"_s][u"spearman_margin"_s][u"n"_s].toInt(), 32);
    const Outcome plain = run({u"rank"_s, kModel, u"--task"_s, u"toy_kv:pairs=4"_s, u"--limit"_s, u"4"_s, u"--method"_s,
                               u"estimate"_s, u"--quiet"_s});
    VERIFY_DONE(plain);
    QVERIFY(plain.out.contains("ESTIMATED"));
}

void TestRankCommand::racesTellTheirError()
{
    const Outcome race = run(rank(u"race"_s, {u"--top"_s, u"2"_s, u"--compare-exact"_s, u"--finish"_s}, 64));
    VERIFY_DONE(race);
    const QJsonObject printed = race.json(), itself = printed[u"race"_s].toObject();
    QCOMPARE(printed[u"exact"_s][u"same_top"_s].toInt(), 2);
    QVERIFY(itself[u"work"_s].toDouble() > 0 && itself[u"work"_s].toDouble() < 1);
    QCOMPARE(itself[u"error_probability"_s].toDouble(), 0.05);
    QVERIFY(itself[u"decided_early"_s].toBool());
    QCOMPARE(printed[u"heads"_s].toArray().size(), 2);
    for (const QJsonValue& head : printed[u"heads"_s].toArray())
        QCOMPARE(head[u"n"_s].toInt(), 64);
    // Finished heads are compared with the score of the whole benchmark, and so is what is printed above them.
    const QJsonObject exact = run(rank(u"exact"_s, {u"--top"_s, u"2"_s}, 64)).json();
    QVERIFY(itself[u"examples"_s].toInt() < 64);
    QCOMPARE(printed[u"n"_s].toInt(), 64);
    QCOMPARE(printed[u"baseline"_s], exact[u"baseline"_s]);
    for (const QJsonValue& head : printed[u"heads"_s].toArray())
        QVERIFY(std::abs(printed[u"baseline"_s].toDouble() + head[u"delta"_s].toDouble() - head[u"value"_s].toDouble())
                < 1e-9);
}

// The sixteen examples of this race are all right; of the 64, three are wrong.
void TestRankCommand::finishedRacesHaveTheBaselineOfAllExamples()
{
    const QStringList race = {u"rank"_s, kModel,        u"--task"_s, u"toy_kv:pairs=32"_s, u"--limit"_s,
                              u"64"_s,   u"--method"_s, u"race"_s,   u"--top"_s,           u"2"_s};
    const QJsonObject raced = run(race + QStringList{u"--json"_s}).json(),
                      finished = run(race + QStringList{u"--finish"_s, u"--json"_s}).json();
    QVERIFY(raced[u"n"_s].toInt() < 64);
    QVERIFY(raced[u"baseline"_s].toDouble() > finished[u"baseline"_s].toDouble());
    QCOMPARE(finished[u"n"_s].toInt(), 64);
    for (const QJsonValue& head : finished[u"heads"_s].toArray())
        QVERIFY(std::abs(finished[u"baseline"_s].toDouble() + head[u"delta"_s].toDouble() - head[u"value"_s].toDouble())
                < 1e-9);
    const Outcome printed = run(race + QStringList{u"--finish"_s});
    VERIFY_DONE(printed);
    QVERIFY2(printed.out.contains("64 examples, 32 heads; with all of them 0.9531"), printed.out.constData());
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
    QCOMPARE(run(rank(u"exact"_s, {u"--error"_s, u"2"_s})).code, 2);
    for (const QString& method : {u"pairs"_s, u"greedy"_s, u"random"_s}) {
        const Outcome outcome = run(rank(method, {u"--compare-exact"_s}));
        QCOMPARE(outcome.code, 2);
        QVERIFY2(outcome.err.startsWith("--compare-exact: --method " + method.toUtf8()), outcome.err.constData());
    }
}

QTEST_GUILESS_MAIN(TestRankCommand)
#include "tst_rankcommand.moc"
