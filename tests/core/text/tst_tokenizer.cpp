// SPDX-License-Identifier: GPL-3.0-or-later
// Tokenizers against the reference's answers: ids, offsets and decoded text of every golden row.

#include "tests/support/ggufedit.h"
#include "tests/support/packedtext.h"
#include "tests/support/tokenizerfixture.h"

#include <set>
#include <sstream>

using namespace headscope;
using namespace tokenizerfixture;

namespace {

std::vector<json> rowsOf(const fs::path& folder)
{
    std::ifstream plain(folder / "expected.jsonl"); // beside the repository
    std::istringstream own(testing::packedText(folder / "expected.jsonl.z").toStdString());
    std::istream& in = plain ? static_cast<std::istream&>(plain) : own;
    std::vector<json> rows;
    for (std::string line; std::getline(in, line);)
        if (!line.empty())
            rows.push_back(json::parse(line));
    return rows;
}

std::string about(const json& row)
{
    return row["text"].dump(-1, ' ', true).substr(0, 200);
}

using Offsets = std::vector<std::pair<std::size_t, std::size_t>>;

} // namespace

class TestTokenizer : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void equalsReference_data();
    void equalsReference();
    void sentencePieceFilesAreRead_data();
    void sentencePieceFilesAreRead();
    void vocabularyOfGgufIsTheSame_data();
    void vocabularyOfGgufIsTheSame();
    void mergesOfGgufAreThoseOfScores();
    void rulesOfGgufSplitText_data();
    void rulesOfGgufSplitText();
};

void TestTokenizer::equalsReference_data()
{
    QTest::addColumn<QString>("folder");
    const std::vector<goldens::Folder> folders = goldenFolders();
    QVERIFY(folders.size() >= 10);
    for (const goldens::Folder& folder : folders)
        QTest::newRow(folder.row.c_str()) << QString::fromStdString(folder.path.string());
}

void TestTokenizer::equalsReference()
{
    QFETCH(QString, folder);
    const fs::path path = folder.toStdString();
    const auto tokenizer = text::Tokenizer::load(path);
    QVERIFY2(tokenizer.has_value(), tokenizer.has_value() ? "" : tokenizer.error().message.c_str());
    const std::vector<json> rows = rowsOf(path);
    QVERIFY(rows.size() >= 100);
    for (const json& row : rows) {
        const std::string text = row["text"];
        const auto plain = (*tokenizer)->encode(text, false);
        const auto special = (*tokenizer)->encode(text, true);
        QVERIFY2(plain.has_value() && special.has_value(), about(row).c_str());
        QVERIFY2(plain->ids == row["ids"].get<std::vector<int>>(), about(row).c_str());
        QVERIFY2(special->ids == row["ids_special"].get<std::vector<int>>(), about(row).c_str());
        QVERIFY2(plain->offsets == row["offsets"].get<Offsets>(), about(row).c_str());
        QCOMPARE(plain->tokens.size(), plain->ids.size());
        const auto decoded = (*tokenizer)->decode(plain->ids);
        const auto skipped = (*tokenizer)->decode(special->ids, true);
        QVERIFY2(decoded.has_value() && *decoded == row["decoded"].get<std::string>(), about(row).c_str());
        QVERIFY2(skipped.has_value() && *skipped == row["decoded_skip"].get<std::string>(), about(row).c_str());
    }
}

void TestTokenizer::sentencePieceFilesAreRead_data()
{
    QTest::addColumn<QString>("kind");
    for (const char* kind : {"unigram", "llama", "gemma"})
        QTest::newRow(kind) << QString::fromUtf8(kind);
}

// A tokenizer.model alone against SentencePiece itself (tests/support/maketokenizers.py).
void TestTokenizer::sentencePieceFilesAreRead()
{
    QFETCH(QString, kind);
    const fs::path folder = fs::path(HEADSCOPE_SOURCE_DIR) / "tests" / "data" / "pieces" / kind.toStdString();
    const auto tokenizer = text::Tokenizer::load(folder);
    QVERIFY2(tokenizer.has_value(), tokenizer.has_value() ? "" : tokenizer.error().message.c_str());
    const std::vector<json> rows = rowsOf(folder);
    QVERIFY(rows.size() >= 100);
    for (const json& row : rows) {
        const auto plain = (*tokenizer)->encode(row["text"].get<std::string>(), false);
        QVERIFY2(plain.has_value() && plain->ids == row["ids"].get<std::vector<int>>(), about(row).c_str());
    }
}

void TestTokenizer::vocabularyOfGgufIsTheSame_data()
{
    QTest::addColumn<QString>("kind");
    for (const char* kind : {"falcon", "gpt2", "llama2", "llama3", "qwen2"})
        QTest::newRow(kind) << QString::fromUtf8(kind);
}

// The golden tokenizers as a GGUF file has them (tests/support/makeweightforms.py).
void TestTokenizer::vocabularyOfGgufIsTheSame()
{
    QFETCH(QString, kind);
    const fs::path data = fs::path(HEADSCOPE_SOURCE_DIR) / "tests" / "data", name = kind.toStdString();
    const auto tokenizer = text::Tokenizer::load(data / "forms" / ("vocabulary-" + name.string() + ".gguf"));
    QVERIFY2(tokenizer.has_value(), tokenizer.has_value() ? "" : tokenizer.error().message.c_str());
    int compared = 0;
    for (const json& row : rowsOf(data / "tokenizers" / name)) {
        const std::string text = row["text"];
        // How white space around an added token is taken is not in the file, and its bytes are no added tokens.
        if (text.find("<mask>") != std::string::npos || text.find("Quietly") != std::string::npos
            || text.find("<0x") != std::string::npos)
            continue;
        const auto plain = (*tokenizer)->encode(text, false), special = (*tokenizer)->encode(text, true);
        QVERIFY2(plain.has_value() && special.has_value(), about(row).c_str());
        QVERIFY2(plain->ids == row["ids"].get<std::vector<int>>(), about(row).c_str());
        QVERIFY2(special->ids == row["ids_special"].get<std::vector<int>>(), about(row).c_str());
        const auto decoded = (*tokenizer)->decode(plain->ids);
        QVERIFY2(decoded.has_value() && *decoded == row["decoded"].get<std::string>(), about(row).c_str());
        ++compared;
    }
    QVERIFY(compared >= 50);
}

// Gemma 4's kind has the merges that a kind with scores implies, and puts no space in front.
void TestTokenizer::mergesOfGgufAreThoseOfScores()
{
    const fs::path data = fs::path(HEADSCOPE_SOURCE_DIR) / "tests" / "data";
    std::ifstream in(data / "tokenizers" / "llama2" / "tokenizer.json");
    const json original = json::parse(in);
    std::vector<std::string> merges;
    for (const json& merge : original["model"]["merges"])
        merges.push_back(merge.is_string() ? merge.get<std::string>()
                                           : merge[0].get<std::string>() + " " + merge[1].get<std::string>());
    ggufedit::File file(data / "forms" / "vocabulary-llama2.gguf");
    file.values["tokenizer.ggml.add_space_prefix"] = ggufedit::stored(false);
    const QTemporaryDir folder;
    const fs::path scored = folder.filePath(QStringLiteral("scored.gguf")).toStdString(),
                   merged = folder.filePath(QStringLiteral("merged.gguf")).toStdString();
    file.write(scored);
    file.values["tokenizer.ggml.model"] = ggufedit::stored(std::string("gemma4"));
    file.values["tokenizer.ggml.merges"] = ggufedit::storedTexts(merges);
    file.values.erase("tokenizer.ggml.scores");
    file.write(merged);
    const auto one = text::Tokenizer::load(scored), other = text::Tokenizer::load(merged);
    QVERIFY2(other.has_value(), other.has_value() ? "" : other.error().message.c_str());
    int compared = 0;
    for (const json& row : rowsOf(data / "tokenizers" / "llama2")) {
        const std::string text = row["text"];
        for (const bool special : {false, true})
            QVERIFY2((*one)->encode(text, special)->ids == (*other)->encode(text, special)->ids, about(row).c_str());
        ++compared;
    }
    QVERIFY(compared >= 50);
    file.values.erase("tokenizer.ggml.merges");
    file.write(merged);
    QVERIFY(!text::Tokenizer::load(merged).has_value());
}

void TestTokenizer::rulesOfGgufSplitText_data()
{
    QTest::addColumn<QByteArray>("parts"); // no token crosses a bar
    QTest::newRow("llama-bpe") << QByteArray("We|'re| at|  | |123|45|!|\n\n|Ok");
    QTest::newRow("glm4") << QByteArray("We|'re| at| |123|45");
    QTest::newRow("smaug-bpe") << QByteArray("We|'RE| at| |123|45");
    QTest::newRow("qwen2") << QByteArray("We|'re| at| |1|2|3|4|5");
    QTest::newRow("qwen35") << QByteArray("We|'re| at| |1|2|3|4|5");
    QTest::newRow("seed-coder") << QByteArray("We| at| |1|2|!|\n|Ok");
    QTest::newRow("gpt-4o") << QByteArray("Hello|World's|Best| |123|45| ///|x");
    QTest::newRow("tekken") << QByteArray("Hello|World|'s|Best| |1|2|3");
    QTest::newRow("deepseek-v3") << QByteArray("We| at| |123|45|,| Ok");
    QTest::newRow("deepseek-llm") << QByteArray("We| at|\n|\n|Ok| 日|1|2|3|,|  ");
    QTest::newRow("deepseek-coder") << QByteArray("We| at|\n|\n|Ok|1|2|3|,");
    QTest::newRow("exaone4") << QByteArray("We|'re| at| 12345|!");
}

// The names that llama.cpp's converter gives the rules, on GPT-2's vocabulary.
void TestTokenizer::rulesOfGgufSplitText()
{
    QFETCH(const QByteArray, parts);
    ggufedit::File file(fs::path(HEADSCOPE_SOURCE_DIR) / "tests" / "data" / "forms" / "vocabulary-gpt2.gguf");
    file.values["tokenizer.ggml.pre"] = ggufedit::stored(std::string(QTest::currentDataTag()));
    const QTemporaryDir folder;
    const fs::path path = folder.filePath(QStringLiteral("model.gguf")).toStdString();
    file.write(path);
    const auto tokenizer = text::Tokenizer::load(path);
    QVERIFY2(tokenizer.has_value(), tokenizer.has_value() ? "" : tokenizer.error().message.c_str());
    const std::string text = QByteArray(parts).replace("|", "").toStdString();
    const auto encoded = (*tokenizer)->encode(text, false);
    QVERIFY2(encoded.has_value(), encoded.has_value() ? "" : encoded.error().message.c_str());
    QCOMPARE((*tokenizer)->decode(encoded->ids).value(), text);
    std::set<std::size_t> ends;
    for (const auto& [begin, end] : encoded->offsets)
        ends.insert(static_cast<std::size_t>(end));
    std::size_t at = 0;
    for (const QByteArray& part : parts.split('|')) {
        at += static_cast<std::size_t>(part.size());
        QVERIFY2(ends.contains(at), part.constData());
    }
}

QTEST_GUILESS_MAIN(TestTokenizer)
#include "tst_tokenizer.moc"
