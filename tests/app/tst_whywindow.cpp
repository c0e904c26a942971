// SPDX-License-Identifier: GPL-3.0-or-later
// Why a shipped model answers as it does, in the whole window: layers and parts of the sample, anew with each ablation.
#include "app/present/why/whypresenters.h"
#include "app/window/dialogs/figuredesk.h"
#include "app/window/explorercontrollers.h"
#include "app/window/explorerpage.h"
#include "core/io/pytorch/torchwriter.h"
#include "tests/support/tablecheck.h"
#include "tests/support/windowfixture.h"

#include <QAbstractItemView>
#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QLabel>
#include <QPushButton>
#include <QTabWidget>
#include <QTableView>

#include <cmath>

using namespace headscope;
using namespace Qt::StringLiterals;
using widgets::GridCell;
using widgets::GridData;

namespace {

void copyModel(const QString& folder)
{
    QVERIFY(QDir().mkpath(folder));
    for (const QString& name :
         {u"config.json"_s, u"model.safetensors"_s, u"tokenizer.json"_s, u"tokenizer_config.json"_s})
        QVERIFY(QFile::copy(QStringLiteral(HEADSCOPE_SOURCE_DIR "/resources/models/tiny-transformer/") + name,
                            folder + u'/' + name));
}

void writeLens(const QString& folder, bool cut)
{
    constexpr int kWidth = 128;
    std::vector<float> matrix(std::size_t{kWidth} * kWidth);
    for (std::size_t i = 0; i < matrix.size(); i += kWidth + 1)
        matrix[i] = 2;
    io::TorchValue::Table matrices;
    for (std::int64_t layer = 0; layer < 3; ++layer)
        matrices.push_back(
            {{layer}, {io::TensorToWrite{{}, io::Dtype::F32, {kWidth, kWidth}, std::as_bytes(std::span(matrix))}}});
    const auto bytes = io::torchBytes({{{std::string("J")}, {matrices}}});
    QFile file(folder + u"/jacobian-lens.pt"_s);
    QVERIFY(bytes.has_value() && file.open(QIODevice::WriteOnly));
    const auto size = static_cast<qint64>(bytes->size());
    QVERIFY(file.write(bytes->data(), cut ? size / 2 : size) > 0);
}

} // namespace

class TestWhyWindow : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void layersAndPartsOfASample();
    void anAblationIsFollowed();
    void whatTheAblationChangesOfTheAnswer();
    void aClickedTokenIsAskedAbout();
    void theMapIsColouredByParts();
    void aHeadsPartHeatsThePrompt();
    void manySamplesHaveIntervals();
    void aPartBecomesTheHead();
    void aTextOfOnesOwnHasItsLikeliestToken();
    void anAblationAtNoTokenIsASentence();
    void answersOfSeveralTokens();
    void sentencesTellWhatIsKnown();
    void pagesAnswerWhenTheyAreOpened_data();
    void pagesAnswerWhenTheyAreOpened();
    void everyPageHasItsTable_data() { pagesAnswerWhenTheyAreOpened_data(); }
    void everyPageHasItsTable();
    void aFigureOfWhatIsShown();
    void steeringSaysNoFormerAnswer();
    void aLensInTheFolderIsOffered();
    void aBrokenLensIsASentence();
    void aLensIsFittedInTheWindow();

private:
    /// One of the sentences beside the table contains these words.
    [[nodiscard]] bool says(const QString& words) const
    {
        return std::ranges::any_of(view()->findChildren<QLabel*>(),
                                   [&](const QLabel* label) { return label->text().contains(words); });
    }
    [[nodiscard]] QByteArray sentences() const
    {
        QStringList all;
        for (const QLabel* label : view()->findChildren<QLabel*>())
            all.append(label->text());
        return all.join(u" | "_s).toUtf8();
    }
    [[nodiscard]] widgets::WhyView* view() const { return m_fixture.window().parts().why->view(Side::A); }
    [[nodiscard]] const GridData& lens() const { return view()->lens()->grid(); }
    /// What the worker said, as the lens shows it.
    [[nodiscard]] const app::LensReply& reply() const { return *m_fixture.explorer().controllers().why.lens(Side::A); }
    [[nodiscard]] int columns() const { return static_cast<int>(lens().columns.size()); }
    [[nodiscard]] bool settled() const
    {
        using app::Door;
        return m_fixture.settled<app::LensRequest>() && m_fixture.settled<app::DirectRequest>();
    }
    /// What a part adds; NaN where there is no such row.
    [[nodiscard]] double partOf(const QString& name) const;
    testing::WindowFixture m_fixture;
};

double TestWhyWindow::partOf(const QString& name) const
{
    for (const widgets::PartRow& part : view()->parts()->bars())
        if (part.name == name)
            return part.value;
    return std::nan("");
}

void TestWhyWindow::initTestCase()
{
    QVERIFY(m_fixture.open(u"tiny-transformer"_s, u"why.headscope"_s));
    QVERIFY(m_fixture.showSample(u"toy_kv:pairs=8"_s));
}

void TestWhyWindow::layersAndPartsOfASample()
{
    QVERIFY(lens().rows.empty()); // nobody has looked
    m_fixture.window().act(u"why"_s);
    QVERIFY(settled());
    const QString answer = QString::fromStdString(m_fixture.explorer().prompt().answer).trimmed();
    QCOMPARE(lens().rows.size(), 5U);
    QVERIFY(columns() > 30);
    QCOMPARE(QString::fromStdString(reply().followed).trimmed(), answer);
    QCOMPARE(lens().cellText(4, columns() - 1), answer);
    QVERIFY(lens().cell(4, columns() - 1).marks & GridCell::Framed);
    QVERIFY(!(lens().cell(0, columns() - 1).marks & GridCell::Framed));
    QVERIFY(partOf(u"L2H5"_s) > 1);
    QVERIFY(std::abs(partOf(u"sum"_s) - view()->parts()->sum()) < 1e-9);
}

void TestWhyWindow::anAblationIsFollowed()
{
    const double before = partOf(u"sum"_s);
    m_fixture.ablate("L2H5");
    QVERIFY(settled());
    QCOMPARE(partOf(u"L2H5"_s), 0.0);
    QVERIFY(partOf(u"sum"_s) < before / 2);
    m_fixture.ablate("");
    QVERIFY(settled());
    QVERIFY(std::abs(partOf(u"sum"_s) - before) < 1e-3);
}

void TestWhyWindow::whatTheAblationChangesOfTheAnswer()
{
    QVERIFY(reply().before.empty()); // nothing is off
    m_fixture.ablate("L2H5");
    QVERIFY(settled());
    QCOMPARE(reply().before.size(), reply().points.size());
    // Layers below the ablated one are as they were; the output has lost the answer.
    QVERIFY(reply().points.back().logProbability < reply().before.back() - 0.5F);
    for (std::size_t i = 0; i < 3 * reply().tokens.size(); ++i)
        QVERIFY(std::abs(reply().points[i].logProbability - reply().before[i]) < 1e-4F);
    widgets::WhyPage& page = *m_fixture.window().parts().why;
    page.setLensColor(widgets::LensColor::Change);
    QVERIFY(lens().scale == widgets::GridScale::Signed);
    QVERIFY(lens().cells.back().strength < 0.5F && lens().cells.back().value < -0.5);
    QCOMPARE(lens().cells.front().strength, 0.5F);
    page.setLensColor(widgets::LensColor::Probability);
    QVERIFY(lens().scale == widgets::GridScale::Sequential);
    m_fixture.ablate("");
    QVERIFY(settled());
}

void TestWhyWindow::aClickedTokenIsAskedAbout()
{
    const std::string before = reply().followed;
    const double difference = partOf(u"sum"_s);
    // A token of the prompt as the answer, the sample's answer as what it is compared with.
    Q_EMIT view()->answerChosen(-1, 1);
    Q_EMIT view()->distractorChosen(4, columns() - 1);
    QVERIFY(settled());
    QCOMPARE(reply().followed, reply().tokens[1]);
    QVERIFY(partOf(u"sum"_s) < 0 && difference > 0);
    // The same token twice cannot be told apart.
    Q_EMIT view()->distractorChosen(-1, 1);
    QVERIFY(settled());
    QVERIFY(view()->parts()->bars().empty());
    QVERIFY(std::ranges::any_of(view()->findChildren<QLabel*>(),
                                [](const QLabel* label) { return label->text().contains(u"same token"_s); }));
    Q_EMIT view()->sampleRequested();
    QVERIFY(settled());
    QCOMPARE(reply().followed, before);
    QVERIFY(std::abs(partOf(u"sum"_s) - difference) < 1e-4);
}

void TestWhyWindow::theMapIsColouredByParts()
{
    const auto& own = m_fixture.window().state()->side(Side::A).ownMetrics;
    QVERIFY(own.contains("attribution"));
    QCOMPARE(own.at("attribution").size(), 32U);
    const auto best = std::ranges::max_element(own.at("attribution"), {}, &app::HeadValue::value);
    QCOMPARE(best->head, (interventions::HeadRef{2, interventions::Site::Any, 5}));
}

void TestWhyWindow::aHeadsPartHeatsThePrompt()
{
    Q_EMIT view()->parts()->headSelected(u"L2H5"_s);
    QVERIFY(m_fixture.settled<app::SourcesRequest>());
    const auto& bar = *m_fixture.window().parts().prompt;
    QVERIFY(bar.heat().size() > 30);
    // What it takes most of is the piece that the answer stands in.
    const auto most = std::ranges::max_element(bar.heat(), {}, &widgets::TokenHeat::strength);
    const QString token = bar.prompt().mid(most->begin, most->end - most->begin).trimmed();
    QVERIFY2(most->strength == 1.0 && !most->lost, qPrintable(token));
    QCOMPARE(token, QString::fromStdString(m_fixture.explorer().prompt().answer).trimmed());
    Q_EMIT view()->parts()->headSelected(QString());
    QVERIFY(bar.heat().empty());
}

void TestWhyWindow::manySamplesHaveIntervals()
{
    QCheckBox* many = m_fixture.window().parts().why->many();
    many->setChecked(true);
    QVERIFY(settled());
    const widgets::BarsView& parts = *view()->parts();
    QVERIFY(parts.bars().front().low < parts.bars().front().value);
    QCOMPARE(parts.numbers().columns.size(), 4); // with both ends of the intervals
    QVERIFY(partOf(u"L2H5"_s) > 1);
    QVERIFY(std::abs(partOf(u"sum"_s) - parts.sum()) < 1e-9);
    many->setChecked(false);
    QVERIFY(settled());
    QVERIFY(std::isnan(parts.bars().front().low));
}

void TestWhyWindow::aPartBecomesTheHead()
{
    Q_EMIT view()->parts()->partChosen(u"L1H2"_s);
    QCOMPARE(m_fixture.window().state()->side(Side::A).head, (interventions::HeadRef{1, interventions::Site::Any, 2}));
    Q_EMIT view()->parts()->partChosen(u"embed"_s); // no head: nothing happens
    QCOMPARE(m_fixture.window().state()->side(Side::A).head.head, 2);
}

void TestWhyWindow::aTextOfOnesOwnHasItsLikeliestToken()
{
    m_fixture.window().state()->setPrompt({.text = "<s> The color of Ada is"});
    QVERIFY(settled());
    QCOMPARE(columns(), 6);
    QVERIFY(reply().followed.empty());
    for (int column = 0; column < 6; ++column)
        QVERIFY(lens().cell(4, column).marks & GridCell::Framed);
    // A problem of the prompt is told in the place of the numbers.
    m_fixture.window().state()->setPrompt({.text = "xyzzy"});
    QVERIFY(settled());
    QVERIFY(lens().rows.empty());
    QVERIFY(std::ranges::any_of(view()->findChildren<QLabel*>(),
                                [](const QLabel* label) { return label->text().contains(u"xyzzy"_s); }));
}

// What was ablated at a token of a longer prompt does nothing in this one; that is said in the place of the numbers.
void TestWhyWindow::anAblationAtNoTokenIsASentence()
{
    m_fixture.window().state()->setPrompt({.text = "<s> The color of Ada is"});
    m_fixture.ablate("L2H5@5");
    QVERIFY(settled());
    QCOMPARE(columns(), 6);
    m_fixture.ablate("L2H5@6-9");
    QVERIFY(settled());
    QVERIFY(lens().rows.empty());
    QVERIFY(std::ranges::any_of(view()->findChildren<QLabel*>(),
                                [](const QLabel* label) { return label->text().contains(u"names token 6"_s); }));
    m_fixture.ablate("");
    QVERIFY(settled());
}

// The small English model cuts most words: the first token that parts the answers is asked, and both lists say so.
void TestWhyWindow::answersOfSeveralTokens()
{
    m_fixture.window().openModels(u"small-transformer"_s);
    QVERIFY(QTest::qWaitFor([&] { return m_fixture.explorer().model(Side::A)->name == "small-transformer"; },
                            testing::WindowFixture::kWait));
    QVERIFY(m_fixture.showSample(u"word_kv:pairs=8"_s));
    QVERIFY(settled());
    QVERIFY(!lens().rows.empty() && !view()->parts()->bars().empty());
    const auto labels = view()->findChildren<QLabel*>();
    QCOMPARE(std::ranges::count_if(labels,
                                   [](const QLabel* label) {
                                       return label->text().contains(u"The answer has"_s)
                                              && label->text().contains(u"differs from the other choice"_s);
                                   }),
             2);
}

void TestWhyWindow::sentencesTellWhatIsKnown()
{
    app::LensReply lens{.tokens = {"a"}, .followed = "%2", .layers = 3, .points = {{.token = "b"}}, .firstLayer = 1};
    QVERIFY(gui::lensSentence(lens).contains(u"“%2” is on top from the stream before layer 1"_s));
    lens.firstLayer = 2;
    QVERIFY(gui::lensSentence(lens).contains(u"only in the output"_s));
    lens.firstLayer = -1;
    QVERIFY(gui::lensSentence(lens).contains(u"not on top"_s));
    app::DirectReply parts{.answer = "17", .distractor = "42", .difference = {.value = 2.5}};
    QVERIFY(gui::partSentence(parts).contains(u"+2.50"_s));
    QVERIFY(!gui::partSentence(parts).contains(u"caps"_s));
    parts.capped = true;
    parts.silentSites = 1;
    QVERIFY(gui::partSentence(parts).contains(u"caps"_s)
            && gui::partSentence(parts).contains(u"no contribution of their own"_s));
}

void TestWhyWindow::pagesAnswerWhenTheyAreOpened_data()
{
    QTest::addColumn<QString>("model");
    for (const char* model : {"tiny-transformer", "tiny-ssm", "tiny-hybrid"})
        QTest::newRow(model) << QString::fromLatin1(model);
}

// Each page of a shipped model, and none waits for a button: whatever page is added later, too.
void TestWhyWindow::pagesAnswerWhenTheyAreOpened()
{
    QFETCH(QString, model);
    testing::WindowFixture fixture;
    QVERIFY(fixture.open(model, u"pages-%1.headscope"_s.arg(model)));
    QVERIFY(fixture.showSample(u"toy_kv:pairs=8"_s));
    const widgets::WhyPage& why = *fixture.window().parts().why;
    fixture.window().act(u"why"_s);
    for (int i = 0; i < why.tabs()->count(); ++i) {
        const QWidget* page = why.tabs()->widget(i);
        // What is steered, and what a score of an SSM would be, nobody has said.
        if (page == why.steering() || !why.tabs()->isTabVisible(i)
            || (page == why.scoreParts() && model == u"tiny-ssm"_s))
            continue;
        why.tabs()->setCurrentIndex(i);
        const auto answered = [&] {
            const auto views = page->findChildren<QAbstractItemView*>();
            return std::ranges::any_of(views, [](const auto* view) {
                return view->isVisible() && view->model() && view->model()->rowCount() > 0;
            });
        };
        QVERIFY2(QTest::qWaitFor(answered, 20'000), qPrintable(why.tabs()->tabText(i)));
    }
}

// Each page, and whatever page is added later: T shows the numbers of its pictures, which are those that are copied,
// and T again the pictures.
void TestWhyWindow::everyPageHasItsTable()
{
    QFETCH(QString, model);
    testing::WindowFixture fixture;
    QVERIFY(fixture.open(model));
    QVERIFY(fixture.showSample(u"toy_kv:pairs=8"_s));
    widgets::WhyPage& why = *fixture.window().parts().why;
    fixture.window().act(u"why"_s);
    QVERIFY(QTest::qWaitForWindowActive(&fixture.window()));
    int checked = 0;
    for (int i = 0; i < why.tabs()->count(); ++i) {
        QWidget* page = why.tabs()->widget(i);
        if (page == why.steering() || !why.tabs()->isTabVisible(i)
            || (page == why.scoreParts() && model == u"tiny-ssm"_s)) // nothing is asked there
            continue;
        why.tabs()->setCurrentIndex(i);
        const QByteArray title = why.tabs()->tabText(i).toUtf8();
        QList<widgets::TabledView*> views;
        for (widgets::TabledView* view : page->findChildren<widgets::TabledView*>())
            if (view->isVisible()) // of the model that is open
                views.append(view);
        QVERIFY2(!views.isEmpty(), title);
        QVERIFY2(QTest::qWaitFor(
                     [&] {
                         return std::ranges::none_of(
                             views, [](const widgets::TabledView* view) { return view->numbers().rows.empty(); });
                     },
                     testing::WindowFixture::kWait),
                 title);
        if (views.front()->table()->isVisible()) // beside its picture
            QTest::keyClick(&fixture.window(), Qt::Key_T);
        for (const widgets::TabledView* view : std::as_const(views))
            QVERIFY2(view->picture()->isVisible() && !view->table()->isVisible(), title);
        views.front()->picture()->setFocus();
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_T);
        for (widgets::TabledView* view : std::as_const(views)) {
            const QString problem = testing::tableProblem(*view);
            QVERIFY2(problem.isEmpty(),
                     title + ", " + view->picture()->accessibleName().toUtf8() + ": " + problem.toUtf8());
            ++checked;
        }
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_T);
        QVERIFY2(views.front()->picture()->isVisible() && !views.front()->table()->isVisible(), title);
    }
    QVERIFY2(checked >= 8, qPrintable(QString::number(checked)));
    // Elsewhere the letter goes to the prompt, as before.
    fixture.window().findChild<gui::ExplorerPage*>()->showPatterns();
    QTest::keyClick(&fixture.window(), Qt::Key_T);
    QVERIFY(fixture.window().parts().prompt->isAncestorOf(QApplication::focusWidget()));
}

// Also where there is no session that could keep what it is drawn from.
void TestWhyWindow::aFigureOfWhatIsShown()
{
    testing::WindowFixture fixture;
    QVERIFY(fixture.open(u"tiny-transformer"_s));
    QVERIFY(fixture.showSample(u"toy_kv:pairs=8"_s));
    widgets::WhyPage& why = *fixture.window().parts().why;
    const auto drawn = [&](QWidget* page, const char* analysis) {
        why.tabs()->setCurrentWidget(page);
        const auto views = page->findChildren<widgets::TabledView*>();
        const auto view = std::ranges::find_if(views, [analysis](const auto* each) {
            return each->isVisible() && each->figure() == QLatin1String(analysis);
        });
        if (view == views.end()
            || !QTest::qWaitFor([&] { return !(*view)->numbers().rows.empty(); }, testing::WindowFixture::kWait)
            || !fixture.settled<app::PatchQuestion>())
            return false;
        Q_EMIT(*view)->figureRequested();
        return QTest::qWaitFor(
            [&] {
                const auto* desk = fixture.window().figures();
                return desk && desk->dialog()->isVisible() && !desk->recipe().panels.empty()
                       && desk->recipe().panels.front().analysis == analysis;
            },
            testing::WindowFixture::kWait);
    };
    fixture.window().act(u"why"_s);
    QVERIFY(drawn(why.layers(), "lens"));
    QVERIFY(drawn(why.patches(), "patching"));
}

// Of a model that cannot read the prompt nothing is known, least of all what the one before answered.
void TestWhyWindow::steeringSaysNoFormerAnswer()
{
    testing::WindowFixture fixture;
    QVERIFY(fixture.open(u"small-transformer"_s));
    gui::WindowState& state = *fixture.window().state();
    QVERIFY(QTest::qWaitFor([&] { return !state.prompt().text.empty(); }, testing::WindowFixture::kWait));
    const auto answer = [&] {
        for (const QLabel* label : fixture.window().parts().why->steering()->findChildren<QLabel*>())
            if (label->accessibleName() == u"What the model answers now"_s)
                return label->text();
        return u"no label"_s;
    };
    state.setPrompt({.text = "The color of Umbrella is"});
    QVERIFY(QTest::qWaitFor([&] { return answer().startsWith(u"answers"_s); }, testing::WindowFixture::kWait));
    fixture.explorer().openModel(Side::A, u"tiny-transformer"_s);
    QVERIFY(QTest::qWaitFor([&] { return fixture.explorer().model(Side::A)->name == "tiny-transformer"; },
                            testing::WindowFixture::kWait));
    QVERIFY(fixture.settled<app::NextTokensRequest>());
    QCOMPARE(answer(), QString());
}

// The shipped model in a folder of its own, with a lens whose matrices are twice the identity but for that of the
// embedding, which published lenses do not have.
void TestWhyWindow::aLensInTheFolderIsOffered()
{
    const QString folder = m_fixture.file(u"lensed"_s);
    copyModel(folder);
    writeLens(folder, false);
    QVERIFY(m_fixture.open(folder, u"lensed.headscope"_s));
    QVERIFY(m_fixture.showSample(u"toy_kv:pairs=8"_s));
    m_fixture.window().act(u"why"_s);
    QVERIFY(settled());
    QComboBox* const kind = m_fixture.window().parts().why->lensKind();
    QCOMPARE(kind->currentIndex(), 0);
    const app::LensReply logit = reply();
    kind->setCurrentIndex(1);
    QVERIFY(settled());
    QCOMPARE(reply().points.size(), logit.points.size());
    QCOMPARE(reply().followed, logit.followed);
    for (std::size_t i = 0; i < logit.points.size(); ++i) {
        const bool embedding = i < logit.tokens.size();
        QCOMPARE(reply().points[i].id, embedding ? -1 : logit.points[i].id); // a norm takes no notice of a factor
    }
    QVERIFY(lens().cellText(0, 0).isEmpty() && lens().cell(0, 0).marks == 0);
    QVERIFY(std::isnan(lens().cell(0, 0).strength));
    QVERIFY(lens().words(0, 0).contains(u"no matrix"_s));
    QVERIFY(says(u"Jacobian lens: "_s));
    // Ablations are followed, and compared with all heads on through the same lens.
    m_fixture.ablate("L2H5");
    QVERIFY(settled());
    QCOMPARE(reply().before.size(), reply().points.size());
    QVERIFY(reply().points.back().logProbability < reply().before.back() - 0.5F);
    m_fixture.ablate("");
    QVERIFY(settled());
    kind->setCurrentIndex(0);
    QVERIFY(settled());
    QCOMPARE(reply().points.front().id, logit.points.front().id);
}

void TestWhyWindow::aBrokenLensIsASentence()
{
    const QString folder = m_fixture.file(u"broken"_s);
    copyModel(folder);
    writeLens(folder, true);
    QVERIFY(m_fixture.open(folder, u"broken.headscope"_s));
    QVERIFY(m_fixture.showSample(u"toy_kv:pairs=8"_s));
    m_fixture.window().act(u"why"_s);
    m_fixture.window().parts().why->lensKind()->setCurrentIndex(1);
    QVERIFY(settled());
    QVERIFY(lens().rows.empty());
    QVERIFY(says(u"cut short"_s));
    m_fixture.window().parts().why->lensKind()->setCurrentIndex(0);
    QVERIFY(settled());
    QVERIFY(!lens().rows.empty());
}

// Forecast, fit, stop and continue, and the table through the lens that was fitted, without naming a file.
void TestWhyWindow::aLensIsFittedInTheWindow()
{
    const QString folder = m_fixture.file(u"fitted"_s);
    copyModel(folder);
    QVERIFY(m_fixture.open(folder, u"fitted.headscope"_s));
    QVERIFY(m_fixture.showSample(u"toy_kv:pairs=8"_s));
    m_fixture.window().act(u"why"_s);
    widgets::WhyPage& page = *m_fixture.window().parts().why;
    page.lensKind()->setCurrentIndex(1);
    QVERIFY(settled());
    QVERIFY2(says(u"no Jacobian lens"_s), sentences());
    QVERIFY(lens().rows.empty());
    QFile texts(m_fixture.file(u"texts.txt"_s));
    QVERIFY(texts.open(QIODevice::WriteOnly));
    const QByteArray text = QByteArray::fromStdString(m_fixture.explorer().prompt().text);
    for (int i = 0; i < 24; ++i)
        texts.write(text + '\n');
    texts.close();
    gui::LensFitController& fitting = m_fixture.explorer().controllers().lensFit;
    Q_EMIT page.lensFitRequested();
    widgets::LensFitDialog& dialog = *fitting.dialog();
    QVERIFY(dialog.isVisible() && !dialog.fitButton()->isEnabled()); // no texts yet
    widgets::LensFitChoice choice = dialog.choice();
    QCOMPARE(choice.output, folder + u"/jacobian-lens.pt"_s);
    choice.texts = {texts.fileName()};
    choice.length = 4; // shorter than what is skipped
    dialog.setChoice(choice);
    QTRY_VERIFY_WITH_TIMEOUT(dialog.sentence().contains(u"too short"_s), testing::WindowFixture::kWait);
    choice.length = 24;
    choice.prompts = 12;
    dialog.setChoice(choice);
    QTRY_VERIFY_WITH_TIMEOUT(dialog.sentence().startsWith(u"12 prompts; about "_s), testing::WindowFixture::kWait);
    QVERIFY(!QFile::exists(choice.output));
    dialog.fitButton()->click();
    QVERIFY(dialog.stopButton()->isEnabled() && !dialog.fitButton()->isEnabled());
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(choice.output + u".unfinished"_s), testing::WindowFixture::kWait);
    dialog.stopButton()->click();
    QTRY_VERIFY_WITH_TIMEOUT(dialog.fitButton()->isEnabled(), testing::WindowFixture::kWait);
    if (!QFile::exists(choice.output)) { // else it was faster than the click
        QVERIFY2(dialog.sentence().startsWith(u"Stopped."_s), qPrintable(dialog.sentence()));
        dialog.fitButton()->click();
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(choice.output), testing::WindowFixture::kWait);
    }
    QTRY_VERIFY_WITH_TIMEOUT(dialog.sentence().startsWith(u"Fitted to 12 prompts."_s), testing::WindowFixture::kWait);
    QVERIFY(!QFile::exists(choice.output + u".unfinished"_s));
    QVERIFY(settled());
    QCOMPARE(lens().rows.size(), 5U);
    QVERIFY(reply().points.front().id >= 0); // a lens of ours reads the embedding too
    QVERIFY(says(u"Jacobian lens: "_s));
    // A lens that was opened for this model is not another model's.
    page.lensKind()->setCurrentIndex(0);
    QVERIFY(settled());
    QVERIFY(!says(u"Jacobian lens: "_s));
    dialog.close();
}

QTEST_MAIN(TestWhyWindow)
#include "tst_whywindow.moc"
