// SPDX-License-Identifier: GPL-3.0-or-later
// Chat templates against what transformers writes with them (tests/reference/make_chats.py), what is read beside them
// in a model's folder, and what hostile templates are refused with.
#include "core/base/hash.h"
#include "core/text/chattemplate.h"
#include "core/text/jinja/template.h"
#include "tests/support/ggufedit.h"
#include "tests/support/packedtext.h"

#include <nlohmann/json.hpp>

#include <QTemporaryDir>
#include <QTest>

#include <fstream>

using namespace headscope;
using nlohmann::ordered_json;

namespace {

constexpr std::int64_t kNow = 1'721'952'000;

ordered_json chats()
{
    const std::string file = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/data/chat/chats.json.z";
    return ordered_json::parse(testing::packedText(file).toStdString());
}

std::string rendered(const std::string& source, const std::string& messages = R"([{"role":"user","content":"Hi"}])")
{
    const auto made = text::ChatTemplate::fromJinja(source, {{"bos_token", "<s>"}});
    if (!made.has_value())
        return "refused: " + made.error().message;
    const auto out = made->renderJson(messages);
    return out.has_value() ? *out : "refused: " + out.error().message;
}

} // namespace

class TestChatTemplate : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void writesWhatTheReferenceWrites_data();
    void writesWhatTheReferenceWrites();
    void readsAModelsFolder();
    void namesTheTemplatesOfAListWithoutDefault();
    void saysWhetherAUserIsWritten();
    void writesTheStartTokenOnce();
    void readsEveryArgument_data();
    void readsEveryArgument();
    void refusesOtherArguments_data();
    void refusesOtherArguments();
    void knowsTheSpecialTokensOfGguf();
    void endsWhereTheModelWritesOn();
    void namesTheRolesOfATemplate();
    void saysWhatATemplateRefuses();
    void endsHostileTemplates_data();
    void endsHostileTemplates();
    void everyPrefixOfATemplateEnds();
};

void TestChatTemplate::writesWhatTheReferenceWrites_data()
{
    QTest::addColumn<QString>("name");
    const ordered_json all = chats();
    QVERIFY(all["templates"].size() >= 60 && all["conversations"].size() == 10);
    for (const auto& [name, entry] : all["templates"].items())
        QTest::newRow(name.c_str()) << QString::fromStdString(name);
}

void TestChatTemplate::writesWhatTheReferenceWrites()
{
    QFETCH(const QString, name);
    const ordered_json all = chats();
    const ordered_json& entry = all["templates"][name.toStdString()];
    std::vector<std::pair<std::string, std::string>> tokens;
    for (const auto& [role, token] : all["tokens"].items())
        tokens.emplace_back(role, token.get<std::string>());
    const auto made = text::ChatTemplate::fromJinja(entry["source"].get<std::string>(), tokens);
    QVERIFY2(made.has_value(), made.has_value() ? "" : made.error().message.c_str());
    for (std::size_t i = 0; i < all["conversations"].size(); ++i) {
        text::ChatOptions options{.addGenerationPrompt = false, .now = kNow, .variables = {}};
        for (const auto& [key, value] : all["conversations"][i].items())
            if (key != "messages")
                options.variables.emplace_back(key, value.dump());
        const auto out = made->renderJson(all["conversations"][i]["messages"].dump(), options);
        const ordered_json& expected = entry["expected"][i];
        const std::string got = out.has_value() ? *out : out.error().message;
        QVERIFY2(out.has_value() == expected.is_string(),
                 qPrintable(QString::number(i) + QStringLiteral(": ") + QString::fromStdString(got)));
        if (!out.has_value()) {
            QVERIFY2(got.ends_with('.') && got.find("chat template") != got.npos, got.c_str());
            continue;
        }
        const std::string written = got == expected.get<std::string>()
                                        ? got
                                        : sha256Hex(got).substr(0, 16) + " " + std::to_string(got.size()) + " bytes";
        QVERIFY2(
            written == expected.get<std::string>(),
            qPrintable(QStringLiteral("%1: expected %2, got %3")
                           .arg(i)
                           .arg(QString::fromStdString(expected.get<std::string>()), QString::fromStdString(got))));
    }
}

void TestChatTemplate::readsAModelsFolder()
{
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.path().toStdString();
    QVERIFY(!text::ChatTemplate::load(path).has_value());
    const std::vector<text::ChatMessage> chat = {{"system", "Be brief."}, {"user", "Hi"}};
    const std::string source =
        "{{ bos_token }}{% for m in messages %}{{ m.role }}:{{ m.content }}{{ eos_token }}{% endfor %}";
    std::ofstream(path / "tokenizer_config.json")
        << nlohmann::json{{"bos_token", "<b>"}, {"eos_token", {{"content", "<e>"}}}, {"chat_template", source}};
    const auto first = text::ChatTemplate::load(path);
    QVERIFY(first.has_value());
    QCOMPARE(*first->render(chat), std::string("<b>system:Be brief.<e>user:Hi<e>"));
    std::ofstream(path / "chat_template.jinja") << "{{ messages|length }}\n\n";
    const auto second = text::ChatTemplate::load(path);
    QCOMPARE(*second->render(chat), std::string("2\n"));
    QCOMPARE(second->hash(), sha256Hex("{{ messages|length }}").substr(0, 12));
    QVERIFY(!second->render({}).has_value());
}

void TestChatTemplate::namesTheTemplatesOfAListWithoutDefault()
{
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.path().toStdString();
    const auto loaded = [&](const nlohmann::json& value) {
        std::ofstream(path / "tokenizer_config.json") << nlohmann::json{{"chat_template", value}};
        const auto chat = text::ChatTemplate::load(path);
        return chat.has_value() ? chat->render(std::vector<text::ChatMessage>{{"user", "Hi"}}).value()
                                : chat.error().message;
    };
    const nlohmann::json tools = {{"name", "tool_use"}, {"template", "tools"}},
                         rag = {{"name", "rag"}, {"template", "rag"}},
                         usual = {{"name", "default"}, {"template", "usual"}};
    const std::string none = "has the chat templates 'rag', 'tool_use'; expected one named 'default'.";
    QVERIFY(loaded({tools, rag}).ends_with(none));
    QVERIFY(loaded({{"tool_use", "tools"}, {"rag", "rag"}}).ends_with(none)); // as transformers reads an object
    QCOMPARE(loaded({tools, usual, rag}), std::string("usual"));
    QCOMPARE(loaded({{"rag", "rag"}, {"default", "usual"}}), std::string("usual"));
    for (const nlohmann::json& nothing :
         {nlohmann::json(), nlohmann::json::array(), nlohmann::json::object(), nlohmann::json(3),
          nlohmann::json::array({3, nullptr, {{"name", 3}, {"template", "a"}}, {{"name", "default"}}})})
        QVERIFY2(loaded(nothing).find("has no chat template") != std::string::npos, loaded(nothing).c_str());
}

void TestChatTemplate::saysWhetherAUserIsWritten()
{
    const auto said = [](const char* source) {
        const auto writes = text::ChatTemplate::fromJinja(source, {})->writesUser();
        return writes.has_value() ? std::string() : writes.error().message;
    };
    for (const char* same :
         {"", " \n", "Hello", "{{ messages|length }}", "{% for m in messages %}{{ m.role }}{% endfor %}"})
        QCOMPARE(said(same), std::string("The chat template writes the same text for every user message."));
    QVERIFY(said("{{ messages[0].content }}").empty());
    QVERIFY(said("{{ messages[0].content[:9]|upper }}").empty());
    QVERIFY(said("{{ raise_exception('Not you') }}").find("Not you") != std::string::npos);
}

void TestChatTemplate::writesTheStartTokenOnce()
{
    QCOMPARE(rendered("{{ bos_token }}{{ messages[0].content }}"), std::string("<s>Hi"));
    QCOMPARE(rendered("{{ messages[0].content }}"), std::string("Hi"));
    QCOMPARE(
        rendered("{% for g in messages|groupby('role') %}{{ g.grouper }}={{ g.list|length }}{{ g[0] }}{% endfor %}"),
        std::string("user=1user"));
}

void TestChatTemplate::readsEveryArgument_data()
{
    QTest::addColumn<QString>("expression");
    QTest::addColumn<QString>("expected"); // by Jinja 3.1.6
    const auto row = [](const char* expression, const char* expected) {
        QTest::newRow(expression) << QString::fromUtf8(expression) << QString::fromUtf8(expected);
    };
    row("'abcabc'.find('b', 2)", "4");
    row("'abcabc'.find('b', -2)", "4");
    row("'abcabc'.find('b', 2, 4)", "-1");
    row("'abcabc'.find('b', none, 2)", "1");
    row("'abc'.find('', 3)", "3");
    row("'abc'.find('', 4)", "-1");
    row("'ábcábc'.rfind('b', 0, -2)", "1");
    row("'ábcábc'.index('á', 1)", "3");
    row("'abcabc'.rindex('c', 0, 5)", "2");
    row("'abcabc'.startswith('b', 1)", "True");
    row("'abcabc'.startswith(('x', 'bc'), 1, 2)", "False");
    row("'abc'.startswith('', 4)", "False");
    row("'abcabc'.endswith('b', 0, 2)", "True");
    row("'abcabc'.count('b', 2)", "1");
    row("'abcabc'.count('', 1, 3)", "3");
    row("[1, 2, 1].index(1, 1)", "2");
    row("'0x1A'|int(0, 16)", "26");
    row("'1A'|int(base=16)", "26");
    row("'-0b1_1'|int(0, 0)", "-3");
    row("'010'|int(7, 0)", "10");
    row("'0x1A'|int(7)", "7");
    row("'z'|int(0, 36)", "35");
    row("'1_000'|int", "1000");
    row("'3.7'|int", "3");
    row("[{'a': 1}, {}]|groupby('a', default=0)|map('first')|list", "[0, 1]");
    row("[{}]|map(attribute='a.b', default='x')|list", "['x']");
    row("'{} {a}'.format(1, 2, a=3, b=4)", "1 3"); // Python ignores arguments without a field
}

void TestChatTemplate::readsEveryArgument()
{
    QFETCH(const QString, expression);
    QFETCH(const QString, expected);
    QCOMPARE(rendered("{{ " + expression.toStdString() + " }}"), expected.toStdString());
}

void TestChatTemplate::refusesOtherArguments_data()
{
    QTest::addColumn<QString>("expression");
    for (const char* expression : {"'a'.upper(1)",
                                   "'a'.find('a', 0, 1, 2)",
                                   "'a'.find(sub='a')",
                                   "'a'.split(',', 1, 2)",
                                   "'a'.split(by=',')",
                                   "'a'.split(',', sep=',')",
                                   "'a'.strip('a', 'b')",
                                   "{}.get(1, 2, 3)",
                                   "{}.items(1)",
                                   "[1].count(1, 0)",
                                   "[1].copy(1)",
                                   "'a'|upper(1)",
                                   "'a'|trim('a', 'b')",
                                   "'a'|int(0, 10, 1)",
                                   "'a'|int(radix=16)",
                                   "'a'|default('b', boolean=true, other=1)",
                                   "[1]|map(attribute='a', other=1)|list",
                                   "[1]|map('abs', 1)|list",

                                   "1 is odd(1)",
                                   "1 is divisibleby(1, 2)",
                                   "[1]|select('odd', 1)|list",
                                   "range(1, stop=2)",
                                   "joiner(',', 1)",
                                   "joiner()(1)",
                                   "strftime_now('%d', 1)",
                                   "cycler(1).next(1)"})
        QTest::newRow(expression) << QString::fromUtf8(expression);
}

void TestChatTemplate::refusesOtherArguments()
{
    QFETCH(const QString, expression);
    const std::string said = rendered("{{ " + expression.toStdString() + " }}");
    QVERIFY2(said.starts_with("refused: The model's chat template cannot be applied, line 1: ") && said.ends_with('.'),
             said.c_str());
    QVERIFY2(said.find("argument") != std::string::npos, said.c_str());
}

void TestChatTemplate::knowsTheSpecialTokensOfGguf()
{
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.filePath(QStringLiteral("model.gguf")).toStdString();
    ggufedit::File file(std::filesystem::path(HEADSCOPE_SOURCE_DIR) / "tests" / "data" / "forms"
                        / "vocabulary-llama2.gguf");
    file.values["tokenizer.chat_template"] =
        ggufedit::stored(std::string("{{ bos_token }}{{ messages[0].content }}{{ eos_token }}"));
    file.values["tokenizer.ggml.eos_token_id"] = ggufedit::stored(2u);
    file.write(path);
    const auto chat = text::ChatTemplate::load(path);
    QVERIFY2(chat.has_value(), chat.has_value() ? "" : chat.error().message.c_str());
    QCOMPARE(*chat->render(std::vector<text::ChatMessage>{{"user", "Hi"}}), std::string("<s>Hi</s>"));
}

void TestChatTemplate::endsWhereTheModelWritesOn()
{
    const auto chat = text::ChatTemplate::fromJinja("{% for m in messages %}<{{ m.role }}>{{ m.content|trim }}</>{% "
                                                    "endfor %}{% if add_generation_prompt %}<assistant>"
                                                    "{% endif %}",
                                                    {});
    const auto open = [&](const std::vector<text::ChatMessage>& turns) {
        const auto text = chat->renderOpen(turns, {.addGenerationPrompt = false});
        return text.has_value() ? *text : text.error().message;
    };
    QCOMPARE(open({{"user", "Hi"}}), std::string("<user>Hi</><assistant>"));
    // What an answer begins with is not trimmed: it is what the model wrote, to the last blank.
    QCOMPARE(open({{"user", "Hi"}, {"assistant", " Yes, "}}), std::string("<user>Hi</><assistant> Yes, "));
    QCOMPARE(open({{"user", "Hi"}, {"assistant", " Yes, "}, {"user", "So?"}}),
             std::string("<user>Hi</><assistant>Yes,</><user>So?</><assistant>"));
    QVERIFY(open({{"assistant", "Yes"}}).find("empty") != std::string::npos);
}

void TestChatTemplate::namesTheRolesOfATemplate()
{
    const auto roles = [](const char* source) { return text::ChatTemplate::fromJinja(source, {})->roles(); };
    QCOMPARE(roles("x"), (std::vector<std::string>{"system", "user", "assistant"}));
    QCOMPARE(roles("{% if messages[0].role == 'tool' or messages[0].role == \"developer\" %}function{% endif %}"),
             (std::vector<std::string>{"system", "user", "assistant", "developer", "tool"}));
}

void TestChatTemplate::saysWhatATemplateRefuses()
{
    QCOMPARE(rendered("{{ raise_exception('No\\nsystem turns') }}"),
             std::string("refused: The model's chat template refuses this conversation: \"No system turns\"."));
    QCOMPARE(rendered("a\n{{ missing.name }}"),
             std::string("refused: The model's chat template cannot be applied, line 2: 'missing' is undefined."));
    QVERIFY(rendered("{% include 'x' %}").find("cannot read other files") != std::string::npos);
    QVERIFY(rendered("{{ messages[0].content }}", "{}").find("not a list of messages") != std::string::npos);
    QVERIFY(rendered("{{ messages[0].content }}", "[1]").find("not a list of messages") != std::string::npos);
}

void TestChatTemplate::endsHostileTemplates_data()
{
    QTest::addColumn<QByteArray>("source");
    const auto row = [](const char* name, const std::string& source) {
        QTest::newRow(name) << QByteArray::fromStdString(source);
    };
    const auto times = [](const std::string& text, int count) {
        std::string out;
        for (int i = 0; i < count; ++i)
            out += text;
        return out;
    };
    const std::string many = "{% for i in range(100000) %}";
    row("loops in loops", many + many + "x{% endfor %}{% endfor %}");
    row("silent loops", many + many + many + "{% endfor %}{% endfor %}{% endfor %}");
    row("a doubling text", "{% set n = namespace(s='ab') %}" + many + "{% set n.s = n.s ~ n.s %}{% endfor %}");
    row("a doubling list", "{% set n = namespace(s=[1]) %}" + many + "{% set n.s = n.s + n.s %}{% endfor %}");
    row("a nested list", "{% set n = namespace(s=[]) %}" + many + "{% set n.s = [n.s] %}{% endfor %}");
    row("a shared list",
        "{% set n = namespace(s=[1]) %}{% for i in range(60) %}{% set n.s = [n.s, n.s] %}{% endfor %}{{ n.s }}");
    row("a shared list as JSON",
        "{% set n = namespace(s=[1]) %}{% for i in range(60) %}{% set n.s = [n.s, n.s] %}{% endfor %}{{ n.s|tojson }}");
    row("shared lists compared", "{% set n = namespace(a=[1], b=[1]) %}{% for i in range(60) %}{% set n.a = [n.a, n.a] "
                                 "%}{% set n.b = [n.b, n.b] %}{% endfor %}{{ n.a == n.b }}");
    row("a macro of itself", "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}");
    row("two macros of each other",
        "{% macro a() %}{{ b() }}{% endmacro %}{% macro b() %}{{ a() }}{{ a() }}{% endmacro %}{{ a() }}");
    row("a wide repetition", "{{ 'x' * 1000000000000 }}");
    row("a wide list", "{{ [1] * 1000000000000 }}");
    row("a wide padding", "{{ 'x'.center(9000000000000000000) }}{{ 'x'.ljust(-9223372036854775807) }}");
    row("a wide format", "{{ '%99999999d' % 1 }}");
    row("a wide range", "{{ range(1000000000000)|list }}");
    row("a large power", "{{ 7 ** 100 }}");
    row("division by zero", "{{ 1 // 0 }}{{ 1 % 0 }}");
    row("replacement of nothing", "{% set s = 'ab' * 1000000 %}{{ s.replace('', s) }}");
    row("deep brackets", times("{{ " + times("(", 5000) + "1" + times(")", 5000) + " }}", 1));
    row("deep lists", "{{ " + times("[", 100000) + " }}");
    row("deep blocks", times("{% if true %}", 5000) + times("{% endif %}", 5000));
    row("a long chain", "{{ 1" + times(" + 1", 100000) + " }}");
    row("many minus signs", "{{ " + times("-", 100000) + "1 }}");
    row("many nots", "{{ " + times("not ", 100000) + "1 }}");
    row("many attributes", "{{ a" + times(".b", 100000) + " }}");
    row("many conditions", "{{ 1" + times(" if 1 else 1", 100000) + " }}");
    row("a large template", std::string(2u << 20, 'x'));
    row("not UTF-8", "\xff");
    row("an unfinished tag", "{% if");
    row("an unfinished text", "{{ 'a");
    row("an unfinished block", "{% for x in y %}");
    row("a changed list", "{{ messages.append(1) }}");
    row("a private attribute", "{% set n = namespace() %}{% set n.__class__ = 1 %}");
    row("an unknown filter", "{{ 1|nothing }}");
    row("an unknown test", "{{ 1 is nothing }}");
    row("a file", "{% extends '/etc/passwd' %}");
}

void TestChatTemplate::endsHostileTemplates()
{
    QFETCH(const QByteArray, source);
    const std::string said = rendered(source.toStdString());
    QVERIFY2(said.starts_with("refused: ") && said.ends_with('.') && said.size() < 600, said.substr(0, 600).c_str());
}

void TestChatTemplate::everyPrefixOfATemplateEnds()
{
    const ordered_json all = chats();
    for (const char* name : {"gpt oss", "white space", "macros", "slices"}) {
        const std::string source = all["templates"][name]["source"].get<std::string>();
        for (std::size_t i = 0; i <= source.size(); i += 3)
            QVERIFY(!rendered(source.substr(0, i)).starts_with("refused: ."));
    }
    // A namespace may refer to itself.
    QCOMPARE(rendered("{% set n = namespace() %}{% set n.self = n %}{% set n.list = [n] %}ok"), std::string("ok"));
}

QTEST_GUILESS_MAIN(TestChatTemplate)
#include "tst_chattemplate.moc"
