// SPDX-License-Identifier: GPL-3.0-or-later
// The trainer of byte-level BPE against the tokenizers library's: tests/data/bpe holds a text of our own and what
// BpeTrainer of tokenizers 0.23.3 makes of its paragraphs (vocab_size=400, special_tokens=["<s>"],
// initial_alphabet=ByteLevel.alphabet(); pre-tokenizer ByteLevel without prefix space, decoder ByteLevel), as it saves
// it.
#include "core/text/tokenizer.h"
#include "core/text/training/bpetrainer.h"

#include <nlohmann/json.hpp>

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <fstream>
#include <sstream>

using namespace headscope;
using namespace headscope::text;

namespace {

std::string bytes(const char* name)
{
    std::ifstream in(std::string(HEADSCOPE_SOURCE_DIR "/tests/data/bpe/") + name, std::ios::binary);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
}

std::vector<std::string> paragraphs()
{
    const std::string text = bytes("text.txt");
    std::vector<std::string> out;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find("\n\n", begin), text.size());
        out.push_back(text.substr(begin, end - begin));
        begin = end + 2;
    }
    return out;
}

BpeVocabulary trained(const std::vector<std::string>& texts, int size)
{
    BpeTrainer trainer = BpeTrainer::make().value();
    for (const std::string& text : texts)
        if (!trainer.add(text).has_value())
            return {};
    return trainer.train(size);
}

} // namespace

class TestBpeTrainer : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void learnsWhatTheReferenceLearns()
    {
        const auto ours = nlohmann::json::parse(trained(paragraphs(), 400).tokenizerJson());
        const auto reference = nlohmann::json::parse(bytes("tokenizer.json"));
        QCOMPARE(ours["model"]["merges"].dump(), reference["model"]["merges"].dump());
        QCOMPARE(ours["model"]["vocab"].dump(), reference["model"]["vocab"].dump());
        QVERIFY(ours == reference);
    }

    void orderOfTextsDoesNotMatter()
    {
        std::vector<std::string> texts = paragraphs();
        const std::string forwards = trained(texts, 350).tokenizerJson();
        std::reverse(texts.begin(), texts.end());
        QCOMPARE(trained(texts, 350).tokenizerJson(), forwards);
    }

    void endsWhenNothingIsLeftToMerge()
    {
        const BpeVocabulary all = trained({"ab ab"}, 1000);
        QCOMPARE(all.tokens.size(), std::size_t{259}); // <s>, 256 bytes, "ab", " ab"
        QCOMPARE(all.merges.size(), std::size_t{2});
        QCOMPARE(all.tokens.back(), std::string("\xC4\xA0"
                                                "ab"));
        QCOMPARE(trained({}, 1000).tokens.size(), std::size_t{257});
        QCOMPARE(trained({"ab ab"}, 10).tokens.size(), std::size_t{257});
    }

    void countsATextAsOftenAsAsked()
    {
        BpeTrainer trainer = BpeTrainer::make().value();
        QVERIFY(trainer.add("xy", 3).has_value());
        QVERIFY(trainer.add("ab ab").has_value());
        QCOMPARE(trainer.train(258).tokens.back(), std::string("xy"));
    }

    void refusesBytesThatAreNoUtf8()
    {
        BpeTrainer trainer = BpeTrainer::make().value();
        const Result<void> added = trainer.add("ab\xFF");
        QVERIFY(!added.has_value());
        QCOMPARE(added.error().message, std::string("A text is not valid UTF-8 at byte 2."));
    }

    void itsFileIsReadAndGivesTheTextBack()
    {
        const QTemporaryDir folder;
        const std::string file = folder.path().toStdString() + "/tokenizer.json";
        std::ofstream(file) << trained(paragraphs(), 400).tokenizerJson();
        const auto tokenizer = Tokenizer::load(file);
        QVERIFY(tokenizer.has_value());
        const std::string text = "<s>The lamp hummed: 12 caf\xC3\xA9s.\n";
        const Encoding encoded = (*tokenizer)->encode(text).value();
        QCOMPARE(encoded.ids.front(), 0);
        QCOMPARE((*tokenizer)->decode(encoded.ids).value(), text);
        QVERIFY(encoded.ids.size() < text.size());
    }
};

QTEST_APPLESS_MAIN(TestBpeTrainer)
#include "tst_bpetrainer.moc"
