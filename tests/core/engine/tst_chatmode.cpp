// SPDX-License-Identifier: GPL-3.0-or-later
// Benchmarks asked through chat templates: what becomes the system message, what the answer begins with, and which
// tasks and templates are refused.
#include "core/engine/scoring/pairs/chatmode.h"

#include <QTest>

#include <algorithm>

using namespace headscope;
using text::ChatTemplate;

namespace {

const std::string kLlama3 = "<|start_header_id|>user<|end_header_id|>\n\n";
const std::string kLlama3Answer = "<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n";

tasks::TaskSet setOf(const std::string& name, tasks::Example example, const std::string& description = {})
{
    tasks::TaskSet set;
    set.name = name;
    tasks::LeafTask leaf;
    leaf.name = name;
    leaf.scoring = example.scoring;
    leaf.description = description;
    leaf.end = 1;
    set.leaves = {leaf};
    set.examples = {std::move(example)};
    return set;
}

// Templates of the two forms that benchmarks were asked through first; what they write stays as it was.
ChatTemplate chatNamed(const std::string& name)
{
    const std::string llama3 =
        "{{ bos_token }}{% for m in messages %}{{ '<|start_header_id|>' + m.role + '<|end_header_id|>\n\n' + "
        "m.content|trim + '<|eot_id|>' }}{% endfor %}{% if add_generation_prompt %}{{ "
        "'<|start_header_id|>assistant<|end_header_id|>\n\n' }}{% endif %}";
    const std::string chatMl = "{% for m in messages %}{{ '<|im_start|>' + m.role + '\n' + m.content + '<|im_end|>\n' "
                               "}}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}";
    auto chat = ChatTemplate::fromJinja(name == "ChatML" ? chatMl : llama3, {{"bos_token", "<s>"}});
    if (!chat.has_value())
        qFatal("%s", chat.error().message.c_str());
    return *chat;
}

} // namespace

class TestChatMode : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void asksChoicesWithoutTheSpaceBeforeThem();
    void takesAwayTheDelimiterOnly_data();
    void takesAwayTheDelimiterOnly();
    void putsTheDescriptionIntoTheSystemMessage();
    void leavesTheBegunAnswerOpen();
    void keepsTheSpaceOfALambadaTarget();
    void isAnotherExampleThanThePlainOne();
    void refusesTasksThatAreNoChat();
    void saysWhatATemplateRefuses();
};

void TestChatMode::asksChoicesWithoutTheSpaceBeforeThem()
{
    auto set =
        setOf("arc_easy", {.context = "Question: Which is warm?\nAnswer:", .continuations = {" ice", "  the sun"}});
    set.examples.front().segments.push_back({Role::Question, 0, 8});
    QVERIFY(engine::applyChatTemplate(set, chatNamed("Llama 3")).has_value());
    const tasks::Example& example = set.examples.front();
    QCOMPARE(example.context, "<s>" + kLlama3 + "Question: Which is warm?\nAnswer:" + kLlama3Answer);
    QCOMPARE(example.continuations, (std::vector<std::string>{"ice", " the sun"})); // the choice's own space stays
    QVERIFY(example.segments.empty());
    QVERIFY(std::find(set.notes.begin(), set.notes.end(),
                      "Asked through the model's chat template (SHA-256 " + chatNamed("Llama 3").hash() + ").")
            != set.notes.end());
}

void TestChatMode::takesAwayTheDelimiterOnly_data()
{
    QTest::addColumn<QString>("delimiter");
    QTest::addColumn<QString>("choice");
    QTest::newRow("none") << QString() << QStringLiteral(" five");
    QTest::newRow("line end") << QStringLiteral("\n") << QStringLiteral("five");
    QTest::newRow("word") << QStringLiteral(" -> ") << QStringLiteral(" five");
}

void TestChatMode::takesAwayTheDelimiterOnly()
{
    QFETCH(QString, delimiter);
    QFETCH(QString, choice);
    auto set = setOf("own", {.context = "Q:", .continuations = {(delimiter + choice).toStdString()}});
    set.leaves.front().delimiter = delimiter.toStdString();
    QVERIFY(engine::applyChatTemplate(set, chatNamed("ChatML")).has_value());
    QCOMPARE(QString::fromStdString(set.examples.front().continuations.front()), choice);
}

void TestChatMode::putsTheDescriptionIntoTheSystemMessage()
{
    auto set = setOf("mmlu_anatomy",
                     {.context = "About bones.\n\nQ1\nAnswer: A\n\nQ2\nAnswer:", .continuations = {" A", " B"}},
                     "About bones.\n\n");
    QVERIFY(engine::applyChatTemplate(set, chatNamed("ChatML")).has_value());
    QCOMPARE(
        set.examples.front().context,
        std::string(
            "<|im_start|>system\nAbout bones.\n\n<|im_end|>\n<|im_start|>user\nQ1\nAnswer: A\n\nQ2\nAnswer:<|im_end|>\n"
            "<|im_start|>assistant\n"));
}

void TestChatMode::leavesTheBegunAnswerOpen()
{
    auto set = setOf("arc_challenge_chat", {.scoring = tasks::Scoring::Generation,
                                            .context = "Choose.\\nA. x The best answer is",
                                            .target = "A",
                                            .until = {"."}});
    QVERIFY(engine::applyChatTemplate(set, chatNamed("Llama 3")).has_value());
    QCOMPARE(set.examples.front().context, "<s>" + kLlama3 + "Choose.\\nA. x" + kLlama3Answer + "The best answer is");
    QCOMPARE(set.examples.front().until, std::vector<std::string>{"."});
}

void TestChatMode::keepsTheSpaceOfALambadaTarget()
{
    auto set =
        setOf("lambada_openai",
              {.scoring = tasks::Scoring::LogLikelihood, .context = "He looked at the", .continuations = {" moon"}});
    QVERIFY(engine::applyChatTemplate(set, chatNamed("Llama 3")).has_value());
    QCOMPARE(set.examples.front().continuations.front(), std::string(" moon"));
}

void TestChatMode::isAnotherExampleThanThePlainOne()
{
    auto set = setOf("arc_easy", {.context = "Q", .continuations = {" a", " b"}});
    const std::string plain = tasks::contentHash(set.examples.front());
    QVERIFY(engine::applyChatTemplate(set, chatNamed("Llama 3")).has_value());
    QVERIFY(tasks::contentHash(set.examples.front()) != plain);
}

void TestChatMode::refusesTasksThatAreNoChat()
{
    auto gaps = setOf("winogrande", {.contexts = {"a", "b"}, .continuations = {" c", " c"}});
    const auto refused = engine::applyChatTemplate(gaps, chatNamed("Llama 3"));
    QVERIFY(!refused.has_value());
    QVERIFY2(refused.error().message.find("'winogrande'") != std::string::npos, refused.error().message.c_str());
    auto pairs = setOf("kv_retrieval:pairs=4", {.context = "a", .continuations = {"1", "2"}});
    pairs.leaves.front().pairing = tasks::PairEncoding::KvRetrieval;
    QVERIFY(!engine::applyChatTemplate(pairs, chatNamed("Llama 3")).has_value());
}

void TestChatMode::saysWhatATemplateRefuses()
{
    auto set = setOf("arc_easy", {.context = "Q", .continuations = {" a", " b"}});
    const auto chat = ChatTemplate::fromJinja("{{ raise_exception('Users do not speak here') }}", {});
    const auto refused = engine::applyChatTemplate(set, *chat);
    QVERIFY(!refused.has_value());
    QVERIFY2(refused.error().message.find("\"Users do not speak here\"") != std::string::npos,
             refused.error().message.c_str());
}

QTEST_GUILESS_MAIN(TestChatMode)
#include "tst_chatmode.moc"
