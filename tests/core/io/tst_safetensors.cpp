// SPDX-License-Identifier: GPL-3.0-or-later
// The safetensors reader against hostile files, and the writer against the reader.
#include "core/io/mapping.h"
#include "core/io/safetensors/safetensors.h"
#include "core/io/safetensors/safetensorswriter.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

using namespace headscope;
using namespace headscope::io;

namespace {

QByteArray withLength(quint64 length, const QByteArray& rest)
{
    QByteArray bytes(8, '\0');
    std::memcpy(bytes.data(), &length, 8);
    return bytes + rest;
}

QByteArray file(const QByteArray& header, const QByteArray& data = {})
{
    return withLength(static_cast<quint64>(header.size()), header + data);
}

QByteArray entry(const QByteArray& name, const QByteArray& dtype, const QByteArray& shape, const QByteArray& offsets)
{
    return "\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape + ",\"data_offsets\":" + offsets + "}";
}

} // namespace

class TestSafetensors : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void accepts_data();
    void accepts();
    void refuses_data();
    void refuses();
    void refusesWhatIsNoFile();
    void refusesManyEntriesOfOneRange();
    void aCutFileIsNoSignal();
    void tellsWhenAFileWasChanged();
    void readsGoldenFile();
    void writesWhatItReads();
    void writerSortsPadsAndReplaces();
    void writerRefusesBadInput();

private:
    Result<std::shared_ptr<const SafetensorsFile>> openBytes(const QByteArray& bytes)
    {
        QFile out(m_folder.filePath(QStringLiteral("x.safetensors")));
        if (!out.open(QIODevice::WriteOnly | QIODevice::Truncate) || out.write(bytes) != bytes.size())
            qFatal("cannot write the test's file");
        out.close();
        return SafetensorsFile::open(out.fileName().toStdString());
    }
    QTemporaryDir m_folder;
};

void TestSafetensors::accepts_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<int>("tensors");
    const QByteArray one = entry("a", "F32", "[1]", "[0,4]");
    QTest::newRow("no tensors") << file("{}") << 0;
    QTest::newRow("one") << file("{" + one + "}", "abcd") << 1;
    QTest::newRow("white space around") << file(" \t\r\n{" + one + "} \n\t\r ", "abcd") << 1;
    QTest::newRow("odd data start") << file("{" + one + "}  ", "abcd") << 1;
    for (const int length : {0x0280, 0x0480}) // these sizes begin as pickles do
        QTest::addRow("header of %d bytes", length)
            << file(QByteArray("{" + one + "}").leftJustified(length), "abcd") << 1;
    QTest::newRow("scalar") << file("{" + entry("a", "F32", "[]", "[0,4]") + "}", "abcd") << 1;
    QTest::newRow("zero dimension") << file("{" + entry("a", "F32", "[0,5]", "[0,0]") + "}") << 1;
    QTest::newRow("several empty at one place") << file(
        "{" + entry("b", "F32", "[0]", "[4,4]") + "," + one + "," + entry("c", "U8", "[0]", "[4,4]") + "}", "abcd")
                                                << 3;
    QTest::newRow("any order") << file("{" + entry("z", "U8", "[2]", "[4,6]") + "," + one + "}", "abcdef") << 2;
    QTest::newRow("metadata") << file("{\"__metadata__\":{\"format\":\"pt\"}," + one + "}", "abcd") << 1;
    QTest::newRow("metadata null") << file("{\"__metadata__\":null," + one + "}", "abcd") << 1;
    QTest::newRow("unknown field") << file(
        "{\"a\":{\"dtype\":\"U8\",\"note\":[{\"x\":[1,-2,3.5,null]}],\"shape\":[1],\"data_offsets\":[0,1]}}", "a")
                                   << 1;
    QTest::newRow("empty name") << file("{" + entry("", "U8", "[1]", "[0,1]") + "}", "a") << 1;
    QTest::newRow("NUL in name") << file("{" + entry("a\\u0000b", "U8", "[1]", "[0,1]") + "}", "a") << 1;
    QTest::newRow("path as name") << file("{" + entry("../../etc/passwd", "U8", "[1]", "[0,1]") + "}", "a") << 1;
    QTest::newRow("packed 4 bits") << file("{" + entry("a", "F4", "[2,3]", "[0,3]") + "}", "abc") << 1;
    QTest::newRow("zero before a product")
        << file("{" + entry("a", "U8", "[0,9223372036854775807,4]", "[0,0]") + "}") << 1;
}

void TestSafetensors::accepts()
{
    QFETCH(QByteArray, bytes);
    QFETCH(int, tensors);
    const auto opened = openBytes(bytes);
    QVERIFY2(opened.has_value(), opened.has_value() ? "" : opened.error().message.c_str());
    QCOMPARE(static_cast<int>((*opened)->tensors().size()), tensors);
    for (const TensorInfo& tensor : (*opened)->tensors()) {
        QCOMPARE((*opened)->find(tensor.name), &tensor);
        QCOMPARE((*opened)->bytes(tensor).size(), static_cast<std::size_t>(tensor.end - tensor.begin));
    }
    QVERIFY((*opened)->find("no such tensor") == nullptr);
}

void TestSafetensors::refuses_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QByteArray>("says");
    const auto row = [](const char* name, const QByteArray& bytes, const char* says) {
        QTest::newRow(name) << bytes << QByteArray(says);
    };
    const auto header = [&](const char* name, const QByteArray& text, const char* says,
                            const QByteArray& data = "abcd") { row(name, file(text, data), says); };
    const QByteArray one = entry("a", "F32", "[1]", "[0,4]");
    const QByteArray good = file("{" + one + "}", "abcd");
    // What the header of a file can do wrong, from its length on.
    row("empty", {}, "at least 8");
    row("7 bytes", QByteArray(7, '\0'), "at least 8");
    row("length and nothing", withLength(60, {}), "cut short");
    row("length 2^64-1", withLength(~0ULL, "{}"), "at most 100000000");
    row("length 2^63", withLength(1ULL << 63, "{}"), "at most 100000000");
    row("length cap + 1", withLength(100'000'001, "{}"), "at most 100000000");
    row("length at the cap", withLength(100'000'000, "{}"), "cut short");
    row("one too long for the file", withLength(3, "{}"), "cut short");
    row("cuts the JSON", withLength(10, "{" + one + "}abcd"), "not valid JSON");
    row("data read as JSON", withLength(static_cast<quint64>(one.size()) + 2 + 4, "{" + one + "}abcd"),
        "not valid JSON");
    row("truncated data", good.chopped(1), "cut short");
    row("appended", good + "z", "appended");
    header("overlap by one", "{" + entry("a", "U8", "[3]", "[0,3]") + "," + entry("b", "U8", "[2]", "[2,4]") + "}",
           "overlap");
    header("hole of one", "{" + entry("a", "U8", "[1]", "[0,1]") + "," + entry("b", "U8", "[2]", "[2,4]") + "}",
           "holes");
    header("starts at 8", "{" + entry("a", "F32", "[1]", "[8,12]") + "}", "starts at 0", "abcdefghijkl");
    header("begin after end", "{" + entry("a", "F32", "[1]", "[4,0]") + "}", "data_offsets [4, 0]");
    header("empty inside another", "{" + one + "," + entry("b", "U8", "[0]", "[2,2]") + "}", "overlap");
    header("shape overflows", "{" + entry("a", "I32", "[2,18446744073709551614]", "[0,4]") + "}", "above 2^63-1");
    header("product overflows", "{" + entry("a", "U8", "[4611686018427387904,8]", "[0,4]") + "}",
           "does not fit in 64 bits");
    header("overflow before a zero", "{" + entry("a", "U8", "[4611686018427387904,8,0]", "[0,0]") + "}",
           "does not fit in 64 bits", {});
    header("bits overflow", "{" + entry("a", "I32", "[2,4611686018427387904]", "[0,4]") + "}",
           "does not fit in 64 bits");
    header("large dimension beside zero", "{" + entry("a", "U8", "[0,9223372036854775808,4]", "[0,0]") + "}",
           "above 2^63-1", {});
    header("size mismatch", "{" + entry("a", "I32", "[2,2]", "[0,4]") + "}", "takes 16 bytes");
    header("half a byte", "{" + entry("a", "F4", "[3]", "[0,2]") + "}", "not a whole number of bytes", "ab");
    header("invalid UTF-8", "{\"a\xff\":1}", "not valid JSON");
    header("only a brace", "{", "not valid JSON");
    header("array", "[]", "expected an object");
    header("string", "\"x\"", "expected an object");
    header("number", "3", "expected an object");
    header("byte order mark", "\xEF\xBB\xBF{}", "byte order mark", {});
    header("empty header", "", "not valid JSON", {});
    header("NUL after the header", QByteArray("{}\0\0", 4), "NUL", {});
    header("text after the header", "{}x", "not valid JSON", {});
    header("duplicate name", "{" + one + "," + one + "}", "duplicate tensor name");
    header("duplicate field", "{\"a\":{\"dtype\":\"F32\",\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}",
           "twice");
    header("metadata twice", "{\"__metadata__\":{},\"__metadata__\":{}," + one + "}", "twice");
    header("metadata key twice", "{\"__metadata__\":{\"k\":\"1\",\"k\":\"1\"}," + one + "}", "twice");
    header("metadata number", "{\"__metadata__\":{\"k\":1}," + one + "}", "strings to strings");
    header("metadata object", "{\"__metadata__\":{\"k\":{}}," + one + "}", "strings to strings");
    header("metadata string", "{\"__metadata__\":\"x\"," + one + "}", "strings to strings");
    header("entry null", "{\"a\":null}", "expected an object");
    header("entry array", "{\"a\":[\"F32\",[1],[0,4]]}", "expected an object");
    header("dtype object", "{\"a\":{\"dtype\":{\"F32\":null},\"shape\":[1],\"data_offsets\":[0,4]}}", "'dtype'");
    header("dtype number", "{\"a\":{\"dtype\":1,\"shape\":[1],\"data_offsets\":[0,4]}}", "'dtype'");
    header("shape object", "{\"a\":{\"dtype\":\"F32\",\"shape\":{},\"data_offsets\":[0,4]}}", "'shape'");
    header("shape string", "{\"a\":{\"dtype\":\"F32\",\"shape\":\"1\",\"data_offsets\":[0,4]}}", "'shape'");
    header("nested shape", "{" + entry("a", "F32", "[[1]]", "[0,4]") + "}", "'shape'");
    for (const char* number : {"-1", "4.0", "1e3", "-0", "18446744073709551616", "\"1\"", "true", "null"})
        row(qPrintable(QStringLiteral("size ") + QString::fromLatin1(number)),
            file("{" + entry("a", "F32", "[" + QByteArray(number) + "]", "[0,4]") + "}", "abcd"), "'shape'");
    for (const char* number : {"04", "+4", "NaN", "1,", "0x4"})
        row(qPrintable(QStringLiteral("malformed ") + QString::fromLatin1(number)),
            file("{" + entry("a", "U8", "[" + QByteArray(number) + "]", "[0,4]") + "}", "abcd"), "not valid JSON");
    header("offset negative", "{" + entry("a", "F32", "[1]", "[-4,0]") + "}", "'data_offsets'");
    header("one offset", "{" + entry("a", "F32", "[1]", "[4]") + "}", "expected 2");
    header("three offsets", "{" + entry("a", "F32", "[1]", "[0,4,4]") + "}", "more than two");
    header("missing dtype", "{\"a\":{\"shape\":[1],\"data_offsets\":[0,4]}}", "lacks the field 'dtype'");
    header("missing shape", "{\"a\":{\"dtype\":\"F32\",\"data_offsets\":[0,4]}}", "lacks the field 'shape'");
    header("missing offsets", "{\"a\":{\"dtype\":\"F32\",\"shape\":[1]}}", "lacks the field 'data_offsets'");
    header("unknown dtype", "{" + entry("a", "BF8", "[4]", "[0,4]") + "}", "unknown dtype 'BF8'");
    header("lower-case dtype", "{" + entry("a", "bf16", "[2]", "[0,4]") + "}", "unknown dtype 'bf16'");
    header("trailing comma", "{" + one + ",}", "not valid JSON");
    header("comment", "{/* */" + one + "}", "not valid JSON");
    header("single quotes", "{'a':1}", "not valid JSON");
    header("control character", "{\"a\n\":1}", "not valid JSON");
    header("lone surrogate", "{" + entry("\\ud800", "F32", "[1]", "[0,4]") + "}", "not valid JSON");
    header("too deep", "{\"a\":{\"x\":" + QByteArray(70, '[') + QByteArray(70, ']') + "}}", "deeper than 64");
    header("far too deep", "{\"a\":{\"x\":" + QByteArray(1'000'000, '[') + "}}", "deeper than 64");
    row("git-lfs pointer", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n", "Git LFS pointer");
    row("zip pickle", QByteArray("PK\x03\x04") + QByteArray(100, 'x'), "PyTorch pickle");
    row("old pickle", QByteArray("\x80\x02\x8a\x0a") + QByteArray(100, 'x'), "PyTorch pickle");
}

void TestSafetensors::refuses()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QByteArray, says);
    const auto opened = openBytes(bytes);
    QVERIFY(!opened.has_value());
    const std::string& message = opened.error().message;
    QVERIFY2(message.find(says.toStdString()) != std::string::npos, message.c_str());
    QVERIFY2(message.ends_with('.') && message.find('\n') == std::string::npos, message.c_str());
    QVERIFY(message.find("x.safetensors") != std::string::npos);
}

void TestSafetensors::refusesWhatIsNoFile()
{
    const auto folder = SafetensorsFile::open(m_folder.path().toStdString());
    QVERIFY(!folder.has_value());
    QVERIFY(folder.error().message.find("it is a folder") != std::string::npos);
    const std::string pipe = m_folder.filePath(QStringLiteral("pipe")).toStdString();
    QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
    const auto fifo = SafetensorsFile::open(pipe);
    QVERIFY(!fifo.has_value());
    QVERIFY(fifo.error().message.find("not a regular file") != std::string::npos);
    const auto missing = SafetensorsFile::open(m_folder.filePath(QStringLiteral("missing")).toStdString());
    QVERIFY(!missing.has_value());
    QVERIFY(missing.error().kind == Error::Kind::Io);
}

void TestSafetensors::aCutFileIsNoSignal()
{
    const QByteArray data(1 << 20, 'x');
    const auto opened = openBytes(file("{" + entry("a", "U8", "[1048576]", "[0,1048576]") + "}", data));
    QVERIFY(opened.has_value());
    QVERIFY(io::intact(**opened).has_value());
    const std::span<const std::byte> bytes = (*opened)->dataBytes();
    QCOMPARE(bytes.back(), std::byte{'x'});
    SafetensorsFile::release(bytes); // nothing of it is in memory any more
    const std::string path = (*opened)->path().string();
    QCOMPARE(::truncate(path.c_str(), 8192), 0);
    std::size_t zeros = 0; // read on several threads at once, as the tensor library reads
    std::vector<std::thread> readers;
    std::atomic<std::size_t> sum = 0;
    for (int i = 0; i < 4; ++i)
        readers.emplace_back([&] {
            for (const std::byte byte : bytes)
                sum += byte == std::byte{0};
        });
    for (std::thread& reader : readers)
        reader.join();
    for (const std::byte byte : bytes)
        zeros += byte == std::byte{0};
    QVERIFY(zeros > static_cast<std::size_t>(data.size()) - 16384);
    QCOMPARE(sum.load(), 4 * zeros);
    const auto intact = io::intact(**opened);
    QVERIFY(!intact.has_value());
    QVERIFY2(intact.error().message.find("was cut while it was read") != std::string::npos,
             intact.error().message.c_str());
}

void TestSafetensors::tellsWhenAFileWasChanged()
{
    const QByteArray bytes = file("{" + entry("a", "F32", "[1]", "[0,4]") + "}", "abcd");
    const auto opened = openBytes(bytes);
    QVERIFY(opened.has_value());
    const QString path = QString::fromStdString((*opened)->path().string());
    {
        QFile inPlace(path);
        QVERIFY(inPlace.open(QIODevice::ReadWrite) && inPlace.seek(inPlace.size() - 4) && inPlace.write("wxyz") == 4);
    }
    const auto intact = io::intact(**opened);
    QVERIFY(!intact.has_value() && intact.error().message.find("was changed") != std::string::npos);
    // Another file in its place is another file: the one that is open stays as it was.
    const auto again = SafetensorsFile::open(path.toStdString());
    QVERIFY(again.has_value());
    QVERIFY(QFile::remove(path));
    QVERIFY(io::intact(**again).has_value());
    (void)openBytes(bytes + "more");
    QVERIFY(io::intact(**again).has_value());
}

void TestSafetensors::refusesManyEntriesOfOneRange()
{
    QByteArray header = "{";
    for (int i = 0; i < 100'000; ++i)
        header += entry(QByteArray::number(i), "F32", "[1]", "[0,4]") + ",";
    header.back() = '}';
    const auto opened = openBytes(file(header, "abcd"));
    QVERIFY(!opened.has_value());
    QVERIFY(opened.error().message.find("overlap") != std::string::npos);
}

void TestSafetensors::readsGoldenFile()
{
    const auto opened = SafetensorsFile::open(HEADSCOPE_SOURCE_DIR "/tests/data/golden/llama/expected.safetensors");
    QVERIFY(opened.has_value());
    const TensorInfo* ids = (*opened)->find("input_ids");
    QVERIFY(ids != nullptr);
    QVERIFY(ids->dtype == Dtype::I64);
    QCOMPARE(ids->shape, (std::vector<std::int64_t>{2, 24}));
    QCOMPARE((*opened)->bytes(*ids).size(), std::size_t{2 * 24 * 8});
}

void TestSafetensors::writesWhatItReads()
{
    const std::vector<float> weight = {1, 2, 3, 4, 5, 6};
    const std::vector<std::int64_t> ids = {7, 8};
    const std::string odd("n\0\"\xc3\xa4", 5);
    const std::vector<TensorToWrite> tensors = {
        {odd, Dtype::F32, {2, 3}, std::as_bytes(std::span(weight))},
        {"ids", Dtype::I64, {2}, std::as_bytes(std::span(ids))},
        {"empty", Dtype::BF16, {0, 4}, {}},
    };
    const std::string path = m_folder.filePath(QStringLiteral("w.safetensors")).toStdString();
    const auto written = writeSafetensors(path, tensors, {{"format", "pt"}, {"note", "ours"}});
    QVERIFY(written.has_value());
    const auto opened = SafetensorsFile::open(path);
    QVERIFY2(opened.has_value(), opened.has_value() ? "" : opened.error().message.c_str());
    QCOMPARE((*opened)->tensors().size(), std::size_t{3});
    const TensorInfo* back = (*opened)->find(odd);
    QVERIFY(back != nullptr);
    QCOMPARE(back->shape, (std::vector<std::int64_t>{2, 3}));
    QCOMPARE(std::memcmp((*opened)->bytes(*back).data(), weight.data(), 24), 0);
    QCOMPARE((*opened)->metadata().at("note"), std::string("ours"));
}

void TestSafetensors::writerSortsPadsAndReplaces()
{
    const std::vector<std::byte> bytes(8);
    const std::vector<TensorToWrite> tensors = {{"b", Dtype::F32, {2}, bytes},
                                                {"c", Dtype::I64, {1}, bytes},
                                                {"a", Dtype::F32, {2}, bytes},
                                                {"d", Dtype::BF16, {4}, bytes}};
    const std::string path = m_folder.filePath(QStringLiteral("s.safetensors")).toStdString();
    QVERIFY(writeSafetensors(path, tensors).has_value());
    const auto first = SafetensorsFile::open(path);
    QVERIFY(first.has_value());
    std::string order;
    for (const TensorInfo& tensor : (*first)->tensors())
        order += tensor.name;
    QCOMPARE(order, std::string("cabd"));
    QCOMPARE((*first)->headerBytes().size() % 8, std::size_t{0});
    // The old file stays readable through its mapping while a new one takes its place.
    QVERIFY(writeSafetensors(path, std::span(tensors).first(1)).has_value());
    QCOMPARE((*first)->bytes((*first)->tensors().back()).size(), std::size_t{8});
    const auto second = SafetensorsFile::open(path);
    QVERIFY(second.has_value());
    QCOMPARE((*second)->tensors().size(), std::size_t{1});
    int files = 0;
    for (const auto& each : std::filesystem::directory_iterator(m_folder.path().toStdString()))
        files += each.path().filename().string().starts_with("s.safetensors");
    QCOMPARE(files, 1);
}

void TestSafetensors::writerRefusesBadInput()
{
    const std::vector<std::byte> bytes(8);
    const std::string path = m_folder.filePath(QStringLiteral("r.safetensors")).toStdString();
    const auto message = [&](const std::vector<TensorToWrite>& tensors, const std::string& where) {
        const auto written = writeSafetensors(where, tensors);
        return written.has_value() ? std::string() : written.error().message;
    };
    QVERIFY(message({{"a", Dtype::F32, {3}, bytes}}, path).find("takes 12 bytes") != std::string::npos);
    QVERIFY(message({{"a", Dtype::F32, {2}, bytes}, {"a", Dtype::I32, {2}, bytes}}, path).find("two tensors")
            != std::string::npos);
    QVERIFY(message({{"\xff", Dtype::F32, {2}, bytes}}, path).find("UTF-8") != std::string::npos);
    QVERIFY(message({{"__metadata__", Dtype::F32, {2}, bytes}}, path).find("__metadata__") != std::string::npos);
    QVERIFY(message({{"a", Dtype::F32, {2}, bytes}}, path + "/no/such/folder").find("cannot be written")
            != std::string::npos);
    QVERIFY(!std::filesystem::exists(path));
}

QTEST_GUILESS_MAIN(TestSafetensors)
#include "tst_safetensors.moc"
