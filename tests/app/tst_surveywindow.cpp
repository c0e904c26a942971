// SPDX-License-Identifier: GPL-3.0-or-later
// Heads on many texts in the whole window: measured, filtered, chosen in table and scatter, kept as table and page.
#include "app/controllers/surveycontroller.h"
#include "app/present/surveypresenters.h"
#include "app/window/explorer.h"
#include "app/window/mainwindow.h"
#include "widgets/survey/headcarddialog.h"

#include <QAbstractItemModelTester>
#include <QFile>
#include <QLineEdit>
#include <QSettings>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBrowser>

#include <cmath>

using namespace headscope;
using namespace Qt::StringLiterals;
using gui::MainWindow;
using widgets::SurveyPage;

namespace {

constexpr int kWait = 60000; // slow machines; nothing here is timed

} // namespace

class TestSurveyWindow : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void saysWhatIsMissing();
    void measuresThePromptsOfTheSample();
    void aRowBecomesTheHead();
    void aFilterHidesRowsAndDots();
    void aRectangleSelects();
    void theTableIsSorted();
    void aHeadHasAPage();
    void isKnownTheSecondTime();
    void placesOfScales();
    void sentencesTellWhatIsKnown();

private:
    [[nodiscard]] SurveyPage* page() const { return m_window->parts().survey; }
    [[nodiscard]] int rows() const { return page()->table()->model()->rowCount(); }
    [[nodiscard]] QString headAt(int row) const { return page()->table()->model()->index(row, 0).data().toString(); }
    [[nodiscard]] bool settled() const
    {
        return QTest::qWaitFor(
            [this] { return !m_window->client()->isRunning(gui::BackendClient::Kind::Survey, Side::A); }, kWait);
    }
    QTemporaryDir m_folder;
    std::unique_ptr<MainWindow> m_window;
    std::shared_ptr<const app::SurveyReply> m_reply;
};

void TestSurveyWindow::initTestCase()
{
    QVERIFY(m_folder.isValid());
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_folder.path());
    gui::WindowOptions options;
    options.backend.resources = HEADSCOPE_SOURCE_DIR "/resources";
    options.backend.device = "cpu";
    options.session = m_folder.filePath(u"survey.headscope"_s);
    m_window = std::make_unique<MainWindow>(options);
    m_window->show();
    m_window->openModels(u"tiny-transformer"_s);
    auto* explorer = m_window->explorer();
    QVERIFY(QTest::qWaitFor([&] { return explorer->model(Side::A) != nullptr; }, kWait));
    connect(m_window->client(), &gui::BackendClient::surveyReady, this,
            [this](Side, const auto& reply) { m_reply = reply; });
}

void TestSurveyWindow::saysWhatIsMissing()
{
    m_window->act(u"survey"_s);
    QVERIFY(page()->isVisible());
    new QAbstractItemModelTester(page()->model(), QAbstractItemModelTester::FailureReportingMode::QtTest, this);
    m_window->state()->setPrompt({});
    Q_EMIT page()->runRequested();
    QVERIFY(page()->sentence().contains(u"folder of texts"_s));
    QCOMPARE(rows(), 0);
}

void TestSurveyWindow::measuresThePromptsOfTheSample()
{
    m_window->client()->requestSample(u"toy_kv:pairs=8"_s, 0);
    QVERIFY(QTest::qWaitFor([&] { return m_window->explorer()->prompt().task == "toy_kv:pairs=8"; }, kWait));
    Q_EMIT page()->runRequested();
    QVERIFY(settled());
    QVERIFY2(m_reply && m_reply->survey.record.finished, qPrintable(page()->sentence()));
    QCOMPARE(rows(), 32);
    QCOMPARE(page()->model()->columnCount(), 12);
    QVERIFY(page()->sentence().contains(QString::number(m_reply->survey.record.tokens)));
    QVERIFY(page()->correlation().contains(u"32"_s));
    // What stands in the table is what was measured.
    const auto& head = m_reply->survey.heads[21];
    QCOMPARE(headAt(21), QString::fromStdString(head.head));
    QCOMPARE(page()->table()->model()->index(21, 1).data(widgets::SurveyModel::kValueRole).toDouble(),
             head.values[0].mean);
}

void TestSurveyWindow::aRowBecomesTheHead()
{
    page()->table()->selectRow(21);
    QCOMPARE(headAt(21), u"L2H5"_s);
    QCOMPARE(m_window->state()->side(Side::A).head, (interventions::HeadRef{2, interventions::Site::Any, 5}));
    QCOMPARE(page()->scatter()->selected(), QStringList{u"L2H5"_s});
}

void TestSurveyWindow::aFilterHidesRowsAndDots()
{
    page()->filterField()->setText(u"previous > 0.2 or first > 0.5"_s);
    int expected = 0;
    for (const widgets::SurveyRow& row : page()->model()->rows())
        expected += row.values[2] > 0.2 || row.values[5] > 0.5;
    QVERIFY(expected > 0 && expected < 32);
    QCOMPARE(rows(), expected);
    // What can not be read is said, and the rows stay.
    page()->filterField()->setText(u"previous >"_s);
    QVERIFY(page()->filterField()->toolTip().contains(u"filter can not be read"_s));
    QCOMPARE(rows(), expected);
    page()->filterField()->clear();
    QCOMPARE(rows(), 32);
    QVERIFY(page()->filterField()->toolTip().isEmpty());
}

void TestSurveyWindow::aRectangleSelects()
{
    auto* scatter = page()->scatter();
    const auto at = scatter->placeOf(u"L1H2"_s);
    QVERIFY(at.has_value());
    QTest::mouseClick(scatter, Qt::LeftButton, {}, at->toPoint());
    QVERIFY(page()->selectedHeads().contains(u"L1H2"_s));
    QSignalSpy drawn(scatter, &widgets::ScatterView::headsSelected);
    QTest::mousePress(scatter, Qt::LeftButton, {}, QPoint(1, 1)); // a null point would be the middle
    const QPoint corner(scatter->width() / 2, scatter->height() / 2);
    QTest::mouseMove(scatter, corner);
    QTest::mouseRelease(scatter, Qt::LeftButton, {}, corner);
    QStringList inside;
    for (const widgets::SurveyRow& row : page()->model()->rows())
        if (QRectF(QPointF(1, 1), corner).contains(*scatter->placeOf(row.head)))
            inside << row.head;
    QVERIFY(inside.size() > 2 && inside.size() < 32);
    QCOMPARE(drawn.size(), 1);
    QCOMPARE(drawn[0][0].toStringList(), inside);
    QCOMPARE(page()->selectedHeads().size(), inside.size());
    QCOMPARE(scatter->selected().size(), inside.size());
    const QImage image = scatter->grab().toImage();
    QVERIFY(!image.isNull() && image.pixelColor(at->toPoint()) != image.pixelColor(image.width() - 2, 2));
}

void TestSurveyWindow::theTableIsSorted()
{
    page()->table()->sortByColumn(5, Qt::DescendingOrder); // induction
    const auto value = [this](int row) {
        return page()->table()->model()->index(row, 5).data(widgets::SurveyModel::kValueRole).toDouble();
    };
    for (int row = 1; row < rows(); ++row)
        QVERIFY(value(row - 1) >= value(row));
    page()->table()->sortByColumn(0, Qt::AscendingOrder);
    QCOMPARE(headAt(0), u"L0H0"_s);
    QCOMPARE(headAt(10), u"L1H2"_s);
}

void TestSurveyWindow::aHeadHasAPage()
{
    Q_EMIT page()->cardRequested(u"L2H5"_s);
    auto* dialog = m_window->findChild<widgets::HeadCardDialog*>();
    QVERIFY(dialog);
    QVERIFY(dialog->browser()->toPlainText().contains(u"L2H5"_s));
    QVERIFY(dialog->browser()->toPlainText().contains(u"induction"_s));
    const QString html = m_folder.filePath(u"card.html"_s), pdf = m_folder.filePath(u"card.pdf"_s);
    QVERIFY(dialog->saveHtml(html) && dialog->savePdf(pdf));
    QFile page(html), print(pdf);
    QVERIFY(page.open(QIODevice::ReadOnly) && print.open(QIODevice::ReadOnly));
    const QByteArray written = page.readAll(), printed = print.readAll();
    QVERIFY(written.contains("class=\"query\"") && !written.contains("<script"));
    QVERIFY(printed.startsWith("%PDF"));
    QCOMPARE(printed.count("/Type /Page\n"), 1); // not /Pages
    QVERIFY(!dialog->saveHtml(m_folder.filePath(u"none/card.html"_s)));
    dialog->close();
}

void TestSurveyWindow::isKnownTheSecondTime()
{
    const auto first = m_reply;
    QCOMPARE(first->known, 0);
    Q_EMIT page()->runRequested();
    QVERIFY(settled());
    QVERIFY(m_reply != first);
    QCOMPARE(m_reply->known, first->survey.record.tokens);
    QVERIFY(m_reply->survey.heads == first->survey.heads);
    const std::string csv = gui::surveyCsv(*m_reply);
    QCOMPARE(std::count(csv.begin(), csv.end(), '\n'), 34);
    QVERIFY(csv.starts_with("head,entropy,"));
}

void TestSurveyWindow::placesOfScales()
{
    using widgets::ScatterScale;
    const ScatterScale plain = ScatterScale::over({1, 3, std::nan(""), 2}, false);
    QCOMPARE(*plain.place(1), 0.0);
    QCOMPARE(*plain.place(2), 0.5);
    QVERIFY(!plain.place(std::nan("")));
    const ScatterScale log = ScatterScale::over({0, 1, 100}, true);
    QCOMPARE(*log.place(10), 0.5);
    QVERIFY(!log.place(0));
    QCOMPARE(*ScatterScale::over({4, 4}, false).place(4), 0.5);
    QCOMPARE(*ScatterScale::over({4}, true).place(4), 0.5);
    QVERIFY(std::isfinite(*ScatterScale::over({}, true).place(1)));
}

void TestSurveyWindow::sentencesTellWhatIsKnown()
{
    app::SurveyReply reply;
    reply.survey.record.source = "stories (20 bytes)";
    reply.survey.record.tokens = 12;
    QVERIFY(gui::surveySentence(reply).contains(u"first 12 tokens"_s));
    reply.survey.record.finished = true;
    reply.unknownShare = 0.25;
    QVERIFY(gui::surveySentence(reply).contains(u"25.0 %"_s));
    std::vector<widgets::SurveyRow> some;
    QVERIFY(gui::correlationSentence(some, 0, 0).contains(u"too few"_s));
    for (int i = 0; i < 8; ++i)
        some.push_back({QString::number(i), {double(i), double(i % 4)}});
    QVERIFY(gui::correlationSentence(some, 0, 1).contains(u"["_s));
    QVERIFY(gui::correlationSentence(some, 0, 0).contains(u"1.00"_s));
}

QTEST_MAIN(TestSurveyWindow)
#include "tst_surveywindow.moc"
