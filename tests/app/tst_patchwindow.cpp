// SPDX-License-Identifier: GPL-3.0-or-later
// Patching of a shipped model, in the whole window: the heads that carry retrieval restore the answer, in both
// directions, on one pair and on many, and what cannot be patched is a sentence.
#include "tests/support/windowfixture.h"

#include <QFile>
#include <QPlainTextEdit>
#include <QRegularExpression>
#include <QTabWidget>

#include <cmath>

using namespace headscope;
using namespace Qt::StringLiterals;
using widgets::GridData;
using widgets::OtherPrompt;
using widgets::PatchPage;

class TestPatchWindow : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void headsRestoreTheAnswer();
    void theOtherDirection();
    void manyPairsHaveIntervals();
    void theStreamByTokens();
    void headsByToken();
    void cellsArePutInTogether();
    void pairsOfAFile();
    void attentionHasNoState();
    void stepsDoNotMatter();
    void aHeadBecomesTheOneShown();
    void theCostIsToldBefore();
    void alikePromptsAreASentence();
    void theOtherPromptIsProposedAndShared();
    void aPromptOfOnesOwn_data();
    void aPromptOfOnesOwn();
    void anAblationForgetsTheMap();
    void answersOfSeveralTokens();

private:
    [[nodiscard]] PatchPage& page() const { return *m_fixture.window().parts().why->patches(); }
    [[nodiscard]] const GridData& grid() const { return page().view(Side::A)->grid()->grid(); }
    [[nodiscard]] int rows() const { return static_cast<int>(grid().rows.size()); }
    [[nodiscard]] int columns() const { return static_cast<int>(grid().columns.size()); }
    [[nodiscard]] bool patched(const PatchPage::Choice& choice) const
    {
        page().setChoice(choice);
        Q_EMIT page().startRequested();
        return m_fixture.settled<app::PatchQuestion>();
    }
    /// Of the cell whose words begin with a name; NaN: there is none.
    [[nodiscard]] double share(const QString& name) const
    {
        for (int row = 0; row < rows(); ++row)
            for (int column = 0; column < columns(); ++column)
                if (grid().words(row, column).startsWith(name + u':'))
                    return grid().cell(row, column).value;
        return std::nan("");
    }
    [[nodiscard]] QString words(const QString& name) const
    {
        for (int row = 0; row < rows(); ++row)
            for (int column = 0; column < columns(); ++column)
                if (const QString words = grid().words(row, column); words.startsWith(name + u':'))
                    return words;
        return {};
    }
    [[nodiscard]] const app::PatchReply& reply() const
    {
        return *m_fixture.explorer().controllers().patches.shown(Side::A);
    }
    testing::WindowFixture m_fixture;
};

void TestPatchWindow::initTestCase()
{
    QVERIFY(m_fixture.open(u"tiny-transformer"_s));
    QVERIFY(m_fixture.showSample(u"toy_kv:pairs=8"_s));
    m_fixture.window().act(u"patching"_s);
    QCOMPARE(m_fixture.window().parts().why->tabs()->currentWidget(), &page());
}

void TestPatchWindow::headsRestoreTheAnswer()
{
    QVERIFY(patched({.pair = {.other = OtherPrompt::Key}}));
    QVERIFY2(rows() == 4, qPrintable(page().view(Side::A)->sentence()));
    QVERIFY2(share(u"L2H5"_s) > 0.9, qPrintable(words(u"L2H5"_s)));
    QVERIFY(std::abs(share(u"L3H0"_s)) < 0.1);
    QVERIFY2(share(u"L1H2"_s) > 0.9, qPrintable(words(u"L1H2"_s))); // which key is whose
    QVERIFY(page().view(Side::A)->sentence().contains(u"one pair"_s));
    QVERIFY(page().view(Side::A)->sentence().contains(u"L2H5"_s));
    const QString headline = page().view(Side::A)->headline(); // of the two that are above one half, and no other
    QVERIFY2(headline.endsWith(u": each brings back more than half of the answer."_s) && headline.contains(u"L1H2"_s)
                 && headline.contains(u"L2H5"_s) && !headline.contains(u"L3H0"_s),
             qPrintable(headline));
    const QString other = page().view(Side::A)->difference(); // what it asks for instead is marked
    QVERIFY2(other.startsWith(u"Other prompt: … of the key ["_s) && other.endsWith(u"] is"_s), qPrintable(other));
    // Raw, too: a head that changes nothing leaves the other run's difference, which the sentence tells.
    QVERIFY(words(u"L2H5"_s).contains(u"logit difference +"_s));
    const QString nothing = words(u"L3H0"_s).section(u' ', -1);
    QVERIFY2(std::abs(nothing.mid(1).toDouble()) > 1 && nothing.startsWith(u'−'), qPrintable(nothing));
}

void TestPatchWindow::theOtherDirection()
{
    QVERIFY(patched({.pair = {.other = OtherPrompt::Key, .noise = true}}));
    QVERIFY2(share(u"L2H5"_s) > 0.9, qPrintable(words(u"L2H5"_s)));
}

void TestPatchWindow::manyPairsHaveIntervals()
{
    QVERIFY(patched({.pair = {.other = OtherPrompt::Value, .many = true}}));
    QVERIFY2(page().view(Side::A)->sentence().contains(u"64 pairs"_s), qPrintable(page().view(Side::A)->sentence()));
    QVERIFY(page().view(Side::A)->difference().startsWith(u"Other prompt of the first pair: "_s));
    int spread = 0; // values that are the same for every pair have no interval
    for (const app::PatchedCell& cell : reply().cells)
        if (cell.share.interval) {
            ++spread;
            QVERIFY(cell.share.interval->low <= cell.share.value && cell.share.value <= cell.share.interval->high);
        }
    QVERIFY(words(u"L2H5"_s).contains(u"95 % interval"_s));
    QVERIFY(spread > 8);
    // The value itself is fetched by one head; the other gathers keys, so it knows of no other value.
    QVERIFY(share(u"L2H5"_s) > 0.9 && std::abs(share(u"L1H2"_s)) < 0.1);
}

void TestPatchWindow::theStreamByTokens()
{
    QVERIFY(patched({.part = PatchPage::Part::Stream, .pair = {.other = OtherPrompt::Value}}));
    QCOMPARE(rows(), 4);
    QVERIFY(columns() > 30);
    const auto differing = std::ranges::count(grid().columns, true, &widgets::GridLine::strong);
    QVERIFY2(differing >= 1 && differing <= 4, qPrintable(QString::number(differing)));
    // Before the first layer the other value alone is the other run; where the prompts agree nothing changes.
    for (int column = 0; column < columns(); ++column)
        if (!grid().columns[static_cast<std::size_t>(column)].strong)
            QCOMPARE(grid().cell(0, column).value, 0.0);
    QVERIFY(patched({.part = PatchPage::Part::Mlp, .pair = {.other = OtherPrompt::Value}}));
    QCOMPARE(rows(), 4);
}

void TestPatchWindow::headsByToken()
{
    QVERIFY(patched({.part = PatchPage::Part::HeadsByToken, .pair = {.other = OtherPrompt::Key}}));
    QVERIFY2(rows() == 32, qPrintable(page().view(Side::A)->sentence()));
    const int last = columns() - 1;
    QVERIFY(last > 30);
    // The head that aggregates does so at the last token, and nowhere else.
    const auto row =
        static_cast<int>(std::ranges::find(grid().rows, u"L2H5"_s, &widgets::GridLine::name) - grid().rows.begin());
    QVERIFY(grid().cell(row, last).value > 0.9);
    QVERIFY(std::abs(grid().cell(row, last - 1).value) < 0.05);
}

void TestPatchWindow::cellsArePutInTogether()
{
    using app::Door;
    QVERIFY(patched({.part = PatchPage::Part::Stream, .pair = {.other = OtherPrompt::Key}}));
    widgets::PatchView& view = *page().view(Side::A);
    QVERIFY(view.look()->look().sentence.isEmpty());
    // All of the stream before the first layer is the other run.
    const QAbstractItemModel& model = *view.grid()->model();
    const QItemSelection row(model.index(0, 0), model.index(0, columns() - 1));
    view.grid()->selectionModel()->select(row, QItemSelectionModel::ClearAndSelect);
    QVERIFY(QTest::qWaitFor([&] { return !view.look()->look().sentence.isEmpty(); }, testing::WindowFixture::kWait));
    const widgets::PatchedRunData& look = view.look()->look();
    QVERIFY2(look.sentence.contains(u"1.00"_s), qPrintable(look.sentence));
    const QStringList lines = look.output.split(u'\n');
    QCOMPARE(lines.size(), 3);
    QCOMPARE(lines[1].section(u'“', 1, 1), lines[2].section(u'“', 1, 1)); // what it says is what the other run says
    QVERIFY(look.after.rows() > 30 && look.after.rows() == look.before.rows());
    // A single cell: where the prompts agree it changes nothing.
    int same = 0;
    while (grid().columns[static_cast<std::size_t>(same)].strong)
        ++same;
    view.grid()->selectionModel()->select(model.index(0, same), QItemSelectionModel::ClearAndSelect);
    QVERIFY(QTest::qWaitFor([&] { return view.look()->look().sentence.contains(u"0.00"_s); },
                            testing::WindowFixture::kWait));
}

void TestPatchWindow::pairsOfAFile()
{
    const QString path = m_fixture.file(u"pairs.jsonl"_s);
    const auto write = [&path](const QByteArray& text) {
        QFile file(path);
        return file.open(QIODevice::WriteOnly) && file.write(text) == text.size();
    };
    const QByteArray pair = R"({"clean": "<s> The color of Ada is", "corrupt": "<s> The value of Ada is"})"
                            "\n";
    QVERIFY(write(pair + pair));
    QVERIFY(patched({.pair = {.other = OtherPrompt::File, .file = path}}));
    QVERIFY2(rows() == 4, qPrintable(page().view(Side::A)->sentence()));
    QVERIFY(page().view(Side::A)->sentence().contains(u"2 pairs"_s));
    QVERIFY(write(R"({"clean": "<s> The color of Ada is"})"
                  "\n"));
    QVERIFY(patched({.pair = {.other = OtherPrompt::File, .file = path}}));
    QCOMPARE(rows(), 0);
    QVERIFY2(page().view(Side::A)->sentence().contains(u"corrupt"_s), qPrintable(page().view(Side::A)->sentence()));
    QVERIFY(patched({.pair = {.other = OtherPrompt::File}}));
    QVERIFY2(page().view(Side::A)->sentence().contains(u"No file"_s), qPrintable(page().view(Side::A)->sentence()));
}

void TestPatchWindow::attentionHasNoState()
{
    QVERIFY(patched({.part = PatchPage::Part::State, .pair = {.other = OtherPrompt::Key}}));
    QCOMPARE(rows(), 0);
    QVERIFY2(page().view(Side::A)->sentence().contains(u"no state"_s), qPrintable(page().view(Side::A)->sentence()));
}

void TestPatchWindow::stepsDoNotMatter()
{
    QVERIFY(patched({.pair = {.other = OtherPrompt::Value}}));
    const GridData first = grid();
    QVERIFY(patched({.pair = {.other = OtherPrompt::Value}}));
    for (std::size_t i = 0; i < first.cells.size(); ++i)
        QCOMPARE(grid().cells[i].value, first.cells[i].value);
}

void TestPatchWindow::aHeadBecomesTheOneShown()
{
    Q_EMIT page().view(Side::A)->grid()->cellChosen(1, 2);
    QCOMPARE(m_fixture.window().state()->side(Side::A).head, (interventions::HeadRef{1, interventions::Site::Any, 2}));
    Q_EMIT page().view(Side::A)->grid()->cellChosen(1, 200); // there is no such head
    QCOMPARE(m_fixture.window().state()->side(Side::A).head.head, 2);
}

void TestPatchWindow::theCostIsToldBefore()
{
    const auto& shown = m_fixture.window().state()->side(Side::A).pattern;
    QVERIFY(QTest::qWaitFor([&] { return shown && shown->text == m_fixture.explorer().prompt().text; },
                            testing::WindowFixture::kWait));
    const QLocale locale;
    const auto tokens = static_cast<qint64>(shown->prompt.ids.size());
    const auto says = [&](const PatchPage::Choice& choice, qint64 runs, const QString& more) {
        page().setChoice(choice);
        const QString wanted = locale.toString(runs) + u" passes × "_s + more + locale.toString(tokens) + u" tokens"_s;
        return QTest::qWaitFor([&] { return page().view(Side::A)->cost().contains(wanted); },
                               testing::WindowFixture::kWait);
    };
    QVERIFY2(says({.pair = {.other = OtherPrompt::Key}}, 34, {}),
             qPrintable(page().view(Side::A)->cost())); // 32 heads, both runs
    QVERIFY2(page().view(Side::A)->cost().endsWith(u"MB"_s) || page().view(Side::A)->cost().endsWith(u"kB"_s),
             qPrintable(page().view(Side::A)->cost()));
    QVERIFY2(says({.pair = {.other = OtherPrompt::Key, .many = true}}, 64 * 34, u"up to "_s),
             qPrintable(page().view(Side::A)->cost()));
    QVERIFY2(says({.part = PatchPage::Part::Stream, .pair = {.other = OtherPrompt::Key}}, 4 * tokens + 2, {}),
             qPrintable(page().view(Side::A)->cost()));
    // What cannot be patched has no cost, and nobody has asked yet: no message comes.
    page().setChoice({.part = PatchPage::Part::State, .pair = {.other = OtherPrompt::Key}});
    QVERIFY(m_fixture.settled<app::PatchCostRequest>());
    QCOMPARE(page().view(Side::A)->cost(), QString());
}

// Two prompts that the model answers alike: a patch cannot be told from none.
void TestPatchWindow::alikePromptsAreASentence()
{
    const QString same = QString::fromStdString(m_fixture.explorer().prompt().text);
    QVERIFY(patched({.pair = {.other = OtherPrompt::Written, .written = same}}));
    QCOMPARE(rows(), 0);
    QVERIFY2(page().view(Side::A)->sentence().contains(u"answers differently"_s),
             qPrintable(page().view(Side::A)->sentence()));
}

// It stands in the field to be read; writing in it makes it the user's own, on every page.
void TestPatchWindow::theOtherPromptIsProposedAndShared()
{
    const auto fieldOf = [](const widgets::PairBox& box) { return box.findChild<QPlainTextEdit*>(); };
    widgets::PairBox &here = *page().pair(), &there = *m_fixture.window().parts().why->edges()->pair();
    QVERIFY(patched({.pair = {.other = OtherPrompt::Value}}));
    const QString proposed = fieldOf(here)->toPlainText(), prompt = m_fixture.window().parts().prompt->prompt();
    QVERIFY2(!proposed.isEmpty() && proposed != prompt, qPrintable(proposed));
    const auto words = [](QString text) {
        return text.replace(u'⏎', u'\n').split(QRegularExpression(u"\\s+"_s)).size();
    };
    QCOMPARE(words(proposed), words(prompt));
    QCOMPARE(here.choice().other, OtherPrompt::Value);
    const double share = this->share(u"L2H5"_s);

    QTextCursor end(fieldOf(here)->document());
    end.movePosition(QTextCursor::End);
    end.insertText(u" "_s);
    end.deletePreviousChar();
    QCOMPARE(here.choice().other, OtherPrompt::Written);
    QTRY_COMPARE(there.choice(), here.choice());
    Q_EMIT page().startRequested();
    QVERIFY(m_fixture.settled<app::PatchQuestion>());
    QCOMPARE(fieldOf(here)->toPlainText(), proposed); // nothing is proposed over it
    QVERIFY(std::abs(this->share(u"L2H5"_s) - share) < 1e-6);

    there.setChoice({.other = OtherPrompt::Key});
    QTRY_COMPARE(here.choice().other, OtherPrompt::Key);
}

void TestPatchWindow::aPromptOfOnesOwn_data()
{
    QTest::addColumn<QString>("written");
    QTest::addColumn<QString>("expected");
    QTest::newRow("none") << QString() << u"as many tokens"_s;
    QTest::newRow("too short") << u"the"_s << u"tokens"_s;
    QTest::newRow("words that it does not know") << u"zyzzyva"_s << u"zyzzyva"_s;
}

void TestPatchWindow::aPromptOfOnesOwn()
{
    QFETCH(const QString, written);
    QFETCH(const QString, expected);
    const app::Prompt before = m_fixture.explorer().prompt();
    if (written.isEmpty())
        m_fixture.explorer().usePrompt({.text = before.text});
    QVERIFY(patched(
        {.pair = {.other = written.isEmpty() ? OtherPrompt::Automatic : OtherPrompt::Written, .written = written}}));
    QCOMPARE(rows(), 0);
    QVERIFY2(page().view(Side::A)->sentence().contains(expected), qPrintable(page().view(Side::A)->sentence()));
    m_fixture.explorer().usePrompt(before);
}

void TestPatchWindow::anAblationForgetsTheMap()
{
    QVERIFY(patched({.pair = {.other = OtherPrompt::Key}}));
    QVERIFY(rows() > 0);
    m_fixture.ablate("L2H5");
    QCOMPARE(rows(), 0); // it was of another state
    QVERIFY(patched({.pair = {.other = OtherPrompt::Key}}));
    m_fixture.ablate("");
}

// The small English model cuts most words: the first token that parts the two answers is asked, and the page says so.
void TestPatchWindow::answersOfSeveralTokens()
{
    m_fixture.window().openModels(u"small-transformer"_s);
    QVERIFY(QTest::qWaitFor([&] { return m_fixture.explorer().model(Side::A)->name == "small-transformer"; },
                            testing::WindowFixture::kWait));
    QVERIFY(m_fixture.showSample(u"word_kv:pairs=8"_s));
    QVERIFY(patched({.pair = {.other = OtherPrompt::Binding}}));
    const QString sentence = page().view(Side::A)->sentence();
    QCOMPARE(rows(), 5);
    QVERIFY2(sentence.contains(u"The answer has"_s) && sentence.contains(u"differs from the other choice"_s),
             qPrintable(sentence));
}

QTEST_MAIN(TestPatchWindow)
#include "tst_patchwindow.moc"
