// SPDX-License-Identifier: GPL-3.0-or-later
// The guard of `headscope-cli bench --against`: tables that were made for it, requests that are drawn. Nothing about
// time.
#include "core/engine/bench/calibration.h"
#include "core/engine/bench/drawnrequest.h"
#include "core/engine/bench/guard.h"

#include <nlohmann/json.hpp>

#include <QTest>

#include <set>

using namespace headscope;
using namespace headscope::engine;
using nlohmann::json;

namespace {

/// Ratios around a median, the quartiles `part` of it away.
Spread around(double median, double part)
{
    return {median * (1 - part), median, median * (1 + part), 5};
}

GuardTable table()
{
    GuardTable made;
    made.rows = {{"click T", "kv-click", "T", 200, 8.3e9}, {"texts T", "mc-text", "T", 10, 0}};
    made.entries = {{.processor = "Chip, family 1 model 2, AVX2",
                     .version = "0.1",
                     .product = "OpenBLAS 0.3.34",
                     .rate = 1e11,
                     .ratios = {{"click T", around(5, 0.01)}, {"texts T", around(3, 0.01)}}}};
    return made;
}

lm::ModelSpec spec(int layers, int vocabulary)
{
    lm::ModelSpec made{.vocabulary = vocabulary};
    made.layers.resize(static_cast<std::size_t>(layers));
    for (lm::LayerSpec& layer : made.layers)
        layer.mixers.push_back({.heads = 4});
    return made;
}

} // namespace

class TestGuard : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void tellsASpread();
    void weighsEachCutWithItsNeighbours();
    void namesWhatGotSlower_data();
    void namesWhatGotSlower();
    void readsWhatItWrites();
    void refusesBrokenTables_data();
    void refusesBrokenTables();
    void keepsOneEntryForEachKindOfProcessor();
    void tellsTheKindOfProcessor();
    void drawsTheSameRequestAlways();
    void drawsATextForMaps();
    void drawsEachWorkloadsForm_data();
    void drawsEachWorkloadsForm();
    void refusesModelsWithoutHeadsOrTokens();
    void allProductsMakeTheSame();
    void saysWhichRowsWereLeftOut();
};

void TestGuard::tellsASpread()
{
    const Spread spread = Spread::of({5, 1, 4, 2, 3});
    QCOMPARE(spread.low, 2.0);
    QCOMPARE(spread.median, 3.0);
    QCOMPARE(spread.high, 4.0);
    QCOMPARE(spread.n, 5);
    QCOMPARE(spread.relative(), 2.0 / 3);
    QCOMPARE(Spread::of({7}).relative(), 0.0);
}

// A machine that becomes half as fast for a cut and the product after it changes no ratio where both neighbours are.
void TestGuard::weighsEachCutWithItsNeighbours()
{
    QCOMPARE(ratioOf({6, 6}, {2, 2, 2}), 3.0);
    QCOMPARE(ratioOf({12, 12}, {4, 4, 4}), 3.0);
    QCOMPARE(ratioOf({9, 12}, {2, 4, 4}), 3.0);
}

void TestGuard::namesWhatGotSlower_data()
{
    QTest::addColumn<double>("then");
    QTest::addColumn<double>("thenPart");
    QTest::addColumn<double>("now");
    QTest::addColumn<double>("nowPart");
    QTest::addColumn<QString>("verdict");
    QTest::newRow("as it was") << 5.0 << 0.01 << 5.0 << 0.01 << QStringLiteral("same");
    QTest::newRow("6 % slower") << 5.0 << 0.001 << 5.3 << 0.001 << QStringLiteral("same");
    QTest::newRow("8 % slower") << 5.0 << 0.01 << 5.4 << 0.01 << QStringLiteral("slower");
    QTest::newRow("8 % slower, rounds 12 % apart") << 5.0 << 0.06 << 5.4 << 0.01 << QStringLiteral("within spread");
    QTest::newRow("8 % slower, now 12 % apart") << 5.0 << 0.01 << 5.4 << 0.06 << QStringLiteral("within spread");
    QTest::newRow("8 % slower, both 9 % apart") << 5.0 << 0.045 << 5.4 << 0.045 << QStringLiteral("within spread");
    QTest::newRow("twice as slow, rounds 12 % apart") << 5.0 << 0.06 << 10.0 << 0.06 << QStringLiteral("slower");
    QTest::newRow("8 % faster") << 5.0 << 0.01 << 4.6 << 0.01 << QStringLiteral("faster");
    QTest::newRow("8 % faster, rounds 12 % apart") << 5.0 << 0.06 << 4.6 << 0.01 << QStringLiteral("within spread");
}

void TestGuard::namesWhatGotSlower()
{
    QFETCH(double, then);
    QFETCH(double, thenPart);
    QFETCH(double, now);
    QFETCH(double, nowPart);
    QFETCH(QString, verdict);
    const GuardFinding finding = compare(around(then, thenPart), around(now, nowPart));
    QCOMPARE(QString::fromLatin1(name(finding.verdict)), verdict);
    QVERIFY(std::abs(finding.change - (now / then - 1)) < 1e-12);
    QCOMPARE(compare({}, around(now, nowPart)).verdict, GuardVerdict::New);
}

void TestGuard::readsWhatItWrites()
{
    const std::string text = table().text();
    const auto read = GuardTable::parse(text, "table.json");
    QVERIFY2(read.has_value(), read.has_value() ? "" : read.error().message.c_str());
    QCOMPARE(read->text(), text);
    QCOMPARE(read->rows.size(), std::size_t{2});
    QCOMPARE(read->entries.front().ratios.at("texts T").median, 3.0);
    const auto shipped = GuardTable::read(HEADSCOPE_SOURCE_DIR "/tests/bench/guard.json");
    QVERIFY2(shipped.has_value(), shipped.has_value() ? "" : shipped.error().message.c_str());
    QVERIFY(!shipped->entries.empty());
    // A row that was renamed would never be looked at again. An older entry may lack one that was added.
    std::set<std::string> names{"our product"};
    for (const GuardRow& row : shipped->rows) {
        names.insert(row.name);
        QVERIFY2(shipped->entries.back().ratios.contains(row.name), row.name.c_str());
    }
    for (const GuardEntry& entry : shipped->entries)
        for (const auto& [name, ratio] : entry.ratios)
            QVERIFY2(names.contains(name), name.c_str());
}

void TestGuard::refusesBrokenTables_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("finding");
    const auto row = [](const char* name, const char* path, const char* value, const char* finding) {
        QTest::newRow(name) << QString::fromLatin1(path) << QString::fromLatin1(value) << QString::fromLatin1(finding);
    };
    row("another format", "/format", "\"x/2\"", "its format is");
    row("no rows", "/rows", "[]", "no rows");
    row("a row of no model", "/rows/0/model", "\"\"", "its model is empty");
    row("another workload", "/rows/0/workload", "\"decode\"", "expected kv-click");
    row("no items", "/rows/0/items", "0", "expected 1 to 10000");
    row("two rows of a name", "/rows/1/name", "\"click T\"", "two rows 'click T'");
    row("an entry without a processor", "/entries/0", "{\"threads\": 1}", "calibration");
    row("a rate of nothing", "/entries/0/calibration/rate", "0", "expected a number above 0");
    row("a text for a ratio", "/entries/0/ratios/click T", "\"5\"", "cannot use");
    row("a negative ratio", "/entries/0/ratios/click T/low", "-1", "expected a number above 0");
    row("quartiles the wrong way", "/entries/0/ratios/click T/high", "1", "in this order");
}

void TestGuard::refusesBrokenTables()
{
    QFETCH(QString, path);
    QFETCH(QString, value);
    QFETCH(QString, finding);
    json body = json::parse(table().text());
    body[json::json_pointer(path.toStdString())] = json::parse(value.toStdString());
    const auto read = GuardTable::parse(body.dump(), "table.json");
    QVERIFY(!read.has_value());
    QVERIFY2(read.error().message.starts_with("Cannot read the table 'table.json': "), read.error().message.c_str());
    QVERIFY2(read.error().message.find(finding.toStdString()) != std::string::npos, read.error().message.c_str());
    const std::string whole = table().text(), half = whole.substr(0, whole.size() / 2);
    QVERIFY(!GuardTable::parse(half, "table.json").has_value()); // cut off in the middle
    QVERIFY(!GuardTable::parse("", "table.json").has_value());
    QVERIFY(!GuardTable::read("/nowhere/table.json").has_value());
}

void TestGuard::keepsOneEntryForEachKindOfProcessor()
{
    GuardTable made = table();
    GuardEntry other = made.entries.front();
    other.threads = 2;
    made.put(other);
    QCOMPARE(made.entries.size(), std::size_t{2});
    QVERIFY(!made.find("Another chip", 1));
    QCOMPARE(made.find(other.processor, 2)->threads, 2);

    // A part of the rows, measured anew: what else was known holds while the calibration is the same.
    GuardEntry part = made.entries.front();
    part.ratios = {{"click T", around(4, 0.01)}};
    made.put(part);
    QCOMPARE(made.entries.size(), std::size_t{2});
    QCOMPARE(made.entries.front().ratios.at("click T").median, 4.0);
    QCOMPARE(made.entries.front().ratios.at("texts T").median, 3.0);
    part.product = "ours";
    made.put(part);
    QVERIFY(!made.entries.front().ratios.contains("texts T"));
}

void TestGuard::tellsTheKindOfProcessor()
{
    QCOMPARE(
        processorKind("processor\t: 0\ncpu family\t: 25\nmodel\t\t: 17\nmodel name\t: AMD EPYC\nflags\t\t: fpu avx2 "
                      "avx512f avx512bw\n\nprocessor\t: 1\nmodel name\t: Other\n"),
        std::string("AMD EPYC, family 25 model 17, AVX-512"));
    QCOMPARE(processorKind("model name\t: Old\ncpu family\t: 6\nmodel\t\t: 1\nflags\t\t: fpu\n"),
             std::string("Old, family 6 model 1"));
    QCOMPARE(processorKind(""), std::string("unknown, family unknown model unknown"));
}

void TestGuard::drawsTheSameRequestAlways()
{
    const auto one = drawnRequest("kv-click", spec(8, 390), 3), again = drawnRequest("kv-click", spec(8, 390), 5);
    QVERIFY(one.has_value() && again.has_value());
    for (std::size_t i = 0; i < one->items.size(); ++i)
        QCOMPARE(one->items[i].sequences.front().ids, again->items[i].sequences.front().ids);
    QCOMPARE(one->ablations, again->ablations);
    QVERIFY(one->items[0].sequences.front().ids != one->items[1].sequences.front().ids);
    const std::vector<int>& ids = one->items.front().sequences.front().ids;
    QCOMPARE(std::vector<int>(ids.begin(), ids.begin() + 3), (std::vector<int>{19, 29, 387})); // on every machine
}

void TestGuard::drawsATextForMaps()
{
    const auto request = drawnRequest("maps", spec(8, 390), 50);
    QVERIFY(request.has_value());
    QCOMPARE(request->workload, std::string("maps"));
    QCOMPARE(request->prompt.size(), std::size_t{50});
    QVERIFY(request->items.empty() && request->largestId() < 390);
    QVERIFY(std::set<int>(request->prompt.begin(), request->prompt.end()).size() > 30);
}

void TestGuard::drawsEachWorkloadsForm_data()
{
    QTest::addColumn<QString>("workload");
    QTest::addColumn<int>("tokens"); // of a context
    QTest::addColumn<int>("choices");
    QTest::addColumn<int>("apart"); // item that begins unlike the first one
    QTest::newRow("kv-click") << QStringLiteral("kv-click") << 95 << 16 << -1;
    QTest::newRow("mc-letter") << QStringLiteral("mc-letter") << 680 << 4 << 20;
    QTest::newRow("mc-text") << QStringLiteral("mc-text") << 680 << 4 << -1;
}

void TestGuard::drawsEachWorkloadsForm()
{
    QFETCH(QString, workload);
    QFETCH(int, tokens);
    QFETCH(int, choices);
    QFETCH(int, apart);
    const auto request = drawnRequest(workload.toStdString(), spec(30, 500), 21);
    QVERIFY(request.has_value());
    QCOMPARE(request->workload, workload.toStdString());
    QCOMPARE(request->items.size(), std::size_t{21});
    QVERIFY(request->largestId() < 500);
    std::vector<int> layers;
    for (const auto& cut : request->ablations)
        layers.push_back(cut.layer);
    QCOMPARE(layers, (std::vector<int>{0, 7, 15, 22, 29}));
    const auto first = [&](std::size_t item) { return request->items[item].sequences.front().ids.front(); };
    for (std::size_t item = 0; item < request->items.size(); ++item) {
        QCOMPARE(request->items[item].choices, choices);
        QCOMPARE(first(item) == first(0), static_cast<int>(item) != apart);
        QVERIFY(request->gold[item] >= 0 && request->gold[item] < choices);
        std::set<int> answers;
        int scored = 0;
        for (const Sequence& sequence : request->items[item].sequences)
            for (const Sequence::Target& target : sequence.targets) {
                scored += 1;
                if (target.position == tokens - 1)
                    answers.insert(target.token);
            }
        QCOMPARE(static_cast<int>(answers.size()), choices); // no two of them alike
        QCOMPARE(scored, workload == QStringLiteral("mc-text") ? 8 * choices : choices);
    }
}

void TestGuard::refusesModelsWithoutHeadsOrTokens()
{
    QVERIFY(!drawnRequest("kv-click", spec(4, 40), 3).has_value());
    QVERIFY(!drawnRequest("kv-click", spec(0, 400), 3).has_value());
}

void TestGuard::allProductsMakeTheSame()
{
    const Calibration calibration;
    QVERIFY(!calibration.products().empty());
    const std::vector<float> expected = calibration.made(calibration.libtorch());
    for (const Calibration::Product& product : calibration.products()) {
        QVERIFY2(calibration.made(product) == expected, product.name.c_str());
        QVERIFY(product.seconds > 0 && calibration.fastest().seconds <= product.seconds);
    }
    QVERIFY(!calibration.find("abacus"));
}

void TestGuard::saysWhichRowsWereLeftOut()
{
    const Calibration calibration;
    const GuardTable known = table();
    const GuardOptions options{.processor = known.entries.front().processor};
    GuardRun run{.product = &calibration.libtorch(), .productSeconds = around(0.02, 0.01)};
    run.figures = {{.row = known.rows[0], .ratio = around(6, 0.01), .seconds = around(0.1, 0.01)},
                   {.row = known.rows[1], .leftOut = "The model 'T' is not here."}};
    const json line = toJson(run, calibration, options, &known.entries.front());
    QCOMPARE(line["rows"][0]["verdict"].get<std::string>(), std::string("slower"));
    QVERIFY(std::abs(line["rows"][0]["change"].get<double>() - 0.2) < 1e-12);
    QCOMPARE(line["rows"][1]["verdict"].get<std::string>(), std::string("left out"));
    const GuardEntry kept = entryOf(run, options);
    QCOMPARE(kept.ratios.size(), std::size_t{1});
    QCOMPARE(toJson(run, calibration, options, nullptr)["rows"][0]["verdict"].get<std::string>(), std::string("new"));
}

QTEST_GUILESS_MAIN(TestGuard)
#include "tst_guard.moc"
