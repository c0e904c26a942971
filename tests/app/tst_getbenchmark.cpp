// SPDX-License-Identifier: GPL-3.0-or-later
// "Get this benchmark" against a hub of our own (tests/support/hubserver.py): what is said before, what arrives, a
// stop, refusals as sentences, and which lines of the scoreboard offer it.
#include "app/present/scores/scorepresenters.h"
#include "app/window/benchmarks/getbenchmarkdialog.h"
#include "tests/support/hubprocess.h"
#include "widgets/scores/scoreboardview.h"

#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

using namespace headscope;
using namespace Qt::StringLiterals;
using gui::GetBenchmarkDialog;
namespace fs = std::filesystem;

namespace {

constexpr int kWait = 30000;

} // namespace

class TestGetBenchmark : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void init();
    void cleanupTestCase();
    void saysWhoseItIsThenFetches();
    void refusalsAreSentences_data();
    void refusalsAreSentences();
    void aBenchmarkIsStopped();
    void theScoreboardOffersWhatIsOfSampleRows();

private:
    [[nodiscard]] QPushButton* button(const char* name) const
    {
        return m_dialog->findChild<QPushButton*>(QString::fromLatin1(name));
    }
    [[nodiscard]] QString label(const char* name) const
    {
        return m_dialog->findChild<QLabel*>(QString::fromLatin1(name))->text();
    }
    [[nodiscard]] bool settled() const
    {
        return QTest::qWaitFor([this] { return !button("stop")->isEnabled(); }, kWait);
    }
    testing::HubProcess m_server;
    hub::HubSettings m_settings;
    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_data;
    std::unique_ptr<GetBenchmarkDialog> m_dialog;
};

void TestGetBenchmark::initTestCase()
{
    QVERIFY(m_server.start());
    m_settings = m_server.settings();
}

void TestGetBenchmark::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    m_settings.cache = fs::path(m_folder->path().toStdString()) / "hub";
    m_data = m_folder->filePath(u"data"_s);
    m_dialog = std::make_unique<GetBenchmarkDialog>(m_settings);
}

void TestGetBenchmark::cleanupTestCase()
{
    m_dialog.reset();
    QVERIFY(m_server.stop());
}

void TestGetBenchmark::saysWhoseItIsThenFetches()
{
    m_dialog->ask(u"openbookqa"_s, m_data);
    QVERIFY(!button("fetch")->isEnabled() && button("stop")->isEnabled());
    QVERIFY(settled());
    for (const QString& said : {u"Licence: Apache-2.0"_s, u"/datasets/allenai/openbookqa"_s, m_data})
        QVERIFY2(label("about").contains(said), qPrintable(label("about")));
    QVERIFY(!fs::exists(m_data.toStdString()) && !fs::exists(m_settings.cache)); // nothing before it is asked for
    QSignalSpy fetched(m_dialog.get(), &GetBenchmarkDialog::fetched);
    button("fetch")->click();
    QVERIFY(settled());
    QCOMPARE(fetched.count(), 1);
    QCOMPARE(fetched.front().at(0).toString(), m_data);
    QVERIFY(fs::exists((m_data + u"/openbookqa/test.parquet"_s).toStdString()));
    QVERIFY(!button("fetch")->isEnabled());
}

void TestGetBenchmark::refusalsAreSentences_data()
{
    QTest::addColumn<QString>("task");
    QTest::addColumn<bool>("found"); // what is wrong shows only once it has arrived
    QTest::addColumn<QString>("sentence");
    QTest::newRow("too few rows") << u"gsm8k"_s << true << u"has 7 rows; the benchmark has 7473"_s;
    QTest::newRow("gone") << u"hellaswag"_s << false << u"the hub has no such data set"_s;
    QTest::newRow("not on the hub") << u"bbh"_s << false << u"The hub has BIG-Bench Hard without its prompts"_s;
}

void TestGetBenchmark::refusalsAreSentences()
{
    QFETCH(const QString, task);
    QFETCH(const bool, found);
    QFETCH(const QString, sentence);
    m_dialog->ask(task, m_data);
    QVERIFY(settled());
    QCOMPARE(button("fetch")->isEnabled(), found);
    if (found) {
        button("fetch")->click();
        QVERIFY(settled());
    }
    QVERIFY2(label("said").contains(sentence), qPrintable(label("said")));
    QVERIFY(!fs::exists(m_data.toStdString()));
}

void TestGetBenchmark::aBenchmarkIsStopped()
{
    m_dialog->ask(u"openbookqa"_s, m_data);
    QVERIFY(settled());
    button("fetch")->click();
    button("stop")->click(); // before a byte has arrived
    QVERIFY(settled());
    QVERIFY2(label("said").startsWith(u"Stopped."_s), qPrintable(label("said")));
    QVERIFY(button("fetch")->isEnabled() && !fs::exists(m_data.toStdString()));
}

void TestGetBenchmark::theScoreboardOffersWhatIsOfSampleRows()
{
    widgets::ScoreboardView view;
    const auto row = [](const char* task, const char* extent) {
        app::BenchmarkScore score;
        score.task = task;
        score.extent = extent;
        return gui::scoreRow(score, true, {});
    };
    view.model()->setRows({row("toy_kv", "generated"), row("openbookqa", "sample"), row("piqa", "complete")});
    auto* get = view.details()->findChild<QPushButton*>(u"get"_s);
    QVERIFY(!get->isEnabled());
    QSignalSpy wanted(&view, &widgets::ScoreboardView::filesRequested);
    for (int line = 0; line < 3; ++line) {
        view.table()->setCurrentIndex(view.table()->model()->index(line, 0));
        QCOMPARE(get->isEnabled(), line == 1);
        get->click();
    }
    QCOMPARE(wanted.count(), 1);
    QCOMPARE(wanted.front().at(0).toString(), u"openbookqa"_s);
}

QTEST_MAIN(TestGetBenchmark)
#include "tst_getbenchmark.moc"
