// SPDX-License-Identifier: GPL-3.0-or-later
// headscope-cli generate, and the tokenizer that is named once for a model without one.
#include "app/notebook/tokenizerchoice.h"
#include "tests/support/clifixture.h"

using namespace headscope;
using namespace clifixture;

namespace {

Outcome generate(const QString& model, const QStringList& more)
{
    return run(QStringList{QStringLiteral("generate"), model, QStringLiteral("--prompt"),
                           QStringLiteral("The value of the key is"), QStringLiteral("--tokens"), QStringLiteral("5")}
               + more);
}

} // namespace

class TestGenerateCommand : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init();
    void writesJson();
    void streamsTheSameText();
    void refusesWhatCanNotBe();
    void loadsOnlyTheLayersOfAMinimalModel();
    void choicesAreKeptAndReplaced();
    void aBrokenFileOfChoicesIsNoChoice();
    void aNamedTokenizerIsRemembered();

private:
    /// The shipped model without its tokenizer.
    QString bareModel() const;
    QTemporaryDir m_folder;
};

void TestGenerateCommand::init()
{
    if (!QFile::exists(qEnvironmentVariable("HEADSCOPE_CLI")))
        QSKIP("headscope-cli is not built");
    QVERIFY(m_folder.isValid());
    qputenv("XDG_CONFIG_HOME", m_folder.filePath(QString::fromLatin1(QTest::currentTestFunction())).toUtf8());
}

QString TestGenerateCommand::bareModel() const
{
    const QString bare = m_folder.filePath(QStringLiteral("bare"));
    QDir().mkpath(bare);
    for (const char* name : {"config.json", "model.safetensors"})
        QFile::link(kModel + u'/' + QString::fromLatin1(name), bare + u'/' + QString::fromLatin1(name));
    return bare;
}

void TestGenerateCommand::writesJson()
{
    const Outcome plain = generate(kModel, {QStringLiteral("--json")});
    QCOMPARE(plain.code, 0);
    const QJsonObject json = QJsonDocument::fromJson(plain.out).object();
    QVERIFY(json[u"text"].isString());
    QVERIFY(json[u"ids"].toArray().size() <= 5);
    QVERIFY(json[u"tokens_per_second"].isDouble());
    QCOMPARE(json[u"ablation"].toString(), QString());
    // Sampling repeats with its seed.
    const QStringList sampled = {QStringLiteral("--json"), QStringLiteral("--temperature"), QStringLiteral("3"),
                                 QStringLiteral("--seed"), QStringLiteral("7")};
    const auto idsOf = [](const Outcome& done) { return QJsonDocument::fromJson(done.out).object()[u"ids"].toArray(); };
    QVERIFY(!idsOf(generate(kModel, sampled)).isEmpty());
    QCOMPARE(idsOf(generate(kModel, sampled)), idsOf(generate(kModel, sampled)));
}

void TestGenerateCommand::streamsTheSameText()
{
    const Outcome json =
        generate(kModel, {QStringLiteral("--json"), QStringLiteral("--ablate"), QStringLiteral("L0H0")});
    const Outcome text = generate(kModel, {QStringLiteral("--ablate"), QStringLiteral("L0H0")});
    QCOMPARE(text.code, 0);
    QCOMPARE(QString::fromUtf8(text.out), QJsonDocument::fromJson(json.out).object()[u"text"].toString() + u'\n');
    QCOMPARE(QJsonDocument::fromJson(json.out).object()[u"ablation"].toString(), QStringLiteral("L0H0"));
}

void TestGenerateCommand::refusesWhatCanNotBe()
{
    QCOMPARE(generate(kModel, {QStringLiteral("--ablate"), QStringLiteral("L99H0")}).code, 1);
    const auto tokens = [](const char* count) {
        return run({QStringLiteral("generate"), kModel, QStringLiteral("--prompt"), QStringLiteral("The value"),
                    QStringLiteral("--tokens"), QString::fromLatin1(count)});
    };
    QCOMPARE(tokens("0").code, 2);
    const Outcome tooLong = tokens("2000");
    QCOMPARE(tooLong.code, 1);
    QVERIFY2(tooLong.err.contains("the model reads at most"), tooLong.err.constData());
}

void TestGenerateCommand::loadsOnlyTheLayersOfAMinimalModel()
{
    const auto idsOf = [](const Outcome& done) { return QJsonDocument::fromJson(done.out).object()[u"ids"].toArray(); };
    const Outcome minimal =
        generate(kModel, {QStringLiteral("--json"), QStringLiteral("--ablate"), QStringLiteral("upto:L0")});
    QCOMPARE(minimal.code, 0);
    QVERIFY(!idsOf(minimal).isEmpty());
    QCOMPARE(generate(kModel, {QStringLiteral("--ablate"), QStringLiteral("upto:L99")}).code, 1);
}

void TestGenerateCommand::choicesAreKeptAndReplaced()
{
    const std::filesystem::path file = app::tokenizerChoices();
    QCOMPARE(QString::fromStdString(file.string()),
             qEnvironmentVariable("XDG_CONFIG_HOME") + QStringLiteral("/headscope/tokenizers.json"));
    QVERIFY(app::rememberedTokenizer("/models/a").empty());
    QVERIFY(app::rememberTokenizer("/models/a", "/tokenizers/x").has_value());
    QVERIFY(app::rememberTokenizer("/models/b/", "/tokenizers/y").has_value());
    QVERIFY(app::rememberTokenizer("/models/a/../a", "/tokenizers/z").has_value());
    QCOMPARE(app::rememberedTokenizer("/models/a"), std::filesystem::path("/tokenizers/z"));
    QCOMPARE(app::rememberedTokenizer("/models/b"), std::filesystem::path("/tokenizers/y"));
    QCOMPARE(QDir(QString::fromStdString(file.parent_path().string())).entryList(QDir::Files),
             QStringList{QStringLiteral("tokenizers.json")});
    QVERIFY(!app::rememberTokenizer("/models/a", "/t", "/proc/none/tokenizers.json").has_value());
}

void TestGenerateCommand::aBrokenFileOfChoicesIsNoChoice()
{
    const std::filesystem::path file = app::tokenizerChoices();
    QVERIFY(app::rememberTokenizer("/models/a", "/tokenizers/x").has_value());
    for (const char* text : {"", "[1]", "{\"/models/a\": 3}", "{"}) {
        QFile broken(QString::fromStdString(file.string()));
        QVERIFY(broken.open(QIODevice::WriteOnly | QIODevice::Truncate));
        broken.write(text);
        broken.close();
        QVERIFY(app::rememberedTokenizer("/models/a").empty());
    }
    // What a person wrote there stays until the person has mended it.
    QFile written(QString::fromStdString(file.string()));
    QVERIFY(written.open(QIODevice::WriteOnly | QIODevice::Truncate));
    const QByteArray comma = R"({"/models/a": "/tokenizers/x",})";
    QCOMPARE(written.write(comma), comma.size());
    written.close();
    const auto kept = app::rememberTokenizer("/models/b", "/tokenizers/y");
    QVERIFY(!kept.has_value() && kept.error().message.find("is not a JSON object") != std::string::npos);
    QVERIFY(written.open(QIODevice::ReadOnly));
    QCOMPARE(written.readAll(), comma);
    QVERIFY(written.remove());
    QVERIFY(app::rememberTokenizer("/models/a", "/tokenizers/x").has_value());
    QCOMPARE(app::rememberedTokenizer("/models/a"), std::filesystem::path("/tokenizers/x"));
}

void TestGenerateCommand::aNamedTokenizerIsRemembered()
{
    const QString bare = bareModel();
    const Outcome without = generate(bare, {});
    QCOMPARE(without.code, 1);
    QVERIFY2(without.err.contains("--tokenizer"), without.err.constData());
    const Outcome named = generate(bare, {QStringLiteral("--tokenizer"), kModel});
    QCOMPARE(named.code, 0);
    const Outcome again = generate(bare, {});
    QCOMPARE(again.code, 0);
    QCOMPARE(again.out, named.out);
    QVERIFY2(again.err.contains("as chosen before"), again.err.constData());
    QCOMPARE(
        run({QStringLiteral("tokenize"), bare, QStringLiteral("--text"), QStringLiteral("The value of the key is")})
            .code,
        0);
    // A model with a tokenizer of its own remembers nothing.
    QCOMPARE(generate(kModel, {QStringLiteral("--tokenizer"), kModel}).code, 0);
    QVERIFY(app::rememberedTokenizer(kModel.toStdString()).empty());
}

QTEST_GUILESS_MAIN(TestGenerateCommand)
#include "tst_generatecommand.moc"
