// SPDX-License-Identifier: GPL-3.0-or-later
// Downloads from a hub of our own (tests/support/hubserver.py): what arrives, what is sent where, and what goes wrong.
#include "core/hub/download.h"
#include "core/hub/http.h"
#include "core/io/modelfolder.h"
#include "tests/support/hubprocess.h"

#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>

#include <fstream>
#include <iterator>

using namespace headscope;
using namespace headscope::hub;
namespace fs = std::filesystem;

namespace {

std::string readAll(const fs::path& path)
{
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

template <typename T> std::string messageOf(const Result<T>& result)
{
    return result.has_value() ? "no error" : result.error().message;
}

constexpr std::uintmax_t kWeights = 300'000; // bytes

} // namespace

class TestHub : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void init();
    void cleanupTestCase();
    void fillsTheCacheAsPythonDoes();
    void fetchesNothingTwice();
    void severalFilesArriveAtATime();
    void filesOfTheSameBytesAreOneBlob();
    void sendsTheTokenToOneHostOnly();
    void believesTheCertificatesThatAreNamed();
    void goesOnAfterCuts_data();
    void goesOnAfterCuts();
    void goesOnWhereAnEarlierRunStopped();
    void aLinkIsNoPartOfADownload();
    void triesAgainWhereTheHubIsBusy();
    void saysWhatIsWrong_data();
    void saysWhatIsWrong();
    void stopsWhenAsked();
    void choosesAmongFiles();
    void namesAndSettings();

private:
    [[nodiscard]] Result<fs::path> fetch(const std::string& model, const Control& control = {}) const
    {
        const auto name = RepositoryName::parse(model);
        if (!name.has_value())
            return name.error();
        const auto planned = plan(*name, {}, m_settings, control);
        return planned.has_value() ? download(*planned, m_settings, control) : Result<fs::path>(planned.error());
    }
    [[nodiscard]] nlohmann::json asked() const
    {
        return nlohmann::json::parse(*getText(m_settings.endpoint + "/log", 1'000'000, "log", m_settings, {}));
    }
    testing::HubProcess m_server;
    std::unique_ptr<QTemporaryDir> m_cache;
    HubSettings m_settings;
};

void TestHub::initTestCase()
{
    QVERIFY(m_server.start());
    m_settings = m_server.settings();
    m_settings.token = "secret";
}

void TestHub::init()
{
    m_cache = std::make_unique<QTemporaryDir>();
    m_settings.cache = fs::path(m_cache->path().toStdString()) / "hub";
}

void TestHub::cleanupTestCase()
{
    QVERIFY(m_server.stop());
}

void TestHub::fillsTheCacheAsPythonDoes()
{
    const auto snapshot = fetch("org/good");
    QVERIFY2(snapshot.has_value(), messageOf(snapshot).c_str());
    const fs::path repository = m_settings.cache / "models--org--good";
    const std::string commit = readAll(repository / "refs" / "main");
    QCOMPARE(commit.size(), std::size_t{40});
    QCOMPARE(*snapshot, repository / "snapshots" / commit);
    QVERIFY(fs::is_symlink(*snapshot / "model.safetensors"));
    const fs::path target = fs::read_symlink(*snapshot / "model.safetensors");
    QCOMPARE(target.parent_path(), fs::path("../../blobs"));
    QCOMPARE(target.filename().string().size(), std::size_t{64});
    QCOMPARE(fs::file_size(*snapshot / "model.safetensors"), kWeights);
    QCOMPARE(readAll(*snapshot / "config.json"), std::string(R"({"model_type": "llama"})"));
    QVERIFY(!fs::exists(*snapshot / "pytorch_model.bin") && !fs::exists(*snapshot / "README.md")); // not needed
    // What finds models finds it.
    const auto found = io::resolveModel("org/good", {.shippedFolder = {}, .hubCache = m_settings.cache});
    QVERIFY2(found.has_value(), messageOf(found).c_str());
    QCOMPARE(found->revision, commit);
}

void TestHub::severalFilesArriveAtATime()
{
    std::int64_t last = 0, total = 0;
    bool rises = true;
    const Control control{.stop = {}, .report = [&](const Progress& progress) {
                              if (progress.stage != "org/beside")
                                  return;
                              rises = rises && progress.done >= last;
                              last = progress.done;
                              total = progress.total;
                          }};
    const auto fetched = fetch("org/beside", control); // the server answers none of the three until all are asked for
    QVERIFY2(fetched.has_value(), messageOf(fetched).c_str());
    QVERIFY(rises);
    QCOMPARE(last, total);
    QVERIFY(total > static_cast<std::int64_t>(kWeights));
}

void TestHub::filesOfTheSameBytesAreOneBlob()
{
    const auto fetched = fetch("org/twins");
    QVERIFY2(fetched.has_value(), messageOf(fetched).c_str());
    QCOMPARE(fs::read_symlink(*fetched / "config.json"), fs::read_symlink(*fetched / "tokenizer.json"));
}

void TestHub::fetchesNothingTwice()
{
    QVERIFY(fetch("org/good").has_value());
    const auto name = RepositoryName::parse("org/good");
    const auto planned = plan(*name, {}, m_settings, {});
    QVERIFY(planned.has_value());
    QCOMPARE(planned->missing, std::uint64_t{0});
    QVERIFY(planned->total > kWeights && planned->free > 0);
    const std::size_t before = asked().size();
    QVERIFY(download(*planned, m_settings, {}).has_value());
    QCOMPARE(asked().size(), before);
}

void TestHub::sendsTheTokenToOneHostOnly()
{
    QVERIFY(fetch("org/redirected").has_value());
    int hub = 0, files = 0;
    for (const auto& request : asked()) {
        if (request["path"].get<std::string>().find("redirected") == std::string::npos)
            continue;
        const bool own = request["server"] == "hub";
        (own ? hub : files) += 1;
        QCOMPARE(request["token"].get<std::string>(), std::string(own ? "Bearer secret" : ""));
    }
    QVERIFY(hub >= 4 && files == 1);
}

void TestHub::believesTheCertificatesThatAreNamed()
{
    const auto name = RepositoryName::parse("org/good");
    HubSettings settings = m_settings;
    settings.endpoint = m_server.encrypted();
    const auto unknown = Repository::ask(*name, settings, {});
    QVERIFY2(messageOf(unknown).find("the certificates of the system") != std::string::npos,
             messageOf(unknown).c_str());
    qputenv("SSL_CERT_FILE", HEADSCOPE_SOURCE_DIR "/tests/data/hub/localhost.pem");
    settings.certificates = HubSettings::fromEnvironment().certificates;
    const auto known = Repository::ask(*name, settings, {});
    QVERIFY2(known.has_value() && !known->files.empty(), messageOf(known).c_str());
    settings.certificates = "/none.pem";
    const auto missing = Repository::ask(*name, settings, {});
    QVERIFY2(messageOf(missing).find("SSL_CERT_FILE, '/none.pem'") != std::string::npos, messageOf(missing).c_str());
    qunsetenv("SSL_CERT_FILE");
}

void TestHub::goesOnAfterCuts_data()
{
    QTest::addColumn<QString>("model");
    QTest::newRow("cut, with ranges") << QStringLiteral("org/cut");
    QTest::newRow("cut, without ranges") << QStringLiteral("org/norange");
}

void TestHub::goesOnAfterCuts()
{
    QFETCH(const QString, model);
    const auto snapshot = fetch(model.toStdString());
    QVERIFY2(snapshot.has_value(), messageOf(snapshot).c_str()); // and the hash is right, or it would not be there
    QCOMPARE(fs::file_size(*snapshot / "model.safetensors"), kWeights);
    bool ranged = false;
    for (const auto& request : asked())
        ranged = ranged || request["range"] == "bytes=100000-";
    QVERIFY(ranged);
}

void TestHub::goesOnWhereAnEarlierRunStopped()
{
    const auto name = RepositoryName::parse("org/resumed");
    const auto planned = plan(*name, {}, m_settings, {});
    QVERIFY(planned.has_value());
    const auto weights = std::find_if(planned->files.begin(), planned->files.end(),
                                      [](const RemoteFile& file) { return file.path == "model.safetensors"; });
    QVERIFY(download(*planned, m_settings, {}).has_value());
    const fs::path blob = m_settings.cache / "models--org--resumed" / "blobs" / weights->hash;
    fs::rename(blob, blob.string() + ".incomplete"); // as if only 250000 bytes had arrived
    fs::resize_file(blob.string() + ".incomplete", 250'000);
    const auto again = plan(*name, {}, m_settings, {});
    QVERIFY(again.has_value());
    QCOMPARE(again->missing, std::uint64_t{50'000});
    QVERIFY(download(*again, m_settings, {}).has_value());
    QCOMPARE(fs::file_size(blob), kWeights);
    QVERIFY(asked().back()["range"] == "bytes=250000-");
}

// What is continued is the download's own file; a link of its name leads to somebody else's, as does a second name.
void TestHub::aLinkIsNoPartOfADownload()
{
    const auto planned = plan(*RepositoryName::parse("org/resumed"), {}, m_settings, {});
    QVERIFY(planned.has_value());
    const auto weights = std::find_if(planned->files.begin(), planned->files.end(),
                                      [](const RemoteFile& file) { return file.path == "model.safetensors"; });
    const fs::path blobs = m_settings.cache / "models--org--resumed" / "blobs", victim = m_settings.cache / "victim",
                   part = blobs / (weights->hash + ".incomplete");
    fs::create_directories(blobs);
    for (const bool symbolic : {true, false}) {
        std::ofstream(victim) << "precious";
        symbolic ? fs::create_symlink(victim, part) : fs::create_hard_link(victim, part);
        const auto done = download(*planned, m_settings, {});
        QVERIFY(!done.has_value() && done.error().message.starts_with("Cannot write"));
        QCOMPARE(fs::file_size(victim), std::uintmax_t{8});
        fs::remove(part);
    }
    QVERIFY(download(*planned, m_settings, {}).has_value());
}

void TestHub::triesAgainWhereTheHubIsBusy()
{
    const auto snapshot = fetch("org/busy");
    QVERIFY2(snapshot.has_value(), messageOf(snapshot).c_str());
}

void TestHub::saysWhatIsWrong_data()
{
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("words");
    const auto row = [](const char* name, const char* words) {
        QTest::newRow(name) << QString::fromUtf8(name) << QString::fromUtf8(words);
    };
    row("private", "the token that is set does not open it");
    row("gated", "accept the model's conditions at http");
    row("nowhere", "has no such model, revision or file");
    row("often", "too many requests");
    row("broken", "answers with status 503");
    row("nonsense", "is not a list of files");
    row("changed", "what arrived has the hash");
    row("long", "sends more than the 300000 bytes that it announced");
    row("short", "it ended after 1000 of 300000 bytes");
    row("shifted", "what arrived has the hash");
    row("strange", "failed (");
    row("immense", "1000000.00 GB more");
    row("slow", "failed (");
    row("ggufs", "has 2 GGUF files; name one of them after the model: 'a-Q4_0.gguf', 'a-Q8_0.gguf'");
}

void TestHub::saysWhatIsWrong()
{
    QFETCH(const QString, model);
    QFETCH(const QString, words);
    HubSettings settings = m_settings;
    m_settings.tries = model == QStringLiteral("slow") ? 1 : 3;
    m_settings.stalled = std::chrono::seconds(1);
    const auto fetched = fetch("org/" + model.toStdString());
    std::swap(m_settings, settings);
    const std::string said = messageOf(fetched);
    QVERIFY2(QString::fromStdString(said).contains(words) && said.ends_with('.'), said.c_str());
    QVERIFY(!fs::exists(m_settings.cache / "models--org--x" / "refs"));
    const auto found =
        io::resolveModel("org/" + model.toStdString(), {.shippedFolder = {}, .hubCache = m_settings.cache});
    QVERIFY(!found.has_value()); // half a model is none
}

void TestHub::stopsWhenAsked()
{
    std::stop_source stop;
    const Control control{.stop = stop.get_token(), .report = [&](const Progress& progress) {
                              if (progress.stage == "org/stopped")
                                  stop.request_stop();
                          }};
    const auto fetched = fetch("org/stopped", control);
    QVERIFY(!fetched.has_value() && fetched.error().kind == Error::Kind::Cancelled);
    QVERIFY(fetch("org/stopped").has_value()); // goes on
}

void TestHub::choosesAmongFiles()
{
    const auto file = [](const char* path) { return RemoteFile{.path = path, .size = 1}; };
    const auto chosen = [](const Repository& repository, const std::string& weights = {}) {
        std::string all;
        const auto files = neededFiles(repository, weights);
        if (!files.has_value())
            return files.error().message;
        for (const RemoteFile& one : *files)
            all += one.path + " ";
        return all;
    };
    const RemoteFile config = file("config.json");
    Repository shards{.files = {config, file("model-00001-of-00002.safetensors"),
                                file("model-00002-of-00002.safetensors"), file("model.safetensors.index.json"),
                                file("pytorch_model.bin"), file("onnx/model.onnx")}};
    QCOMPARE(chosen(shards), std::string("config.json model-00001-of-00002.safetensors "
                                         "model-00002-of-00002.safetensors model.safetensors.index.json "));
    QCOMPARE(chosen({.files = {config, file("pytorch_model.bin")}}), std::string("config.json pytorch_model.bin "));
    // Tokenizers besides tokenizer.json, and what tells how weights are packed.
    QCOMPARE(chosen({.files = {file("quantize_config.json"), file("rwkv_vocab_v20230424.txt"),
                               file("model.safetensors"), file("tokenizer.model"), file("README.md")}}),
             std::string("quantize_config.json rwkv_vocab_v20230424.txt model.safetensors tokenizer.model "));
    QCOMPARE(chosen({.files = {file("a.gguf")}}), std::string("a.gguf "));
    QCOMPARE(chosen({.files = {file("a.gguf"), file("b.gguf")}}, "b.gguf"), std::string("b.gguf "));
    QVERIFY(chosen({.files = {file("a.gguf")}}, "c.gguf").find("has no file 'c.gguf'") != std::string::npos);
    QVERIFY(chosen({.files = {config}}).find("no weights in a supported format") != std::string::npos);
    // Paths that lead out of the repository are not there.
    const auto name = RepositoryName::parse("org/hostile");
    const auto hostile = Repository::ask(*name, m_settings, {});
    QVERIFY(hostile.has_value());
    for (const RemoteFile& one : hostile->files)
        QVERIFY2(one.path.find("..") == std::string::npos && !one.path.starts_with("/"), one.path.c_str());
}

void TestHub::namesAndSettings()
{
    QCOMPARE(RepositoryName::parse("org/name@v1.0")->revision, std::string("v1.0"));
    QCOMPARE(RepositoryName::parse("gpt2")->revision, std::string("main"));
    for (const char* bad : {"", "a/b/c", "../a", "a/..", "a/b@", "a/b@../../x", "a b", "a//b", "a--b/c", "a/b?x"})
        QVERIFY2(!RepositoryName::parse(bad).has_value(), bad);
    qputenv("HF_ENDPOINT", "https://example.org/");
    qputenv("HF_HOME", m_cache->path().toUtf8());
    qputenv("HF_HUB_OFFLINE", "yes");
    std::ofstream(fs::path(m_cache->path().toStdString()) / "token") << "abc\r\nX-Injected: 1\n";
    const HubSettings settings = HubSettings::fromEnvironment();
    QCOMPARE(settings.endpoint, std::string("https://example.org"));
    QCOMPARE(settings.token, std::string("abcX-Injected:1")); // one line, as it goes into a header
    QVERIFY(settings.offline);
    const auto refused = Repository::ask(*RepositoryName::parse("org/good"), settings, {});
    QVERIFY(messageOf(refused).find("HF_HUB_OFFLINE is set") != std::string::npos);
}

QTEST_GUILESS_MAIN(TestHub)
#include "tst_hub.moc"
