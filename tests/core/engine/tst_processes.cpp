// SPDX-License-Identifier: GPL-3.0-or-later
// Several processes that share work: who may hand over a part, and what a part may be.
#include "core/engine/processes/card.h"
#include "core/engine/processes/chunkqueue.h"
#include "core/engine/processes/connection.h"
#include "core/engine/processes/parts.h"
#include "core/engine/processes/processes.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <future>
#include <limits>
#include <memory>
#include <thread>

using namespace headscope;
using namespace headscope::engine;
using namespace Qt::StringLiterals;

namespace {

int freePort()
{
    const auto listening = listenOn("127.0.0.1", 0);
    return listening.has_value() ? portOf(*listening) : 0;
}

/// A plain connection of somebody who knows nothing but the port.
Descriptor stranger(const char* host, int port)
{
    Descriptor socket(::socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    ::inet_pton(AF_INET, host, &address.sin_addr);
    return ::connect(socket.fd(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 ? std::move(socket)
                                                                                              : Descriptor();
}

/// Whether the other end closes without taking what is said.
bool isClosedAfter(const Descriptor& socket, const std::string& said)
{
    (void)::send(socket.fd(), said.data(), said.size(), MSG_NOSIGNAL);
    char byte = 0;
    for (int heard = 0; heard < 4096; ++heard)
        if (::recv(socket.fd(), &byte, 1, 0) <= 0)
            return true;
    return false;
}

std::vector<OutcomeRow> someRows()
{
    return {{3, {{-1.5, -0.25}, {false, true}, "", false, ""}},
            {7, {{}, {}, std::string("text\0with a zero", 16), true, ""}},
            {8, {{}, {}, "", false, "Too long."}}};
}

} // namespace

class TestProcesses : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init();
    void resultsComeTogether();
    void listensWhereItIsToldOnly();
    void refusesEveryAddress();
    void strangersAreClosed_data();
    void strangersAreClosed();
    void anotherSecretIsRefused();
    void doesNotTrustWhoListensFirst();
    void saysWhatWasFoundBeforeNobodyListened();
    void aProcessThatLeftIsNotWaitedFor();
    void whoFindsAllDoneEndsWell();
    void chunksGoToWhoeverIsFree();
    void whoBeganAPortionGoesOnWithIt();
    void aLateChunkIsRunTwiceAtMost();
    void chunksOfALostProcessGoToOthers();
    void aSlowProcessKeepsNobodyWaiting();
    void aLateProcessTakesWhatIsLeft();
    void differentWorkIsRefused_data();
    void differentWorkIsRefused();
    void cardIsForItsOwnerOnly();
    void secretsAreLongAndPrivate();
    void partsKeepEveryBit();
    void partsAreChecked_data();
    void partsAreChecked();

private:
    [[nodiscard]] ProcessOptions member(int rank) const
    {
        ProcessOptions options;
        options.rank = rank;
        options.size = 2;
        options.host = "127.0.0.1";
        options.port = m_port;
        options.card = m_folder->filePath(u"run.card"_s).toStdString();
        options.patience = std::chrono::milliseconds(60000);
        return options;
    }
    static Result<std::string> named(int chunk) { return "chunk " + std::to_string(chunk); }
    /// The other process, in a thread: joins, and takes its share of six chunks.
    class Helper
    {
    public:
        explicit Helper(const ProcessOptions& options) : m_thread([this, options] { work(options); }) {}
        /// What went wrong, when it is done.
        std::string fault()
        {
            m_thread.join();
            return m_fault;
        }
        /// A chunk of the first process, which takes as long as the other needs to come.
        Result<std::string> awaitIt(int chunk) const
        {
            m_came.wait(false);
            return named(chunk);
        }

    private:
        void work(const ProcessOptions& options)
        {
            const auto joined = Processes::join(options);
            const auto run = [this](int chunk) {
                come();
                return named(chunk);
            };
            const auto shared =
                joined.has_value() ? (*joined)->share({6}, run, {}) : Result<Processes::Shared>(joined.error());
            m_fault = shared.has_value() ? "" : shared.error().message;
            come();
        }
        void come()
        {
            m_came = true;
            m_came.notify_all();
        }
        std::atomic<bool> m_came = false;
        std::string m_fault;
        std::thread m_thread; // last: begins with the rest there
    };

    using Runner = std::function<Result<std::string>(int)>;
    /// The whole of a run of two processes over six chunks, the other one in a thread: what the first got.
    [[nodiscard]] Result<Processes::Shared> shareByTwo(const Runner& first, const Runner& other, std::string* fault)
    {
        auto joined = Processes::join(member(0));
        if (!joined.has_value())
            return joined.error();
        std::thread second([&] {
            const auto met = Processes::join(member(1));
            const auto shared =
                met.has_value() ? (*met)->share({6}, other, {}) : Result<Processes::Shared>(met.error());
            *fault = shared.has_value() ? "" : shared.error().message;
        });
        auto shared = (*joined)->share({6}, first, {});
        (*joined).reset(); // takes what comes late
        second.join();
        return shared;
    }
    [[nodiscard]] static std::vector<std::string> resultsOfSix()
    {
        std::vector<std::string> all;
        for (int chunk = 0; chunk < 6; ++chunk)
            all.push_back("chunk " + std::to_string(chunk));
        return all;
    }

    int m_port = 0;
    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestProcesses::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    m_port = freePort();
}

void TestProcesses::resultsComeTogether()
{
    for (const int port : {m_port, 0}) {
        ProcessOptions options = member(0);
        options.port = port;
        auto first = Processes::join(options);
        QVERIFY2(first.has_value(), first.has_value() ? "" : first.error().message.c_str());
        options.rank = 1;
        Helper other(options);
        const auto shared = (*first)->share({6}, [&](int chunk) { return other.awaitIt(chunk); }, {});
        (*first).reset(); // takes what comes late
        QCOMPARE(other.fault(), std::string());
        QVERIFY(shared.has_value());
        QCOMPARE(shared->results, resultsOfSix());
    }
}

void TestProcesses::listensWhereItIsToldOnly()
{
    const auto first = Processes::join(member(0));
    QVERIFY(first.has_value());
    QVERIFY(stranger("127.0.0.1", m_port).fd() >= 0);
    QVERIFY(stranger("127.0.0.2", m_port).fd() < 0); // another address of this machine
}

void TestProcesses::refusesEveryAddress()
{
    ProcessOptions options = member(0);
    for (const char* everywhere : {"0.0.0.0", "::", "*"}) {
        options.host = everywhere;
        const auto first = Processes::join(options);
        QVERIFY(!first.has_value());
        QVERIFY(first.error().message.find("every address") != std::string::npos);
    }
}

void TestProcesses::strangersAreClosed_data()
{
    QTest::addColumn<QByteArray>("said");
    QTest::newRow("noise") << QByteArray(200, '\xff');
    QTest::newRow("another protocol") << QByteArray("\x00\x12\x00\x00\x00\x00\x00\x00\x00/part/0/1", 18).repeated(8);
    QTest::newRow("forged proof") << QByteArray("headscope-meet 4") + QByteArray(32, 'n') + QByteArray("\1\0\0\0", 4)
                                         + QByteArray(32, 'p');
}

void TestProcesses::strangersAreClosed()
{
    QFETCH(QByteArray, said);
    auto first = Processes::join(member(0));
    QVERIFY(first.has_value());
    QVERIFY(isClosedAfter(stranger("127.0.0.1", m_port), said.toStdString()));
    Helper other(member(1));
    const auto shared = (*first)->share({6}, [&](int chunk) { return other.awaitIt(chunk); }, {});
    (*first).reset();
    QCOMPARE(other.fault(), std::string());
    QVERIFY(shared.has_value());
}

void TestProcesses::anotherSecretIsRefused()
{
    ProcessOptions first = member(0), second = member(1);
    first.secret = "a secret of the first";
    second.secret = "a secret of the other";
    first.patience = second.patience = std::chrono::milliseconds(1000);
    const auto host = Processes::join(first);
    QVERIFY(host.has_value());
    QVERIFY(!QFile::exists(QString::fromStdString(first.card.string())));
    Helper other(second);
    const auto shared = (*host)->share({6}, [&](int chunk) { return other.awaitIt(chunk); }, {});
    const std::string fault = other.fault();
    QVERIFY2(fault.find("does not know the secret") != std::string::npos, fault.c_str());
    QVERIFY(shared.has_value());
    QCOMPARE(shared->chunksOf, (std::vector<int>{6, 0}));
}

void TestProcesses::doesNotTrustWhoListensFirst()
{
    const auto listening = listenOn("127.0.0.1", m_port);
    QVERIFY(listening.has_value());
    QVERIFY(writeCard(member(1).card, {m_port, randomDigest()}).has_value());
    // Greets as process 0 does, and has no proof.
    std::jthread impostor([&](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            Descriptor guest(::accept4(listening->fd(), nullptr, nullptr, 0));
            if (guest.fd() >= 0)
                (void)isClosedAfter(guest, "headscope-meet 4" + std::string(64, 'n'));
        }
    });
    ProcessOptions options = member(1);
    options.patience = std::chrono::milliseconds(500);
    const std::string fault = Helper(options).fault();
    QVERIFY2(fault.find("does not know the secret") != std::string::npos, fault.c_str());
}

// The last try of all ends with the time, which is no connection either.
void TestProcesses::saysWhatWasFoundBeforeNobodyListened()
{
    auto listening = listenOn("127.0.0.1", m_port);
    QVERIFY(listening.has_value());
    QVERIFY(writeCard(member(1).card, {m_port, randomDigest()}).has_value());
    ProcessOptions options = member(1);
    options.patience = std::chrono::milliseconds(2000);
    Helper helper(options);
    {
        Descriptor once = std::move(*listening); // one is refused, then nobody listens
        Descriptor guest(::accept(once.fd(), nullptr, nullptr));
        while (guest.fd() < 0)
            guest = Descriptor(::accept(once.fd(), nullptr, nullptr));
        (void)isClosedAfter(guest, "headscope-meet 4" + std::string(64, 'n'));
    }
    const std::string fault = helper.fault();
    QVERIFY2(fault.find("does not know the secret") != std::string::npos, fault.c_str());
}

void TestProcesses::aProcessThatLeftIsNotWaitedFor()
{
    const auto first = Processes::join(member(0));
    QVERIFY(first.has_value());
    QVERIFY(Processes::join(member(1)).has_value());     // comes, and goes without a claim
    const auto shared = (*first)->share({6}, named, {}); // the patience is a minute, and nobody waits for it
    QVERIFY(shared.has_value());
    QCOMPARE(shared->chunksOf, (std::vector<int>{6, 0}));
}

void TestProcesses::whoFindsAllDoneEndsWell()
{
    auto first = Processes::join(member(0));
    QVERIFY(first.has_value());
    QVERIFY((*first)->share({6}, named, {}).has_value());
    Helper other(member(1)); // was started with the first one, and took longer
    (*first).reset();
    QCOMPARE(other.fault(), std::string());
}

void TestProcesses::chunksGoToWhoeverIsFree()
{
    using std::chrono::seconds;
    const ChunkQueue::Time start{};
    ChunkQueue queue(4);
    QCOMPARE(queue.claim(0, start), std::optional(0));
    QCOMPARE(queue.claim(1, start), std::optional(1)); // and is slow
    QVERIFY(queue.finish(0, 0, "a", start + seconds(1)));
    QCOMPARE(queue.claim(0, start + seconds(1)), std::optional(2));
    QVERIFY(queue.finish(0, 2, "c", start + seconds(2)));
    QCOMPARE(queue.claim(0, start + seconds(2)), std::optional(3));
    queue.lose(0);
    QCOMPARE(queue.claim(1, start + seconds(2)), std::optional(3)); // what the lost one had
    QVERIFY(!queue.done());
    QVERIFY(queue.finish(1, 1, "b", start + seconds(3)) && queue.finish(1, 3, "d", start + seconds(3)));
    QVERIFY(queue.done());
    QCOMPARE(queue.finishedBy(0), 2);
    QCOMPARE(queue.finishedBy(1), 2);
    QCOMPARE(queue.results(), (std::vector<std::string>{"a", "b", "c", "d"}));
}

void TestProcesses::whoBeganAPortionGoesOnWithIt()
{
    using std::chrono::seconds;
    const ChunkQueue::Time start{};
    ChunkQueue queue(9, 3);
    QCOMPARE(queue.claim(0, start), std::optional(0));
    QCOMPARE(queue.claim(1, start), std::optional(3)); // of another portion
    QVERIFY(queue.finish(0, 0, "", start + seconds(1)));
    QCOMPARE(queue.claim(0, start), std::optional(1));
    QVERIFY(queue.finish(0, 1, "", start + seconds(2)));
    QCOMPARE(queue.claim(0, start), std::optional(2));
    QVERIFY(queue.finish(0, 2, "", start + seconds(3)));
    QCOMPARE(queue.claim(0, start), std::optional(6)); // nobody has begun that one
    QCOMPARE(queue.claim(2, start), std::optional(4)); // helps where the most is left, the first of these
    QCOMPARE(queue.claim(3, start), std::optional(7));
    queue.lose(1);
    QCOMPARE(queue.claim(2, start), std::optional(3)); // what the lost one had of its own portion
    QCOMPARE(queue.claim(0, start), std::optional(8));
    QCOMPARE(queue.claim(0, start), std::optional(5)); // and where only others' are left
    QVERIFY(!queue.claim(0, start));
}

void TestProcesses::aLateChunkIsRunTwiceAtMost()
{
    using std::chrono::seconds;
    const ChunkQueue::Time start{};
    ChunkQueue queue(2);
    QVERIFY(queue.claim(1, start) && queue.claim(0, start));
    QVERIFY(!queue.finish(0, 0, "not its own", start + seconds(1)));
    QVERIFY(!queue.finish(0, 2, "none", start + seconds(1)));
    QVERIFY(queue.finish(0, 1, "b", start + seconds(10)));
    QVERIFY(!queue.claim(0, start + seconds(20))); // twice as long as the other one took is not late yet
    QCOMPARE(queue.claim(0, start + seconds(21)), std::optional(0));
    QVERIFY(!queue.claim(2, start + seconds(99))); // two run it
    QVERIFY(queue.finish(0, 0, "a", start + seconds(31)));
    QVERIFY(queue.finish(1, 0, "late", start + seconds(99))); // is taken, and changes nothing
    QCOMPARE(queue.finishedBy(1), 0);
    QCOMPARE(queue.results(), (std::vector<std::string>{"a", "b"}));
}

void TestProcesses::chunksOfALostProcessGoToOthers()
{
    std::string fault;
    std::promise<void> taken;
    const auto shared = shareByTwo(
        [&, waited = false](int chunk) mutable -> Result<std::string> {
            if (!waited)
                taken.get_future().wait();
            waited = true;
            return "chunk " + std::to_string(chunk);
        },
        [&](int) -> Result<std::string> {
            taken.set_value();
            return inputError("Lost.");
        },
        &fault);
    QVERIFY2(shared.has_value(), shared.has_value() ? "" : shared.error().message.c_str());
    QCOMPARE(fault, std::string("Lost."));
    QCOMPARE(shared->results, resultsOfSix());
    QCOMPARE(shared->chunksOf, (std::vector<int>{6, 0}));
}

void TestProcesses::aSlowProcessKeepsNobodyWaiting()
{
    std::string fault;
    std::promise<void> taken, done;
    std::atomic<int> last = -1;
    const auto shared = shareByTwo(
        [&, runs = 0](int chunk) mutable -> Result<std::string> {
            if (runs++ == 0)
                taken.get_future().wait();
            if (chunk == last)
                done.set_value(); // what the slow one has was taken over
            return "chunk " + std::to_string(chunk);
        },
        [&](int chunk) -> Result<std::string> {
            last = chunk;
            taken.set_value();
            done.get_future().wait();
            return "chunk " + std::to_string(chunk);
        },
        &fault);
    QVERIFY2(shared.has_value(), shared.has_value() ? "" : shared.error().message.c_str());
    QCOMPARE(fault, std::string()); // what it hands over late is taken
    QCOMPARE(shared->results, resultsOfSix());
}

void TestProcesses::aLateProcessTakesWhatIsLeft()
{
    auto first = Processes::join(member(0));
    QVERIFY(first.has_value());
    std::string fault = "not yet";
    std::thread second;
    std::promise<void> theirs;
    const auto shared =
        (*first)->share({6},
                        [&](int chunk) -> Result<std::string> {
                            if (chunk == 2) { // two chunks are in when it starts
                                second = std::thread([&] {
                                    const auto met = Processes::join(member(1));
                                    int runs = 0;
                                    const auto ran =
                                        met.has_value()
                                            ? (*met)->share({6},
                                                            [&](int own) -> Result<std::string> {
                                                                if (++runs == 2) // the first one is handed over
                                                                    theirs.set_value();
                                                                return "chunk " + std::to_string(own);
                                                            },
                                                            {})
                                            : Result<Processes::Shared>(met.error());
                                    fault = ran.has_value() ? "" : ran.error().message;
                                });
                                theirs.get_future().wait();
                            }
                            return "chunk " + std::to_string(chunk);
                        },
                        {});
    first->reset();
    second.join();
    QVERIFY(shared.has_value());
    QCOMPARE(fault, std::string());
    QCOMPARE(shared->results, resultsOfSix());
    QVERIFY(shared->chunksOf[1] >= 1);
}

void TestProcesses::differentWorkIsRefused_data()
{
    QTest::addColumn<int>("chunks");
    QTest::addColumn<int>("together");
    QTest::addColumn<QString>("what");
    QTest::newRow("another number of chunks") << 3 << 1 << u"a model"_s;
    QTest::newRow("other portions") << 2 << 2 << u"a model"_s;
    QTest::newRow("another model of the same shape") << 2 << 1 << u"another model"_s; // its rows would look right
}

void TestProcesses::differentWorkIsRefused()
{
    QFETCH(int, chunks);
    QFETCH(int, together);
    QFETCH(QString, what);
    const Processes::Work right{2, 1, "a model"}, wrong{chunks, together, what.toStdString()};
    const auto runs = [](int) { return Result<std::string>("mine"); };
    for (const bool firstIsWrong : {false, true}) { // whoever claims first decides
        m_port = freePort();
        const auto first = Processes::join(member(0));
        QVERIFY(first.has_value());
        Result<Processes::Shared> theirs(ioError(""));
        const auto other = [&](const Processes::Work& work) {
            std::thread([&] {
                const auto met = Processes::join(member(1));
                theirs = met.has_value() ? (*met)->share(work, runs, {}) : met.error();
            }).join();
        };
        const auto runsBeside = [&](int chunk) {
            if (chunk == 0)
                other(wrong);
            return runs(chunk);
        };
        if (firstIsWrong)
            other(right);
        const auto shared = (*first)->share(firstIsWrong ? wrong : right, runsBeside, {});
        QCOMPARE(shared.has_value(), !firstIsWrong);
        QCOMPARE(theirs.has_value(), firstIsWrong);
        const Error& told = firstIsWrong ? shared.error() : theirs.error();
        QVERIFY2(told.message.find("do not agree on the work") != std::string::npos, told.message.c_str());
        if (!firstIsWrong)
            QCOMPARE(shared->chunksOf, (std::vector<int>{2, 0}));
    }
}

void TestProcesses::cardIsForItsOwnerOnly()
{
    const QByteArray path = m_folder->filePath(u"deep/run.card"_s).toUtf8();
    const Digest secret = randomDigest();
    QVERIFY(writeCard(path.constData(), {2900, secret}).has_value());
    struct stat status {
    };
    QCOMPARE(::stat(path.constData(), &status), 0);
    QCOMPARE(status.st_mode & 0777, 0600u);
    const auto card = readCard(path.constData());
    QVERIFY(card.has_value());
    QCOMPARE(card->port, 2900);
    QVERIFY(card->secret == secret);
    QCOMPARE(::chmod(path.constData(), 0640), 0);
    const auto open = readCard(path.constData());
    QVERIFY(!open.has_value() && open.error().message.find("mode 0600") != std::string::npos);
    QCOMPARE(::unlink(path.constData()), 0);
    QCOMPARE(::mkfifo(path.constData(), 0600), 0);
    QVERIFY(!readCard(path.constData()).has_value()); // and does not wait for a writer
}

void TestProcesses::secretsAreLongAndPrivate()
{
    for (const char* name : {"WORLD_SIZE", "RANK", "MASTER_PORT"})
        qputenv(name, qstrcmp(name, "MASTER_PORT") == 0 ? "29500" : qstrcmp(name, "RANK") == 0 ? "1" : "2");
    qputenv("HEADSCOPE_SECRET", "short");
    const auto shortOne = ProcessOptions::fromEnvironment();
    QVERIFY(!shortOne.has_value() && shortOne.error().message.find("at least 16") != std::string::npos);
    qunsetenv("HEADSCOPE_SECRET");
    const QString path = m_folder->filePath(u"secret"_s);
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("sixteen letters or more\n") > 0);
    file.close();
    QVERIFY(file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ReadOther));
    qputenv("HEADSCOPE_SECRET_FILE", path.toUtf8());
    const auto readable = ProcessOptions::fromEnvironment();
    QVERIFY(!readable.has_value() && readable.error().message.find("mode 0600") != std::string::npos);
    QVERIFY(file.setPermissions(QFile::ReadOwner | QFile::WriteOwner));
    const auto given = ProcessOptions::fromEnvironment();
    QVERIFY(given.has_value());
    QCOMPARE(given->secret, std::string("sixteen letters or more"));
    for (const char* name : {"WORLD_SIZE", "RANK", "MASTER_PORT", "HEADSCOPE_SECRET_FILE"})
        qunsetenv(name);
}

void TestProcesses::partsKeepEveryBit()
{
    const auto rows = unpackRows(packRows(someRows()));
    QVERIFY(rows.has_value());
    QVERIFY(*rows == someRows());
    auto odd = someRows();
    odd[0].second.logLikelihoods = {std::numeric_limits<double>::quiet_NaN(), -0.0};
    const auto kept = unpackRows(packRows(odd));
    QVERIFY(kept.has_value());
    QCOMPARE(packRows(*kept), packRows(odd));
}

void TestProcesses::partsAreChecked_data()
{
    QTest::addColumn<QByteArray>("bytes");
    const QByteArray rows = QByteArray::fromStdString(packRows(someRows()));
    QTest::newRow("nothing") << QByteArray();
    QTest::newRow("nested") << QByteArray(1 << 20, '\x81'); // a million lists in each other, in CBOR
    QTest::newRow("a huge count") << QByteArray("rows 1\n") + QByteArray(8, '\x7f');
    QTest::newRow("a huge text") << rows.left(7 + 8 + 8) + QByteArray(8, '\x7f') + rows.mid(7 + 8 + 16);
    QTest::newRow("more behind") << rows + 'x';
    QTest::newRow("a flag of two") << QByteArray(rows).replace(7 + 8 + 8 + 8 + 16 + 8, 1, "\2");
    for (const int cut : {6, 10, 20, 40, static_cast<int>(rows.size()) - 1})
        QTest::addRow("cut at %d", cut) << rows.left(cut);
}

void TestProcesses::partsAreChecked()
{
    QFETCH(QByteArray, bytes);
    QVERIFY(!unpackRows(bytes.toStdString()).has_value());
}

QTEST_GUILESS_MAIN(TestProcesses)
#include "tst_processes.moc"
