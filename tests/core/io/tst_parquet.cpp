// SPDX-License-Identifier: GPL-3.0-or-later
// Parquet files of a real writer (tests/support/makeparquet.py), whole and damaged.
#include "core/io/parquet/levels.h"
#include "core/io/parquet/parquettable.h"

#include <QFile>
#include <QTest>
#include <nlohmann/json.hpp>

#include <sys/resource.h>

using namespace headscope::io;
using nlohmann::json;

namespace {

const QString kData = QStringLiteral(HEADSCOPE_SOURCE_DIR) + QStringLiteral("/tests/data/parquet/");

std::string bytesOf(const QString& name)
{
    QFile file(kData + name);
    return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
}

auto read(const std::string& bytes, std::size_t limit = std::size_t{1} << 30)
{
    return ParquetTable::read(std::as_bytes(std::span(bytes)), "a file", limit);
}

json toJson(const ParquetValue& value)
{
    if (const auto* text = std::get_if<std::string>(&value))
        return *text;
    if (const auto* whole = std::get_if<std::int64_t>(&value))
        return *whole;
    if (const auto* number = std::get_if<double>(&value))
        return *number;
    if (const auto* truth = std::get_if<bool>(&value))
        return *truth;
    return nullptr;
}

// What a column says of a row: of the made-up table in the way that the reader gives it.
json wanted(const json& row, const std::vector<std::string>& path)
{
    if (path.front() != "options") {
        json at = row;
        for (const std::string& part : path)
            at = at[part];
        return at;
    }
    json list = json::array();
    for (const json& option : row["options"])
        list.push_back(option[path.back()]);
    return list;
}

// Thrift's compact protocol, as far as a small file needs it.
std::string varint(std::uint64_t number)
{
    std::string out;
    for (; number > 0x7F; number >>= 7)
        out += static_cast<char>((number & 0x7F) | 0x80);
    return out + static_cast<char>(number);
}

struct Field {
    int id, kind; ///< kinds: 5 int32, 6 int64, 8 bytes, 9 list, 12 structure
    std::string data;
};

std::string structure(const std::vector<Field>& fields)
{
    std::string out;
    int last = 0;
    for (const Field& field : fields) {
        out += static_cast<char>((field.id - last) << 4 | field.kind) + field.data;
        last = field.id;
    }
    return out + '\0';
}

std::string integer(std::int64_t number)
{
    return varint(static_cast<std::uint64_t>(number) << 1);
}

std::string listing(int kind, const std::vector<std::string>& items)
{
    std::string out(1, static_cast<char>(items.size() << 4 | static_cast<std::size_t>(kind)));
    for (const std::string& item : items)
        out += item;
    return out;
}

std::string sized(const std::string& bytes)
{
    const auto size = static_cast<std::uint32_t>(bytes.size());
    return std::string(reinterpret_cast<const char*>(&size), 4) + bytes;
}

/// A page: `kind` 0 data, 2 a dictionary.
std::string page(int kind, std::int64_t values, int encoding, const std::string& body)
{
    std::vector<Field> head = {{1, 5, integer(values)}, {2, 5, integer(encoding)}};
    if (kind == 0) {
        head.push_back({3, 5, integer(3)});
        head.push_back({4, 5, integer(3)});
    }
    const auto size = static_cast<std::int64_t>(body.size());
    return structure({{1, 5, integer(kind)},
                      {2, 5, integer(size)},
                      {3, 5, integer(size)},
                      {kind == 0 ? 5 : 7, 12, structure(head)}})
           + body;
}

/// A file of one column.
std::string fileOf(int type, int width, bool optional, std::int64_t values, const std::string& pages)
{
    const auto size = static_cast<std::int64_t>(pages.size());
    std::vector<Field> column = {{1, 5, integer(type)}};
    if (width >= 0)
        column.push_back({2, 5, integer(width)});
    column.push_back({3, 5, integer(optional ? 1 : 0)});
    column.push_back({4, 8, varint(1) + "q"});
    const std::string meta = structure({{1, 5, integer(type)},
                                        {2, 9, listing(5, {integer(0)})},
                                        {3, 9, listing(8, {varint(1) + "q"})},
                                        {4, 5, integer(0)},
                                        {5, 6, integer(values)},
                                        {6, 6, integer(size)},
                                        {7, 6, integer(size)},
                                        {9, 6, integer(4)}});
    const std::string group =
        structure({{1, 9, listing(12, {structure({{2, 6, integer(4)}, {3, 12, meta}})})}, {3, 6, integer(values)}});
    const std::string schema =
        listing(12, {structure({{4, 8, varint(6) + "schema"}, {5, 5, integer(1)}}), structure(column)});
    const std::string footer =
        structure({{1, 5, integer(1)}, {2, 9, schema}, {3, 6, integer(values)}, {4, 9, listing(12, {group})}});
    const auto end = static_cast<std::uint32_t>(footer.size());
    return "PAR1" + pages + footer + std::string(reinterpret_cast<const char*>(&end), 4) + "PAR1";
}

/// Memory that this process has used at most.
long peakKilobytes()
{
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

} // namespace

class TestParquet : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void givesTheTable_data();
    void givesTheTable();
    void whatIsNotReadIsNamed_data();
    void whatIsNotReadIsNamed();
    void aFileThatIsCutIsASentence();
    void aFileThatIsChangedIsNeverASignal_data();
    void aFileThatIsChangedIsNeverASignal();
    void noMoreThanTheLimitComesOut();
    void smallFilesTakeLittleMemory_data();
    void smallFilesTakeLittleMemory();
    void levelsAreRunsAndGroups();
};

void TestParquet::givesTheTable_data()
{
    QTest::addColumn<QString>("form");
    for (const char* form : {"snappy", "gzip", "plain", "groups"})
        QTest::newRow(form) << QString::fromLatin1(form);
}

void TestParquet::givesTheTable()
{
    QFETCH(const QString, form);
    const json rows = json::parse(bytesOf(QStringLiteral("rows.json")));
    const auto table = read(bytesOf(form + QStringLiteral(".parquet")));
    QVERIFY2(table.has_value(), table.has_value() ? "" : table.error().message.c_str());
    QCOMPARE(table->rows, rows.size());
    QCOMPARE(table->columns.size(), std::size_t{11});
    for (const ParquetColumn& column : table->columns)
        for (std::size_t i = 0; i < table->rows; ++i) {
            json found = column.isList ? json::array() : json();
            for (const ParquetValue& value : column.row(i)) {
                if (column.isList)
                    found.push_back(toJson(value));
                else
                    found = toJson(value);
            }
            json want = wanted(rows[i], column.path);
            if (column.isList && want.is_null())
                want = json::array(); // no list is an empty one
            QVERIFY2(found == want,
                     (column.path.front() + " " + std::to_string(i) + ": " + found.dump() + ", expected " + want.dump())
                         .c_str());
        }
}

void TestParquet::whatIsNotReadIsNamed_data()
{
    QTest::addColumn<QString>("form");
    QTest::addColumn<QString>("sentence");
    QTest::newRow("codec") << QStringLiteral("zstd")
                           << QStringLiteral(
                                  "'a file': the column 'question' is packed with ZSTD, which is not supported; "
                                  "SNAPPY and GZIP are.");
    QTest::newRow("encoding") << QStringLiteral("delta")
                              << QStringLiteral("'a file': the column 'id' is stored as DELTA_BYTE_ARRAY, which is not "
                                                "supported; PLAIN and RLE_DICTIONARY are.");
    QTest::newRow("lists") << QStringLiteral("nested")
                           << QStringLiteral("'a file' has lists of lists, which are not supported.");
}

void TestParquet::whatIsNotReadIsNamed()
{
    QFETCH(const QString, form);
    QFETCH(const QString, sentence);
    const auto table = read(bytesOf(form + QStringLiteral(".parquet")));
    QVERIFY(!table.has_value());
    QCOMPARE(QString::fromStdString(table.error().message), sentence);
}

void TestParquet::aFileThatIsCutIsASentence()
{
    const std::string whole = bytesOf(QStringLiteral("snappy.parquet"));
    QVERIFY(whole.size() > 1000);
    for (std::size_t size = 0; size < whole.size(); ++size) {
        const auto table = read(whole.substr(0, size));
        QVERIFY(!table.has_value());
        QVERIFY(table.error().message.ends_with('.') && table.error().message.find('\n') == std::string::npos);
    }
}

void TestParquet::aFileThatIsChangedIsNeverASignal_data()
{
    givesTheTable_data();
}

// Each byte in turn becomes another: what comes out is a sentence, or a table of as many rows in each column.
void TestParquet::aFileThatIsChangedIsNeverASignal()
{
    QFETCH(const QString, form);
    std::string bytes = bytesOf(form + QStringLiteral(".parquet"));
    int refused = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const char before = bytes[i];
        bytes[i] = static_cast<char>(i % 2 == 0 ? ~before : before + 1);
        const auto table = read(bytes, 10'000'000);
        refused += !table.has_value();
        if (!table.has_value())
            QVERIFY(!table.error().message.empty());
        else
            for (const ParquetColumn& column : table->columns)
                QCOMPARE(column.isList ? column.ends.size() : column.values.size(), table->rows);
        bytes[i] = before;
    }
    QVERIFY(refused > 0);
}

void TestParquet::noMoreThanTheLimitComesOut()
{
    const std::string bytes = bytesOf(QStringLiteral("snappy.parquet"));
    const auto table = read(bytes, 1000);
    QVERIFY(!table.has_value());
    QCOMPARE(table.error().message, "'a file' would take more than 0 MB of memory, too much for a file of "
                                        + std::to_string(bytes.size()) + " bytes.");
}

// A few bytes stand for any number of values; what is refused is refused before it takes memory.
void TestParquet::smallFilesTakeLittleMemory_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<int>("rows"); // -1: refused
    const auto row = [](const std::string& name, const std::string& bytes, std::int64_t rows) {
        QTest::addRow("%s", name.c_str()) << QByteArray::fromStdString(bytes) << static_cast<int>(rows);
    };
    const auto repeat = [](const std::string& text, int times) {
        std::string out;
        for (int i = 0; i < times; ++i)
            out += text;
        return out;
    };
    for (const std::int64_t each : {1000, 20'000'000, 1'000'000'000})
        for (const int pages : {1, 6, 30}) {
            const std::int64_t all = each * pages, rows = all <= 1000 * 30 ? all : -1;
            const std::string name = std::to_string(pages) + " pages of " + std::to_string(each) + " ";
            const std::string run = varint(static_cast<std::uint64_t>(each) << 1) + '\0', one = '\1' + run;
            row(name + "empty places", fileOf(1, -1, true, all, repeat(page(0, each, 0, sized(run)), pages)), rows);
            row(name + "indices",
                fileOf(6, -1, false, all, page(2, 1, 0, sized("word")) + repeat(page(0, each, 8, one), pages)), rows);
            row(name + "truth values", fileOf(0, -1, false, all, repeat(page(0, each, 3, sized(run)), pages)), rows);
            row(name + "texts without width", fileOf(7, 0, false, all, repeat(page(0, each, 0, ""), pages)), rows);
        }
    // One long word of a dictionary, many times.
    row("a long word",
        fileOf(6, -1, false, 100'000,
               page(2, 1, 0, sized(std::string(100'000, 'w'))) + page(0, 100'000, 8, '\1' + varint(200'000) + '\0')),
        -1);
}

void TestParquet::smallFilesTakeLittleMemory()
{
    QFETCH(const QByteArray, bytes);
    QFETCH(const int, rows);
    const long before = peakKilobytes();
    const auto table = read(bytes.toStdString());
    QCOMPARE(table.has_value(), rows >= 0);
    if (rows >= 0)
        QCOMPARE(table->rows, static_cast<std::size_t>(rows));
    else
        QVERIFY2(table.error().message.find("a file of") != std::string::npos, table.error().message.c_str());
    // 64 MiB, the file's bytes a thousand times, and what a vector that grows holds twice.
    QVERIFY2(peakKilobytes() - before < 3 * (65'536 + bytes.size()), std::to_string(peakKilobytes() - before).c_str());
}

void TestParquet::levelsAreRunsAndGroups()
{
    const auto out = [](const std::vector<unsigned char>& bytes, int bits, std::size_t count) {
        return parquetLevels(std::as_bytes(std::span(bytes)), bits, count);
    };
    QCOMPARE(out({0x08, 0x03}, 2, 4), std::optional(std::vector<std::uint32_t>{3, 3, 3, 3}));
    QCOMPARE(out({0x03, 0x88, 0xC6, 0xFA}, 3, 8), std::optional(std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7}));
    QCOMPARE(out({0x03, 0x05, 0x06, 0x01}, 1, 11), // a group, then a run
             std::optional(std::vector<std::uint32_t>{1, 0, 1, 0, 0, 0, 0, 0, 1, 1, 1}));
    QCOMPARE(out({}, 0, 3), std::optional(std::vector<std::uint32_t>{0, 0, 0}));
    QVERIFY(!out({}, 1, 1) && !out({0x00, 0x01}, 1, 1) && !out({0x01}, 1, 1) && !out({0x08}, 2, 4)
            && !out({0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}, 1, 1) && !out({0x08, 0x03}, 33, 4));
}

QTEST_GUILESS_MAIN(TestParquet)
#include "tst_parquet.moc"
