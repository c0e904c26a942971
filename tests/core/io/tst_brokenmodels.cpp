// SPDX-License-Identifier: GPL-3.0-or-later
// Model folders that are broken, each in its own way: one sentence, before anything else is done.
#include "tests/support/clifixture.h"

#include <QtEndian>

#include <functional>

using namespace clifixture;

namespace {

using Damage = std::function<void(const QString& folder)>;

struct Row {
    const char* name;
    const char* said;
    Damage damage;
};

QString weightsOf(const QString& folder)
{
    return folder + u"/model.safetensors"_s;
}

Damage config(const QByteArray& from, const QByteArray& to)
{
    return [from, to](const QString& folder) {
        const QString path = folder + u"/config.json"_s;
        const QByteArray before = read(path);
        QVERIFY(before.contains(from));
        write(path, QByteArray(before).replace(from, to));
    };
}

/// A key more.
Damage key(const QByteArray& text)
{
    return config("\"model_type\"", text + ", \"model_type\"");
}

/// Changes the JSON header of the weights, which keeps its length.
Damage header(const QByteArray& from, const QByteArray& to)
{
    return [from, to](const QString& folder) {
        QByteArray bytes = read(weightsOf(folder));
        const auto length = static_cast<qsizetype>(qFromLittleEndian<quint64>(bytes.constData()));
        QByteArray text = bytes.mid(8, length);
        QVERIFY(text.contains(from));
        text.replace(from, to);
        QCOMPARE(text.size(), length);
        write(weightsOf(folder), bytes.replace(8, length, text));
    };
}

Damage weights(const std::function<QByteArray(const QByteArray&)>& change)
{
    return [change](const QString& folder) { write(weightsOf(folder), change(read(weightsOf(folder)))); };
}

/// The weights as shards of these names, every one a copy of the whole, under an index that lists one tensor for each.
Damage shards(const QStringList& there, const QByteArray& index)
{
    return [there, index](const QString& folder) {
        for (const QString& name : there)
            QVERIFY(QFile::copy(weightsOf(folder), folder + u'/' + name));
        QVERIFY(QFile::remove(weightsOf(folder)));
        write(folder + u"/model.safetensors.index.json"_s, index);
    };
}

Damage file(const QString& name, const QByteArray& bytes)
{
    return [name, bytes](const QString& folder) { write(folder + u'/' + name, bytes); };
}

const QByteArray kPointer = "version https://git-lfs.github.com/spec/v1\noid "
                            "sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n";

const std::vector<Row>& rows()
{
    static const std::vector<Row> table = {
        {"no folder", "/model': it is not a folder, not an included model",
         [](const QString& folder) { QVERIFY(QDir(folder).removeRecursively()); }},
        {"no config.json", "has no config.json",
         [](const QString& folder) { QVERIFY(QFile::remove(folder + u"/config.json"_s)); }},
        {"config.json cut short", "config.json' is not valid JSON",
         [](const QString& folder) { write(folder + u"/config.json"_s, read(folder + u"/config.json"_s).chopped(4)); }},
        {"config.json is a pointer", "is a Git LFS pointer", file(u"config.json"_s, kPointer)},
        {"config.json is a list", "does not contain a JSON object", file(u"config.json"_s, "[1, 2]")},
        {"no model_type", "model_type", config("\"model_type\": \"llama\",", "")},
        {"unknown family", "The model family 'elephant' is not supported; the nearest known ones are ",
         config("\"llama\"", "\"elephant\"")},
        {"unknown rotation", "'spiral'", key("\"rope_scaling\": {\"rope_type\": \"spiral\", \"factor\": 2.0}")},
        {"packed weights", "The weights of this model are packed as hqq, which is not supported",
         key("\"quantization_config\": {\"quant_method\": \"hqq\"}")},
        {"a line break in the family", "'model_type' in config.json is 'lla?ma'; expected a name.",
         config("\"llama\"", "\"lla\\nma\"")},
        {"a line break in the activation", "'hidden_act' in config.json is 'si?lu'; expected a name.",
         config("\"silu\"", "\"si\\nlu\"")},
        {"a Mamba of endless width", "'expand' in config.json makes 7.68e+102 of 768; expected 1 to",
         file(u"config.json"_s, R"({"model_type": "mamba", "expand": 1e100})")},
        {"a Mamba-2 of endless width", "'expand' in config.json makes 4.096e+103 of 4096; expected 1 to",
         file(u"config.json"_s, R"({"model_type": "mamba2", "expand": 1e100})")},
        {"an original Mamba of endless width", "'expand' in 'ssm_cfg' in config.json makes 2e+100 of 2;",
         file(u"config.json"_s, R"({"d_model": 2, "n_layer": 1, "ssm_cfg": {"expand": 1e100}})")},
        {"an original Mamba-2 of endless width", "'expand' in 'ssm_cfg' in config.json makes 2e+100 of 2;",
         file(u"config.json"_s, R"({"d_model": 2, "n_layer": 1, "ssm_cfg": {"layer": "Mamba2", "expand": 1e100}})")},
        {"unknown activation", "'swish2'", config("\"silu\"", "\"swish2\"")},
        {"a number as text", "'hidden_size'", config("\"hidden_size\": 128", "\"hidden_size\": \"128\"")},
        {"no heads", "expected at least 1", config("\"num_attention_heads\": 8", "\"num_attention_heads\": 0")},
        {"heads that do not share", "key/value", config("\"num_key_value_heads\": 8", "\"num_key_value_heads\": 3")},
        {"another width than the weights'", "has shape [256, 128]; expected [192, 128]",
         config("\"intermediate_size\": 256", "\"intermediate_size\": 192")},
        {"more layers than the weights have", "'model.layers.4.",
         config("\"num_hidden_layers\": 4", "\"num_hidden_layers\": 5")},
        {"a bias that does not exist", "q_proj.bias' is missing",
         config("\"attention_bias\": false", "\"attention_bias\": true")},
        {"no weights", "expected model.safetensors",
         [](const QString& folder) { QVERIFY(QFile::remove(weightsOf(folder))); }},
        {"empty weights", "model.safetensors", weights([](const QByteArray&) { return QByteArray(); })},
        {"weights cut short", "model.safetensors", weights([](const QByteArray& all) { return all.chopped(1000); })},
        {"weights with more behind them", "model.safetensors",
         weights([](const QByteArray& all) { return all + "more"; })},
        {"weights are a pointer", "is a Git LFS pointer, not weights",
         weights([](const QByteArray&) { return kPointer; })},
        {"weights are a pickle by content", "pickle",
         weights([](const QByteArray&) { return QByteArray("PK\x03\x04", 4) + QByteArray(2000, 'x'); })},
        {"weights are a pickle by name", "pytorch_model.bin': it is not a complete zip file",
         [](const QString& folder) { QVERIFY(QFile::rename(weightsOf(folder), folder + u"/pytorch_model.bin"_s)); }},
        {"NaN in the last tensor", "contains NaN",
         weights([](const QByteArray& all) { return all.chopped(4) + QByteArray("\x00\x00\xc0\x7f", 4); })},
        {"infinity in the last tensor", "infinite",
         weights([](const QByteArray& all) { return all.chopped(4) + QByteArray("\x00\x00\x80\xff", 4); })},
        {"a missing tensor", "Tensor 'model.norm.weight' is missing; expected shape [128]",
         header("\"model.norm.weight\"", "\"model.norm.waight\"")},
        {"a misshapen tensor", "has shape [128, 390]; expected [390, 128]",
         header("\"lm_head.weight\":{\"dtype\":\"F32\",\"shape\":[390,128]",
                "\"lm_head.weight\":{\"dtype\":\"F32\",\"shape\":[128,390]")},
        {"a tensor of integers", "has dtype I32",
         header("\"lm_head.weight\":{\"dtype\":\"F32\"", "\"lm_head.weight\":{\"dtype\":\"I32\"")},
        {"a tensor twice in a file", "'model.layers.0.mlp.up_proj.weight'",
         header("\"model.layers.1.mlp.up_proj.weight\"", "\"model.layers.0.mlp.up_proj.weight\"")},
        {"a tensor in two shards", "is in two shards: 'a.safetensors' and 'b.safetensors'",
         shards({u"a.safetensors"_s, u"b.safetensors"_s},
                R"({"weight_map":{"lm_head.weight":"a.safetensors","model.norm.weight":"b.safetensors"}})")},
        {"a missing shard", "Shard 'b.safetensors' is missing",
         shards({u"a.safetensors"_s},
                R"({"weight_map":{"lm_head.weight":"a.safetensors","model.norm.weight":"b.safetensors"}})")},
        {"a shard outside the folder", "expected a plain file name",
         shards({}, R"({"weight_map":{"lm_head.weight":"../a.safetensors"}})")},
        {"the index is a pointer", "is a Git LFS pointer", shards({u"a.safetensors"_s}, kPointer)},
        {"tokenizer.json cut short", "tokenizer.json", file(u"tokenizer.json"_s, "{\"model\":")},
    };
    return table;
}

} // namespace

class TestBrokenModels : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void init() { m_folder = std::make_unique<Folder>(); }
    void sayOneSentence_data();
    void sayOneSentence();
    void extraTensorsAreOnlyRemarked();

private:
    std::unique_ptr<Folder> m_folder;
};

void TestBrokenModels::initTestCase()
{
    if (!QFile::exists(qEnvironmentVariable("HEADSCOPE_CLI")))
        QSKIP("HEADSCOPE_CLI names no program; ctest sets it.");
}

void TestBrokenModels::sayOneSentence_data()
{
    QTest::addColumn<int>("row");
    for (std::size_t i = 0; i < rows().size(); ++i)
        QTest::newRow(rows()[i].name) << static_cast<int>(i);
}

void TestBrokenModels::sayOneSentence()
{
    QFETCH(int, row);
    const Row& broken = rows()[static_cast<std::size_t>(row)];
    const QString model = m_folder->copiedModel();
    broken.damage(model);
    // A session is not even made.
    VERIFY_FAILS(run({u"score"_s, model, u"--task"_s, u"toy_mc"_s, u"--limit"_s, u"4"_s, u"--json"_s, u"--session"_s,
                      m_folder->path(u"never"_s)}),
                 broken.said);
    QVERIFY(!QFile::exists(m_folder->path(u"never"_s)));
}

void TestBrokenModels::extraTensorsAreOnlyRemarked()
{
    const QString model = m_folder->copiedModel();
    config("\"num_hidden_layers\": 4", "\"num_hidden_layers\": 3")(model);
    const Outcome outcome = run({u"info"_s, model, u"--json"_s});
    VERIFY_DONE(outcome);
    QVERIFY2(outcome.out.contains(
                 "9 tensors of the checkpoint are not used, the first is 'model.layers.3.input_layernorm.weight'"),
             outcome.out.constData());
}

QTEST_GUILESS_MAIN(TestBrokenModels)
#include "tst_brokenmodels.moc"
