// SPDX-License-Identifier: GPL-3.0-or-later
// Heads on many texts in the whole window: measured, filtered, chosen in table and scatter, kept as table and page.
#include "app/controllers/survey/surveycontroller.h"
#include "app/present/scores/surveypresenters.h"
#include "app/window/explorer.h"
#include "app/window/mainwindow.h"
#include "core/interventions/intervention.h"
#include "widgets/survey/headcarddialog.h"

#include <QAbstractItemModelTester>
#include <QDoubleSpinBox>
#include <QFile>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QStandardItemModel>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBrowser>

#include <algorithm>
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
    void aLoopSelectsInTableAndMap();
    void theMapSelectsInTheTable();
    void theTableIsSorted();
    void aHeadHasAPage();
    void isKnownTheSecondTime();
    void removingHeadsTellsWhatTheyAreFor();
    void aPlaceBecomesThePrompt();
    void twoModelsStandSideBySide();
    void everythingIsKeptInFiles();
    void costsAreThereInTheNextWindow();
    void anotherModelEndsTheSurvey();
    void placesOfScales();
    void labelsDoNotTouch();
    void sentencesTellWhatIsKnown();

private:
    void openWindow();
    [[nodiscard]] SurveyPage* page() const { return m_window->parts().survey; }
    [[nodiscard]] int rows() const { return page()->table()->model()->rowCount(); }
    [[nodiscard]] QString headAt(int row) const { return page()->table()->model()->index(row, 0).data().toString(); }
    [[nodiscard]] bool settled() const
    {
        return QTest::qWaitFor([this] { return !m_window->worker()->isRunning<app::SurveyQuestion>(Side::A); }, kWait);
    }
    [[nodiscard]] double valueOf(const QString& head, const QString& column) const
    {
        const auto& model = *page()->model();
        const auto at = model.metrics().indexOf(column);
        for (std::size_t i = 0; i < model.rows().size() && at >= 0; ++i)
            if (model.label(i) == head)
                return model.rows()[i].values[static_cast<std::size_t>(at)];
        return std::nan("");
    }
    QTemporaryDir m_folder;
    std::unique_ptr<MainWindow> m_window;
    std::shared_ptr<const app::SurveyReply> m_reply;
    std::shared_ptr<const app::HeadFactsReply> m_facts;
};

void TestSurveyWindow::initTestCase()
{
    QVERIFY(m_folder.isValid());
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_folder.path());
    openWindow();
}

void TestSurveyWindow::openWindow()
{
    gui::WindowOptions options;
    options.backend.resources = HEADSCOPE_SOURCE_DIR "/resources";
    options.backend.device = "cpu";
    options.session = m_folder.filePath(u"survey.headscope"_s);
    options.restore = false; // with it the models of the window before are opened once more
    m_window = std::make_unique<MainWindow>(options);
    m_window->show();
    m_window->openModels(u"tiny-transformer"_s);
    auto* explorer = m_window->explorer();
    QVERIFY(QTest::qWaitFor([&] { return explorer->model(Side::A) != nullptr; }, kWait));
    m_window->worker()->on<app::SurveyQuestion>(this, [this](Side, const auto& reply) { m_reply = reply; });
    m_window->worker()->on<app::HeadFactsRequest>(this, [this](Side, const auto& reply) { m_facts = reply; });
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
    m_window->worker()->ask(app::SampleRequest{"toy_kv:pairs=8", 0});
    QVERIFY(QTest::qWaitFor([&] { return m_window->explorer()->prompt().task == "toy_kv:pairs=8"; }, kWait));
    Q_EMIT page()->runRequested();
    QVERIFY(settled());
    QVERIFY2(m_reply && m_reply->survey.record.finished, qPrintable(page()->sentence()));
    QCOMPARE(rows(), 32);
    QVERIFY(page()->model()->columnCount() >= 12);
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
    // What cannot be read is said, and the rows stay.
    page()->filterField()->setText(u"previous >"_s);
    QVERIFY(page()->filterField()->toolTip().contains(u"filter cannot be read"_s));
    QCOMPARE(rows(), expected);
    page()->filterField()->clear();
    QCOMPARE(rows(), 32);
    QVERIFY(page()->filterField()->toolTip().isEmpty());
}

void TestSurveyWindow::aLoopSelectsInTableAndMap()
{
    auto* scatter = page()->scatter();
    const auto at = scatter->placeOf(u"L1H2"_s);
    QVERIFY(at.has_value());
    QTest::mouseClick(scatter, Qt::LeftButton, {}, at->toPoint());
    QVERIFY(page()->selectedHeads().contains(u"L1H2"_s));
    QSignalSpy drawn(scatter, &widgets::ScatterView::headsSelected);
    // A triangle over the left half: what is left of its long side.
    const QPolygonF loop{QPointF(1, 1), QPointF(scatter->width() - 1, 1), QPointF(1, scatter->height() - 1)};
    QTest::mousePress(scatter, Qt::LeftButton, {}, loop[0].toPoint());
    QTest::mouseMove(scatter, loop[1].toPoint());
    QTest::mouseMove(scatter, loop[2].toPoint());
    QTest::mouseRelease(scatter, Qt::LeftButton, {}, loop[2].toPoint());
    QStringList inside;
    for (const widgets::SurveyRow& row : page()->model()->rows())
        if (loop.containsPoint(*scatter->placeOf(row.head), Qt::OddEvenFill))
            inside << row.head;
    QVERIFY(inside.size() > 2 && inside.size() < 32);
    QCOMPARE(drawn.size(), 1);
    QCOMPARE(drawn[0][0].toStringList(), inside);
    QCOMPARE(page()->selectedHeads().size(), inside.size());
    QCOMPARE(scatter->selected().size(), inside.size());
    const auto mapped = [this] {
        qsizetype count = 0;
        for (const widgets::HeadSpan& span : m_window->parts().mapA->view()->selectedHeads())
            count += span.count;
        return count;
    };
    QTRY_COMPARE(mapped(), inside.size());
    const QImage image = scatter->grab().toImage();
    QVERIFY(!image.isNull() && image.pixelColor(at->toPoint()) != image.pixelColor(image.width() - 2, 2));
}

void TestSurveyWindow::theMapSelectsInTheTable()
{
    auto* map = m_window->parts().mapA->view();
    auto* cells = map->model();
    map->selectionModel()->select(QItemSelection(cells->index(1, 1), cells->index(2, 3)),
                                  QItemSelectionModel::ClearAndSelect);
    QTRY_COMPARE(page()->selectedHeads().size(), 6);
    for (const widgets::HeadSpan& span : map->selectedHeads())
        QVERIFY(page()->selectedHeads().contains(u"L%1H%2"_s.arg(span.layer).arg(span.first)));
    // Several rows of the table are several heads of the map, though one of them is the current one.
    page()->table()->clearSelection();
    page()->table()->selectRow(3);
    page()->table()->selectionModel()->select(page()->table()->model()->index(9, 0),
                                              QItemSelectionModel::Select | QItemSelectionModel::Rows);
    const QStringList two = page()->selectedHeads();
    QCOMPARE(two.size(), 2);
    QTRY_COMPARE(map->selectedHeads().size(), 2);
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
    QVERIFY(dialog->write(html).has_value() && dialog->write(pdf).has_value());
    QFile page(html), print(pdf);
    QVERIFY(page.open(QIODevice::ReadOnly) && print.open(QIODevice::ReadOnly));
    const QByteArray written = page.readAll(), printed = print.readAll();
    QVERIFY(written.contains("class=\"query\"") && !written.contains("<script"));
    QVERIFY(printed.startsWith("%PDF"));
    QCOMPARE(printed.count("/Type /Page\n"), 1); // not /Pages
    QVERIFY(!dialog->write(m_folder.filePath(u"none/card.html"_s)).has_value());
    dialog->close();
    // Twice on a head of the map: it is on as before, and its page is there.
    widgets::HeadMapView* map = m_window->parts().mapA->view();
    const QPoint at = map->visualRect(map->model()->index(2, 5)).center();
    QTest::mouseClick(map->viewport(), Qt::LeftButton, Qt::NoModifier, at);
    QTest::mouseDClick(map->viewport(), Qt::LeftButton, Qt::NoModifier, at);
    QTest::mouseRelease(map->viewport(), Qt::LeftButton, Qt::NoModifier, at);
    QVERIFY(m_window->state()->side(Side::A).ablation.empty());
    const auto dialogs = m_window->findChildren<widgets::HeadCardDialog*>();
    QVERIFY(dialogs.back() != dialog && dialogs.back()->browser()->toPlainText().contains(u"L2H5"_s));
    dialogs.back()->close();
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
    QVERIFY(m_reply->survey.places == first->survey.places && !m_reply->prompts.empty());
}

void TestSurveyWindow::removingHeadsTellsWhatTheyAreFor()
{
    page()->selectHeads({u"L1H2"_s, u"L0H3"_s});
    const auto& facts = m_facts;
    Q_EMIT page()->removeRequested();
    QVERIFY(QTest::qWaitFor([&] { return facts && facts->sheet.finished; }, kWait));
    QVERIFY2(facts->sheet.problems.empty(), facts->sheet.problems.empty() ? "" : facts->sheet.problems[0].c_str());
    // The head that gathers costs retrieval, and the tokens that were there before; the other costs nothing.
    const app::HeadFacts* head = facts->sheet.find("L1H2");
    QVERIFY(head && !head->costs.empty() && head->copying && !head->probes.empty() && !head->frequent.empty());
    QVERIFY(std::abs(*head->copying) <= 1.0001);
    QVERIFY(valueOf(u"L1H2"_s, u"cost"_s) > 0.5);
    QVERIFY(valueOf(u"L1H2"_s, u"loss_continued"_s) > 3 * std::abs(valueOf(u"L1H2"_s, u"loss_new"_s)));
    QVERIFY(std::isnan(valueOf(u"L2H2"_s, u"loss"_s))); // was not removed
    QVERIFY(page()->losses()->sentence().contains(u"L1H2"_s));
    QVERIFY(page()->losses()->groups()->rowCount() >= 10);
    QVERIFY(page()->losses()->rises()->rowCount() >= 5);
    page()->filterField()->setText(u"cost > 0.1 and loss > 0.1"_s);
    QCOMPARE(rows(), 1);
    page()->filterField()->clear();
    page()->scatterPanel()->setAxes(u"gather"_s, u"cost"_s);
    Q_EMIT page()->scatterPanel()->axesChanged();
    QCOMPARE(page()->scatter()->scatter().yTitle, u"cost"_s);
}

void TestSurveyWindow::aPlaceBecomesThePrompt()
{
    Q_EMIT page()->cardRequested(u"L2H5"_s);
    auto* dialog = m_window->findChild<widgets::HeadCardDialog*>();
    QVERIFY(dialog);
    QVERIFY(dialog->browser()->toHtml().contains(u"place:"_s));
    QVERIFY(dialog->browser()->toPlainText().contains(u"What removing it costs"_s));
    dialog->threshold()->setValue(1.0);
    // What its ablation showed names it, however high a score has to be.
    QVERIFY(dialog->browser()->toPlainText().contains(u"Label: aggregates"_s));
    QVERIFY(dialog->write(m_folder.filePath(u"costs.pdf"_s)).has_value());
    QFile print(m_folder.filePath(u"costs.pdf"_s));
    QVERIFY(print.open(QIODevice::ReadOnly));
    QCOMPARE(print.readAll().count("/Type /Page\n"), 1); // with all that is known of the head
    std::size_t place = 0;
    while (place < m_reply->survey.places.size() && m_reply->survey.places[place].head != "L2H5")
        ++place;
    QVERIFY(place < m_reply->survey.places.size());
    const auto& at = m_reply->survey.places[place];
    QCOMPARE(m_reply->prompts.size(), m_reply->survey.texts.size());
    QVERIFY(m_reply->prompts[static_cast<std::size_t>(at.text)].same);
    Q_EMIT dialog->browser()->anchorClicked(QUrl(u"place:%1"_s.arg(place)));
    auto* state = m_window->state();
    QCOMPARE(state->prompt().text, m_reply->prompts[static_cast<std::size_t>(at.text)].text);
    QCOMPARE(state->side(Side::A).lockedRow, at.position);
    QCOMPARE(state->side(Side::A).head, (interventions::HeadRef{2, interventions::Site::Any, 5}));
    QVERIFY(!page()->isVisible());
    // The row that is locked is the query of the survey.
    QVERIFY(QTest::qWaitFor(
        [&] {
            return state->side(Side::A).pattern != nullptr
                   && state->side(Side::A).pattern->text == state->prompt().text;
        },
        kWait));
    const auto& tokens = m_reply->survey.texts[static_cast<std::size_t>(at.text)].tokens;
    QCOMPARE(state->side(Side::A).pattern->prompt.ids.size(), tokens.size());
}

void TestSurveyWindow::twoModelsStandSideBySide()
{
    m_window->openModels(u"tiny-transformer"_s, u"tiny-ssm"_s);
    QVERIFY(QTest::qWaitFor([&] { return m_window->explorer()->model(Side::B) != nullptr; }, kWait));
    m_window->act(u"survey"_s);
    m_window->worker()->ask(app::SampleRequest{"toy_kv:pairs=8", 0});
    QVERIFY(QTest::qWaitFor([&] { return m_window->state()->prompt().task == "toy_kv:pairs=8"; }, kWait));
    page()->setTokens(4000);
    Q_EMIT page()->runRequested();
    QVERIFY(QTest::qWaitFor(
        [&] {
            return !m_window->worker()->isRunning<app::SurveyQuestion>(Side::A)
                   && !m_window->worker()->isRunning<app::SurveyQuestion>(Side::B);
        },
        kWait));
    QVERIFY(rows() > 32);
    QVERIFY(page()->sentence().startsWith(u"A: "_s) && page()->sentence().contains(u" B: "_s));
    QCOMPARE(headAt(0), u"A L0H0"_s);
    QVERIFY(page()->correlation().contains(u"A: "_s) && page()->correlation().contains(u"B: "_s));
    const auto& pairs = page()->matches()->view()->pairs();
    QCOMPARE(pairs.pairs.size(), std::size_t{32});
    QVERIFY(!pairs.b.isEmpty() && page()->matches()->sentence().contains(u"of 32"_s));
    QSignalSpy chosen(page(), &SurveyPage::headsSelected);
    Q_EMIT page()->matches()->view()->pairChosen(pairs.a[0], pairs.b[0]);
    QCOMPARE(chosen.size(), 1);
    QCOMPARE(page()->selectedHeads().size(), 2);
    page()->matches()->setBy(widgets::MatchPanel::By::Costs);
    QVERIFY(page()->matches()->view()->pairs().pairs.size() < 32); // heads that cost nothing are left out
    page()->matches()->setBy(widgets::MatchPanel::By::Looks);
}

void TestSurveyWindow::everythingIsKeptInFiles()
{
    gui::SurveyController& survey = m_window->explorer()->controllers().survey;
    const auto read = [this](const QString& name) {
        QFile file(m_folder.filePath(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    };
    for (const QString& name : {u"heads.csv"_s, u"heads.tex"_s})
        QVERIFY(survey.writeTable(m_folder.filePath(name)).has_value());
    QVERIFY(read(u"heads.csv"_s).startsWith("head,entropy,"));
    QCOMPARE(read(u"heads.csv"_s).count('\n'), rows() + 2);
    QVERIFY(read(u"heads.tex"_s).contains("effective\\_tokens"));
    for (const QString& name : {u"dots.csv"_s, u"dots.svg"_s, u"dots.pdf"_s})
        QVERIFY(survey.writeDots(m_folder.filePath(name)).has_value());
    QVERIFY(read(u"dots.csv"_s).contains("A L2H5"));
    QVERIFY(read(u"dots.svg"_s).contains("<svg") && read(u"dots.pdf"_s).startsWith("%PDF"));
    for (const QString& name : {u"pairs.csv"_s, u"pairs.svg"_s})
        QVERIFY(survey.writeMatches(m_folder.filePath(name)).has_value());
    QVERIFY(read(u"pairs.csv"_s).startsWith("a,b,distance,mutual\n"));
    QVERIFY(!survey.writeTable(m_folder.filePath(u"none/heads.csv"_s)).has_value());
    // The rows that the filter lets through, as in the table and among the dots.
    page()->filterField()->setText(u"previous > 0.2 or first > 0.5"_s);
    QVERIFY(rows() > 0 && rows() < page()->model()->rowCount());
    QVERIFY(survey.writeTable(m_folder.filePath(u"some.csv"_s)).has_value());
    QCOMPARE(read(u"some.csv"_s).count('\n'), rows() + 2);
    QVERIFY(read(u"some.csv"_s).contains(headAt(0).toUtf8()));
    page()->filterField()->clear();
}

// What removing L1H2 costs was measured in the window before.
void TestSurveyWindow::costsAreThereInTheNextWindow()
{
    m_window.reset();
    m_reply.reset();
    openWindow();
    m_window->act(u"survey"_s);
    m_window->worker()->ask(app::SampleRequest{"toy_kv:pairs=8", 0});
    QVERIFY(QTest::qWaitFor([&] { return m_window->state()->prompt().task == "toy_kv:pairs=8"; }, kWait));
    Q_EMIT page()->runRequested();
    QVERIFY(settled());
    QVERIFY(m_reply && m_reply->costs.problems.empty());
    const app::HeadFacts* head = m_reply->costs.find("L1H2");
    QVERIFY(head);
    QVERIFY(!head->costs.empty());
    QVERIFY(!head->losses.empty());
    QVERIFY(!head->rises.empty());
    QVERIFY(valueOf(u"L1H2"_s, u"loss_continued"_s) > 0.1);
    Q_EMIT page()->cardRequested(u"L1H2"_s);
    auto* dialog = m_window->findChild<widgets::HeadCardDialog*>();
    QVERIFY(dialog && dialog->browser()->toPlainText().contains(u"What removing it costs"_s));
    dialog->close();
    // And of another head the page itself measures it.
    Q_EMIT page()->cardRequested(u"L2H2"_s);
    dialog = nullptr;
    for (auto* one : m_window->findChildren<widgets::HeadCardDialog*>())
        if (one->windowTitle().contains(u"L2H2"_s))
            dialog = one;
    QVERIFY(dialog && !dialog->browser()->toPlainText().contains(u"next token"_s));
    dialog->removal()->click();
    QVERIFY(!dialog->removal()->isEnabled());
    QVERIFY(QTest::qWaitFor([&] { return dialog->removal()->isEnabled(); }, kWait));
    QVERIFY(dialog->browser()->toPlainText().contains(u"next token"_s));
    dialog->close();
}

// What the model before did is not shown below the name of this one.
void TestSurveyWindow::anotherModelEndsTheSurvey()
{
    auto& worker = *m_window->worker();
    worker.ask(app::SampleRequest{"toy_kv:pairs=16", 0});
    QVERIFY(QTest::qWaitFor([&] { return m_window->state()->prompt().task == "toy_kv:pairs=16"; }, kWait));
    page()->setTokens(20000);
    Q_EMIT page()->runRequested();
    QVERIFY(worker.isRunning<app::SurveyQuestion>(Side::A));
    m_window->openModels(u"tiny-ssm"_s);
    QVERIFY(QTest::qWaitFor([&] { return m_window->explorer()->model(Side::A)->name == "tiny-ssm"; }, kWait));
    QVERIFY(!worker.isRunning<app::SurveyQuestion>(Side::A));
    QVERIFY(QTest::qWaitFor(
        [&] {
            const auto running = worker.running();
            return std::ranges::find(running, app::Lane::of<app::SurveyQuestion>(Side::A)) == running.end();
        },
        kWait));
    QCOMPARE(rows(), 0);
    QVERIFY2(!page()->sentence().contains(u"Reading"_s), qPrintable(page()->sentence()));
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

void TestSurveyWindow::labelsDoNotTouch()
{
    widgets::Scatter scatter;
    for (int i = 0; i < 80; ++i)
        scatter.dots.push_back({u"L%1H%2"_s.arg(i / 16).arg(i % 16), std::sin(i * 1.7), std::cos(i * 2.3), {}});
    scatter.selected = {u"L3H3"_s};
    for (const double line : {10.0, 16.0, 28.0}) // numbers and the title have a line each below it
        QVERIFY(widgets::Scatter::area(QSizeF(500, 400), line).bottom() + 2 + 2 * line <= 400);
    const QRectF area = widgets::Scatter::area(QSizeF(500, 400), 16);
    const auto labels = scatter.labels(
        area, [](const QString& text) { return 7.0 * static_cast<double>(text.size()); }, 14);
    QVERIFY(labels.size() > 5);
    QCOMPARE(scatter.dots[labels.front().first].head, u"L3H3"_s);
    for (std::size_t i = 0; i < labels.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            QVERIFY(!labels[i].second.adjusted(-3, 0, 3, 0).intersects(labels[j].second)); // nor read as one
    for (const auto& at : scatter.places(area))
        for (const auto& [index, label] : labels)
            QVERIFY(!label.contains(*at));
    QVERIFY(widgets::ScatterScale::over({0.001, 10}, true).ticks(5).size() >= 3);
    const auto few = widgets::ScatterScale::over({0.109, 3.05}, true).ticks(5); // hardly more than a decade
    QVERIFY(few == (std::vector<double>{0.2, 0.5, 1, 2}));
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
    // Next tokens of other texts are not those of this survey; what else was measured before stays.
    reply.costs.texts = "stories";
    app::HeadFactsReply first, second;
    first.sheet.texts = second.sheet.texts = "stories";
    first.sheet.heads = {
        {.head = "L0H0", .copying = 0.5, .costs = {{"toy_kv", 0.5, {}, 0, 8}}, .losses = {{"all", 9, 2, 0.25, {}}}}};
    second.sheet.heads = {{.head = "L0H1", .losses = {{"all", 9, 2, 0.125, {}}}}};
    const auto both = gui::withEarlier(std::make_shared<const app::HeadFactsReply>(second), &first);
    app::FactSheet known = gui::knownFacts({}, reply, both.get());
    QVERIFY(known.find("L0H0")->losses.size() == 1 && known.find("L0H1")->losses.size() == 1);
    reply.costs.texts = "poems";
    known = gui::knownFacts({}, reply, both.get());
    QVERIFY(known.find("L0H0")->losses.empty() && known.find("L0H1")->losses.empty());
    QVERIFY(known.find("L0H0")->copying && known.find("L0H0")->costs.size() == 1);
    std::vector<widgets::SurveyRow> some;
    QVERIFY(gui::correlationSentence(some, 0, 0).contains(u"too few"_s));
    for (int i = 0; i < 8; ++i)
        some.push_back({QString::number(i), {double(i), double(i % 4)}});
    QVERIFY(gui::correlationSentence(some, 0, 1).contains(u"["_s));
    QVERIFY(gui::correlationSentence(some, 0, 0).contains(u"1.00"_s));
}

QTEST_MAIN(TestSurveyWindow)
#include "tst_surveywindow.moc"
