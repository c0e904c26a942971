// SPDX-License-Identifier: GPL-3.0-or-later
// Processes that share the work of a command through one session: each prints what one process prints, though some are
// killed and others join late. The shipped tiny-transformer is the model. HEADSCOPE_KILLS says how many processes are
// killed in the work of each command.
#include "tests/support/sharedcommands.h"

#include "sessions/sessionstore.h"

#include <QRegularExpression>

#include <csignal>
#include <memory>
#include <random>
#include <set>

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

} // namespace

class TestSharedSession : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void init() { m_folder = std::make_unique<Folder>(); }
    void eachPrintsWhatOneDoes_data();
    void eachPrintsWhatOneDoes();
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
    for (const SharedCommand& command : sharedCommands())
        QTest::newRow(command.name) << command.arguments;
}

// Two at once, of which one is killed at some moment; another joins in its place.
void TestSharedSession::eachPrintsWhatOneDoes()
{
    QFETCH(QStringList, command);
    const Outcome alone = runHere(command);
    VERIFY_DONE(alone);
    const int kills = std::max(qEnvironmentVariableIntValue("HEADSCOPE_KILLS"), 1);
    std::mt19937 random(static_cast<unsigned>(qHash(QByteArray(QTest::currentDataTag()), 55)));
    const auto member = [&](int rank) {
        return started(command + shared(), {{u"WORLD_SIZE"_s, u"2"_s}, {u"LOCAL_RANK"_s, QString::number(rank)}});
    };
    std::vector<std::unique_ptr<QProcess>> processes;
    for (int rank = 0; rank < 2; ++rank)
        processes.push_back(member(rank));
    for (int killed = 0; killed < kills; ++killed) {
        const auto victim = random() % processes.size();
        QTest::qWait(static_cast<int>(300 + random() % 1500));
        processes[victim]->kill();
        QVERIFY(processes[victim]->state() == QProcess::NotRunning || processes[victim]->waitForFinished());
        processes[victim] = member(static_cast<int>(victim));
    }
    for (const auto& process : processes) {
        const Outcome one = finished(*process);
        VERIFY_DONE(one);
        QCOMPARE(resultsOf(one), resultsOf(alone));
    }
    {
        auto session = opened();
        const bool ranks = command.first() == u"rank"_s;
        if (ranks || command.first() == u"score"_s) {
            QCOMPARE(session.runs()->size(), ranks                             ? std::size_t{0}
                                             : command.contains(u"--ablate"_s) ? std::size_t{2}
                                                                               : std::size_t{1});
            QCOMPARE(session.rankings()->size(), ranks ? std::size_t{1} : std::size_t{0});
        }
    }
    VERIFY_DONE(runHere({u"session"_s, u"verify"_s, shared().back()}));
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
    // It does what is left, then it waits.
    const QRegularExpression sentence(
        u"Waiting for process %1 on \\S+: [0-9]+ chunks? of [0-9]+ (is|are) not finished\\."_s.arg(first->processId()));
    QByteArray said;
    const auto waits = [&] {
        said += second->readAllStandardError();
        return sentence.match(QString::fromUtf8(said)).hasMatch();
    };
    QTRY_VERIFY_WITH_TIMEOUT(waits(), kLongEnough);
    ::kill(static_cast<pid_t>(first->processId()), SIGCONT);
    const Outcome other = finished(*second);
    VERIFY_DONE(other);
    const Outcome one = finished(*first);
    VERIFY_DONE(one);
    QCOMPARE(resultsOf(one), resultsOf(other));
}

// Two commands in one session at the same time: other rows, heads or types are other work.
void TestSharedSession::otherWorkIsNotShared()
{
    const QStringList common = rank({u"--head"_s, u"L2H5-6"_s});
    for (const QStringList& strange :
         {common + QStringList{u"--seed"_s, u"7"_s}, common + QStringList{u"--dtype"_s, u"bf16"_s},
          rank({u"--head"_s, u"L1H5-6"_s})}) {
        init();
        const Outcome alone = runHere(common), strangeAlone = runHere(strange);
        const auto one = started(common + shared()), other = started(strange + shared());
        const Outcome ours = finished(*one), theirs = finished(*other);
        VERIFY_DONE(ours);
        VERIFY_DONE(theirs);
        QCOMPARE(resultsOf(ours), resultsOf(alone));
        QCOMPARE(resultsOf(theirs), resultsOf(strangeAlone));
    }
}

void TestSharedSession::oldWaysNameTheNewOne()
{
    const QStringList command = rank({u"--head"_s, u"L2H5"_s}, 8);
    const auto with = [](const char* name, const char* value, const QStringList& arguments) {
        qputenv(name, value);
        const Outcome outcome = runHere(arguments);
        qunsetenv(name);
        return outcome;
    };
    for (const char* name : {"HEADSCOPE_SECRET", "HEADSCOPE_SECRET_FILE", "HEADSCOPE_PORT", "HEADSCOPE_PATIENCE"})
        VERIFY_FAILS(with(name, "29500", command),
                     QByteArray(name) + " is set, but processes no longer connect to each other");
    std::set<QString> tried;
    for (const SharedCommand& one : sharedCommands()) // by every command
        if (tried.insert(one.arguments.front()).second)
            VERIFY_FAILS(with("WORLD_SIZE", "2", one.arguments), "the same --session FILE");
    VERIFY_DONE(with("WORLD_SIZE", "1", command));
    VERIFY_FAILS(run({u"bench"_s, u"scaling"_s, u"--costs"_s, u"x.json"_s}), "'bench scaling' is gone");
}

QTEST_GUILESS_MAIN(TestSharedSession)
#include "tst_sharedsession.moc"
