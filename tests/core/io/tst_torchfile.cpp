// SPDX-License-Identifier: GPL-3.0-or-later
// Files of torch.save(): what PyTorch itself wrote (tests/support/makeweightforms.py), cut, changed and hostile ones.
#include "core/io/pytorch/torchfile.h"
#include "core/io/safetensors/checkpoint.h"
#include "core/io/safetensors/safetensors.h"

#include <QTemporaryDir>
#include <QTest>

#include <array>
#include <cstring>
#include <fstream>
#include <iterator>

using namespace headscope;
using namespace headscope::io;
namespace fs = std::filesystem;

namespace {

const fs::path kForms = fs::path(HEADSCOPE_SOURCE_DIR) / "tests" / "data" / "forms";

std::string readAll(const fs::path& path)
{
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

void writeAll(const fs::path& path, const std::string& bytes)
{
    std::ofstream(path, std::ios::binary) << bytes;
}

template <typename T> std::string littleEndian(T value)
{
    std::string bytes(sizeof value, '\0');
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
}

/// A zip archive of entries as they are, compressed by `method` as far as it says.
std::string zip(const std::vector<std::pair<std::string, std::string>>& entries, std::uint16_t method = 0)
{
    std::string file, directory;
    for (const auto& [name, data] : entries) {
        const auto size = static_cast<std::uint32_t>(data.size());
        const std::string common = littleEndian(method) + std::string(8, '\0') + littleEndian(size) + littleEndian(size)
                                   + littleEndian(static_cast<std::uint16_t>(name.size())) + std::string(2, '\0');
        directory += "PK\x01\x02" + std::string(6, '\0') + common + std::string(10, '\0')
                     + littleEndian(static_cast<std::uint32_t>(file.size())) + name;
        file += "PK\x03\x04" + std::string(4, '\0') + common + name + data;
    }
    const auto count = static_cast<std::uint16_t>(entries.size());
    return file + directory + "PK\x05\x06" + std::string(4, '\0') + littleEndian(count) + littleEndian(count)
           + littleEndian(static_cast<std::uint32_t>(directory.size()))
           + littleEndian(static_cast<std::uint32_t>(file.size())) + std::string(2, '\0');
}

std::string text(const std::string& value)
{
    return "X" + littleEndian(static_cast<std::uint32_t>(value.size())) + value;
}

/// {"w": tensor of these sizes and strides over a storage of `elements` floats}, by the instructions torch uses.
std::string tableOf(const std::string& offset, const std::string& sizes, const std::string& strides, int elements)
{
    return "\x80\x02}" + text("w") + "ctorch._utils\n_rebuild_tensor_v2\n((" + text("storage")
           + "ctorch\nFloatStorage\n" + text("0") + text("cpu") + "J" + littleEndian(elements) + "tQ" + offset + sizes
           + strides + "\x89}tRs.";
}

/// Reads all elements, a few at a time, so that every piece begins somewhere else.
std::vector<std::byte> elementsOf(const TensorView& view, std::size_t elementsAtOnce)
{
    std::vector<std::byte> all(view.size());
    const std::size_t step = elementsAtOnce * static_cast<std::size_t>(dtypeBits(view.info.dtype) / 8);
    for (std::size_t at = 0; at < all.size(); at += step)
        view.read(at, std::span(all).subspan(at, std::min(step, all.size() - at)));
    return all;
}

std::string problemWith(const fs::path& file)
{
    const auto opened = TorchFile::open(file);
    if (!opened.has_value())
        return opened.error().message;
    for (std::size_t i = 0; i < (*opened)->tensors().size(); ++i) // what was accepted can be read
        static_cast<void>(
            elementsOf({(*opened)->tensors()[i], (*opened)->stored(i), *opened, (*opened)->elements(i)}, 7));
    return {};
}

} // namespace

class TestTorchFile : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }
    void readsEveryLayoutOfTensors();
    void namesOfOneStorageAreOnePlace();
    void readsShards();
    void refusesWhatIsNoTableOfTensors_data();
    void refusesWhatIsNoTableOfTensors();
    void offersAnotherFormForWeightsAlone();
    void refusesImpossibleTensors_data();
    void refusesImpossibleTensors();
    void refusesStrangeArchives_data();
    void refusesStrangeArchives();
    void everyCutEndsInASentence();
    void everyChangedByteIsReadOrRefused();

private:
    [[nodiscard]] fs::path file(const std::string& bytes) const
    {
        const fs::path path = fs::path(m_folder->path().toStdString()) / "pytorch_model.bin";
        fs::remove(path); // many file systems wait for the disk where a file is written over
        writeAll(path, bytes);
        return path;
    }
    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestTorchFile::readsEveryLayoutOfTensors()
{
    fs::copy(kForms / "tensors.pt", fs::path(m_folder->path().toStdString()) / "weights.pt");
    const auto opened = Checkpoint::open(m_folder->path().toStdString());
    QVERIFY2(opened.has_value(), opened.has_value() ? "" : opened.error().message.c_str());
    const auto expected = SafetensorsFile::open(kForms / "tensors.safetensors");
    QVERIFY(expected.has_value());
    QCOMPARE((*opened)->names().size(), (*expected)->tensors().size());
    for (const TensorInfo& want : (*expected)->tensors()) {
        const auto view = (*opened)->find(want.name);
        QVERIFY2(view.has_value(), want.name.c_str());
        QVERIFY2(view->info.dtype == want.dtype && view->info.shape == want.shape, want.name.c_str());
        const auto bytes = (*expected)->bytes(want);
        for (const std::size_t piece : {1, 3, 1000})
            QVERIFY2(elementsOf(*view, piece) == std::vector<std::byte>(bytes.begin(), bytes.end()), want.name.c_str());
    }
    QVERIFY((*opened)->find("whole")->plain());
    QVERIFY(!(*opened)->find("transposed")->plain());
}

void TestTorchFile::namesOfOneStorageAreOnePlace()
{
    const auto opened = Checkpoint::open(kForms / "mamba");
    QVERIFY2(opened.has_value(), opened.has_value() ? "" : opened.error().message.c_str());
    QCOMPARE((*opened)->find("lm_head.weight")->bytes.data(),
             (*opened)->find("backbone.embedding.weight")->bytes.data());
}

void TestTorchFile::readsShards()
{
    const auto opened = Checkpoint::open(kForms / "shards");
    QVERIFY2(opened.has_value(), opened.has_value() ? "" : opened.error().message.c_str());
    QCOMPARE((*opened)->names(), (std::vector<std::string>{"a", "b", "c"}));
    QVERIFY((*opened)->warnings().empty());
    QCOMPARE((*opened)->files().size(), std::size_t{2});
    const auto a = elementsOf(*(*opened)->find("a"), 100), c = elementsOf(*(*opened)->find("c"), 100);
    QVERIFY(std::equal(c.begin(), c.end(), a.begin())); // c is the first row of a
}

void TestTorchFile::refusesWhatIsNoTableOfTensors_data()
{
    QTest::addColumn<QByteArray>("pickle");
    QTest::addColumn<QString>("words");
    const auto row = [](const char* name, const std::string& pickle, const char* words) {
        QTest::newRow(name) << QByteArray::fromStdString(pickle) << QString::fromUtf8(words);
    };
    row("a command",
        "\x80\x02"
        "cos\nsystem\n("
            + text("true") + "tR.",
        "uses 'os.system'");
    row("a command of protocol 4", "\x80\x04\x8c\x05posix\x8c\x06system\x93(" + text("true") + "tR.", "'posix.system'");
    row("a function of torch",
        "\x80\x02"
        "ctorch.hub\nload\n.",
        "uses 'torch.hub.load'");
    row("getattr",
        "\x80\x02"
        "c__builtin__\ngetattr\n.",
        "uses '__builtin__.getattr'");
    row("a class called",
        "\x80\x02"
        "ctorch\nFloatStorage\n)R.",
        "calls 'torch.FloatStorage'");
    row("a number called", "\x80\x02K\x01)R.", "calls a value that is not a function");
    row("an instance", "\x80\x02(itest\nClass\n.", "instruction 0x69");
    row("a new object",
        "\x80\x02"
        "ccollections\nOrderedDict\n)\x81.",
        "instruction 0x81");
    row("protocol 0", "(dp0\n.", "instruction 0x64");
    row("protocol 9", "\x80\x09.", "of protocol 9");
    row("no table",
        "\x80\x02]K\x01"
        "a.",
        "no table of tensors");
    row("no tensors", "\x80\x02}" + text("a") + "K\x01s.", "no tensors");
    row("nothing", "", "cut short");
    row("an empty stack", "\x80\x02.", "than is on it");
    row("no mark", "\x80\x02t.", "no mark");
    row("an unknown memo", "\x80\x02h\x05.", "has not stored");
    row("a table in itself", "\x80\x02}q\x01" + text("a") + "h\x01s.", "nest deeper");
    row("a storage of another form", "\x80\x02K\x01Q.", "a storage in a form");
    row("a tensor of another form",
        "\x80\x02"
        "ctorch._utils\n_rebuild_tensor_v2\n(K\x01K\x02K\x03K\x04tR.",
        "a tensor in a form");
}

void TestTorchFile::refusesWhatIsNoTableOfTensors()
{
    QFETCH(QByteArray, pickle);
    QFETCH(QString, words);
    const std::string said =
        problemWith(file(zip({{"archive/data.pkl", pickle.toStdString()}, {"archive/data/0", std::string(64, '\0')}})));
    QVERIFY2(QString::fromStdString(said).contains(words) && said.ends_with('.'), said.c_str());
    QVERIFY2(said.find("pytorch_model.bin'") != std::string::npos, said.c_str());
}

// Weights may be kept in safetensors, but a lens may not: what is read as such is not told to be.
void TestTorchFile::offersAnotherFormForWeightsAlone()
{
    const std::string program = zip({{"archive/data.pkl", "\x80\x02"
                                                          "cos\nsystem\n."}});
    const std::string old("\x80\x02\x8a\x0al\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", 14);
    for (const std::string& bytes : {program, old}) {
        const auto weights = TorchFile::open(file(bytes)), all = TorchFile::open(file(bytes), PickleScope::Everything);
        QVERIFY(weights.error().message.find("safetensors") != std::string::npos);
        QVERIFY2(all.error().message.find("safetensors") == std::string::npos && all.error().message.ends_with('.'),
                 all.error().message.c_str());
    }
}

void TestTorchFile::refusesImpossibleTensors_data()
{
    QTest::addColumn<QByteArray>("pickle");
    QTest::addColumn<QString>("words");
    const auto row = [](const char* name, const std::string& pickle, const char* words) {
        QTest::newRow(name) << QByteArray::fromStdString(pickle) << QString::fromUtf8(words);
    };
    const std::string zero("K\0", 2), four = "(K\x04K\x04t", strides = "(K\x04K\x01t";
    const std::string huge = "\x8a\x08" + littleEndian(std::int64_t{1} << 62);
    row("as it should be", tableOf(zero, four, strides, 16), "");
    row("a storage that does not exist", tableOf(zero, four, strides, 17), "needs a storage of 17 elements");
    row("one element too far", tableOf("K\x01", four, strides, 16), "ends after its storage");
    row("a stride too long", tableOf(zero, four, "(K\x05K\x01t", 16), "ends after its storage");
    row("a negative stride", tableOf(zero, four, "(J\xff\xff\xff\xffK\x01t", 16), "negative stride");
    row("a negative size", tableOf(zero, "(J\xff\xff\xff\xffK\x01t", strides, 16), "does not fit in 64 bits");
    row("sizes whose product overflows", tableOf(zero, "(" + huge + huge + "t", strides, 16),
        "does not fit in 64 bits");
    row("strides whose product overflows", tableOf(zero, four, "(" + huge + huge + "t", 16), "do not fit 64 bits");
    row("a number many times", tableOf(zero, std::string("(J\0\0\0\1K\4t", 9), std::string("(K\0K\0t", 6), 16),
        "repeats 16 stored numbers");
    row("an offset behind everything", tableOf(huge, four, strides, 16), "ends after its storage");
    row("more sizes than strides", tableOf(zero, four, "(K\x04t", 16), "2 sizes and 1 strides");
}

void TestTorchFile::refusesImpossibleTensors()
{
    QFETCH(QByteArray, pickle);
    QFETCH(QString, words);
    const std::string said =
        problemWith(file(zip({{"archive/data.pkl", pickle.toStdString()}, {"archive/data/0", std::string(64, '\0')}})));
    QVERIFY2(words.isEmpty() ? said.empty() : QString::fromStdString(said).contains(words) && said.ends_with('.'),
             said.c_str());
}

void TestTorchFile::refusesStrangeArchives_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("words");
    const auto row = [](const char* name, const std::string& bytes, const char* words) {
        QTest::newRow(name) << QByteArray::fromStdString(bytes) << QString::fromUtf8(words);
    };
    const std::string pickle = tableOf(std::string("K\0", 2), "(K\x04t", "(K\x01t", 4), floats(16, '\0');
    row("empty", "", "cut short");
    row("not a zip", std::string(1000, 'x'), "cut short");
    row("a pointer", "version https://git-lfs.github.com/spec/v1\n", "Git LFS pointer");
    row("before 1.6", std::string("\x80\x02\x8a\x0al\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", 14), "before 1.6");
    row("compressed", zip({{"a/data.pkl", pickle}, {"a/data/0", floats}}, 8), "is compressed");
    row("an entry twice", zip({{"a/data.pkl", pickle}, {"a/data.pkl", pickle}}), "twice");
    row("no storage", zip({{"a/data.pkl", pickle}}), "storage '0'");
    row("a program", zip({{"a/constants.pkl", pickle}, {"a/code/x.py", ""}}), "TorchScript");
    row("something else", zip({{"a.txt", "a"}}), "no data.pkl");
    row("big-endian", zip({{"a/data.pkl", pickle}, {"a/byteorder", "big"}, {"a/data/0", floats}}), "big-endian");
}

void TestTorchFile::refusesStrangeArchives()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QString, words);
    const std::string said = problemWith(file(bytes.toStdString()));
    QVERIFY2(QString::fromStdString(said).contains(words) && said.ends_with('.'), said.c_str());
}

void TestTorchFile::everyCutEndsInASentence()
{
    const std::string whole = readAll(kForms / "tensors.pt");
    QVERIFY(problemWith(kForms / "tensors.pt").empty());
    for (std::size_t size = 0; size < whole.size(); ++size) {
        const std::string said = problemWith(file(whole.substr(0, size)));
        QVERIFY2(said.ends_with('.'), said.c_str());
    }
}

void TestTorchFile::everyChangedByteIsReadOrRefused()
{
    const std::string whole = readAll(kForms / "tensors.pt");
    std::size_t refused = 0;
    for (std::size_t at = 0; at < whole.size(); ++at) {
        std::string changed = whole;
        changed[at] = static_cast<char>(changed[at] ^ std::array{'\x01', '\x80', '\xff'}[at % 3]);
        const std::string said = problemWith(file(changed));
        QVERIFY2(said.empty() || said.ends_with('.'), said.c_str());
        refused += said.empty() ? 0 : 1;
    }
    QVERIFY(refused > 300);
}

QTEST_GUILESS_MAIN(TestTorchFile)
#include "tst_torchfile.moc"
