// SPDX-License-Identifier: GPL-3.0-or-later
// Sharded checkpoints and the places where models are found.
#include "core/io/modelfolder.h"
#include "core/io/safetensors/checkpoint.h"
#include "core/io/safetensors/safetensorswriter.h"

#include <QTemporaryDir>
#include <QTest>

#include <cstring>
#include <fstream>

using namespace headscope;
using namespace headscope::io;
namespace fs = std::filesystem;

namespace {

const std::vector<float> kFour = {1, 2, 3, 4};

void writeText(const fs::path& path, const std::string& text)
{
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
}

/// Writes a file with one [4] tensor per name, each starting with a value of its own.
void writeShard(const fs::path& path, const std::vector<std::string>& names,
                const SafetensorsMetadata& metadata = {{"format", "pt"}})
{
    fs::create_directories(path.parent_path());
    std::vector<TensorToWrite> tensors;
    for (const std::string& name : names)
        tensors.push_back({name, Dtype::F32, {4}, std::as_bytes(std::span(kFour))});
    if (!writeSafetensors(path, tensors, metadata).has_value())
        qFatal("cannot write the test's shard");
}

template <typename T> std::string messageOf(const Result<T>& result)
{
    return result.has_value() ? "no error" : result.error().message;
}

bool says(const std::string& message, const std::string& words)
{
    return message.find(words) != std::string::npos && message.ends_with('.');
}

} // namespace

#define VERIFY_SAYS(result, words)                                                                                     \
    do {                                                                                                               \
        const std::string message = messageOf(result);                                                                 \
        QVERIFY2(says(message, words), message.c_str());                                                               \
    } while (false)

class TestCheckpoint : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init();
    void opensSingleFile();
    void opensShards();
    void warnsAboutOddities();
    void refusesBadIndex_data();
    void refusesBadIndex();
    void warnsOfAnIndexThatNamesOtherPlaces();
    void refusesBadShards();
    void refusesFoldersWithoutWeights();
    void findsDroppedNames();
    void hashChangesWithContent();
    void largeFilesAreHashedAsAWhole();
    void resolvesFoldersAndShippedNames();
    void resolvesCachedModels();
    void findsModelsInFoldersThatWereAdded();
    void remembersFolders();
    void refusesUnknownAndPartialModels();
    void readsPlacesFromEnvironment();

private:
    void writeIndex(const std::string& text) { writeText(m_folder / "model.safetensors.index.json", text); }
    fs::path m_folder;
    std::unique_ptr<QTemporaryDir> m_temporary;
};

void TestCheckpoint::init()
{
    m_temporary = std::make_unique<QTemporaryDir>();
    m_folder = m_temporary->path().toStdString();
}

void TestCheckpoint::opensSingleFile()
{
    writeShard(m_folder / "model.safetensors", {"b", "a"});
    const auto opened = Checkpoint::open(m_folder);
    QVERIFY2(opened.has_value(), messageOf(opened).c_str());
    QCOMPARE((*opened)->names(), (std::vector<std::string>{"a", "b"}));
    QCOMPARE((*opened)->bytes(), std::uint64_t{32});
    QVERIFY((*opened)->warnings().empty());
    QVERIFY(!(*opened)->find("c").has_value());
    std::optional<TensorView> view = (*opened)->find("a");
    QVERIFY(view.has_value());
    QCOMPARE(view->info.shape, (std::vector<std::int64_t>{4}));
    QCOMPARE(std::memcmp(view->bytes.data(), kFour.data(), 16), 0);
}

void TestCheckpoint::opensShards()
{
    writeShard(m_folder / "model-00001-of-00002.safetensors", {"a"});
    writeShard(m_folder / "model-00002-of-00002.safetensors", {"b", "c"});
    writeIndex(R"({"metadata":{"total_size":48.0},"weight_map":{"c":"model-00002-of-00002.safetensors",
        "a":"model-00001-of-00002.safetensors","b":"model-00002-of-00002.safetensors"}})");
    const auto opened = Checkpoint::open(m_folder);
    QVERIFY2(opened.has_value(), messageOf(opened).c_str());
    QCOMPARE((*opened)->names(), (std::vector<std::string>{"a", "b", "c"}));
    QVERIFY((*opened)->warnings().empty());
    QVERIFY((*opened)->find("c").has_value());
    // A view outlives the checkpoint.
    std::optional<TensorView> kept;
    {
        const auto again = Checkpoint::open(m_folder);
        QVERIFY(again.has_value());
        kept = (*again)->find("b");
    }
    QCOMPARE(std::memcmp(kept->bytes.data(), kFour.data(), 16), 0);
}

void TestCheckpoint::warnsAboutOddities()
{
    writeShard(m_folder / "s1.safetensors", {"a", "extra"}, {{"format", "tf"}});
    writeIndex(R"({"metadata":{"total_size":7},"weight_map":{"a":"s1.safetensors"}})");
    const auto opened = Checkpoint::open(m_folder);
    QVERIFY2(opened.has_value(), messageOf(opened).c_str());
    QVERIFY((*opened)->find("extra").has_value());
    const auto& warnings = (*opened)->warnings();
    QCOMPARE(warnings.size(), std::size_t{3});
    QVERIFY(says(warnings[0], "'tf'"));
    QVERIFY(says(warnings[1], "'extra'"));
    QVERIFY(says(warnings[2], "total size of 7"));
    // The single file wins, as in the reference.
    writeShard(m_folder / "model.safetensors", {"single"});
    const auto both = Checkpoint::open(m_folder);
    QVERIFY(both.has_value());
    QCOMPARE((*both)->names(), std::vector<std::string>{"single"});
    QVERIFY(says((*both)->warnings().at(0), "the single file is used"));
}

void TestCheckpoint::refusesBadIndex_data()
{
    QTest::addColumn<QByteArray>("index");
    QTest::addColumn<QByteArray>("words");
    const auto row = [](const char* name, const QByteArray& index, const char* words) {
        QTest::newRow(name) << index << QByteArray(words);
    };
    row("no JSON", "{", "not valid JSON");
    row("array", "[]", "expected an object");
    row("no map", "{}", "weight_map");
    row("map is a list", R"({"weight_map":[]})", "weight_map");
    row("map is empty", R"({"weight_map":{}})", "empty");
    row("number", R"({"weight_map":{"a":1}})", "must name a file");
    row("duplicate", R"({"weight_map":{"a":"s1.safetensors","a":"s1.safetensors"}})", "twice");
    row("slash", R"({"weight_map":{"a":"../s1.safetensors"}})", "plain file name");
    row("backslash", R"({"weight_map":{"a":"x\\s1.safetensors"}})", "plain file name");
    row("dot dot", R"({"weight_map":{"a":".."}})", "plain file name");
    row("empty name", R"({"weight_map":{"a":""}})", "plain file name");
    row("NUL", R"({"weight_map":{"a":"s1.safetensors\u0000"}})", "plain file name");
    row("missing shard", R"({"weight_map":{"a":"s3.safetensors"}})", "Shard 's3.safetensors' is missing");
    row("git-lfs pointer", "version https://git-lfs.github.com/spec/v1\n", "Git LFS pointer");
    row("deep", "{\"weight_map\":" + QByteArray(100'000, '[') + QByteArray(100'000, ']') + "}", "deeper");
}

void TestCheckpoint::refusesBadIndex()
{
    QFETCH(QByteArray, index);
    QFETCH(QByteArray, words);
    writeShard(m_folder / "s1.safetensors", {"a"});
    writeShard(m_folder / "s2.safetensors", {"b"});
    writeIndex(index.toStdString());
    VERIFY_SAYS(Checkpoint::open(m_folder), words.toStdString());
}

void TestCheckpoint::warnsOfAnIndexThatNamesOtherPlaces()
{
    writeShard(m_folder / "s1.safetensors", {"a"});
    writeShard(m_folder / "s2.safetensors", {"b"});
    for (const auto& [map, words] :
         {std::pair(R"({"a":"s2.safetensors","b":"s1.safetensors"})", "2 tensors missing from the named shard"),
          std::pair(R"({"a":"s1.safetensors","b":"s2.safetensors","zz":"s1.safetensors"})",
                    "such as 'zz' in 's1.safetensors'")}) {
        writeIndex(std::string(R"({"weight_map":)") + map + "}");
        const auto opened = Checkpoint::open(m_folder);
        QVERIFY2(opened.has_value(), map);
        QCOMPARE((*opened)->names(), (std::vector<std::string>{"a", "b"}));
        QCOMPARE((*opened)->warnings().size(), std::size_t{1});
        QVERIFY2((*opened)->warnings().front().find(words) != std::string::npos, (*opened)->warnings().front().c_str());
    }
}

void TestCheckpoint::refusesBadShards()
{
    writeShard(m_folder / "s1.safetensors", {"a"});
    writeShard(m_folder / "s2.safetensors", {"a", "b"});
    writeIndex(R"({"weight_map":{"a":"s1.safetensors","b":"s2.safetensors"}})");
    VERIFY_SAYS(Checkpoint::open(m_folder), "is in two shards: 's1.safetensors' and 's2.safetensors'");
    writeText(m_folder / "s2.safetensors", "version https://git-lfs.github.com/spec/v1\n");
    VERIFY_SAYS(Checkpoint::open(m_folder), "Git LFS pointer");
}

void TestCheckpoint::refusesFoldersWithoutWeights()
{
    VERIFY_SAYS(Checkpoint::open(m_folder), "expected model.safetensors");
    writeText(m_folder / "pytorch_model.bin", "PK");
    VERIFY_SAYS(Checkpoint::open(m_folder), "not a complete zip file");
    fs::remove(m_folder / "pytorch_model.bin");
    writeText(m_folder / "a.pt", "PK");
    writeText(m_folder / "b.pt", "PK");
    VERIFY_SAYS(Checkpoint::open(m_folder), "has 2 files of PyTorch's, such as 'a.pt'");
    fs::remove(m_folder / "b.pt");
    writeShard(m_folder / "adapter_model.safetensors", {"a"});
    VERIFY_SAYS(Checkpoint::open(m_folder), "found only 'adapter_model.safetensors'");
    VERIFY_SAYS(Checkpoint::open(m_folder / "a.pt"), "expected a folder");
    // A link to a blob that never arrived.
    fs::create_symlink("nowhere", m_folder / "model.safetensors");
    VERIFY_SAYS(Checkpoint::open(m_folder), "Cannot read");
}

void TestCheckpoint::findsDroppedNames()
{
    writeShard(m_folder / "model.safetensors", {"kept"}, {{"format", "pt"}, {"dropped", "kept"}, {"other", "absent"}});
    const auto opened = Checkpoint::open(m_folder);
    QVERIFY(opened.has_value());
    const auto view = (*opened)->find("dropped");
    QVERIFY(view.has_value());
    QCOMPARE(view->info.name, std::string("kept"));
    QVERIFY(!(*opened)->find("other").has_value());
}

void TestCheckpoint::hashChangesWithContent()
{
    writeShard(m_folder / "1" / "model.safetensors", {"a"});
    writeShard(m_folder / "2" / "model.safetensors", {"a"});
    writeShard(m_folder / "3" / "model.safetensors", {"b"});
    const auto hash = [&](const char* name) {
        return Checkpoint::open(m_folder / name).value()->contentHash().value();
    };
    QCOMPARE(hash("1").size(), std::size_t{64});
    QCOMPARE(hash("1"), hash("2"));
    QVERIFY(hash("1") != hash("3"));
}

// Above a gigabyte too every byte counts; the hash is computed once, and again as soon as the file is another.
void TestCheckpoint::largeFilesAreHashedAsAWhole()
{
    qputenv("XDG_CACHE_HOME", QByteArray::fromStdString((m_folder / "cache").string()));
    const fs::path folder = m_folder / "large", file = folder / "model.safetensors";
    constexpr std::size_t kSize = Checkpoint::kRememberedFrom + (1 << 20);
    std::string header = R"({"w":{"dtype":"U8","shape":[)" + std::to_string(kSize) + R"(],"data_offsets":[0,)"
                         + std::to_string(kSize) + "]}}";
    header.append((8 - header.size() % 8) % 8, ' ');
    const std::uint64_t length = header.size();
    writeText(file, std::string(reinterpret_cast<const char*>(&length), sizeof length) + header);
    fs::resize_file(file, sizeof length + length + kSize); // a hole, which takes no room
    int reports = 0;
    const Control counted{{}, [&](const Progress&) { ++reports; }};
    const auto hash = [&] { return Checkpoint::open(folder).value()->contentHash(counted).value(); };
    const auto sampled = [&] { return Checkpoint::open(folder).value()->sampledHash(); };
    const std::string zeros = hash(), former = sampled();
    QCOMPARE(zeros.size(), std::size_t{64});
    QVERIFY(former.starts_with("sampled:"));
    QVERIFY(reports > 10);
    // A file that changed less than two seconds ago is not remembered.
    for (reports = 1; reports > 0;) {
        reports = 0;
        QCOMPARE(hash(), zeros);
    }
    const auto time = fs::last_write_time(file);
    {
        std::fstream out(file, std::ios::in | std::ios::out | std::ios::binary);
        out.seekp(300'000'000);
        out.put('\1');
    }
    fs::last_write_time(file, time); // as a copying program does
    const std::string one = hash();
    QVERIFY(one != zeros);
    QCOMPARE(sampled(), former); // which is why it is no identity
    std::stop_source stop;
    stop.request_stop();
    const auto stopped = Checkpoint::open(folder).value()->contentHash({stop.get_token(), {}});
    QVERIFY(!stopped.has_value() && stopped.error().kind == Error::Kind::Cancelled);
}

void TestCheckpoint::resolvesFoldersAndShippedNames()
{
    writeText(m_folder / "mine" / "config.json", "{}");
    writeText(m_folder / "shipped" / "tiny-ssm" / "config.json", "{}");
    writeText(m_folder / "shipped" / "notes.txt", "no model");
    const ModelPlaces places{m_folder / "shipped", m_folder / "hub"};
    const auto mine = resolveModel((m_folder / "mine" / "").string(), places);
    QVERIFY2(mine.has_value(), messageOf(mine).c_str());
    QVERIFY(mine->origin == ModelOrigin::Folder);
    const auto shipped = resolveModel("tiny-ssm", places);
    QVERIFY2(shipped.has_value(), messageOf(shipped).c_str());
    QVERIFY(shipped->origin == ModelOrigin::Shipped);
    QCOMPARE(shipped->path, m_folder / "shipped" / "tiny-ssm");
    QCOMPARE(shippedModels(places).size(), std::size_t{1});
}

void TestCheckpoint::resolvesCachedModels()
{
    const fs::path repository = m_folder / "hub" / "models--org--name";
    const std::string first(40, 'a');
    const std::string second(40, 'b');
    writeText(repository / "blobs" / "config", "{}");
    fs::create_directories(repository / "snapshots" / first);
    fs::create_symlink("../../blobs/config", repository / "snapshots" / first / "config.json");
    writeText(repository / "snapshots" / second / "config.json", "{}");
    writeText(repository / "refs" / "main", first + "\n");
    writeText(repository / "refs" / "pr" / "1", second);
    writeText(m_folder / "hub" / "datasets--org--data" / "snapshots" / first / "config.json", "{}");
    const ModelPlaces places{{}, m_folder / "hub"};
    const auto revisionOf = [&](const std::string& argument) {
        const auto model = resolveModel(argument, places);
        return model.has_value() ? model->revision : model.error().message;
    };
    QCOMPARE(revisionOf("org/name"), first);
    QCOMPARE(revisionOf("org/name@main"), first);
    QCOMPARE(revisionOf("org/name@pr/1"), second);
    QCOMPARE(revisionOf("org/name@" + second), second);
    QCOMPARE(revisionOf("org/name@bbbb"), second);
    QVERIFY(says(revisionOf("org/name@v2"), "no revision 'v2'"));
    QVERIFY(says(revisionOf("org/name@../../../../x"), "no revision"));
    const auto all = cachedModels(places);
    QCOMPARE(all.size(), std::size_t{1});
    QCOMPARE(all[0].name, std::string("org/name"));
}

void TestCheckpoint::findsModelsInFoldersThatWereAdded()
{
    writeText(m_folder / "disk" / "plain" / "config.json", "{}");
    writeText(m_folder / "disk" / "maker" / "deep" / "config.json", "{}");
    writeText(m_folder / "disk" / "maker" / "few-bits.gguf", "x");
    writeText(m_folder / "disk" / "a" / "b" / "c" / "too-deep" / "config.json", "{}");
    writeText(m_folder / "disk" / "notes.txt", "no model");
    fs::create_directory_symlink(m_folder / "disk", m_folder / "disk" / "loop");
    writeText(m_folder / "one" / "config.json", "{}");
    const ModelPlaces places{{}, m_folder / "hub", {m_folder / "one", m_folder / "gone", m_folder / "disk"}};
    std::vector<std::string> names;
    for (const ModelFolder& model : ownModels(places)) {
        QVERIFY(model.origin == ModelOrigin::Own);
        names.push_back(model.name);
    }
    const std::vector<std::string> expected{"one", "maker/deep", "maker/few-bits", "plain"};
    QCOMPARE(names, expected);
    QCOMPARE(resolveModel("maker/deep", places).value().path, m_folder / "disk" / "maker" / "deep");
    QCOMPARE(resolveModel("one", places).value().path, m_folder / "one");
    VERIFY_SAYS(resolveModel("other", places), "nor in a folder that was added");
}

void TestCheckpoint::remembersFolders()
{
    const PathList list(m_folder / "config" / "folders.txt");
    QVERIFY(list.read().empty());
    QVERIFY(list.add("/one/../two/").has_value());
    QVERIFY(list.add("/three").has_value());
    QVERIFY(list.add("/two").has_value()); // it is there: to the front
    const std::vector<fs::path> expected{"/two", "/three"};
    QCOMPARE(list.read(), expected);
    VERIFY_SAYS(list.remove("/four"), "was not added");
    QVERIFY(list.remove("/two/").has_value());
    QCOMPARE(list.read(), std::vector<fs::path>{"/three"});
    VERIFY_SAYS(list.add("/a\nb"), "line break");
    VERIFY_SAYS(PathList({}).add("/x"), "XDG_CONFIG_HOME");
    writeText(m_folder / "config" / "folders.txt", "relative\n\n/kept\n");
    QCOMPARE(list.read(), std::vector<fs::path>{"/kept"});
    std::string many;
    for (int i = 0; i < 2000; ++i)
        many += "/f" + std::to_string(i) + "\n";
    writeText(m_folder / "config" / "folders.txt", many);
    QCOMPARE(list.read().size(), PathList::kMost);
}

void TestCheckpoint::refusesUnknownAndPartialModels()
{
    const ModelPlaces places{m_folder / "shipped", m_folder / "hub"};
    VERIFY_SAYS(resolveModel("", places), "No model was named");
    VERIFY_SAYS(resolveModel("org/other", places), "No model 'org/other'");
    VERIFY_SAYS(resolveModel("../x/y", places), "No model");
    fs::create_directories(m_folder / "empty");
    VERIFY_SAYS(resolveModel((m_folder / "empty").string(), places), "contains no model");
    writeText(m_folder / "file", "x");
    VERIFY_SAYS(resolveModel((m_folder / "file").string(), places), "is a file");

    const std::string commit(40, 'c');
    const fs::path repository = m_folder / "hub" / "models--org--part";
    writeText(repository / "blobs" / "1.incomplete", "half");
    VERIFY_SAYS(resolveModel("org/part", places), "unfinished download");
    writeText(repository / "snapshots" / commit / "config.json", "{}");
    VERIFY_SAYS(resolveModel("org/part", places), "its weights are an unfinished download");
    fs::create_symlink("../../blobs/1", repository / "snapshots" / commit / "model.safetensors");
    VERIFY_SAYS(resolveModel("org/part", places), "'model.safetensors' was not downloaded");
    QVERIFY(cachedModels(places).empty());
}

void TestCheckpoint::readsPlacesFromEnvironment()
{
    for (const char* name : {"HF_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME"})
        qunsetenv(name);
    qputenv("HOME", "/h");
    const auto hub = [] { return ModelPlaces::fromEnvironment({}).hubCache.string(); };
    QCOMPARE(hub(), std::string("/h/.cache/huggingface/hub"));
    qputenv("XDG_CACHE_HOME", "/x");
    QCOMPARE(hub(), std::string("/x/huggingface/hub"));
    qputenv("HF_HOME", "/f");
    QCOMPARE(hub(), std::string("/f/hub"));
    qputenv("HF_HUB_CACHE", "/c");
    QCOMPARE(hub(), std::string("/c"));
}

QTEST_GUILESS_MAIN(TestCheckpoint)
#include "tst_checkpoint.moc"
