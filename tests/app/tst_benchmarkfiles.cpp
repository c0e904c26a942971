// SPDX-License-Identifier: GPL-3.0-or-later
// Benchmarks from a hub of our own (tests/support/hubserver.py) into a data folder, and what is refused on the way.
#include "app/workbench/scores/benchmarkfiles.h"
#include "core/tasks/registry.h"
#include "tests/support/hubprocess.h"

#include <QTemporaryDir>
#include <QTest>

#include <chrono>

using namespace headscope;
namespace fs = std::filesystem;

class TestBenchmarkFiles : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void init();
    void cleanupTestCase();
    void whatIsFetchedIsRead();
    void nothingIsWrittenBeforeItIsAskedFor();
    void isRefused_data();
    void isRefused();
    void namesStandForTheirFiles();

private:
    [[nodiscard]] Result<std::vector<std::string>> fetch(const std::string& task) const
    {
        const auto found = app::findBenchmarks({task}, m_settings, {});
        return found.has_value() ? app::fetchBenchmark(found->front(), m_data, m_settings, {})
                                 : Result<std::vector<std::string>>(found.error());
    }
    testing::HubProcess m_server;
    std::unique_ptr<QTemporaryDir> m_folder;
    fs::path m_data;
    hub::HubSettings m_settings;
};

void TestBenchmarkFiles::initTestCase()
{
    QVERIFY(m_server.start());
    m_settings = m_server.settings();
}

void TestBenchmarkFiles::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    m_data = fs::path(m_folder->path().toStdString()) / "data";
    m_settings.cache = fs::path(m_folder->path().toStdString()) / "hub";
}

void TestBenchmarkFiles::cleanupTestCase()
{
    QVERIFY(m_server.stop());
}

void TestBenchmarkFiles::whatIsFetchedIsRead()
{
    const auto found = app::findBenchmarks({"openbookqa"}, m_settings, {});
    QVERIFY2(found.has_value(), found.has_value() ? "" : found.error().message.c_str());
    const app::RemoteBenchmark& benchmark = found->front();
    QCOMPARE(benchmark.licence, std::string("Apache-2.0"));
    QCOMPARE(benchmark.page, m_settings.endpoint + "/datasets/allenai/openbookqa");
    QCOMPARE(benchmark.plan.missing, benchmark.plan.total);
    const auto fetched = app::fetchBenchmark(benchmark, m_data, m_settings, {});
    QVERIFY2(fetched.has_value(), fetched.has_value() ? "" : fetched.error().message.c_str());
    QCOMPARE(*fetched, std::vector<std::string>({"openbookqa/test.parquet", "openbookqa/train.parquet"}));
    // As whole as the benchmark itself, also with examples in the prompt.
    tasks::TaskOptions options;
    options.dataFolder = m_data;
    options.fewshot = 1;
    const auto set = tasks::makeTask("openbookqa", options);
    QVERIFY2(set.has_value(), set.has_value() ? "" : set.error().message.c_str());
    QCOMPARE(set->examples.size(), std::size_t{500});
    QCOMPARE(set->leaves.front().report.accepted, set->leaves.front().report.official);
    QVERIFY(set->notes.empty());
    QVERIFY(set->examples[7].context.ends_with("stem 7"));
    QCOMPARE(set->examples[7].continuations, std::vector<std::string>({" sand", " rain", " salt", " 7"}));
    QCOMPARE(set->examples[7].gold, 3);
    // The hub's cache has it too, under the names that huggingface_hub gives.
    QVERIFY(fs::exists(m_settings.cache / "datasets--allenai--openbookqa" / "refs" / "refs" / "convert" / "parquet"));
    QCOMPARE(app::findBenchmarks({"openbookqa"}, m_settings, {})->front().plan.missing, std::uint64_t{0});
}

void TestBenchmarkFiles::nothingIsWrittenBeforeItIsAskedFor()
{
    QVERIFY(app::findBenchmarks({"openbookqa"}, m_settings, {}).has_value());
    QVERIFY(!fs::exists(m_data) && !fs::exists(m_settings.cache));
}

void TestBenchmarkFiles::isRefused_data()
{
    QTest::addColumn<QString>("task");
    QTest::addColumn<QString>("message");
    QTest::newRow("too few rows") << QStringLiteral("gsm8k")
                                  << QStringLiteral("'main/train/0000.parquet' has 7 rows; the benchmark has 7473. "
                                                    "Nothing was added to the data folder.");
    QTest::newRow("no Parquet")
        << QStringLiteral("winogrande")
        << QStringLiteral("'winogrande_xl/validation/0000.parquet' is not a Parquet file, or is truncated.");
    QTest::newRow("moved") << QStringLiteral("arc_easy")
                           << QStringLiteral(
                                  "The data set 'allenai/ai2_arc' has no file 'ARC-Easy/test/0000.parquet' at "
                                  "'refs/convert/parquet'.");
    QTest::newRow("gone") << QStringLiteral("hellaswag")
                          << QStringLiteral("Cannot get 'datasets/Rowan/hellaswag': the hub has no such data set");
    QTest::newRow("not on the hub") << QStringLiteral("bbh_cot_fewshot_snarks")
                                    << QStringLiteral("The hub has BIG-Bench Hard without its prompts");
    QTest::newRow("no files") << QStringLiteral("toy_kv") << QStringLiteral("There are no files to get for 'toy_kv'");
}

void TestBenchmarkFiles::isRefused()
{
    QFETCH(const QString, task);
    QFETCH(const QString, message);
    const auto fetched = fetch(task.toStdString());
    QVERIFY(!fetched.has_value());
    QVERIFY2(fetched.error().message.starts_with(message.toStdString()), fetched.error().message.c_str());
    QVERIFY(!fs::exists(m_data));
}

void TestBenchmarkFiles::namesStandForTheirFiles()
{
    const auto names = [](const std::vector<std::string>& tasks) {
        std::string all;
        const auto files = tasks::hubFiles(tasks);
        for (const tasks::HubFiles& one : *files)
            all += one.task + " ";
        return all;
    };
    QCOMPARE(names({"mmlu_anatomy", "mmlu", "arc_challenge_chat"}), std::string("mmlu arc_challenge "));
    QCOMPARE(names({"knowledge"}), std::string("winogrande openbookqa piqa hellaswag arc_challenge arc_easy "));
    // Rows are those that the importers expect of a whole benchmark, and each place is one that they look at.
    for (const tasks::TaskInfo& info : tasks::listTasks()) {
        const auto files = tasks::hubFiles({info.name});
        if (!files.has_value() || info.name == "knowledge" || info.name.starts_with("mmlu_"))
            continue;
        QCOMPARE(files->front().files.front().rows, info.official);
    }
}

QTEST_GUILESS_MAIN(TestBenchmarkFiles)
#include "tst_benchmarkfiles.moc"
