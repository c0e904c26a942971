// SPDX-License-Identifier: GPL-3.0-or-later
// Quantized weights that are kept in the cache: the next opening finds the same bits, nothing that is damaged or of
// something else is used, they stay within their bound, and no opening fails for want of a cache.
#include "core/base/failure.h"
#include "core/lm/load.h"
#include "core/lm/weights/packedstore.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>

using namespace headscope;
using lm::PackedStore;
using lm::PackedWeight;
using lm::WeightForm;
namespace fs = std::filesystem;

namespace {

const fs::path kModel = fs::path(HEADSCOPE_SOURCE_DIR) / "tests" / "data" / "golden" / "llama";
constexpr std::int64_t kMuch = 1'000'000'000;

at::Tensor waves(std::int64_t out, std::int64_t in, double step)
{
    return at::sin(at::arange(out * in, at::kFloat) * step).view({out, in});
}

std::string read(const fs::path& file)
{
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

void write(const fs::path& file, const std::string& bytes)
{
    std::ofstream(file, std::ios::binary) << bytes;
}

std::vector<fs::path> filesIn(const fs::path& folder)
{
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder))
        files.push_back(entry.path());
    return files;
}

bool same(const PackedWeight& a, const PackedWeight& b)
{
    return a.codes().equal(b.codes()) && a.scales().defined() == b.scales().defined()
           && (!a.scales().defined() || a.scales().equal(b.scales()));
}

} // namespace

class TestPackedStore : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init();
    void theNextOneFindsTheSameBits();
    void openingsAgree_data();
    void openingsAgree();
    void whatIsKeptIsUsed();
    void aFileThatIsCutMeanwhileIsSaid();
    void nothingDamagedIsUsed_data();
    void nothingDamagedIsUsed();
    void theBoundIsKept();
    void whatWasLeftBehindGoes();
    void aModelOpensWithoutACache();
    void manyAtOnce();

private:
    [[nodiscard]] fs::path folder() const { return fs::path(m_folder->path().toStdString()) / "headscope" / "packed"; }
    [[nodiscard]] Result<lm::LoadedModel> open(const std::string& form, std::int64_t kept = kMuch) const
    {
        return lm::load(kModel, {.device = "cpu", .dtype = form, .keptPacked = kept, .keptFrom = 0});
    }
    [[nodiscard]] static at::Tensor logits(const Result<lm::LoadedModel>& loaded)
    {
        const at::NoGradGuard noGrad;
        return loaded->model->logits(at::arange(1, 9, at::kLong).unsqueeze(0));
    }
    /// A store of `content` with one map, written.
    void keep(const std::string& content, std::int64_t limit, std::int64_t out = 64) const
    {
        PackedStore store(folder(), content, WeightForm::Int8);
        store.add("map", PackedWeight(waves(out, 64, 0.3), WeightForm::Int8));
        QVERIFY(store.save(limit).has_value());
    }
    [[nodiscard]] bool keeps(const std::string& content) const
    {
        return PackedStore(folder(), content, WeightForm::Int8).find("map", {64, 64}, WeightForm::Int8) != nullptr;
    }
    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestPackedStore::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    qputenv("XDG_CACHE_HOME", m_folder->path().toUtf8());
}

void TestPackedStore::theNextOneFindsTheSameBits()
{
    const PackedWeight map(waves(100, 70, 0.7), WeightForm::Int4), table(waves(150, 33, 0.2), WeightForm::Int8);
    PackedStore first(folder(), "content", WeightForm::Int4);
    first.add("map", map);
    first.add("table", table);
    QVERIFY(first.save(kMuch).has_value());

    const PackedStore next(folder(), "content", WeightForm::Int4);
    const auto gotMap = next.find("map", {100, 70}, WeightForm::Int4);
    const auto gotTable = next.find("table", {150, 33}, WeightForm::Int8);
    QVERIFY(gotMap && same(*gotMap, map) && gotMap->dense().equal(map.dense()));
    QVERIFY(gotTable && same(*gotTable, table) && gotTable->dense().equal(table.dense()));
    QVERIFY(!next.find("map", {100, 70}, WeightForm::Int8)); // another form
    QVERIFY(!next.find("map", {200, 70}, WeightForm::Int4)); // another shape
    QVERIFY(!next.find("other", {100, 70}, WeightForm::Int4));
    QVERIFY(!PackedStore(folder(), "content", WeightForm::Int8).find("map", {100, 70}, WeightForm::Int4));
    QVERIFY(!PackedStore(folder(), "contents", WeightForm::Int4).find("map", {100, 70}, WeightForm::Int4));
}

void TestPackedStore::openingsAgree_data()
{
    QTest::addColumn<QString>("form");
    QTest::newRow("int8") << QStringLiteral("int8");
    QTest::newRow("int4") << QStringLiteral("int4");
}

void TestPackedStore::openingsAgree()
{
    QFETCH(const QString, form);
    const auto without = open(form.toStdString(), 0);
    QVERIFY(without.has_value() && !fs::exists(folder()));
    const auto first = open(form.toStdString());
    QVERIFY(first.has_value());
    QCOMPARE(filesIn(folder()).size(), std::size_t{1});
    const std::string kept = read(filesIn(folder()).front());
    const auto next = open(form.toStdString());
    QVERIFY(next.has_value());
    QVERIFY(logits(first).equal(logits(without)) && logits(next).equal(logits(without)));
    QCOMPARE(next->contentHash, without->contentHash);
    QCOMPARE(next->bytes, without->bytes);
    QVERIFY(next->warnings == without->warnings);
    QVERIFY(read(filesIn(folder()).front()) == kept); // and it is not written again
    // The large ones alone: the smaller are packed as fast as they are read.
    fs::remove_all(folder());
    QVERIFY(lm::load(kModel, {.device = "cpu", .dtype = form.toStdString(), .keptPacked = kMuch}).has_value());
    QVERIFY(!fs::exists(folder()));
}

// Other codes under the name of this model's are what it then computes with: the file is what is read.
void TestPackedStore::whatIsKeptIsUsed()
{
    const auto plain = open("int8", 0);
    PackedStore store(folder(), plain->contentHash, WeightForm::Int8);
    store.add("model.layers.0.mlp.down_proj.weight", PackedWeight(waves(32, 48, 0.9), WeightForm::Int8));
    QVERIFY(store.save(kMuch).has_value());
    QVERIFY(!logits(open("int8")).equal(logits(plain)));
}

void TestPackedStore::aFileThatIsCutMeanwhileIsSaid()
{
    QVERIFY(open("int8").has_value());
    const auto next = open("int8");
    QVERIFY(logits(next).defined());
    fs::resize_file(filesIn(folder()).front(), 100);
    QVERIFY_THROWS_EXCEPTION(Failure, static_cast<void>(logits(next)));
    QVERIFY(logits(open("int8")).equal(logits(open("int8", 0)))); // packed again
}

void TestPackedStore::nothingDamagedIsUsed_data()
{
    QTest::addColumn<QString>("damage");
    for (const char* damage : {"empty", "cut", "longer", "no file of the kind", "a byte of the header", "a huge header",
                               "a byte of the data", "two words exchanged", "another model's", "another dtype"})
        QTest::newRow(damage) << QString::fromLatin1(damage);
}

void TestPackedStore::nothingDamagedIsUsed()
{
    QFETCH(const QString, damage);
    keep("another", kMuch);
    const std::string other = read(filesIn(folder()).front());
    fs::remove_all(folder());
    keep("content", kMuch);
    QVERIFY(keeps("content"));
    const fs::path file = filesIn(folder()).front();
    const std::string whole = read(file);
    const std::size_t data = whole.find('}', whole.find("data_offsets")) + 40; // behind the header
    std::vector<std::string> damaged;
    if (damage == u"empty")
        damaged = {""};
    else if (damage == u"cut")
        damaged = {whole.substr(0, 5), whole.substr(0, 100), whole.substr(0, whole.size() - 1)};
    else if (damage == u"longer")
        damaged = {whole + std::string(64, '\0')};
    else if (damage == u"no file of the kind")
        damaged = {std::string(5000, 'x'), "version https://git-lfs.github.com/spec/v1\n"};
    else if (damage == u"a huge header")
        damaged = {std::string(7, '\xff') + whole.substr(7), std::string("\x10\0\0\0\0\1\0\0", 8) + whole.substr(8)};
    else if (damage == u"another model's")
        damaged = {other};
    else if (damage == u"another dtype") {
        damaged = {whole};
        damaged[0].replace(whole.find("\"F32\""), 5, "\"I32\"");
    } else if (damage == u"two words exchanged") {
        damaged = {whole};
        std::swap_ranges(damaged[0].end() - 64, damaged[0].end() - 56, damaged[0].end() - 128);
    } else {
        const bool header = damage.contains(u"header");
        for (std::size_t at = header ? 8 : data; at < (header ? data - 40 : whole.size()); at += header ? 1 : 97) {
            damaged.push_back(whole);
            damaged.back()[at] = static_cast<char>(damaged.back()[at] ^ (header ? 1 : 128));
        }
    }
    for (const std::string& bytes : damaged) {
        QVERIFY(bytes != whole);
        write(file, bytes);
        const auto found = PackedStore(folder(), "content", WeightForm::Int8).find("map", {64, 64}, WeightForm::Int8);
        // A header may say the same in other words (a space, the order): then the bits are those that were kept.
        QVERIFY(!found
                || (damage.contains(u"header") && same(*found, PackedWeight(waves(64, 64, 0.3), WeightForm::Int8))));
    }
    keep("content", kMuch); // takes its place
    QVERIFY(keeps("content"));
}

void TestPackedStore::theBoundIsKept()
{
    keep("1", kMuch);
    const auto one = static_cast<std::int64_t>(fs::file_size(filesIn(folder()).front()));
    const std::int64_t bound = 3 * one + 3000; // room for three
    const auto age = [this](const std::string& content, int hours) {
        const auto before = filesIn(folder());
        keep(content, kMuch);
        for (const fs::path& file : filesIn(folder()))
            if (std::find(before.begin(), before.end(), file) == before.end()) {
                const timespec used[] = {{std::time(nullptr) - 3600 * hours, 0}, {0, UTIME_OMIT}};
                QCOMPARE(::utimensat(AT_FDCWD, file.c_str(), used, 0), 0);
            }
    };
    fs::remove_all(folder());
    fs::create_directories(folder());
    age("oldest", 30);
    age("old", 20);
    age("new", 10);
    QVERIFY(keeps("oldest")); // which makes it the one used last
    keep("newest", bound);
    QVERIFY(!keeps("old"));
    QVERIFY(keeps("oldest") && keeps("new") && keeps("newest"));
    keep("too large", bound, 4096);
    QVERIFY(keeps("oldest") && keeps("new") && keeps("newest"));
    keep("all of it", one + 2500);
    QVERIFY(keeps("all of it"));
    QCOMPARE(filesIn(folder()).size(), std::size_t{1});
}

// Of a process that ended while it wrote; what another one is writing now stays.
void TestPackedStore::whatWasLeftBehindGoes()
{
    keep("1", kMuch);
    const fs::path left = folder() / ".headscope-1", written = folder() / ".headscope-2";
    for (const fs::path& file : {left, written})
        write(file, std::string(100'000, 'x'));
    fs::last_write_time(left, fs::file_time_type::clock::now() - std::chrono::hours(2));
    keep("2", 100'000);
    QVERIFY(!fs::exists(left) && fs::exists(written) && keeps("1") && keeps("2"));
}

void TestPackedStore::aModelOpensWithoutACache()
{
    write(folder().parent_path(), "a file");
    const auto loaded = open("int4"), without = open("int4", 0);
    QVERIFY(loaded.has_value());
    QVERIFY(logits(loaded).equal(logits(without)));
    QCOMPARE(loaded->warnings.size(), without->warnings.size() + 1);
    const std::string& said = loaded->warnings.back();
    QVERIFY2(said.starts_with("The quantized weights are not kept for the next time: The file ")
                 && said.find("cannot be written: Not a directory.") != std::string::npos,
             said.c_str());
}

// As many programs at once: each finds nothing or all of it, and what is there at the end is whole.
void TestPackedStore::manyAtOnce()
{
    std::atomic<int> wrong = 0;
    const PackedWeight map(waves(64, 64, 0.3), WeightForm::Int8);
    const auto work = [&] {
        for (int i = 0; i < 30; ++i) {
            PackedStore store(folder(), "content", WeightForm::Int8);
            const auto found = store.find("map", {64, 64}, WeightForm::Int8);
            wrong += found && !same(*found, map) ? 1 : 0;
            store.add("map", map);
            wrong += store.save(100'000).has_value() ? 0 : 1;
        }
    };
    {
        std::vector<std::jthread> programs;
        for (int i = 0; i < 4; ++i)
            programs.emplace_back(work);
    }
    QCOMPARE(wrong.load(), 0);
    QVERIFY(keeps("content"));
    QCOMPARE(filesIn(folder()).size(), std::size_t{1});
}

QTEST_GUILESS_MAIN(TestPackedStore)
#include "tst_packedstore.moc"
