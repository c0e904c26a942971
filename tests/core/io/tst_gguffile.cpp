// SPDX-License-Identifier: GPL-3.0-or-later
// GGUF files: what gguf's own writer and decoder made (tests/support/makeweightforms.py), cut, changed and hostile
// ones.
#include "core/io/gguf/gguffile.h"
#include "core/io/modelfolder.h"
#include "core/io/safetensors/checkpoint.h"
#include "core/io/safetensors/safetensors.h"

#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>

#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>

using namespace headscope;
using namespace headscope::io;
namespace fs = std::filesystem;

namespace {

const fs::path kData = fs::path(HEADSCOPE_SOURCE_DIR) / "tests" / "data";
const fs::path kForms = kData / "forms";

std::string readAll(const fs::path& path)
{
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// Elements as floats, read `at once` so many, so that pieces begin anywhere.
std::vector<float> valuesOf(const TensorView& view, std::size_t atOnce)
{
    const std::size_t size = static_cast<std::size_t>(dtypeBits(view.info.dtype) / 8);
    std::vector<std::byte> all(view.size());
    for (std::size_t at = 0; at < all.size(); at += atOnce * size)
        view.read(at, std::span(all).subspan(at, std::min(atOnce * size, all.size() - at)));
    std::vector<float> values(all.size() / size);
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (size == 4) {
            std::memcpy(&values[i], all.data() + 4 * i, 4);
        } else {
            std::uint16_t bits = 0;
            std::memcpy(&bits, all.data() + 2 * i, 2);
            const std::uint32_t wide = static_cast<std::uint32_t>(bits) << 16;
            if (view.info.dtype == Dtype::BF16)
                std::memcpy(&values[i], &wide, 4);
            else // half precision of ordinary size
                values[i] = std::ldexp(static_cast<float>((bits & 1023) + ((bits & 0x7c00) ? 1024 : 0)),
                                       std::max((bits >> 10) & 31, 1) - 25)
                            * ((bits & 0x8000) ? -1.0F : 1.0F);
        }
    }
    return values;
}

template <typename T> std::string raw(T value)
{
    std::string bytes(sizeof value, '\0');
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
}

std::string text(const std::string& value)
{
    return raw(std::uint64_t{value.size()}) + value;
}

/// A header of one text and one tensor of type F32, with so many bytes of data behind it.
std::string small(const std::string& architecture, const std::string& tensor, std::size_t data,
                  std::uint32_t version = 3, std::uint64_t tensors = 1)
{
    std::string file = "GGUF" + raw(version) + raw(tensors) + raw(std::uint64_t{1}) + text("general.architecture")
                       + raw(std::uint32_t{8}) + text(architecture) + tensor;
    file.resize((file.size() + 31) / 32 * 32);
    return file + std::string(data, '\0');
}

std::string tensor(const std::string& name, const std::vector<std::uint64_t>& sizes, std::uint32_t type,
                   std::uint64_t offset = 0)
{
    std::string bytes = text(name) + raw(static_cast<std::uint32_t>(sizes.size()));
    for (const std::uint64_t size : sizes)
        bytes += raw(size);
    return bytes + raw(type) + raw(offset);
}

} // namespace

class TestGgufFile : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }
    void decodesEveryTypeOfBlock();
    void tensorsAreTheOriginals_data();
    void tensorsAreTheOriginals();
    void configSaysWhatTheOriginalSays_data();
    void configSaysWhatTheOriginalSays();
    void knowsTheFrequenciesOfLlama3();
    void isFoundByFileAndFolder();
    void refusesHostileHeaders_data();
    void refusesHostileHeaders();
    void everyCutEndsInASentence();
    void everyChangedByteIsReadOrRefused();

private:
    [[nodiscard]] fs::path file(const std::string& bytes) const
    {
        const fs::path path = fs::path(m_folder->path().toStdString()) / "model.gguf";
        fs::remove(path); // many file systems wait for the disk where a file is written over
        std::ofstream(path, std::ios::binary) << bytes;
        return path;
    }
    /// What is said of a file; empty where everything in it could be read.
    [[nodiscard]] std::string problemWith(const std::string& bytes) const
    {
        const auto opened = GgufFile::open(file(bytes));
        if (!opened.has_value())
            return opened.error().message;
        for (std::size_t i = 0; i < (*opened)->tensors().size(); ++i)
            static_cast<void>(
                valuesOf({(*opened)->tensors()[i], (*opened)->stored(i), *opened, (*opened)->elements(i)}, 1000));
        const auto config = ggufConfig(**opened);
        const auto tokenizer = ggufTokenizer(**opened);
        for (const Error& error :
             {config.has_value() ? Error() : config.error(), tokenizer.has_value() ? Error() : tokenizer.error()})
            if (!error.message.empty() && !error.message.ends_with('.'))
                return "no sentence: " + error.message;
        return {};
    }
    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestGgufFile::decodesEveryTypeOfBlock()
{
    const auto opened = Checkpoint::open(kForms / "blocks.gguf");
    QVERIFY2(opened.has_value(), opened.has_value() ? "" : opened.error().message.c_str());
    const auto expected = SafetensorsFile::open(kForms / "blocks.safetensors");
    QVERIFY(expected.has_value());
    QCOMPARE((*expected)->tensors().size(), std::size_t{15});
    for (const TensorInfo& want : (*expected)->tensors()) {
        const auto view = (*opened)->find(want.name);
        QVERIFY2(view.has_value() && view->info.shape == want.shape, want.name.c_str());
        std::vector<float> values(6 * 256);
        std::memcpy(values.data(), (*expected)->bytes(want).data(), values.size() * sizeof(float));
        for (const std::size_t piece : {1, 37, 256, 4000}) {
            const std::vector<float> got = valuesOf(*view, piece);
            QCOMPARE(got.size(), values.size());
            for (std::size_t i = 0; i < got.size(); ++i) // exactly; random halves can be NaN
                QVERIFY2(got[i] == values[i] || (std::isnan(values[i]) && view->info.dtype != Dtype::F32),
                         qPrintable(QStringLiteral("%1[%2]: %3, not %4")
                                        .arg(QString::fromStdString(want.name))
                                        .arg(i)
                                        .arg(static_cast<double>(got[i]))
                                        .arg(static_cast<double>(values[i]))));
        }
    }
}

void TestGgufFile::tensorsAreTheOriginals_data()
{
    QTest::addColumn<double>("tolerance"); // of a value's size: what the file's type keeps
    for (const auto& [name, tolerance] :
         {std::pair("llama", 0.0), std::pair("gpt2", 0.0), std::pair("mamba", 1e-6), std::pair("mamba2", 1e-6),
          std::pair("falcon_mamba", 1e-6), std::pair("gemma2", 1e-3), std::pair("qwen2", 4e-3),
          std::pair("qwen3", 4e-3)})
        QTest::newRow(name) << tolerance;
}

void TestGgufFile::tensorsAreTheOriginals()
{
    QFETCH(const double, tolerance);
    const std::string model = QTest::currentDataTag();
    const auto opened = Checkpoint::open(kForms / (model + ".gguf"));
    QVERIFY2(opened.has_value(), opened.has_value() ? "" : opened.error().message.c_str());
    const auto original = Checkpoint::open(kData / "golden" / model);
    QVERIFY(original.has_value());
    for (const std::string& name : (*original)->names()) {
        if (model == "gpt2" && name.ends_with(".attn.bias"))
            continue; // a mask, which the converter leaves out
        const auto want = (*original)->find(name), got = (*opened)->find(name);
        QVERIFY2(got.has_value(), name.c_str());
        QVERIFY2(got->info.shape == want->info.shape, name.c_str());
        const std::vector<float> expected = valuesOf(*want, 4000), values = valuesOf(*got, 61);
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const double off = std::abs(static_cast<double>(values[i]) - static_cast<double>(expected[i]));
            QVERIFY2(off <= tolerance * std::max(1.0, std::abs(static_cast<double>(expected[i]))), name.c_str());
        }
    }
    QCOMPARE((*opened)->names().size() + (model == "gpt2" ? 3 : 0), (*original)->names().size());
}

void TestGgufFile::configSaysWhatTheOriginalSays_data()
{
    QTest::addColumn<QString>("model");
    for (const char* name : {"llama", "gpt2", "mamba", "mamba2", "falcon_mamba", "gemma2", "qwen2", "qwen3"})
        QTest::newRow(name) << QString::fromUtf8(name);
}

void TestGgufFile::configSaysWhatTheOriginalSays()
{
    QFETCH(const QString, model);
    const std::string name = model.toStdString();
    const auto opened = GgufFile::open(kForms / (name + ".gguf"));
    QVERIFY(opened.has_value());
    const auto config = ggufConfig(**opened);
    QVERIFY2(config.has_value(), config.has_value() ? "" : config.error().message.c_str());
    const auto original = nlohmann::json::parse([&] {
        std::string all = readAll(kData / "golden" / name / "config.json");
        if (const auto at = all.find("Infinity"); at != std::string::npos)
            all.replace(at, 8, "1e300");
        return all;
    }());
    const auto made = nlohmann::json::parse(config->json);
    int same = 0;
    for (const auto& [key, value] : made.items()) {
        if (!original.contains(key) || key == "query_pre_attn_scalar") // which no file says; see ggufconfig.cpp
            continue;
        QVERIFY2(value == original[key], qPrintable(QString::fromStdString(key + " is " + value.dump())));
        ++same;
    }
    QVERIFY(same >= 8);
}

void TestGgufFile::knowsTheFrequenciesOfLlama3()
{
    const auto opened = GgufFile::open(kForms / "vocabulary-llama3.gguf");
    QVERIFY2(opened.has_value(), opened.has_value() ? "" : opened.error().message.c_str());
    const auto config = ggufConfig(**opened);
    QVERIFY2(config.has_value(), config.has_value() ? "" : config.error().message.c_str());
    const auto scaling = nlohmann::json::parse(config->json)["rope_scaling"];
    QVERIFY(scaling["rope_type"] == "llama3" && scaling["factor"] == 8.0);
    // With one factor changed the list follows no known rule and is used as it is.
    std::string changed = readAll(kForms / "vocabulary-llama3.gguf");
    const float two = 2;
    std::memcpy(changed.data() + changed.size() - 64 * sizeof two, &two, sizeof two);
    const auto other = GgufFile::open(file(changed));
    QVERIFY(other.has_value());
    const auto plain = ggufConfig(**other);
    QVERIFY2(plain.has_value(), plain.has_value() ? "" : plain.error().message.c_str());
    const auto factors = nlohmann::json::parse(plain->json)["rope_scaling"];
    QVERIFY(factors["rope_type"] == "longrope" && factors["long_factor"] == factors["short_factor"]);
    QVERIFY(factors["long_factor"].size() == 64 && factors["long_factor"][0] == 2.0);
    // Zero is no factor.
    const float none = 0;
    std::memcpy(changed.data() + changed.size() - 64 * sizeof none, &none, sizeof none);
    const auto refused = ggufConfig(**GgufFile::open(file(changed)));
    QVERIFY(!refused.has_value() && refused.error().message.find("not one positive F32 number") != std::string::npos);
}

void TestGgufFile::isFoundByFileAndFolder()
{
    const fs::path folder = m_folder->path().toStdString();
    fs::copy(kForms / "llama.gguf", folder / "a.gguf");
    const ModelPlaces none;
    QCOMPARE(resolveModel((folder / "a.gguf").string(), none)->name, std::string("a"));
    QCOMPARE(resolveModel(folder.string(), none)->path, folder);
    QCOMPARE((*Checkpoint::open(folder))->names(), (*Checkpoint::open(folder / "a.gguf"))->names());
    fs::copy(kForms / "llama.gguf", folder / "b.gguf");
    const auto two = Checkpoint::open(folder);
    QVERIFY(!two.has_value() && two.error().message.find("contains 2 GGUF files; name one") != std::string::npos);
}

void TestGgufFile::refusesHostileHeaders_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("words");
    const auto row = [](const char* name, const std::string& bytes, const char* words) {
        QTest::newRow(name) << QByteArray::fromStdString(bytes) << QString::fromUtf8(words);
    };
    const std::string weight = "blk.0.ffn_up.weight";
    const std::uint64_t huge = std::uint64_t{1} << 62;
    row("as it should be", small("llama", tensor(weight, {4, 2}, 0), 32), "");
    row("version 2", small("llama", tensor(weight, {4, 2}, 0), 32, 2), "");
    row("version 1", small("llama", tensor(weight, {4, 2}, 0), 32, 1), "version 1");
    row("big-endian", small("llama", tensor(weight, {4, 2}, 0), 32, 0x03000000), "big-endian");
    row("empty", "", "is empty");
    row("something else", "this is something else", "does not begin");
    row("a pointer", "version https://git-lfs.github.com/spec/v1\n", "Git LFS pointer");
    row("another architecture", small("bert", tensor(weight, {4, 2}, 0), 32), "is 'bert'; the known ones are llama");
    row("data cut short", small("llama", tensor(weight, {4, 2}, 0), 31), "end after the end of the file");
    row("an offset behind the file", small("llama", tensor(weight, {4, 2}, 0, 1 << 20), 32),
        "end after the end of the file");
    row("an offset that overflows", small("llama", tensor(weight, {4, 2}, 0, huge * 2 + huge), 32),
        "end after the end");
    row("an odd offset", small("llama", tensor(weight, {4, 2}, 0, 4), 64), "not aligned");
    row("sizes that overflow", small("llama", tensor(weight, {huge, huge}, 0), 32), "does not fit in 64 bits");
    row("bytes that overflow", small("llama", tensor(weight, {huge, 2}, 0), 32), "does not fit in 64 bits");
    row("five dimensions", small("llama", tensor(weight, {1, 1, 1, 1, 1}, 0), 32), "5 dimensions");
    row("half a block", small("llama", tensor(weight, {4, 2}, 8), 64), "not a multiple of 32");
    row("a type that is not read", small("llama", tensor(weight, {256, 1}, 16), 96), "stored as IQ2_XXS, which is not");
    row("TQ1_0", small("llama", tensor(weight, {256, 1}, 34), 96), "stored as TQ1_0, which is not supported");
    row("TQ2_0", small("llama", tensor(weight, {256, 1}, 35), 96), "stored as TQ2_0, which is not supported");
    row("an unknown type", small("llama", tensor(weight, {256, 1}, 77), 96), "stored as type 77");
    row("more tensors than there are", small("llama", tensor(weight, {4, 2}, 0), 32, 3, 3), "");
    row("a million tensors", small("llama", "", 32, 3, 10'000'000), "promises 10000000 tensors");
    row("a tensor twice", small("llama", tensor(weight, {4, 2}, 0) + tensor(weight, {4, 2}, 0), 32, 3, 2), "twice");
    row("heads that do not fit", small("llama", tensor("blk.0.attn_q.weight", {4, 3}, 0), 64), "does not have");
}

void TestGgufFile::refusesHostileHeaders()
{
    QFETCH(const QByteArray, bytes);
    QFETCH(const QString, words);
    const std::string said = problemWith(bytes.toStdString());
    if (QByteArray(QTest::currentDataTag()) == "more tensors than there are")
        QVERIFY2(said.ends_with('.'), said.c_str()); // whatever the zeros behind the header are read as
    else
        QVERIFY2(words.isEmpty() ? said.empty() : QString::fromStdString(said).contains(words) && said.ends_with('.'),
                 said.c_str());
}

void TestGgufFile::everyCutEndsInASentence()
{
    const std::string whole = readAll(kForms / "blocks.gguf");
    for (std::size_t size = 0; size < whole.size(); size += size < 1000 ? 1 : 199) {
        const std::string said = problemWith(whole.substr(0, size));
        QVERIFY2(said.ends_with('.'), said.c_str());
    }
}

void TestGgufFile::everyChangedByteIsReadOrRefused()
{
    for (const char* name : {"blocks.gguf", "vocabulary-llama2.gguf"}) {
        const std::string whole = readAll(kForms / name);
        std::size_t refused = 0;
        const std::size_t last = std::min<std::size_t>(whole.size(), 1200);
        for (std::size_t at = 0; at < last; ++at) {
            std::string changed = whole;
            changed[at] = static_cast<char>(changed[at] ^ std::array{'\x01', '\x80', '\xff'}[at % 3]);
            const std::string said = problemWith(changed);
            QVERIFY2(said.empty() || said.ends_with('.'), said.c_str());
            refused += said.empty() ? 0 : 1;
        }
        QVERIFY(refused > 20);
    }
}

QTEST_GUILESS_MAIN(TestGgufFile)
#include "tst_gguffile.moc"
