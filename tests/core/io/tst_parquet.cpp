// SPDX-License-Identifier: GPL-3.0-or-later
// Parquet files of a real writer (tests/support/makeparquet.py), whole and damaged.
#include "core/io/parquet/levels.h"
#include "core/io/parquet/parquettable.h"

#include <QFile>
#include <QTest>
#include <nlohmann/json.hpp>

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
                           << QStringLiteral("'a file': the column 'question' is packed with ZSTD, which is not read; "
                                             "SNAPPY and GZIP are.");
    QTest::newRow("encoding") << QStringLiteral("delta")
                              << QStringLiteral("'a file': the column 'id' is stored as DELTA_BYTE_ARRAY, which is not "
                                                "read; PLAIN and RLE_DICTIONARY are.");
    QTest::newRow("lists") << QStringLiteral("nested")
                           << QStringLiteral("'a file' has lists of lists, which are not read.");
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
    QCOMPARE(table.error().message,
             std::string("'a file': the column 'question' makes the table larger than can be read."));
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
