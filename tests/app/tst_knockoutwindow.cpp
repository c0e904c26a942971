// SPDX-License-Identifier: GPL-3.0-or-later
// Knockout of edges in the whole window: marked in the map or typed, in a head, layers or everywhere; the map, the
// scores, the words and undo follow as with any ablation.
#include "app/present/heads/ablationwords.h"
#include "tests/support/windowfixture.h"
#include "widgets/why/knockoutdialog.h"

#include <QMenu>
#include <QSignalSpy>
#include <QUndoStack>

#include <algorithm>

using namespace headscope;
using namespace Qt::StringLiterals;
using interventions::InterventionSet;
using widgets::KnockoutChoice;
using widgets::KnockoutDialog;
using Where = KnockoutChoice::Where;

class TestKnockoutWindow : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void aRectangleBecomesAnAblation();
    void undoTakesItBack();
    void theMenuBeginsWithTheAnswersPiece();
    void scoresFollow();
    void tokensOfThePromptAblateAHeadThere();
    void spansOfThePromptBeginTheDialog();
    void textWithoutATokenIsASentence();
    void benchmarksOfShorterTextsSaySo();
    void becomesAnAblation_data();
    void becomesAnAblation();
    void anotherModelIsNotChanged();
    void aSweepFollowsTheWords();

private:
    [[nodiscard]] gui::WindowState& state() const { return *m_fixture.window().state(); }
    [[nodiscard]] const InterventionSet& ablation() const { return state().side(Side::A).ablation; }
    [[nodiscard]] widgets::PatternView& view() const { return *m_fixture.window().parts().patternA; }
    [[nodiscard]] KnockoutDialog* dialog() const { return m_fixture.window().findChild<KnockoutDialog*>(); }
    [[nodiscard]] bool showHead(const interventions::HeadRef& head) const
    {
        state().setHead(Side::A, head);
        return QTest::qWaitFor(
            [&] {
                const auto& shown = state().side(Side::A).pattern;
                return shown && shown->request.head == head && shown->request.ablation == ablation();
            },
            testing::WindowFixture::kWait);
    }
    [[nodiscard]] bool knockOut(const KnockoutChoice& choice) const
    {
        m_fixture.explorer().controllers().knockout.open(Side::A);
        if (!dialog())
            return false;
        dialog()->setChoice(choice);
        dialog()->accept();
        return QTest::qWaitFor([&] { return !dialog(); }, testing::WindowFixture::kWait);
    }
    [[nodiscard]] double score(const char* task) const
    {
        for (const app::BenchmarkScore& line : state().side(Side::A).scores->lines)
            if (line.task == task)
                return line.now;
        return -1;
    }
    /// Asks for this of a piece of the prompt, as its menu does.
    void choose(widgets::TokenUse use, const QString& piece) const
    {
        const auto at = static_cast<int>(m_fixture.window().parts().prompt->prompt().indexOf(piece));
        Q_EMIT m_fixture.window().parts().prompt->tokensChosen(use, at, at + static_cast<int>(piece.size()));
    }
    testing::WindowFixture m_fixture;
};

void TestKnockoutWindow::initTestCase()
{
    QVERIFY(m_fixture.open(u"tiny-transformer"_s));
    QVERIFY(m_fixture.showSample(u"toy_kv:pairs=8"_s, 3));
    QVERIFY(showHead({2, interventions::Site::Any, 5}));
}

// The head that fetches the answer at the last token, and what it fetches it from: drawn with the mouse.
void TestKnockoutWindow::aRectangleBecomesAnAblation()
{
    const int last = view().pattern().rows() - 1;
    const Matrix before = *view().pattern().values;
    int read = 0; // what the last row reads most
    for (int col = 0; col < last; ++col)
        read = before.at(last, col) > before.at(last, read) ? col : read;
    QVERIFY2(before.at(last, read) > 0.8F, qPrintable(view().readout()));
    const auto at = [&](int col) { return view().mapGeometry().cellRect(last, col).center().toPoint(); };
    QTest::mousePress(&view(), Qt::LeftButton, Qt::ShiftModifier, at(read - 2));
    QTest::mouseMove(&view(), at(read - 1));
    QTest::mouseMove(&view(), at(read + 1));
    QTest::mouseRelease(&view(), Qt::LeftButton, Qt::ShiftModifier, at(read + 1));
    QVERIFY(dialog());
    const KnockoutChoice marked = dialog()->choice();
    QCOMPARE(marked.firstQuery, last);
    QCOMPARE(marked.lastQuery, last);
    QCOMPARE(marked.firstKey, read - 2);
    QCOMPARE(marked.lastKey, read + 1);
    dialog()->accept();
    QCOMPARE(ablation().items().size(), std::size_t{1});
    const auto* mask = std::get_if<interventions::MaskSpan>(&ablation().items().front());
    QVERIFY(mask && mask->beforeSoftmax && mask->layer == 2 && mask->head == 5);
    // In words everywhere, and what the notation says can be read again (a session keeps it so).
    QVERIFY2(gui::ablationWords(ablation()).contains(u"may not read"_s), qPrintable(gui::ablationWords(ablation())));
    QVERIFY(!gui::ablationWords(ablation()).contains(u'['));
    const auto again = InterventionSet::parse(ablation().canonical());
    QVERIFY(again.has_value() && *again == ablation());
    QVERIFY(QTest::qWaitFor([&] { return state().side(Side::A).pattern->request.ablation == ablation(); },
                            testing::WindowFixture::kWait));
    double sum = 0;
    for (int col = 0; col <= last; ++col)
        sum += static_cast<double>(view().pattern().values->at(last, col));
    QVERIFY(std::abs(sum - 1) < 1e-4); // before the softmax: what is left sums to 1
    for (int col = read - 2; col <= read + 1; ++col)
        QCOMPARE(view().pattern().values->at(last, col), 0.0F);
}

void TestKnockoutWindow::undoTakesItBack()
{
    QVERIFY(!ablation().empty());
    QVERIFY2(state().undoStack().undoText().contains(u"may not read"_s), qPrintable(state().undoStack().undoText()));
    state().undoStack().undo();
    QVERIFY(ablation().empty());
    state().undoStack().redo();
    QVERIFY(!ablation().empty());
    state().undoStack().undo();
}

void TestKnockoutWindow::theMenuBeginsWithTheAnswersPiece()
{
    QVERIFY(showHead({2, interventions::Site::Any, 5}));
    m_fixture.explorer().controllers().knockout.open(Side::A);
    QVERIFY(dialog());
    const KnockoutChoice first = dialog()->choice();
    QCOMPARE(first.lastQuery, view().pattern().rows() - 1);
    QVERIFY(std::ranges::any_of(view().pattern().segments, [&](const widgets::TokenSpan& span) {
        return span.target && span.begin == first.firstKey && span.end == first.lastKey + 1;
    }));
    QCOMPARE(dialog()->problem(), QString());
    dialog()->reject();
    QVERIFY(ablation().empty());
    QVERIFY(QTest::qWaitFor([&] { return !dialog(); }, testing::WindowFixture::kWait));
}

// At the last token nothing of the dictionary is read any more: retrieval is gone. Texts that end before it have no
// number.
void TestKnockoutWindow::scoresFollow()
{
    const int last = view().pattern().rows() - 1;
    QVERIFY(knockOut(
        {.firstQuery = last, .lastQuery = last, .firstKey = 0, .lastKey = last - 1, .where = Where::Everywhere}));
    QVERIFY(QTest::qWaitFor(
        [&] {
            const auto& scores = state().side(Side::A).scores;
            return scores && scores->final && scores->ablation == ablation();
        },
        testing::WindowFixture::kWait));
    QVERIFY2(score("toy_kv:pairs=8") < 0.3, qPrintable(QString::number(score("toy_kv:pairs=8"))));
    for (const app::BenchmarkScore& line : state().side(Side::A).scores->lines)
        if (line.task == "toy_knowledge")
            QVERIFY2(line.problem.find("the longest text has") != std::string::npos, line.problem.c_str());
    state().undoStack().undo();
}

// The head that fetches the answer is off at the token where it is asked for, and nowhere else.
void TestKnockoutWindow::tokensOfThePromptAblateAHeadThere()
{
    QVERIFY(showHead({2, interventions::Site::Any, 5}));
    const int last = view().pattern().rows() - 1;
    const QString prompt = m_fixture.window().parts().prompt->prompt();
    choose(widgets::TokenUse::AblateHead, prompt.section(u' ', 0, 1)); // the beginning: nothing is fetched there
    QVERIFY(!ablation().empty());
    const auto* edit = std::get_if<interventions::EditHead>(&ablation().items().front());
    QVERIFY(edit && edit->span && edit->span->last < 4);
    QVERIFY2(gui::ablationWords(ablation()).startsWith(u"L2H5 ablated at token"_s),
             qPrintable(gui::ablationWords(ablation())));
    QCOMPARE(m_fixture.window().parts().mapA->model()->offCount(), 0);
    QCOMPARE(m_fixture.window().parts().mapA->model()->partlyAblatedCount(), 1);
    const auto scored = [&] {
        return QTest::qWaitFor(
            [&] {
                const auto& scores = state().side(Side::A).scores;
                return scores && scores->final && scores->ablation == ablation();
            },
            testing::WindowFixture::kWait);
    };
    QVERIFY(scored());
    QVERIFY2(score("toy_kv:pairs=8") > 0.9, qPrintable(QString::number(score("toy_kv:pairs=8"))));
    state().undoStack().undo();
    QVERIFY(showHead({2, interventions::Site::Any, 5}));
    choose(widgets::TokenUse::AblateLayer, prompt.section(u' ', -1));
    QCOMPARE(QString::fromStdString(ablation().canonical()), u"L2H*@%1"_s.arg(last));
    QCOMPARE(m_fixture.window().parts().mapA->model()->partlyAblatedCount(), 8);
    QVERIFY(scored());
    QVERIFY2(score("toy_kv:pairs=8") < 0.3, qPrintable(QString::number(score("toy_kv:pairs=8"))));
    QVERIFY(state().undoStack().undoText().contains(u"token"_s));
    state().undoStack().undo();
    QVERIFY(ablation().empty());
}

void TestKnockoutWindow::spansOfThePromptBeginTheDialog()
{
    QVERIFY(showHead({2, interventions::Site::Any, 5}));
    const int last = view().pattern().rows() - 1;
    const QString prompt = m_fixture.window().parts().prompt->prompt();
    choose(widgets::TokenUse::NotRead, prompt.section(u' ', 1, 2));
    QVERIFY(dialog());
    const KnockoutChoice first = dialog()->choice();
    QCOMPARE(first.lastQuery, last);
    QVERIFY(first.firstKey > 0 && first.lastKey >= first.firstKey && first.lastKey < 5);
    dialog()->reject();
    QVERIFY(QTest::qWaitFor([&] { return !dialog(); }, testing::WindowFixture::kWait));
    choose(widgets::TokenUse::StopReading, prompt.section(u' ', -2));
    QVERIFY(dialog());
    const KnockoutChoice both = dialog()->choice(); // what was marked before is the other span
    QCOMPARE(both.firstKey, first.firstKey);
    QCOMPARE(both.lastKey, first.lastKey);
    QVERIFY(both.firstQuery < last && both.lastQuery == last);
    QVERIFY2(dialog()->problem().isEmpty(), qPrintable(dialog()->problem()));
    dialog()->accept();
    QVERIFY(std::holds_alternative<interventions::MaskSpan>(ablation().items().front()));
    state().undoStack().undo();
    QVERIFY(QTest::qWaitFor([&] { return !dialog(); }, testing::WindowFixture::kWait));
}

void TestKnockoutWindow::textWithoutATokenIsASentence()
{
    QVERIFY(showHead({2, interventions::Site::Any, 5}));
    QStringList told;
    const auto listening = connect(&state(), &gui::WindowState::notified, this,
                                   [&](const gui::Message& message) { told.append(message.text); });
    Q_EMIT m_fixture.window().parts().prompt->tokensChosen(widgets::TokenUse::AblateHead, 100000, 100003);
    disconnect(listening);
    QVERIFY(ablation().empty());
    QCOMPARE(told.size(), 1);
    QVERIFY2(told.front().contains(u"select a word"_s), qPrintable(told.front()));
}

// A head that is off at the 900th token is on in texts of 54: no score may say that it does not matter there.
void TestKnockoutWindow::benchmarksOfShorterTextsSaySo()
{
    QSignalSpy failed(m_fixture.window().worker(), &app::Door::failed);
    m_fixture.ablate("L2H5@40-43");
    QVERIFY(m_fixture.settled<app::ScoresRequest>());
    QVERIFY(QTest::qWaitFor([&] { return score("toy_kv:pairs=8") >= 0; }, testing::WindowFixture::kWait));
    const auto& lines = state().side(Side::A).scores->lines;
    QVERIFY(std::ranges::any_of(
        lines, [](const auto& line) { return line.problem.find("the longest text has") != std::string::npos; }));
    QVERIFY(std::ranges::any_of(lines, [](const auto& line) { return line.problem.empty() && line.hasNow; }));
    QVERIFY(m_fixture.settled<app::FlipsRequest>());
    QVERIFY2(failed.isEmpty(), qPrintable(failed.isEmpty() ? QString() : failed.front().at(1).toString()));
    state().undoStack().undo();
    QVERIFY(ablation().empty());
}

void TestKnockoutWindow::becomesAnAblation_data()
{
    QTest::addColumn<QString>("model");
    QTest::addColumn<KnockoutChoice>("choice");
    QTest::addColumn<QString>("expected");
    const KnockoutChoice spans{.firstQuery = 30, .lastQuery = 36, .firstKey = 3, .lastKey = 5};
    KnockoutChoice choice = spans;
    QTest::newRow("a head") << u"tiny-transformer"_s << choice << u"knock:L2H5[q=30-36,k=3-5]"_s;
    choice.beforeSoftmax = false;
    QTest::newRow("after the softmax") << u"tiny-transformer"_s << choice << u"mask:L2H5[q=30-36,k=3-5]"_s;
    choice = spans;
    choice.where = Where::Layer;
    QTest::newRow("a layer") << u"tiny-transformer"_s << choice << u"knock:L2H*[q=30-36,k=3-5]"_s;
    choice.where = Where::Layers;
    choice.firstLayer = 1;
    choice.lastLayer = 2;
    QTest::newRow("some layers") << u"tiny-transformer"_s << choice << u"knock:L1-2H*[q=30-36,k=3-5]"_s;
    choice.where = Where::Everywhere;
    QTest::newRow("of attention and SSMs")
        << u"tiny-hybrid"_s << choice << u"knock:L0-3A*[q=30-36,k=3-5] mask:L0-3S*[q=30-36,k=3-5]"_s;
    choice.where = Where::Layer;
    QTest::newRow("a layer of SSM heads") << u"tiny-hybrid"_s << choice << u"mask:L2H*[q=30-36,k=3-5]"_s;
    choice = spans;
    QTest::newRow("an SSM head") << u"tiny-ssm"_s << choice << u"mask:L2H5[q=30-36,k=3-5]"_s;
}

void TestKnockoutWindow::becomesAnAblation()
{
    QFETCH(const QString, model);
    QFETCH(const KnockoutChoice, choice);
    QFETCH(const QString, expected);
    if (m_fixture.explorer().model(Side::A)->name != model.toStdString())
        m_fixture.window().openModels(model);
    QVERIFY(QTest::qWaitFor([&] { return m_fixture.explorer().model(Side::A)->name == model.toStdString(); },
                            testing::WindowFixture::kWait));
    m_fixture.ablate("");
    QVERIFY(showHead({2, interventions::Site::Any, 5}));
    QVERIFY(knockOut(choice));
    QCOMPARE(QString::fromStdString(ablation().canonical()), expected);
    // The model takes it: the map comes anew, with these entries at zero.
    QVERIFY(showHead({2, interventions::Site::Any, 5}));
    const Matrix& matrix = state().side(Side::A).pattern->matrix;
    for (int query = choice.firstQuery; query <= choice.lastQuery; ++query)
        for (int key = choice.firstKey; key <= choice.lastKey; ++key)
            QCOMPARE(matrix.at(query, key), 0.0F);
    QVERIFY(std::abs(matrix.at(choice.firstQuery, choice.firstQuery)) + std::abs(matrix.at(choice.firstQuery, 1)) > 0);
    m_fixture.ablate("");
}

void TestKnockoutWindow::anotherModelIsNotChanged()
{
    m_fixture.explorer().controllers().knockout.open(Side::A);
    QVERIFY(dialog());
    m_fixture.window().openModels(u"tiny-transformer"_s);
    QVERIFY(QTest::qWaitFor([&] { return m_fixture.explorer().model(Side::A)->name == "tiny-transformer"; },
                            testing::WindowFixture::kWait));
    dialog()->accept(); // asked of a model that is gone
    QVERIFY(ablation().empty());
}

// The same words are other tokens to another model: they are swept at its own positions, beside the other and alone.
void TestKnockoutWindow::aSweepFollowsTheWords()
{
    testing::WindowFixture fixture;
    QVERIFY(fixture.open(u"tiny-transformer"_s));
    gui::WindowState& state = *fixture.window().state();
    const auto until = [](const auto& done) { return QTest::qWaitFor(done, testing::WindowFixture::kWait); };
    QVERIFY(until([&] { return !state.prompt().text.empty(); }));
    state.setPrompt({.text = "The color of Ada is"});
    fixture.explorer().openModel(Side::B, u"small-transformer"_s);
    const auto isRead = [&](Side side) {
        const auto& pattern = state.side(side).pattern;
        return pattern && pattern->text == state.prompt().text;
    };
    QVERIFY(until([&] { return isRead(Side::A) && isRead(Side::B); }));
    fixture.window().act(u"knockout"_s);
    widgets::SweepPage& page = *fixture.window().parts().why->sweep();
    QCOMPARE(page.choice().lastQuery, 4);
    widgets::SweepChoice choice = page.choice();
    choice.firstKey = choice.lastKey = 3;
    page.setChoice(choice);
    Q_EMIT page.startRequested();
    const auto& sweep = fixture.explorer().controllers().sweep;
    const auto& door = *fixture.window().worker();
    QVERIFY(until([&] {
        return std::ranges::none_of(kSides, [&](Side side) { return door.isRunning<app::SweepQuestion>(side); });
    }));
    for (const Side side : kSides) {
        QVERIFY2(sweep.shown(side), qPrintable(page.sentence()));
        const auto words = [&](const interventions::PositionSpan& span) {
            std::string found;
            for (int token = span.first; token <= span.last; ++token)
                found += state.side(side).pattern->prompt.tokens[static_cast<std::size_t>(token)];
            return QString::fromStdString(found).trimmed();
        };
        QCOMPARE(words(sweep.shown(side)->question.keys), u"Ada"_s);
        QCOMPARE(words(sweep.shown(side)->question.queries), u"is"_s);
    }
    QVERIFY(sweep.shown(Side::B)->question.keys.first > 3);
    // In the place of A its own tokens are offered.
    fixture.explorer().openModel(Side::A, u"small-transformer"_s);
    QVERIFY(until([&] { return fixture.explorer().model(Side::A)->name == "small-transformer" && isRead(Side::A); }));
    const int last = static_cast<int>(state.side(Side::A).pattern->prompt.ids.size()) - 1;
    QVERIFY(last > 4);
    QCOMPARE(page.choice().firstQuery, last);
    QCOMPARE(page.choice().lastQuery, last);
}

QTEST_MAIN(TestKnockoutWindow)
#include "tst_knockoutwindow.moc"
