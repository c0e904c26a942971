// SPDX-License-Identifier: GPL-3.0-or-later
// A conversation in the window: turns that become the prompt, answers that become turns, and rows of the map that come
// while an answer is written. The model is a shipped one beside which a chat template lies.
#include "app/present/prompt/savedview.h"
#include "app/workbench/prompt/conversation.h"
#include "core/text/tokenizer.h"
#include "tests/support/windowfixture.h"
#include "widgets/prompt/conversationview.h"

#include <QComboBox>
#include <QPlainTextEdit>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QToolButton>

#include <fstream>

using namespace headscope;
using namespace Qt::StringLiterals;
using Turns = std::vector<text::ChatMessage>;

namespace {

constexpr auto kTemplate = "{{ bos_token }}{% for m in messages %}{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}"
                           "{{ raise_exception('Roles must alternate.') }}{% endif %}"
                           "[{{ m.role }}] {{ m.content }} {% endfor %}"
                           "{% if add_generation_prompt %}[assistant]{% endif %}";

} // namespace

class TestConversation : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void isOfferedWithATemplateOnly();
    void turnsBecomeThePrompt();
    void turnsAreEditedAndUndone();
    void aRefusalIsSaid();
    void anAnswerIsATurnAndItsTokensAreRows();
    void anAnswerIsStopped();
    void anotherPromptEndsAnAnswer();
    void twoModelsReadTheirOwnTemplates();
    void theSessionKeepsTheTurns();
    void aStrangersSessionMakesNoManyRows();
    void theTokenThatEndsATurn();

private:
    /// A shipped model with a chat template; empty: without.
    [[nodiscard]] QString chatModel(const QString& name, const std::string& jinja) const;
    [[nodiscard]] const app::Prompt& prompt() const { return m_fixture.explorer().prompt(); }
    [[nodiscard]] widgets::PromptBar& bar() const { return *m_fixture.window().parts().prompt; }
    [[nodiscard]] widgets::ConversationView& view() const { return *bar().conversation(); }
    [[nodiscard]] int rows() const
    {
        const auto pattern = m_fixture.explorer().pattern(Side::A);
        return pattern ? static_cast<int>(pattern->prompt.ids.size()) : 0;
    }
    /// Turns, prompt and maps are what they will be; scores may still be measured.
    [[nodiscard]] bool settled() const
    {
        const app::Door& door = *m_fixture.window().worker();
        return QTest::qWaitFor(
            [&] {
                return std::ranges::none_of(kSides, [&](Side side) {
                    return door.isRunning<app::ConversationRequest>(side) || door.isRunning<app::TurnRequest>(side)
                           || door.isRunning<app::MapRequest>(side) || door.isRunning<app::OpenModelRequest>(side);
                });
            },
            m_fixture.kWait);
    }
    /// The turns that the prompt has, when it has them.
    [[nodiscard]] bool turnsAre(const Turns& turns) const
    {
        return QTest::qWaitFor([&] { return prompt().turns == turns; }, m_fixture.kWait) && settled();
    }
    void begin(const char* text) const
    {
        m_fixture.window().state()->setPrompt({.text = text});
        Q_EMIT bar().sourceChosen(u"<conversation>"_s);
        QVERIFY(turnsAre({{"user", text}}));
    }
    template <typename Widget> [[nodiscard]] Widget* named(const QString& name) const
    {
        for (Widget* widget : view().template findChildren<Widget*>())
            if (!widget->isHidden() && (widget->accessibleName() == name || widget->property("text") == name))
                return widget;
        return nullptr;
    }
    void press(const QString& name) const
    {
        auto* button = named<QToolButton>(name);
        QVERIFY2(button && button->isEnabled(), qPrintable(name));
        button->setFocus();
        QTest::keyClick(button, Qt::Key_Space);
    }

    testing::WindowFixture m_fixture;
    QTemporaryDir m_models;
};

QString TestConversation::chatModel(const QString& name, const std::string& jinja) const
{
    const QString folder = m_models.filePath(name + QString::number(qHash(QByteArray::fromStdString(jinja))));
    std::filesystem::create_directories(folder.toStdString());
    for (const char* file : {"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"})
        std::filesystem::copy(HEADSCOPE_SOURCE_DIR "/resources/models/" + name.toStdString() + "/" + file,
                              folder.toStdString(), std::filesystem::copy_options::overwrite_existing);
    std::ofstream(folder.toStdString() + "/chat_template.jinja") << jinja;
    return folder;
}

void TestConversation::initTestCase()
{
    QStandardPaths::setTestModeEnabled(true);
    QVERIFY(m_fixture.open(u"small-transformer"_s, u"talk.headscope"_s));
    QVERIFY(QTest::qWaitFor([this] { return prompt().samples > 0; }, m_fixture.kWait));
    QVERIFY(settled());
}

void TestConversation::isOfferedWithATemplateOnly()
{
    auto* sources = bar().findChild<QComboBox*>(u"promptSource"_s);
    QVERIFY(sources);
    QVERIFY(sources->findText(u"conversation"_s) < 0);
    m_fixture.window().openModels(chatModel(u"small-transformer"_s, kTemplate));
    QVERIFY(QTest::qWaitFor([&] { return sources->findText(u"conversation"_s) >= 0; }, m_fixture.kWait));
    QVERIFY(settled());
    QVERIFY(!view().isVisible());
}

void TestConversation::turnsBecomeThePrompt()
{
    app::Settings always;
    always.device = "cpu";
    always.startToken = app::StartToken::Always; // the template's own is the only one all the same
    m_fixture.window().worker()->setSettings(always);
    begin("the red key opens");
    QVERIFY(view().isVisible());
    QCOMPARE(prompt().text, std::string("<s>[user] the red key opens [assistant]"));
    QCOMPARE(bar().prompt().toStdString(), prompt().text);
    QVERIFY(bar().findChild<QPlainTextEdit*>(u"promptText"_s)->isReadOnly());
    const auto pattern = m_fixture.explorer().pattern(Side::A);
    QVERIFY(pattern);
    QCOMPARE(std::ranges::count(pattern->prompt.ids, 0), 1);
    QCOMPARE(pattern->prompt.ids.front(), 0);
    QVERIFY(rows() > 5);
    always.startToken = app::StartToken::Automatic;
    m_fixture.window().worker()->setSettings(always);
}

void TestConversation::turnsAreEditedAndUndone()
{
    begin("one");
    auto* text = named<QPlainTextEdit>(u"Text of turn 1"_s);
    QVERIFY(text);
    text->setFocus();
    QTest::keyClick(text, Qt::Key_End);
    QTest::keyClicks(text, u" two"_s);
    QVERIFY(turnsAre({{"user", "one two"}}));
    press(u"Add turn"_s);
    QVERIFY(turnsAre({{"user", "one two"}, {"assistant", ""}}));
    auto* second = named<QPlainTextEdit>(u"Text of turn 2"_s);
    QVERIFY(second);
    QTest::keyClicks(second, u"<b>Yes</b>"_s);
    QVERIFY(turnsAre({{"user", "one two"}, {"assistant", "<b>Yes</b>"}}));
    QCOMPARE(prompt().text, std::string("<s>[user] one two [assistant]<b>Yes</b>")); // it is continued
    QUndoStack& stack = *m_fixture.window().undoStack();
    QTest::keySequence(second, QKeySequence::Undo); // the window's, which knows of roles and turns too
    QVERIFY(turnsAre({{"user", "one two"}, {"assistant", ""}}));
    stack.undo();
    QVERIFY(turnsAre({{"user", "one two"}}));
    QCOMPARE(view().turns().size(), 1u);
    stack.undo();
    QVERIFY(turnsAre({{"user", "one"}}));
    QCOMPARE(named<QPlainTextEdit>(u"Text of turn 1"_s)->toPlainText(), u"one"_s);
    stack.redo();
    stack.redo();
    QVERIFY(turnsAre({{"user", "one two"}, {"assistant", ""}}));
    press(u"Remove turn 2"_s);
    QVERIFY(turnsAre({{"user", "one two"}}));
}

void TestConversation::aRefusalIsSaid()
{
    begin("one");
    auto* role = named<QComboBox>(u"Role of turn 1"_s);
    QVERIFY(role);
    QCOMPARE(role->count(), 3);
    role->setFocus();
    QTest::keyClick(role, Qt::Key_Down);
    QVERIFY(turnsAre({{"assistant", "one"}})); // an answer to nothing
    QVERIFY(prompt().text.empty());
    QVERIFY2(view().note().contains(u"empty"_s), qPrintable(view().note()));
    QTest::keyClick(role, Qt::Key_Up);
    QTest::keyClick(role, Qt::Key_Up);
    QVERIFY(turnsAre({{"system", "one"}}));
    QVERIFY2(view().note().contains(u"Roles must alternate."_s), qPrintable(view().note()));
    QVERIFY(!m_fixture.explorer().pattern(Side::A));
    m_fixture.window().undoStack()->undo();
    m_fixture.window().undoStack()->undo();
    QVERIFY(turnsAre({{"user", "one"}}));
    QVERIFY(view().note().isEmpty());
    QVERIFY(m_fixture.explorer().pattern(Side::A));
}

void TestConversation::anAnswerIsATurnAndItsTokensAreRows()
{
    begin("The red key opens the door. The blue key opens");
    const app::Prompt before = prompt();
    const int first = rows(), steps = m_fixture.window().undoStack()->index();
    const auto tokens = view().findChild<QSpinBox*>();
    const int usual = tokens->value();
    tokens->setValue(300); // more than come at one time
    std::vector<std::size_t> lengths;
    const auto watch = connect(m_fixture.window().state(), &gui::WindowState::promptChanged, this,
                               [&] { lengths.push_back(prompt().text.size()); });
    press(u"Answer"_s);
    QVERIFY(named<QToolButton>(u"Stop the answer"_s));
    QVERIFY(named<QPlainTextEdit>(u"Text of turn 1"_s)->isReadOnly());
    QVERIFY(QTest::qWaitFor([&] { return named<QToolButton>(u"Stop the answer"_s) == nullptr; }, m_fixture.kWait));
    QVERIFY(settled());
    disconnect(watch);
    tokens->setValue(usual);
    QCOMPARE(prompt().turns.size(), 2u);
    const std::string said = prompt().turns.back().content;
    QCOMPARE(prompt().turns.back().role, std::string("assistant"));
    QVERIFY(!said.empty());
    QCOMPARE(prompt().text, before.text + said);
    QCOMPARE(view().turns().back().text.toStdString(), said);
    QVERIFY(rows() > first + 8);
    QVERIFY2(std::ranges::any_of(
                 lengths, [&](std::size_t now) { return now > before.text.size() && now < prompt().text.size(); }),
             "only the last came");
    QCOMPARE(m_fixture.window().undoStack()->index(), steps + 1);
    m_fixture.window().undoStack()->undo();
    QCOMPARE(prompt(), before);
    QVERIFY(settled());
    QCOMPARE(rows(), first);
    m_fixture.window().undoStack()->redo();
    QVERIFY(settled());
    QCOMPARE(prompt().turns.back().content, said);
}

void TestConversation::anAnswerIsStopped()
{
    begin("The red key opens the door. The blue key opens");
    view().findChild<QSpinBox*>()->setValue(900);
    press(u"Answer"_s);
    QVERIFY(QTest::qWaitFor([&] { return prompt().turns.size() == 2; }, m_fixture.kWait));
    press(u"Stop the answer"_s);
    QVERIFY(settled());
    QCOMPARE(view().note(), u"Stopped."_s);
    QVERIFY(!prompt().turns.back().content.empty());
    QVERIFY(rows() < 900);
    QVERIFY(!named<QPlainTextEdit>(u"Text of turn 2"_s)->isReadOnly()); // an ordinary turn
}

void TestConversation::anotherPromptEndsAnAnswer()
{
    begin("The red key opens the door. The blue key opens");
    press(u"Answer"_s);
    QVERIFY(QTest::qWaitFor([&] { return prompt().turns.size() == 2; }, m_fixture.kWait));
    m_fixture.window().state()->changePrompt({.text = "Something else"}, u"other"_s);
    QVERIFY(settled());
    QCOMPARE(prompt(), app::Prompt({.text = "Something else"}));
    QVERIFY(!view().isVisible());
    QVERIFY(!m_fixture.window().worker()->isRunning<app::TurnRequest>(Side::A));
    view().findChild<QSpinBox*>()->setValue(16);
}

void TestConversation::twoModelsReadTheirOwnTemplates()
{
    const QString a = chatModel(u"small-transformer"_s, kTemplate);
    m_fixture.window().openModels(a, chatModel(u"small-ssm"_s, "{% for m in messages %}<{{ m.content }}>{% endfor %}"));
    QVERIFY(QTest::qWaitFor([&] { return m_fixture.explorer().model(Side::B) != nullptr; }, m_fixture.kWait));
    begin("one");
    const gui::WindowState& state = *m_fixture.window().state();
    QCOMPARE(state.promptOf(Side::A).text, std::string("<s>[user] one [assistant]"));
    QCOMPARE(state.promptOf(Side::B).text, std::string("<one>"));
    QCOMPARE(m_fixture.explorer().pattern(Side::B)->text, std::string("<one>"));
    press(u"Answer with B"_s);
    QVERIFY(QTest::qWaitFor([&] { return named<QToolButton>(u"Answer with B"_s) != nullptr; }, m_fixture.kWait));
    QVERIFY(settled());
    const std::string said = prompt().turns.back().content;
    QVERIFY(!said.empty());
    QCOMPARE(state.promptOf(Side::A).text, "<s>[user] one [assistant]" + said);
    QCOMPARE(state.promptOf(Side::B).text, "<one>" + said);
    // One without a template reads what the other's writes.
    m_fixture.window().openModels(a, u"small-ssm"_s);
    QVERIFY(QTest::qWaitFor([&] { return view().note().contains(u"has no chat template"_s); }, m_fixture.kWait));
    QVERIFY(settled());
    QCOMPARE(state.promptOf(Side::B).text, state.promptOf(Side::A).text);
    m_fixture.window().worker()->closeModel(Side::B);
    m_fixture.window().state()->closeModel(Side::B);
    QVERIFY(settled());
}

void TestConversation::theSessionKeepsTheTurns()
{
    begin("kept");
    m_fixture.window().close(); // stores what is shown
    m_fixture.close();
    QVERIFY(m_fixture.open({}, u"talk.headscope"_s));
    QVERIFY(turnsAre({{"user", "kept"}}));
    QVERIFY(view().isVisible());
    QCOMPARE(view().turns(), (std::vector<widgets::ChatTurn>{{u"user"_s, u"kept"_s}}));
    QCOMPARE(prompt().text, std::string("<s>[user] kept [assistant]"));
}

void TestConversation::aStrangersSessionMakesNoManyRows()
{
    gui::SavedView view;
    view.prompt = "text";
    view.turns.assign(1000, {"user", "x"});
    const gui::SavedView read = gui::viewFrom(gui::viewText(view));
    QCOMPARE(read.prompt, view.prompt);
    QVERIFY(read.turns.empty());
    view.turns.resize(3);
    QCOMPARE(gui::viewFrom(gui::viewText(view)).turns, view.turns);
}

void TestConversation::theTokenThatEndsATurn()
{
    const auto tokenizer = text::Tokenizer::load(HEADSCOPE_SOURCE_DIR "/tests/data/tokenizers/llama3");
    QVERIFY(tokenizer.has_value());
    const auto endOf = [&](const std::string& jinja) {
        const auto chat = text::ChatTemplate::fromJinja(jinja, {});
        const auto id = app::endOfTurn(*chat, **tokenizer, Turns{{"user", "Hi"}});
        return id ? (*tokenizer)->tokenOf(*id).value_or("?") : std::string("none");
    };
    QCOMPARE(endOf("{% for m in messages %}{{ m.content }}<|eot_id|>\n{% endfor %}"), std::string("<|eot_id|>"));
    QCOMPARE(endOf("{% for m in messages %}{{ m.content }}\n{% endfor %}"), std::string("none"));
    QCOMPARE(endOf("{% for m in messages %}{{ m.content }}{% endfor %}"), std::string("none"));
    QCOMPARE(endOf("{% for m in messages %}{{ m.role }}{% endfor %}"), std::string("none"));
}

QTEST_MAIN(TestConversation)
#include "tst_conversation.moc"
