// SPDX-License-Identifier: GPL-3.0-or-later
// Processes that share the work of a command through one session: each prints what one process prints. The shipped
// tiny-transformer is the model. HEADSCOPE_KILLS says how many processes are killed.
#include "tests/support/clifixture.h"

#include "sessions/sessionstore.h"

#include <QRegularExpression>

#include <csignal>
#include <memory>
#include <random>

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

/// What a run says of its results; not how long it took and where they came from.
QJsonObject said(const Outcome& outcome)
{
    QJsonObject json = outcome.json();
    for (const QString& key : {u"seconds"_s, u"memory"_s, u"tokens"_s, u"reused"_s})
        json.remove(key);
    return json;
}

} // namespace

class TestSharedSession : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void init() { m_folder = std::make_unique<Folder>(); }
    void eachPrintsWhatOneDoes_data();
    void eachPrintsWhatOneDoes();
    void killedProcessesLoseNothing();
    void saysForWhomItWaits();
    void otherWorkIsNotShared();
    void oldWaysNameTheNewOne();

private:
    [[nodiscard]] static QStringList rank(const QStringList& more, int limit = 200)
    {
        return QStringList{u"rank"_s,  kModel, u"--task"_s, u"toy_kv:pairs=4"_s, u"--limit"_s, QString::number(limit),
                           u"--json"_s}
               + more;
    }
    [[nodiscard]] QStringList shared() const { return {u"--session"_s, m_folder->path(u"s.headscope"_s)}; }
    [[nodiscard]] sessions::SessionStore opened() const
    {
        auto session = sessions::SessionStore::open(m_folder->path(u"s.headscope"_s).toStdString());
        if (!session.has_value())
            qFatal("%s", session.error().message.c_str());
        return std::move(*session);
    }
    std::unique_ptr<Folder> m_folder;
};

void TestSharedSession::initTestCase()
{
    if (!QFile::exists(qEnvironmentVariable("HEADSCOPE_CLI")))
        QSKIP("HEADSCOPE_CLI does not name the program.");
}

void TestSharedSession::eachPrintsWhatOneDoes_data()
{
    QTest::addColumn<QStringList>("command");
    const QStringList score = {u"score"_s,   kModel,   u"--task"_s, u"toy_kv:pairs=4,toy_mc"_s,
                               u"--limit"_s, u"100"_s, u"--json"_s};
    QTest::newRow("ranking") << rank({u"--head"_s, u"L1H2-4,L2H5-6"_s});
    QTest::newRow("random sets") << rank({u"--method"_s, u"random"_s, u"--draws"_s, u"5"_s});
    QTest::newRow("pairs") << rank({u"--method"_s, u"pairs"_s, u"--head"_s, u"L1H2-4"_s});
    QTest::newRow("pairs of the best") << rank({u"--method"_s, u"pairs"_s, u"--top"_s, u"3"_s}, 24);
    QTest::newRow("race") << rank({u"--method"_s, u"race"_s, u"--top"_s, u"3"_s}, 100);
    QTest::newRow("greedy") << rank({u"--method"_s, u"greedy"_s, u"--top"_s, u"2"_s}, 24);
    QTest::newRow("baseline") << score;
    QTest::newRow("ablated") << score + QStringList{u"--ablate"_s, u"L2H5"_s};
    QTest::newRow("a mean over all examples") << score + QStringList{u"--ablate"_s, u"L1H3=mean"_s};
    QTest::newRow("until decided") << score + QStringList{u"--ablate"_s, u"L2H5"_s, u"--until-decided"_s, u"0.1"_s};
}

void TestSharedSession::eachPrintsWhatOneDoes()
{
    QFETCH(QStringList, command);
    const Outcome alone = run(command);
    VERIFY_DONE(alone);
    std::vector<std::unique_ptr<QProcess>> processes;
    for (int i = 0; i < 3; ++i)
        processes.push_back(
            started(command + shared(), {{u"WORLD_SIZE"_s, u"3"_s}, {u"LOCAL_RANK"_s, QString::number(i)}}));
    for (const auto& process : processes) {
        const Outcome one = finished(*process);
        VERIFY_DONE(one);
        QCOMPARE(said(one), said(alone));
    }
    auto session = opened();
    QCOMPARE(session.runs()->size(), command.first() == u"rank"_s      ? std::size_t{0}
                                     : command.contains(u"--ablate"_s) ? std::size_t{2}
                                                                       : std::size_t{1});
    QVERIFY(session.rankings()->size() == (command.first() == u"rank"_s ? std::size_t{1} : std::size_t{0}));
}

void TestSharedSession::killedProcessesLoseNothing()
{
    const int kills = std::max(qEnvironmentVariableIntValue("HEADSCOPE_KILLS"), 4);
    const QStringList command = rank({u"--head"_s, u"L1H*,L2H*"_s}, 400);
    const Outcome alone = run(command);
    VERIFY_DONE(alone);
    std::mt19937 random(55);
    for (int killed = 0; killed < kills;) {
        init();
        std::vector<std::unique_ptr<QProcess>> processes;
        for (int i = 0; i < 2; ++i)
            processes.push_back(started(command + shared()));
        for (int i = 0; i < 2; ++i, ++killed) {
            QTest::qWait(static_cast<int>(300 + random() % 1500));
            auto& victim = processes[random() % processes.size()];
            victim->kill();
            QVERIFY(victim->waitForFinished());
            victim = started(command + shared());
        }
        for (const auto& process : processes) {
            const Outcome one = finished(*process);
            VERIFY_DONE(one);
            QCOMPARE(said(one), said(alone));
        }
        VERIFY_DONE(run({u"session"_s, u"verify"_s, m_folder->path(u"s.headscope"_s)}));
    }
}

void TestSharedSession::saysForWhomItWaits()
{
    const QStringList command = rank({u"--head"_s, u"L1H*,L2H*"_s}, 400);
    const auto first = started(command + shared());
    const QString file = shared().back();
    // Stopped while it runs a chunk: one that is stopped while it writes keeps everybody from writing.
    const auto stopped = [&] {
        if (!QFile::exists(file))
            return false;
        ::kill(static_cast<pid_t>(first->processId()), SIGSTOP);
        {
            auto session = sessions::SessionStore::open(file.toStdString(), {.busyTimeoutMs = 100});
            const auto scores =
                session.has_value() ? session->scores() : Result<std::vector<sessions::SeriesScore>>(session.error());
            if (scores.has_value() && !scores->empty() && session->setUiState("test", "x").has_value())
                return true;
        }
        ::kill(static_cast<pid_t>(first->processId()), SIGCONT);
        return false;
    };
    QTRY_VERIFY_WITH_TIMEOUT(stopped(), 60000);
    const auto second = started(command + shared());
    // It does what is left, then it waits; what the stopped one has becomes free when its lease ends.
    const Outcome other = finished(*second);
    VERIFY_DONE(other);
    const QRegularExpression sentence(
        u"Waiting for process %1 on \\S+: [0-9]+ chunks? of [0-9]+ (is|are) not finished\\."_s.arg(first->processId()));
    QVERIFY2(sentence.match(QString::fromUtf8(other.err)).hasMatch(), other.err.constData());
    ::kill(static_cast<pid_t>(first->processId()), SIGCONT);
    const Outcome one = finished(*first);
    VERIFY_DONE(one);
    QCOMPARE(said(one), said(other));
}

// Two commands in one session at the same time: other rows, heads or types are other work.
void TestSharedSession::otherWorkIsNotShared()
{
    const QStringList common = rank({u"--head"_s, u"L2H5-6"_s});
    for (const QStringList& strange :
         {common + QStringList{u"--seed"_s, u"7"_s}, common + QStringList{u"--dtype"_s, u"bf16"_s},
          rank({u"--head"_s, u"L1H5-6"_s})}) {
        init();
        const Outcome alone = run(common), strangeAlone = run(strange);
        const auto one = started(common + shared()), other = started(strange + shared());
        const Outcome ours = finished(*one), theirs = finished(*other);
        VERIFY_DONE(ours);
        VERIFY_DONE(theirs);
        QCOMPARE(said(ours), said(alone));
        QCOMPARE(said(theirs), said(strangeAlone));
    }
}

void TestSharedSession::oldWaysNameTheNewOne()
{
    const QStringList command = rank({u"--head"_s, u"L2H5"_s}, 8);
    for (const QString& name :
         {u"HEADSCOPE_SECRET"_s, u"HEADSCOPE_SECRET_FILE"_s, u"HEADSCOPE_PORT"_s, u"HEADSCOPE_PATIENCE"_s}) {
        const auto process = started(command, {{name, u"29500"_s}});
        VERIFY_FAILS(finished(*process), name.toUtf8() + " is set, but processes no longer connect to each other");
    }
    const auto alone = started(command, {{u"WORLD_SIZE"_s, u"2"_s}, {u"RANK"_s, u"0"_s}});
    VERIFY_FAILS(finished(*alone), "the same --session FILE");
    VERIFY_DONE(finished(*started(command, {{u"WORLD_SIZE"_s, u"1"_s}})));
    VERIFY_FAILS(run({u"bench"_s, u"scaling"_s, u"--costs"_s, u"x.json"_s}), "'bench scaling' is gone");
}

QTEST_GUILESS_MAIN(TestSharedSession)
#include "tst_sharedsession.moc"
