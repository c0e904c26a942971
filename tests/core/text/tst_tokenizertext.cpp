// SPDX-License-Identifier: GPL-3.0-or-later
// What a tokenizer does with texts: words, added tokens, hostile input, decoding as a stream, chats.

#include "tests/support/sanitized.h"
#include "tests/support/tokenizerfixture.h"

#include "core/text/steps/compiledpattern.h"
#include "core/text/streamdecoder.h"
#include "core/text/unicode/utf8.h"
#include "core/text/writtentext.h"

#include <algorithm>

using namespace headscope;
using namespace tokenizerfixture;

namespace {

std::vector<std::string> words(const text::Tokenizer& tokenizer, const std::string& text)
{
    std::vector<std::string> out;
    const auto encoding = tokenizer.encode(text, false);
    if (!encoding.has_value())
        return {encoding.error().message};
    for (const auto& [begin, end] : encoding->offsets)
        out.push_back(text.substr(begin, end - begin));
    return out;
}

/// WordLevel that gives every word the unknown token, so that its offsets show how a text was cut.
json cutBy(const json& preTokenizer)
{
    json file = wordLevel();
    file["pre_tokenizer"] = preTokenizer;
    return file;
}

using Words = std::vector<std::string>;

const char* const kLlama3 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

constexpr std::size_t kHostile = testing::kSanitized ? 1 << 14 : 1 << 18; // bytes

} // namespace

class TestTokenizerText : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void cutsAsThePatternSays();
    void readsPatternsInRubysSyntax_data();
    void readsPatternsInRubysSyntax();
    void knowsWhichPatternsGaveOtherIds();
    void refusesPatternsWithoutCertainTranslation_data();
    void refusesPatternsWithoutCertainTranslation();
    void splitsByEveryBehaviour();
    void matchesAddedTokens();
    void readsSpecialTokensAsTextWhenAsked();
    void refusesTextThatIsNoUtf8();
    void listsUnknownWordsOnce();
    void staysLinearOnHostileText_data();
    void staysLinearOnHostileText();
    void streamEqualsDecode();
    void neverStreamsHalfACharacter();
    void showsTokensAsWhatTheyWrite();
    void showsNoTwoTokensAlike_data();
    void showsNoTwoTokensAlike();
};

void TestTokenizerText::cutsAsThePatternSays()
{
    const auto split = load(
        cutBy({{"type", "Split"}, {"pattern", {{"Regex", kLlama3}}}, {"behavior", "Isolated"}, {"invert", false}}));
    QCOMPARE(words(*split, "x    y"), (Words{"x", "   ", " y"}));
    QCOMPARE(words(*split, "a \n \n  b"), (Words{"a", " \n \n", " ", " b"}));
    QCOMPARE(words(*split, ").\n\nZ"), (Words{").\n\n", "Z"}));
    QCOMPARE(words(*split, " 'ab' is"), (Words{" '", "ab", "'", " is"}));
    QCOMPARE(words(*split, "I'LL 12345"), (Words{"I", "'LL", " ", "123", "45"}));
    QCOMPARE(words(*split, "it'\xC5\xBF"), (Words{"it", "'\xC5\xBF"})); // the long s folds to s
    // Unicode 16 letters, which the installed Unicode data need not know, and U+180E, which is no white space.
    QCOMPARE(words(*split, "a\xF0\x90\xB5\x90\xF0\x90\xB5\x91"), (Words{"a\xF0\x90\xB5\x90\xF0\x90\xB5\x91"}));
    QCOMPARE(words(*split, "a \xE1\xA0\x8E."), (Words{"a", " \xE1\xA0\x8E."}));

    const auto level = load(cutBy({{"type", "ByteLevel"}, {"add_prefix_space", true}, {"use_regex", true}}));
    QCOMPARE(words(*level, "we're 2"), (Words{"we", "'re", " 2"}));
    const auto digits = load(cutBy({{"type", "Digits"}, {"individual_digits", true}}));
    QCOMPARE(words(*digits, "a12\xC2\xBD"), (Words{"a", "1", "2", "\xC2\xBD"}));
    const auto white = load(cutBy({{"type", "Whitespace"}}));
    QCOMPARE(words(*white, "red-ish, (a_b) e\xCC\x81!"),
             (Words{"red", "-", "ish", ",", "(", "a_b", ")", "e\xCC\x81", "!"}));
}

void TestTokenizerText::readsPatternsInRubysSyntax_data()
{
    QTest::addColumn<QString>("pattern");
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("replaced"); // by tokenizers 0.23.3, with '>' for each match
    const auto row = [](const char* pattern, const char* text, const char* replaced) {
        QTest::newRow(pattern) << QString::fromUtf8(pattern) << QByteArray(text) << QByteArray(replaced);
    };
    row(R"(\p{N}{1,3}+)", "12345 a", "> a");
    row(R"(\p{N}{2}+)", "12345 a", ">5 a");
    row(R"(\p{N}{,3})", "12345", ">>");
    row(R"((?:ab){1,2}+b)", "abababb", ">");
    row(R"([^a]{2}+)", "abcdea", "a>a");
    row(R"(a{1,2}?+b)", "xaaab", "x>");
    row(R"(a{2}?b)", "aabb", ">>");
    row(R"(a{2}{3})", "aaaaaaa", ">a");
    row(R"(a++b)", "aab", ">");
    row(R"(a{ 1}{,}[{2}+])", "a{ 1}{,}2a{ 1}{,}+", ">>");
    row(R"(\{2}+)", "{2}}", ">");
    row(R"(^a)", "a  \nab", ">  \n>b");
    row(R"(^)", "a\nb\n", ">a\n>b\n");
    row(R"($)", "a\nb\n", "a>\nb>\n>");
    row(R"(\s+$)", "x\n\ny", "x>\ny");
    row(R"(\A.|.\z)", "ab\ncd", ">b\nc>");
    row(R"(x*)", "axb", ">a>b>");
    row(R"((?m:a.))", "a\nb", ">b");
    row(R"((?m-i)a.|(?-m).b)", "a\n\nb", ">\nb");
    row(R"(a(?i)b|c)", "aB C aC", "> C >");
    row(R"((?x) a + # a few
 b{2}+)",
        "aabbbb", ">");
    row(R"(\v)", "a\x0b\n", "a>\n");
    row(R"(\u3042)", "\xE3\x81\x82", ">");
    row(R"(\p{Han}+)", "a\xE3\x80\x81\xE6\xBC\xA2", "a\xE3\x80\x81>"); // a comma is no character of Han
    row(R"((?i)[\p{L}])", "a\xCD\x85", ">>");
}

void TestTokenizerText::readsPatternsInRubysSyntax()
{
    QFETCH(QString, pattern);
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, replaced);
    const auto compiled = text::Pattern::compile(pattern.toStdString());
    QVERIFY2(compiled.has_value(), compiled.has_value() ? "" : compiled.error().message.c_str());
    const std::string whole = text.toStdString();
    std::vector<text::Stretch> stretches;
    QVERIFY(compiled->find(whole, stretches).has_value());
    std::string out;
    for (const text::Stretch& s : stretches)
        out += s.match ? ">" : whole.substr(s.begin, s.end - s.begin);
    QCOMPARE(out, replaced.toStdString());
}

// Sessions know a tokenizer by its hash, which changes for these alone.
void TestTokenizerText::knowsWhichPatternsGaveOtherIds()
{
    for (const char* same : {R"('s|'t| ?\p{L}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)", R"(\p{N}{1,3})", R"([\^$]+)",
                             R"((?i:'s|'t)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+)"})
        QVERIFY2(!text::Pattern::compile(same)->matchedDifferentlyBefore(), same);
    for (const char* other : {R"(\p{N}{1,3}+)", "^a", "a$", "x*", R"(\p{N}{,3})", R"((?m:a.))"})
        QVERIFY2(text::Pattern::compile(other)->matchedDifferentlyBefore(), other);
}

void TestTokenizerText::refusesPatternsWithoutCertainTranslation_data()
{
    QTest::addColumn<QString>("pattern");
    for (const char* pattern : {R"(\h)",
                                R"(\w+)",
                                R"(\Qa\E)",
                                R"(\N)",
                                R"(\xE3)",
                                R"(\10)",
                                R"(\pL)",
                                R"([a[b]])",
                                R"([a-z&&b])",
                                R"((?s:a.))",
                                R"((?P<n>a))",
                                R"((?R))",
                                R"((*FAIL))",
                                R"((?~a))",
                                R"((?xx)a)",
                                R"(a**)",
                                R"((?x)a+ +)",
                                R"({2}+)",
                                R"(a))",
                                R"(\)",
                                R"((?i)ss)",
                                R"((?i:\u00df))",
                                R"((?i)[\u00c0-\u00ff])",
                                R"((?i)[\p{Lu}])"})
        QTest::newRow(pattern) << QString::fromUtf8(pattern);
}

void TestTokenizerText::refusesPatternsWithoutCertainTranslation()
{
    QFETCH(QString, pattern);
    const auto compiled = text::Pattern::compile(pattern.toStdString());
    QVERIFY(!compiled.has_value());
    const std::string said = compiled.error().message;
    QVERIFY2(said.ends_with(", which Headscope does not support."), said.c_str());
    QVERIFY2(said.find("'" + pattern.toStdString() + "'") != std::string::npos, said.c_str());
}

void TestTokenizerText::splitsByEveryBehaviour()
{
    const auto by = [](const char* behavior, bool invert) {
        return load(
            cutBy({{"type", "Split"}, {"pattern", {{"String", "-"}}}, {"behavior", behavior}, {"invert", invert}}));
    };
    const std::string text = "the-final--countdown";
    QCOMPARE(words(*by("Removed", false), text), (Words{"the", "final", "countdown"}));
    QCOMPARE(words(*by("Isolated", false), text), (Words{"the", "-", "final", "-", "-", "countdown"}));
    QCOMPARE(words(*by("MergedWithPrevious", false), text), (Words{"the-", "final-", "-", "countdown"}));
    QCOMPARE(words(*by("MergedWithNext", false), text), (Words{"the", "-final", "-", "-countdown"}));
    QCOMPARE(words(*by("Contiguous", false), text), (Words{"the", "-", "final", "--", "countdown"}));
    QCOMPARE(words(*by("Removed", true), text), (Words{"-", "-", "-"}));
}

void TestTokenizerText::matchesAddedTokens()
{
    json file = wordLevel();
    json& tokens = file["added_tokens"];
    tokens.push_back(added("<a>", 4));
    tokens.push_back(added("<a><b>", 5));
    tokens.push_back(added("<mask>", 6));
    tokens.back()["lstrip"] = true;
    tokens.push_back(added("<end>", 7));
    tokens.back()["rstrip"] = true;
    tokens.push_back(added("tok", 8, false));
    tokens.back()["single_word"] = true;
    const auto tokenizer = load(file);
    QCOMPARE(tokenizer->encode("<a><b><a>")->ids, (std::vector<int>{5, 4})); // the longest at each place
    QCOMPARE(tokenizer->encode("red  <mask> blue")->ids, (std::vector<int>{1, 6, 2}));
    QCOMPARE(words(*tokenizer, "red  <mask> blue"), (Words{"red", "  <mask>", "blue"}));
    QCOMPARE(words(*tokenizer, "<end> \n blue"), (Words{"<end> \n ", "blue"}));
    QCOMPARE(tokenizer->encode("tok token tok.")->ids, (std::vector<int>{8, 0, 8, 0}));
    QCOMPARE(*tokenizer->decode(std::vector<int>{1, 4, 8, 2}, true), std::string("red tok blue"));
}

void TestTokenizerText::readsSpecialTokensAsTextWhenAsked()
{
    const auto tokenizer = load(byteLevel());
    QCOMPARE(tokenizer->encode("<|end|>")->ids.size(), std::size_t{1});
    QCOMPARE(tokenizer->encodePlain("<|end|>")->ids.size(), std::size_t{7});
}

void TestTokenizerText::refusesTextThatIsNoUtf8()
{
    const auto tokenizer = load(byteLevel());
    const std::pair<const char*, const char*> cases[] = {{"ab\xFF", "byte 2"},
                                                         {"\xC0\x80", "byte 0"},
                                                         {"a\xED\xA0\x80", "byte 1"},
                                                         {"abc\xE2\x82", "byte 3"},
                                                         {"\xF4\x90\x80\x80", "byte 0"}};
    for (const auto& [text, says] : cases) {
        const auto encoding = tokenizer->encode(text);
        QVERIFY(!encoding.has_value());
        QVERIFY2(encoding.error().message.find(says) != std::string::npos, encoding.error().message.c_str());
    }
}

void TestTokenizerText::staysLinearOnHostileText_data()
{
    QTest::addColumn<QString>("folder");
    QTest::newRow("own") << QString();
    for (const goldens::Folder& folder : goldenFolders())
        QTest::newRow(folder.row.c_str()) << QString::fromStdString(folder.path.string());
}

/// No clock here: with anything quadratic a quarter of a megabyte, twelve times, would run into the test's time limit.
/// Under a sanitizer it is about addresses.
void TestTokenizerText::staysLinearOnHostileText()
{
    QFETCH(QString, folder);
    std::shared_ptr<const text::Tokenizer> tokenizer;
    if (folder.isEmpty()) {
        tokenizer = load(byteLevel());
    } else {
        const auto loaded = text::Tokenizer::load(folder.toStdString());
        QVERIFY(loaded.has_value());
        tokenizer = *loaded;
    }
    for (const std::string unit :
         {"a", " ", "\n", "\xCC\x81", "\xC3\xA9", "e\xCC\x81", "'", "1", " \n", "<", "\xE4\xB8\xAD", "ab "}) {
        std::string text;
        while (text.size() < kHostile)
            text += unit;
        const auto encoding = tokenizer->encode(text);
        QVERIFY2(encoding.has_value(), unit.c_str());
        QVERIFY(std::all_of(encoding->offsets.begin(), encoding->offsets.end(),
                            [&](const auto& o) { return o.first <= o.second && o.second <= text.size(); }));
    }
}

void TestTokenizerText::streamEqualsDecode()
{
    std::vector<std::shared_ptr<const text::Tokenizer>> tokenizers{load(byteLevel()), load(wordLevel())};
    for (const goldens::Folder& folder : goldenFolders()) {
        const auto loaded = text::Tokenizer::load(folder.path);
        QVERIFY2(loaded.has_value(), folder.row.c_str());
        tokenizers.push_back(*loaded);
    }
    for (const auto& tokenizer : tokenizers) {
        for (const std::string text :
             {"hello world red blue", "  two\n\nlines ", "caf\xC3\xA9 \xE4\xB8\xAD\xE6\x96\x87 \xF0\x9F\x99\x82!", "",
              "\xEF\xBF\xBD x"}) {
            const std::vector<int> ids = tokenizer->encode(text)->ids;
            text::StreamDecoder stream(tokenizer, true);
            std::string joined;
            for (const int id : ids)
                joined += *stream.push(id);
            joined += *stream.finish();
            QCOMPARE(joined, *tokenizer->decode(ids, true));
        }
    }
}

void TestTokenizerText::neverStreamsHalfACharacter()
{
    const auto tokenizer = load(byteLevel());
    const std::vector<int> ids = tokenizer->encode("\xF0\x9F\x99\x82\xC3\xA9")->ids;
    QCOMPARE(ids.size(), std::size_t{6}); // one for each byte
    text::StreamDecoder stream(tokenizer, false);
    std::vector<std::string> parts;
    for (const int id : ids)
        parts.push_back(*stream.push(id));
    QCOMPARE(parts, (Words{"", "", "", "\xF0\x9F\x99\x82", "", "\xC3\xA9"}));
    QCOMPARE(*stream.push(ids[0]), std::string());
    QCOMPARE(*stream.push(*tokenizer->idOf("a")), std::string("\xEF\xBF\xBD"
                                                              "a"));
    QCOMPARE(*stream.push(ids[0]), std::string());
    QCOMPARE(*stream.finish(), std::string("\xEF\xBF\xBD"));
}

void TestTokenizerText::showsTokensAsWhatTheyWrite()
{
    // A byte-level vocabulary: a start token, a blank with its word, a character in two tokens, a line's end.
    const text::Encoding spelled{{1, 2, 3, 4, 5},
                                 {"<s>", "\xC4\xA0is", "\xC3\x83", "\xC2\xA9", "\xC4\x8A"},
                                 {{0, 0}, {0, 3}, {3, 4}, {4, 5}, {5, 6}}};
    QCOMPARE(text::writtenTexts(" is\xC3\xA9\n", spelled),
             (std::vector<std::string>{"<s>", " is", "<0xC3>", "<0xA9>", "\n"}));
    const auto bytes = tokenizerfixture::load(tokenizerfixture::byteLevel());
    QVERIFY(bytes);
    const std::string whole = "hello wor\n";
    std::string joined;
    for (const std::string& token : text::writtenTexts(whole, *bytes->encode(whole, false)))
        joined += token;
    QCOMPARE(joined, whole);
    const auto pieces = [](const json& file, const std::string& text) {
        const auto tokenizer = tokenizerfixture::load(file);
        return tokenizer ? text::writtenTexts(text, *tokenizer->encode(text, false)) : std::vector<std::string>();
    };
    QCOMPARE(pieces(tokenizerfixture::byteLevel(), "\u65e5\u200b"),
             (std::vector<std::string>{"<0xE6>", "<0x97>", "<0xA5>", "<0xE2>", "<0x80>", "<0x8B>"}));
}

void TestTokenizerText::showsNoTwoTokensAlike_data()
{
    QTest::addColumn<QString>("name");
    for (const char* name : {"gpt2", "llama3", "qwen2", "llama2", "metaspace_first"})
        QTest::newRow(name) << QString::fromLatin1(name);
}

void TestTokenizerText::showsNoTwoTokensAlike()
{
    QFETCH(const QString, name);
    const auto tokenizer =
        text::Tokenizer::load(fs::path(HEADSCOPE_SOURCE_DIR) / "tests" / "data" / "tokenizers" / name.toStdString());
    QVERIFY(tokenizer.has_value());
    std::map<std::string, int> shown;
    for (int id = 0; id < (*tokenizer)->vocabularySize(); ++id) {
        if (!(*tokenizer)->tokenOf(id))
            continue;
        const auto [other, fresh] = shown.emplace(text::writtenText(**tokenizer, id), id);
        QVERIFY2(fresh, qPrintable(QStringLiteral("%1 and %2 are both '%3'")
                                       .arg(id)
                                       .arg(other->second)
                                       .arg(QString::fromStdString(other->first))));
    }
}

void TestTokenizerText::listsUnknownWordsOnce()
{
    json file = wordLevel();
    file["pre_tokenizer"] = {{"type", "Whitespace"}};
    file["added_tokens"] = json::array();
    file["model"]["vocab"] = {{"red", 0}, {"blue", 1}};
    file["model"]["unk_token"] = "[UNK]"; // which is no word of it
    const auto tokenizer = load(file);
    QVERIFY(tokenizer);
    const auto said = [&](const char* text) { return tokenizer->encode(text, false).error().message; };
    QCOMPARE(tokenizer->encode("red blue red", false)->ids, (std::vector<int>{0, 1, 0}));
    QCOMPARE(said("red pink blue green pink grey"),
             std::string("3 words are not in the vocabulary: 'pink', 'green', 'grey'."));
    QVERIFY2(said("red pink").starts_with("The word 'pink' is not in the vocabulary"), said("red pink").c_str());
    std::string many;
    for (int i = 0; i < 150; ++i)
        many += " w" + std::to_string(i);
    QVERIFY2(said(many.c_str()).ends_with("'w99' and 50 more."), said(many.c_str()).c_str());
}

QTEST_GUILESS_MAIN(TestTokenizerText)
#include "tst_tokenizertext.moc"
