// SPDX-License-Identifier: GPL-3.0-or-later
// What leads into the program: prompt bar, welcome page, tour.
#include "tests/support/widgetfixture.h"
#include "widgets/frame/tourpanel.h"
#include "widgets/prompt/promptbar.h"
#include "widgets/prompt/promptedit.h"
#include "widgets/welcome/welcomepage.h"

#include <QApplication>
#include <QClipboard>
#include <QCompleter>
#include <QDragEnterEvent>
#include <QLabel>
#include <QListWidget>
#include <QMenu>
#include <QMimeData>
#include <QMouseEvent>
#include <QPlainTextEdit>
#include <QRegularExpression>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>

using headscope::Role;
using headscope::Side;
using namespace headscope::widgets;
using headscope::testing::button;
using headscope::testing::predict;
using namespace Qt::StringLiterals;

class TestWidgetsPrompt : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(u"^(?!This plugin does not support)"_s)); }

    void promptBarTellsOnlyWhatThePersonDid()
    {
        PromptBar bar;
        QSignalSpy edited(&bar, &PromptBar::promptEdited);
        QSignalSpy chosenB(&bar, &PromptBar::modelBChosen);
        bar.setModels({{u"t"_s, u"tiny-transformer"_s, {}}, {u"s"_s, u"tiny-ssm"_s, {}}}, u"t"_s, {});
        bar.setPrompt(u"two\nlines"_s);
        QCOMPARE(edited.size(), 0);
        QCOMPARE(chosenB.size(), 0);
        QTest::keyClicks(bar.findChild<QPlainTextEdit*>(), u"x"_s);
        QCOMPARE(edited.size(), 1);
        QVERIFY(edited.at(0).at(0).toString().contains(u'x'));
        QSignalSpy step(&bar, &PromptBar::sampleStepRequested);
        bar.nextSample(); // free text: nothing to step through
        bar.setSample(0, 2);
        bar.previousSample();
        QCOMPARE(step.size(), 0);
        bar.nextSample();
        QCOMPARE(step.at(0).at(0).toInt(), 1);
        bar.setTokenCount(Side::A, 47);
        bool counted = false;
        for (const QLabel* label : bar.findChildren<QLabel*>())
            counted = counted || label->text() == u"47 tokens"_s;
        QVERIFY(counted);
    }

    void aDragOverASelectionSelects()
    {
        PromptBar bar;
        bar.resize(900, 120);
        bar.setPrompt(u"one two three four"_s);
        bar.show();
        auto* edit = bar.findChild<QPlainTextEdit*>();
        const auto place = [&](int character) {
            QTextCursor cursor(edit->document());
            cursor.setPosition(character);
            return edit->cursorRect(cursor).center();
        };
        for (const auto& [from, to, selected] : {std::tuple(0, 7, u"one two"_s), std::tuple(4, 13, u"two three"_s)}) {
            QTest::mousePress(edit->viewport(), Qt::LeftButton, {}, place(from));
            QMouseEvent drag(QEvent::MouseMove, place(to), edit->viewport()->mapToGlobal(place(to)), Qt::NoButton,
                             Qt::LeftButton, Qt::NoModifier);
            QCoreApplication::sendEvent(edit->viewport(), &drag);
            QTest::mouseRelease(edit->viewport(), Qt::LeftButton, {}, place(to));
            QCOMPARE(edit->textCursor().selectedText(), selected);
        }
        QCOMPARE(bar.prompt(), u"one two three four"_s);
    }

    // An X clipboard that nobody owns is one without any format.
    void promptBarBearsAnEmptyClipboard()
    {
        PromptBar bar;
        bar.setPrompt(u"text"_s);
        auto* edit = bar.findChild<QPlainTextEdit*>();
        QGuiApplication::clipboard()->setMimeData(new QMimeData);
        QTest::keyClick(edit, Qt::Key_V, Qt::ControlModifier);
        QVERIFY(!edit->canPaste());
        QCOMPARE(bar.prompt(), u"text"_s);
        edit->moveCursor(QTextCursor::Start);
        QGuiApplication::clipboard()->setText(u"more "_s);
        QTest::keyClick(edit, Qt::Key_V, Qt::ControlModifier);
        QCOMPARE(bar.prompt(), u"more text"_s);
    }

    // The window opens files, wherever they are dropped.
    void filesAreNotWrittenIntoThePrompt()
    {
        PromptBar bar;
        auto* edit = bar.findChild<QPlainTextEdit*>();
        QMimeData files, words;
        files.setUrls({QUrl::fromLocalFile(u"/tmp/a.csv"_s)});
        words.setText(u"words"_s);
        for (const QMimeData* data : {&files, &words}) {
            QDragEnterEvent enter(QPoint(5, 5), Qt::CopyAction, data, Qt::LeftButton, {});
            QCoreApplication::sendEvent(edit->viewport(), &enter);
            QCOMPARE(enter.isAccepted(), data == &words);
        }
    }

    void promptMarksColourTheText()
    {
        PromptBar bar;
        bar.setPrompt(u"key value"_s);
        bar.setMarks({{Role::Key, 0, 3}, {Role::Value, 4, 900}}, {0, 3, 6});
        const auto marks = bar.findChild<QPlainTextEdit*>()->extraSelections();
        QCOMPARE(marks.size(), 3); // every other token, then the two segments
        QCOMPARE(marks.at(1).cursor.selectedText(), u"key"_s);
        QCOMPARE(marks.at(2).cursor.selectedText(), u"value"_s);                   // clamped
        bar.setMarks({{Role::Key, 0, 3, true}, {Role::Value, 4, 900}}, {0, 3, 6}); // it is the one that is asked for
        const auto asked = bar.findChild<QPlainTextEdit*>()->extraSelections();
        const auto box = [](const QTextEdit::ExtraSelection& mark) {
            return mark.format.colorProperty(PromptEdit::kBox);
        };
        QVERIFY(box(asked.at(1)) != box(marks.at(1)));
        QCOMPARE(box(asked.at(2)), box(marks.at(2)));
        // A box ends with its words: between two of them the page is seen.
        bar.resize(900, 120);
        bar.show();
        const QImage seen = bar.findChild<QPlainTextEdit*>()->viewport()->grab().toImage();
        const auto places = [&](const QColor& color) {
            int left = seen.width(), right = -1;
            for (int y = 0; y < seen.height(); ++y)
                for (int x = 0; x < seen.width(); ++x)
                    if (seen.pixel(x, y) == color.rgb())
                        left = std::min(left, x), right = std::max(right, x);
            return std::pair(left, right);
        };
        const auto key = places(box(asked.at(1))), value = places(box(asked.at(2)));
        QVERIFY(key.first <= key.second && key.second + 2 < value.first);
    }

    void selectedTokensAreForHeadsToo()
    {
        qRegisterMetaType<TokenUse>();
        PromptBar bar;
        bar.resize(900, 120);
        bar.show();
        bar.setPrompt(u"key value"_s);
        auto* edit = bar.findChild<QPlainTextEdit*>();
        QSignalSpy chosen(&bar, &PromptBar::tokensChosen);
        const auto actions = [&] {
            Q_EMIT edit->customContextMenuRequested({4, 4});
            QList<QAction*> found;
            if (const auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget()))
                for (QAction* action : menu->actions())
                    if (action->text().contains(u"these tokens"_s, Qt::CaseInsensitive))
                        found.append(action);
            return found;
        };
        const QList<QAction*> idle = actions();
        QCOMPARE(idle.size(), 4);
        for (const QAction* action : idle) // nothing is selected
            QVERIFY(!action->isEnabled());
        QApplication::activePopupWidget()->close();
        QTextCursor cursor = edit->textCursor();
        cursor.setPosition(4);
        cursor.setPosition(9, QTextCursor::KeepAnchor);
        edit->setTextCursor(cursor);
        const QList<QAction*> four = actions();
        QCOMPARE(four.size(), 4);
        for (QAction* action : four)
            action->trigger();
        QApplication::activePopupWidget()->close();
        QCOMPARE(chosen.size(), 4);
        for (int i = 0; i < 4; ++i) {
            QCOMPARE(chosen.at(i).at(0).value<TokenUse>(), static_cast<TokenUse>(i));
            QCOMPARE(chosen.at(i).at(1).toInt(), 4);
            QCOMPARE(chosen.at(i).at(2).toInt(), 9);
        }
    }

    void promptOfManyLinesRunsOn()
    {
        PromptBar bar;
        bar.resize(900, 120);
        bar.show();
        const QString lines = u"a : 1\nb : 2\nc : 3\nd : 4\nb is"_s;
        bar.setPrompt(lines);
        auto* edit = bar.findChild<QPlainTextEdit*>();
        QCOMPARE(edit->document()->blockCount(), 1);
        QCOMPARE(edit->toPlainText().size(), lines.size()); // places in the text stay places
        QCOMPARE(bar.prompt(), lines);
        QSignalSpy edited(&bar, &PromptBar::promptEdited);
        edit->moveCursor(QTextCursor::End);
        QTest::keyClick(edit, Qt::Key_Return);
        QTest::keyClicks(edit, u"x"_s);
        QCOMPARE(edited.last().at(0).toString(), lines + u"\nx"_s);
        edit->selectAll();
        edit->copy();
        QCOMPARE(QApplication::clipboard()->text(), lines + u"\nx"_s);
        bar.setPrompt(u"one line"_s);
        QCOMPARE(bar.prompt(), u"one line"_s);
        bar.setPrompt(u"a\nb\nc\n⏎\nd"_s); // a text with the sign itself is left alone
        QCOMPARE(edit->document()->blockCount(), 5);
        QCOMPARE(bar.prompt(), u"a\nb\nc\n⏎\nd"_s);
    }

    // Another sample must not move what is below: the height is the window's, not the text's.
    void promptIsAsHighWhateverTheText()
    {
        PromptBar bar;
        bar.resize(1400, 200);
        bar.show();
        auto* edit = bar.findChild<QPlainTextEdit*>();
        bar.setPrompt(u"short"_s);
        QCoreApplication::processEvents();
        const QSize bare = bar.sizeHint();
        const int high = edit->height();
        bar.setPrompt(QString(u"the quick brown fox "_s).repeated(200));
        QCoreApplication::processEvents();
        QCOMPARE(edit->height(), high);
        QCOMPARE(bar.sizeHint(), bare);
        QVERIFY(high >= 2 * edit->fontMetrics().lineSpacing());
        bar.setTokenCount(Side::A, 0, QString(u"Words that it does not know. "_s).repeated(20));
        QCOMPARE(bar.sizeHint(), bare);
    }

    // As many lines as it is high are seen at once; where fewer are, it says that one can type here.
    void promptShowsItsLines()
    {
        PromptBar bar;
        bar.resize(900, 700); // a low window shows fewer
        bar.show();
        QVERIFY(QTest::qWaitForWindowExposed(&bar));
        auto* edit = bar.findChild<PromptEdit*>();
        QString words = u"the quick"_s;
        for (; edit->document()->size().height() < PromptEdit::kLines; words += u" brown fox"_s) {
            bar.setPrompt(words);
            QCoreApplication::processEvents();
            edit->clearFocus();
            QCOMPARE(edit->isHintShown(), edit->document()->size().height() < PromptEdit::kLines);
        }
        QCOMPARE(edit->verticalScrollBar()->maximum(), 0);
        bar.setPrompt(u"short"_s);
        QVERIFY(edit->isHintShown());
        bar.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&bar));
        edit->setFocus();
        QVERIFY(!edit->isHintShown());
    }

    void promptBarCountsForBothModels()
    {
        PromptBar bar;
        const auto says = [&](const QString& text) {
            const auto labels = bar.findChildren<QLabel*>();
            return std::any_of(labels.begin(), labels.end(),
                               [&](const QLabel* label) { return label->text() == text; });
        };
        bar.setTokenCount(Side::A, 54);
        bar.setTokenCount(Side::B, 54);
        QVERIFY(says(u"54 tokens"_s));
        bar.setTokenCount(Side::B, 60);
        QVERIFY(says(u"A 54, B 60 tokens"_s));
        bar.setTokenCount(Side::B, 0, u"B does not know this word."_s);
        QVERIFY(says(u"B does not know this word."_s));
        bar.setTokenCount(Side::B, 0);
        QVERIFY(says(u"54 tokens"_s));
    }

    void promptBarRemembersWhatWasWritten()
    {
        PromptBar bar;
        bar.show();
        auto* edit = bar.findChild<QPlainTextEdit*>();
        QSignalSpy committed(&bar, &PromptBar::promptCommitted);
        bar.setPrompt(u"a sample"_s);
        bar.setPrompt(u"another sample"_s);
        QCOMPARE(committed.size(), 0); // the program wrote these
        QTest::keyClicks(edit, u" mine"_s);
        bar.setPrompt(u"a third"_s);
        QCOMPARE(committed.size(), 1);
        QVERIFY(committed.at(0).at(0).toString().contains(u"mine"_s));
        bar.setHistory({u"first\nline"_s, u"second"_s});
        QSignalSpy edited(&bar, &PromptBar::promptEdited);
        QTest::keyClick(edit, Qt::Key_Up, Qt::ControlModifier);
        auto* popup = bar.findChild<QCompleter*>()->popup();
        QVERIFY(popup->isVisible());
        QCOMPARE(popup->model()->rowCount(), 2);
        popup->setCurrentIndex(popup->model()->index(0, 0));
        QTest::keyClick(popup, Qt::Key_Return);
        QCOMPARE(bar.prompt(), u"first\nline"_s);
        QCOMPARE(edited.size(), 1);
    }

    void welcomePageShowsUnfinishedDownloadsButOpensNone()
    {
        WelcomePage page;
        page.setModels({{{u"org/good"_s, u"org/good"_s, u"llama"_s}, ChipTint::Transformer},
                        {{QString(), u"org/half"_s, u"unfinished download"_s}, ChipTint::None}});
        page.resize(900, 700);
        page.show();
        QSignalSpy model(&page, &WelcomePage::modelChosen);
        for (Chip* chip : page.findChildren<Chip*>())
            if (chip->text().startsWith(u"org/"))
                QTest::mouseClick(chip, Qt::LeftButton);
        QCOMPARE(model.size(), 1);
        QCOMPARE(model.at(0).at(0).toString(), u"org/good"_s);
    }

    // However many models a cache holds, the page keeps its room; the others are one click away.
    void welcomePageNamesAFewOfManyModels()
    {
        WelcomePage page;
        QList<ModelOffer> many;
        for (int i = 0; i < 200; ++i)
            many.append({{u"m"_s, u"org/model-with-a-long-name-%1"_s.arg(i), {}}, ChipTint::Ssm});
        page.setModels(many);
        QSignalSpy all(&page, &WelcomePage::allModelsRequested);
        int chips = 0;
        for (Chip* chip : page.findChildren<Chip*>()) {
            ++chips;
            if (chip->text().contains(u"more"))
                chip->click();
        }
        QVERIFY(chips < 20);
        QCOMPARE(all.size(), 1);
    }

    void welcomePageOffersAndExplains()
    {
        WelcomePage page;
        page.resize(900, 900);
        page.show();
        QVERIFY(QTest::qWaitForWindowExposed(&page));
        QSignalSpy compare(&page, &WelcomePage::compareRequested);
        button(page, u"Explore these two"_s)->click();
        QCOMPARE(compare.size(), 1);
        // A dictionary of one's own is offered where a model reads any words.
        QVERIFY(!button(page, u"Type your own dictionary"_s)->isVisible());
        page.setOwnWordsOffered(true);
        QSignalSpy own(&page, &WelcomePage::ownWordsRequested);
        QVERIFY(button(page, u"Type your own dictionary"_s)->isVisible());
        button(page, u"Type your own dictionary"_s)->click();
        QCOMPARE(own.size(), 1);
    }

    void welcomePageSaysHowFarToursAre()
    {
        WelcomePage page;
        page.setTours({{u"a"_s, u"One head"_s, u"Find it"_s, OfferPicture::Heads, u"step 2 of 5"_s, 0.2},
                       {u"b"_s, u"Two heads"_s, u"Find both"_s, OfferPicture::Graph, u"3 of 5 right"_s, 1}});
        page.resize(1200, 900);
        page.show();
        QVERIFY(QTest::qWaitForWindowExposed(&page));
        QSignalSpy tour(&page, &WelcomePage::tourChosen);
        for (OfferCard* card : page.findChildren<OfferCard*>()) {
            QVERIFY(card->isVisible());
            QVERIFY(!card->accessibleDescription().isEmpty());
            QTest::keyClick(card, Qt::Key_Space);
        }
        QCOMPARE(tour.size(), 2);
        QCOMPARE(tour.at(1).at(0).toString(), u"b"_s);
        // Nothing empty is shown: sessions come with the first one.
        const auto isShown = [&](const QString& heading) {
            for (const QLabel* label : page.findChildren<QLabel*>())
                if (label->text() == heading)
                    return label->isVisible();
            return false;
        };
        QVERIFY(!isShown(u"Continue"_s));
        page.setSessions({{u"/tmp/s.headscope"_s, u"tuesday"_s, u"/tmp/s.headscope"_s}});
        QVERIFY(isShown(u"Continue"_s));
    }

    void tourAsksBeforeItShows()
    {
        TourPanel tour;
        const TourStep step{
            u"One head"_s, u"Text"_s, {{u"off"_s, u"Do it for me"_s}}, u"Which?"_s, {u"facts"_s, u"finding"_s}, {}, 1,
            u"Because."_s};
        tour.setStep(step, 0, {u"One head"_s, u"Next one"_s});
        QPushButton* next = button(tour, u"Next"_s);
        QVERIFY(!next->isEnabled());
        QSignalSpy action(&tour, &TourPanel::actionRequested);
        button(tour, u"Do it"_s)->click(); // it would show the answer
        QVERIFY(action.isEmpty());
        QSignalSpy answered(&tour, &TourPanel::answered);
        button(tour, u"finding"_s)->click(); // may still be changed
        button(tour, u"facts"_s)->click();
        QVERIFY(answered.isEmpty()); // until it is said how sure one is
        predict(tour, u"facts"_s, u"certain"_s);
        predict(tour, u"finding"_s, u"guessing"_s); // the first answer counts
        QCOMPARE(answered.size(), 1);
        QCOMPARE(tour.confidence(), Confidence::Know);
        QCOMPARE(answered.at(0).at(1).toBool(), false);
        button(tour, u"Do it"_s)->click();
        QCOMPARE(action.at(0).at(0).toString(), u"off"_s);
        QVERIFY(next->isEnabled());
        QSignalSpy stepped(&tour, &TourPanel::stepRequested);
        next->click();
        QCOMPARE(stepped.at(0).at(0).toInt(), 1);
        tour.setStep(step, 1, {u"One head"_s, u"Next one"_s});
        QCOMPARE(tour.givenAnswer(), -1);
    }

    void answersOfATourTakeTheLinesTheyNeed()
    {
        TourPanel tour;
        const QString sentence = u"nothing that can be seen on these examples of the dictionary in the prompt"_s;
        tour.setStep({u"One head"_s, u"Text"_s, {}, u"Which?"_s, {u"all"_s, sentence}, {}, 1, {}}, 0, {u"One head"_s});
        tour.resize(560, 300);
        tour.show();
        QVERIFY(QTest::qWaitForWindowExposed(&tour));
        const QPushButton *longer = button(tour, u"nothing"_s), *word = button(tour, u"all"_s);
        for (const QPushButton* one : {longer, word})
            QVERIFY2(one->mapTo(&tour, one->rect().bottomRight()).x() < tour.width(), qPrintable(one->text()));
        const int line = word->fontMetrics().lineSpacing();
        QVERIFY2(longer->height() >= word->height() + line, "the text is cut");
        QVERIFY(word->height() < 2.5 * line);
    }
};

QTEST_MAIN(TestWidgetsPrompt)
#include "tst_widgets_prompt.moc"
