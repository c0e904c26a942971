// SPDX-License-Identifier: GPL-3.0-or-later
// Every family as its folders are on the hub, with a tokenizer beside the weights and the config as Python writes it:
// opened, tokenized, scored, looked at, continued.
#include "tests/support/clifixture.h"
#include "tests/support/smallcheckpoint.h"

using namespace clifixture;

class TestFamilies : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void textGoesThrough_data();
    void textGoesThrough();
    void marksWhatCannotBeSeen_data();
    void marksWhatCannotBeSeen();
};

void TestFamilies::textGoesThrough_data()
{
    QTest::addColumn<QString>("head");
    // Made of parts that other rows run; hunyuan_v1_dense, apertus and glm4_moe stand for what is new in them.
    const QStringList alike{u"arcee"_s,   u"codegen"_s,     u"deepseek_v32"_s, u"dots1"_s,    u"ernie4_5"_s,
                            u"exaone4"_s, u"gpt_bigcode"_s, u"gpt_neo"_s,      u"gptj"_s,     u"ernie4_5_moe"_s,
                            u"helium"_s,  u"llama4_text"_s, u"minimax_m2"_s,   u"nanochat"_s, u"seed_oss"_s};
    const QDir goldens(QStringLiteral(HEADSCOPE_SOURCE_DIR "/tests/data/golden"));
    for (const QString& where : {u""_s, u"stretch/"_s, u"hub/"_s})
        for (const QString& family : QDir(goldens.filePath(where)).entryList(QDir::Dirs | QDir::NoDotAndDotDot))
            if (family != u"qwen3_fp8"_s && family != u"gpt_oss_mxfp4"_s // their packed weights cannot be grown
                && !alike.contains(family) && QFile::exists(goldens.filePath(where + family + u"/config.json"_s)))
                QTest::newRow(qPrintable(where + family))
                    << (family.startsWith(u"nemotron_h"_s) ? u"L0H0"_s : u"L1H0"_s); // its layer 1 is an MLP alone
}

void TestFamilies::textGoesThrough()
{
    QFETCH(const QString, head);
    const Folder folder;
    const std::string family = QTest::currentDataTag();
    const QString model = QString::fromStdString(smallcheckpoint::make(folder.path().toStdString(), family));
    QVERIFY(!model.isEmpty());
    const QString text = u"The key of the red fox is 12. The key is"_s;
    VERIFY_DONE(run({u"info"_s, model, u"--json"_s}));
    VERIFY_DONE(run({u"tokenize"_s, model, u"--text"_s, text}));
    const Outcome scores = run({u"score"_s, model, u"--task"_s, u"toy_mc"_s, u"--limit"_s, u"2"_s, u"--ablate"_s, head,
                                u"--json"_s, u"--quiet"_s});
    QVERIFY2(scores.code == 0, scores.err.constData());
    QCOMPARE(scores.json()[u"results"_s].toArray().at(0)[u"n"_s].toInt(), 2);
    const QString picture = folder.path(u"map.csv"_s);
    VERIFY_DONE(run({u"pattern"_s, model, u"--text"_s, text, u"--head"_s, head, u"-o"_s, picture, u"--quiet"_s}));
    QVERIFY(read(picture).count('\n') > 10);
    VERIFY_DONE(run({u"generate"_s, model, u"--text"_s, text, u"--tokens"_s, u"3"_s, u"--quiet"_s}));
}

namespace {

/// smallcheckpoint's tokenizer with tokens of their own for some characters that cannot be seen.
std::string tokenizerOfUnseen()
{
    nlohmann::json file = smallcheckpoint::tokenizerFile();
    std::vector<std::string> letters(256);
    for (const auto& [letter, id] : file["model"]["vocab"].items())
        letters[id.get<std::size_t>()] = letter;
    const auto merge = [&](const std::string& left, unsigned byte) {
        file["model"]["merges"].push_back({left, letters[byte]});
        file["model"]["vocab"][left + letters[byte]] = file["model"]["vocab"].size();
        return left + letters[byte];
    };
    const std::string general = merge(letters[0xe2], 0x80); // U+2000 to U+203F
    for (const unsigned last : {0x8bU, 0x8dU, 0xaeU})       // zero width space and joiner, right-to-left override
        merge(general, last);
    merge(merge(letters[0xe2], 0x81), 0xa6); // U+2066
    merge(merge(letters[0xef], 0xbb), 0xbf); // U+FEFF
    return file.dump();
}

QString unseenIn(const QByteArray& bytes)
{
    if (!QString::fromUtf8(bytes).toUtf8().startsWith(bytes))
        return u"bytes that are not UTF-8"_s;
    for (const char32_t c : QString::fromUtf8(bytes).toUcs4()) {
        const QChar::Category category = QChar::category(c);
        if ((category == QChar::Other_Control && c != '\n' && c != '\t') || category == QChar::Other_Format
            || category == QChar::Separator_Line || category == QChar::Separator_Paragraph)
            return u"U+"_s + QString::number(c, 16);
    }
    return {};
}

} // namespace

void TestFamilies::marksWhatCannotBeSeen_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QStringList>("files");
    const auto row = [](const char* name, const QStringList& arguments, const QStringList& files) {
        QTest::newRow(name) << (QStringList{QString::fromLatin1(name).section(u' ', 0, 0), u"MODEL"_s} + arguments)
                            << files;
    };
    const QStringList text = {u"--text"_s, u"TEXT"_s};
    row("tokenize", text, {});
    row("pattern", text + QStringList{u"--head"_s, u"L0H0"_s}, {u"m.csv"_s, u"m.svg"_s});
    row("lens", text + QStringList{u"--top"_s, u"20"_s}, {u"l.csv"_s});
    row("lens of pieces", {u"--text"_s, u"\u65e5\u672c"_s, u"--top"_s, u"200"_s}, {u"l.csv"_s});
    row("logprob", text + QStringList{u"--top"_s, u"20"_s}, {u"p.csv"_s});
    row("attribute", text, {u"a.csv"_s});
    row("knockout", text + QStringList{u"--queries"_s, u"3-5"_s, u"--keys"_s, u"0-1"_s}, {u"k.csv"_s});
    row("why-score", text + QStringList{u"--head"_s, u"L0H0"_s, u"--query"_s, u"2"_s, u"--key"_s, u"1"_s},
        {u"w.csv"_s});
    const QString other = u"c\u200b\u202eb\u2066c\ufeffd\u200d\u00ad\u65e5"_s;
    const QStringList pair = {u"--clean"_s, u"TEXT"_s, u"--corrupt"_s, other};
    row("patch", pair, {u"c.csv"_s});
    row("edges", pair + QStringList{u"--receiver"_s, u"logits"_s}, {u"e.csv"_s});
    row("generate", text + QStringList{u"--tokens"_s, u"3"_s}, {});
}

// Characters that cannot be seen, and pieces of characters, have a mark wherever a token is written.
void TestFamilies::marksWhatCannotBeSeen()
{
    QFETCH(QStringList, arguments);
    QFETCH(const QStringList, files);
    const Folder folder;
    const QString model = QString::fromStdString(smallcheckpoint::make(folder.path().toStdString(), "llama"));
    QVERIFY(!model.isEmpty());
    write(model + u"/tokenizer.json"_s, QByteArray::fromStdString(tokenizerOfUnseen()));
    arguments.replaceInStrings(u"MODEL"_s, model);
    arguments.replaceInStrings(u"TEXT"_s, u"a\u200b\u202eb\u2066c\ufeffd\u200d\u00ad\u65e5"_s);
    for (const QString& file : files)
        arguments += {u"-o"_s, folder.path(file)};
    for (const QStringList& form : {QStringList(), QStringList{u"--json"_s}}) {
        const Outcome outcome = run(arguments + form);
        QVERIFY2(outcome.code == 0, outcome.err.constData());
        QCOMPARE(unseenIn(outcome.out), QString());
        if (arguments.front() != u"generate"_s) // whose text may end within a character
            QVERIFY(!outcome.out.contains("\xef\xbf\xbd"));
        QCOMPARE(unseenIn(outcome.err), QString());
        if (arguments.front() == u"pattern"_s && !form.isEmpty()) {
            const QJsonArray tokens = outcome.json()[u"tokens"_s].toArray();
            const QStringList shown =
                tokens.toVariantList().empty() ? QStringList() : QVariant(tokens.toVariantList()).toStringList();
            QCOMPARE(shown, (QStringList{u"a"_s, u"<U+200B>"_s, u"<U+202E>"_s, u"b"_s, u"<U+2066>"_s, u"c"_s,
                                         u"<U+FEFF>"_s, u"d"_s, u"<U+200D>"_s, u"<0xC2>"_s, u"<0xAD>"_s, u"<0xE6>"_s,
                                         u"<0x97>"_s, u"<0xA5>"_s}));
        }
    }
    for (const QString& file : files)
        QVERIFY2(unseenIn(read(folder.path(file))).isEmpty(),
                 qPrintable(file + u": "_s + unseenIn(read(folder.path(file)))));
}

QTEST_GUILESS_MAIN(TestFamilies)
#include "tst_families.moc"
