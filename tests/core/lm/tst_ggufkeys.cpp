// SPDX-License-Identifier: GPL-3.0-or-later
// The metadata of GGUF files: each key changes the numbers, is listed at load, or the file is refused; and those that
// change them make the numbers of the config.json that says the same.
#include "core/io/gguf/gguffile.h"
#include "core/lm/load.h"
#include "tests/support/ggufedit.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <nlohmann/json.hpp>

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>

using namespace headscope;
using ggufedit::stored;
using ggufedit::storedList;
namespace fs = std::filesystem;

namespace {

const fs::path kData = fs::path(HEADSCOPE_SOURCE_DIR) / "tests" / "data";

/// What llama.cpp reads of an architecture in general or for one of ours, what it reads for others, and what nobody
/// reads.
const std::vector<std::string> kKeys = {"activation.situ_beta",
                                        "attention.causal",
                                        "attention.clamp_kqv",
                                        "attention.group_norm_epsilon",
                                        "attention.head_count",
                                        "attention.head_count_kv",
                                        "attention.indexer.top_k",
                                        "attention.key_length",
                                        "attention.key_length_mla",
                                        "attention.key_length_swa",
                                        "attention.kv_lora_rank",
                                        "attention.layer_norm_epsilon",
                                        "attention.layer_norm_rms_epsilon",
                                        "attention.max_alibi_bias",
                                        "attention.nobody_knows_it",
                                        "attention.output_scale",
                                        "attention.q_lora_rank",
                                        "attention.recurrent_layers",
                                        "attention.rope_pattern",
                                        "attention.scale",
                                        "attention.shared_kv_layers",
                                        "attention.sliding_window",
                                        "attention.sliding_window_pattern",
                                        "attention.temperature_length",
                                        "attention.temperature_scale",
                                        "attention.value_length",
                                        "attention.value_length_mla",
                                        "attention.value_length_swa",
                                        "attention.value_scale",
                                        "attn_logit_softcapping",
                                        "block_count",
                                        "context_length",
                                        "decoder_block_count",
                                        "deepstack_mapping",
                                        "embedding_length",
                                        "embedding_length_out",
                                        "embedding_scale",
                                        "expert_count",
                                        "expert_feed_forward_length",
                                        "expert_gating_func",
                                        "expert_group_count",
                                        "expert_shared_count",
                                        "expert_used_count",
                                        "expert_weights_norm",
                                        "expert_weights_scale",
                                        "feed_forward_length",
                                        "final_logit_softcapping",
                                        "full_attention_interval",
                                        "hidden_activation",
                                        "interleave_moe_layer_step",
                                        "leading_dense_block_count",
                                        "logit_scale",
                                        "moe_every_n_layers",
                                        "nextn_predict_layers",
                                        "num_loops",
                                        "pooling_type",
                                        "rescale_every_n_layers",
                                        "residual_scale",
                                        "rope.dimension_count",
                                        "rope.dimension_count_swa",
                                        "rope.dimension_sections",
                                        "rope.freq_base",
                                        "rope.freq_base_swa",
                                        "rope.scale_linear",
                                        "rope.scaling.alpha",
                                        "rope.scaling.attn_factor",
                                        "rope.scaling.factor",
                                        "rope.scaling.original_context_length",
                                        "rope.scaling.type",
                                        "rope.scaling.yarn_attn_factor",
                                        "rope.scaling.yarn_beta_fast",
                                        "rope.scaling.yarn_beta_slow",
                                        "rope.scaling.yarn_ext_factor",
                                        "rope.scaling.yarn_log_multiplier",
                                        "shortconv.l_cache",
                                        "ssm.conv_kernel",
                                        "ssm.dt_b_c_rms",
                                        "ssm.group_count",
                                        "ssm.inner_size",
                                        "ssm.state_size",
                                        "ssm.time_step_rank",
                                        "swiglu_clamp_exp",
                                        "token_shift_count",
                                        "use_parallel_residual",
                                        "wkv.head_size"};

/// Those that may change nothing: what the tensors say is used, and a note of the converter's.
const std::vector<std::string> kHarmless = {"vocab_size", "rope.scaling.finetuned", "tensor_data_layout"};

struct Opened {
    std::string error;
    at::Tensor logits;
    int positions = 0;
    std::vector<std::string> warnings;
};

Opened openedAt(const fs::path& model)
{
    const auto loaded = lm::load(model, {"cpu", "fp32"});
    if (!loaded.has_value())
        return {loaded.error().message, {}, 0, {}};
    const at::NoGradGuard noGrad;
    return {{},
            loaded->model->logits(at::arange(1, 15, at::kLong).unsqueeze(0)),
            loaded->model->spec().maxPositions,
            loaded->warnings};
}

/// Every GGUF fixture of a whole model.
QStringList formNames()
{
    QStringList names;
    for (const auto& entry : fs::directory_iterator(kData / "forms"))
        if (entry.path().extension() == ".gguf" && entry.path().stem() != "blocks"
            && !entry.path().stem().string().starts_with("vocabulary"))
            names.append(QString::fromStdString(entry.path().stem().string()));
    names.sort();
    return names;
}

/// What the keys of its architecture begin with.
std::string prefixOf(const QString& model)
{
    const auto file = io::GgufFile::open(kData / "forms" / (model.toStdString() + ".gguf"));
    return *(*file)->header().text("general.architecture") + ".";
}

bool mentioned(const std::vector<std::string>& warnings, const std::string& what)
{
    return std::ranges::any_of(warnings, [&](const std::string& one) { return one.find(what) != one.npos; });
}

std::string joined(const std::vector<std::string>& lines)
{
    std::string all;
    for (const std::string& line : lines)
        all += line + "\n";
    return all;
}

} // namespace

class TestGgufKeys : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }
    void noKeyIsDroppedInSilence_data();
    void noKeyIsDroppedInSilence();
    void aFileOfTheConverterIsReadWithoutAWord_data();
    void aFileOfTheConverterIsReadWithoutAWord();
    void makesTheNumbersOfTheSameConfig_data();
    void makesTheNumbersOfTheSameConfig();
    void refusesWhatIsNotComputed_data();
    void refusesWhatIsNotComputed();
    void refusesAFileWithoutItsEpsilon();
    void refusesLayersAtOddDistances();
    void readsTheHeadsOfOlderDeepseekFiles();
    void saysWhereLogitsMayLackAMultiplier();
    void refusesAVocabularyAlone();
    void refusesFactorsThatAreNone_data();
    void refusesFactorsThatAreNone();
    void refusesHeadsThatDoNotFit_data();
    void refusesHeadsThatDoNotFit();
    void refusesKeyHeadsThatNoKeyStates();
    void listsTensorsWithoutAPlace();
    void windowsFollowTheirPattern();
    void withoutAWindowTheWholeTextIsSeen();
    void anEndOfTurnEndsWhatIsGenerated();
    void partsOfPositionsSayHowPairsLie();

private:
    [[nodiscard]] fs::path written(const ggufedit::File& file) const
    {
        const fs::path path = fs::path(m_folder->path().toStdString()) / "model.gguf";
        fs::remove(path);
        file.write(path);
        return path;
    }
    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestGgufKeys::noKeyIsDroppedInSilence_data()
{
    QTest::addColumn<QString>("model");
    QTest::addColumn<bool>("yarn");
    for (const QString& model : formNames())
        QTest::newRow(qPrintable(model)) << model << false;
    for (const char* model : {"llama", "qwen2", "qwen3", "gemma2"})
        QTest::newRow(qPrintable(QStringLiteral("%1 with YaRN").arg(QLatin1String(model))))
            << QString::fromLatin1(model) << true;
}

void TestGgufKeys::noKeyIsDroppedInSilence()
{
    QFETCH(const QString, model);
    QFETCH(const bool, yarn);
    ggufedit::File base(kData / "forms" / (model.toStdString() + ".gguf"));
    const std::string prefix = prefixOf(model);
    if (yarn) {
        base.values[prefix + "rope.scaling.type"] = stored(std::string("yarn"));
        base.values[prefix + "rope.scaling.factor"] = stored(4.0);
        base.values[prefix + "rope.scaling.original_context_length"] = stored(std::uint32_t{16});
    }
    if (model == QLatin1String("gemma3_text")) // so that one of its layers sees the whole text
        base.values[prefix + "attention.sliding_window_pattern"] = stored(std::uint32_t{2});
    const Opened before = openedAt(written(base));
    QVERIFY2(before.error.empty(), before.error.c_str());
    int changed = 0, listed = 0, refused = 0;
    std::vector<std::string> keys = kKeys;
    for (std::string& key : keys)
        key = prefix + key;
    for (const auto& [key, value] : base.values)
        if (key.starts_with(prefix) && std::ranges::find(keys, key) == keys.end())
            keys.push_back(key);
    keys.insert(keys.end(), {"bert.attention.scale", "new.key", "xielu.alpha_n", "tokenizer.ggml.new_rule"});
    for (const std::string& key : keys)
        for (const std::string& value : {stored(std::uint32_t{50}), stored(std::uint32_t{1}), stored(0.37), stored(2.0),
                                         stored(key != prefix + "attention.causal"), stored(std::string("odd")),
                                         storedList({1, 2}), stored(std::nan(""))}) {
            ggufedit::File file = base;
            if (std::exchange(file.values[key], value) == value)
                continue;
            const std::string own = key.substr(key.starts_with(prefix) ? prefix.size() : 0);
            const bool isOne = value == stored(std::uint32_t{1}) || value == stored(true);
            // YaRN's ramp begins and ends at whole dimensions, so that of these few most values cut it alike; and every
            // number but 0 is true.
            const bool ramp = own == "rope.scaling.original_context_length" || own.find("yarn_beta") != own.npos;
            // Of Qwen's experts one is shared, and after the second their weights add up to 1: what they are anyway.
            const bool already = (own == "expert_shared_count" && model.startsWith(QLatin1String("qwen")))
                                 || (own == "expert_weights_norm" && model != QLatin1String("qwen2_moe"));
            // A window longer than the text, a pattern that two layers do not show, a sum that the file states
            // whole, the base of the one frequency that is 1, and what is there already as another type.
            const bool unseen =
                own.starts_with("attention.sliding_window")
                || (own == "rope.scaling.yarn_log_multiplier"
                    && base.values.contains(prefix + "rope.scaling.yarn_attn_factor"))
                || (own == "expert_gating_func" && value == stored(2.0))
                || own == "full_attention_interval" // a list says which layers attend
                || own == "rope.dimension_sections" // of a text's one position
                || ((own == "expert_weights_norm" || own == "rope.freq_base") && model == QLatin1String("glm4_moe"))
                || (own == "expert_shared_count" && model == QLatin1String("nemotron_h_moe")) // their width counts
                || (own == "expert_weights_norm"
                    && (model == QLatin1String("deepseek_v3") || model == QLatin1String("nemotron_h_moe")))
                || ((own == "rope.freq_base" || own == "rope.dimension_count") // nothing rotates
                    && (model == QLatin1String("jamba") || model == QLatin1String("granitemoehybrid")
                        || model.startsWith(QLatin1String("nemotron_h"))));
            const bool neutral = unseen
                                 || (isOne
                                     && (already || own.find("scal") != own.npos || own.find("expert_g") != own.npos
                                         || own == "attention.causal"))
                                 || ramp || own == "ssm.dt_b_c_rms";
            const fs::path path = written(file);
            const auto opened = io::GgufFile::open(path);
            if (!opened.has_value() || !io::ggufConfig(**opened).has_value()) {
                ++refused;
                continue;
            }
            if (mentioned((*opened)->warnings(), key)) {
                ++listed;
                continue;
            }
            const Opened after = openedAt(path);
            if (!after.error.empty()) {
                ++refused;
                continue;
            }
            const bool differs = after.logits.sizes() != before.logits.sizes()
                                 || !at::equal(after.logits, before.logits) || after.positions != before.positions;
            changed += differs ? 1 : 0;
            if (!differs && !neutral && std::ranges::find(kHarmless, own) == kHarmless.end()
                && !(model.contains(QLatin1String("mamba")) && own == "context_length")
                && !(base.values.contains(prefix + "expert_feed_forward_length")
                     && (model.startsWith(QLatin1String("qwen")) || model == QLatin1String("gpt_oss"))
                     && own == "feed_forward_length")) // each layer has experts
                QFAIL(qPrintable(QStringLiteral("%1 of type %2 was dropped in silence")
                                     .arg(QString::fromStdString(key))
                                     .arg(static_cast<int>(value[0]))));
        }
    qInfo("%d changed the numbers, %d were listed, %d refused", changed, listed, refused);
    QVERIFY(changed > 3 && listed > 100 && refused > 10);
}

void TestGgufKeys::aFileOfTheConverterIsReadWithoutAWord_data()
{
    QTest::addColumn<QString>("model");
    for (const QString& model : formNames())
        QTest::newRow(qPrintable(model)) << model;
}

void TestGgufKeys::aFileOfTheConverterIsReadWithoutAWord()
{
    QFETCH(const QString, model);
    ggufedit::File file(kData / "forms" / (model.toStdString() + ".gguf"));
    const std::string prefix = prefixOf(model);
    for (const char* key : {"general.name", "general.license", "quantize.imatrix.file", "tokenizer.chat_template",
                            "tokenizer.ggml.model", "tokenizer.ggml.pre"})
        file.values[key] = stored(std::string("some"));
    for (const char* key : {"general.file_type", "general.quantization_version", "tokenizer.ggml.padding_token_id",
                            "tokenizer.ggml.eot_token_id"})
        file.values[key] = stored(std::uint32_t{0});
    file.values["general.type"] = stored(std::string("model"));
    file.values["tokenizer.ggml.add_sep_token"] = stored(false);
    file.values[prefix + "vocab_size"] = stored(std::uint32_t{48});
    file.values[prefix + "attention.causal"] = stored(true);
    if (model.contains(QLatin1String("mamba"))) {
        file.values[prefix + "feed_forward_length"] = stored(std::uint32_t{0});
        file.values[prefix + "attention.head_count"] = stored(std::uint32_t{0});
    }
    const Opened opened = openedAt(written(file));
    QVERIFY2(opened.error.empty() && opened.warnings.empty(), (opened.error + joined(opened.warnings)).c_str());
}

void TestGgufKeys::makesTheNumbersOfTheSameConfig_data()
{
    QTest::addColumn<QByteArray>("scaling");  // rope_scaling of config.json
    QTest::addColumn<QByteArray>("metadata"); // under llama.rope.
    QTest::addColumn<QByteArray>("said");     // of which a warning speaks
    const auto row = [](const char* name, const char* scaling, const char* metadata, const char* said) {
        QTest::newRow(name) << QByteArray(scaling) << QByteArray(metadata) << QByteArray(said);
    };
    row("YaRN", R"({"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16})",
        R"({"scaling.type": "yarn", "scaling.factor": 4.0, "scaling.original_context_length": 16})", "");
    // llama.cpp multiplies its own factor of YaRN (0.1 ln 4 + 1) by attn_factor.
    row("YaRN with attn_factor",
        R"({"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16, "attention_factor": 0.5693147180559945})",
        R"({"scaling.type": "yarn", "scaling.factor": 4.0, "scaling.original_context_length": 16, "scaling.attn_factor": 0.5})",
        "");
    row("YaRN with betas",
        R"({"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16, "beta_fast": 4.0, "beta_slow": 2.0})",
        R"({"scaling.type": "yarn", "scaling.factor": 4.0, "scaling.original_context_length": 16,
            "scaling.yarn_beta_fast": 4.0, "scaling.yarn_beta_slow": 2.0})",
        "yarn_beta_fast', 'rope.scaling.yarn_beta_slow'");
    row("YaRN with its usual betas", R"({"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16})",
        R"({"scaling.type": "yarn", "scaling.factor": 4.0, "scaling.original_context_length": 16,
            "scaling.yarn_beta_fast": 32.0, "scaling.yarn_beta_slow": 1.0, "scaling.attn_factor": 1.0})",
        "");
    row("YaRN with a log multiplier",
        R"({"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16, "mscale": 1.0, "mscale_all_dim": 0.5})",
        R"({"scaling.type": "yarn", "scaling.factor": 4.0, "scaling.original_context_length": 16, "scaling.yarn_log_multiplier": 0.5})",
        "yarn_log_multiplier");
    row("YaRN with a factor of transformers'",
        R"({"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16, "attention_factor": 0.75})",
        R"({"scaling.type": "yarn", "scaling.factor": 4.0, "scaling.original_context_length": 16, "scaling.yarn_attn_factor": 0.75})",
        "yarn_attn_factor");
    row("YaRN of the whole context", R"({"rope_type": "yarn", "factor": 4.0})",
        R"({"scaling.type": "yarn", "scaling.factor": 4.0})", "");
    row("linear", R"({"rope_type": "linear", "factor": 4.0})", R"({"scaling.type": "linear", "scaling.factor": 4.0})",
        "");
    row("linear without a type", R"({"rope_type": "linear", "factor": 4.0})", R"({"scaling.factor": 4.0})", "");
    row("linear under the old key", R"({"rope_type": "linear", "factor": 4.0})", R"({"scale_linear": 4.0})", "");
    row("attn_factor alone", R"({"rope_type": "yarn", "factor": 1.0, "attention_factor": 0.5})",
        R"({"scaling.attn_factor": 0.5})", "");
    row("none beside a factor", R"({"rope_type": "default"})", R"({"scaling.type": "none", "scaling.factor": 4.0})",
        "rope.scaling.factor");
}

void TestGgufKeys::makesTheNumbersOfTheSameConfig()
{
    QFETCH(const QByteArray, scaling);
    QFETCH(const QByteArray, metadata);
    QFETCH(const QByteArray, said);
    const fs::path golden = kData / "golden" / "llama", folder = m_folder->path().toStdString();
    std::ifstream in(golden / "config.json");
    nlohmann::json config = nlohmann::json::parse(in);
    config["rope_scaling"] = nlohmann::json::parse(scaling.toStdString());
    std::ofstream(folder / "config.json") << config;
    fs::copy_file(golden / "model.safetensors", folder / "model.safetensors");
    ggufedit::File file(kData / "forms" / "llama.gguf");
    const nlohmann::json pairs = nlohmann::json::parse(metadata.toStdString());
    for (const auto& [key, value] : pairs.items())
        file.values["llama.rope." + key] = value.is_string()           ? stored(value.get<std::string>())
                                           : value.is_number_integer() ? stored(value.get<std::uint32_t>())
                                                                       : stored(value.get<double>());
    fs::create_directory(folder / "gguf");
    file.write(folder / "gguf" / "model.gguf");
    const Opened want = openedAt(folder), got = openedAt(folder / "gguf" / "model.gguf");
    QVERIFY2(want.error.empty() && got.error.empty(), (want.error + got.error).c_str());
    const double worst = (want.logits - got.logits).abs().max().item<double>();
    QVERIFY2(worst < 1e-5, qPrintable(QString::number(worst)));
    QVERIFY2(said.isEmpty() ? got.warnings.empty() : mentioned(got.warnings, said.toStdString()),
             joined(got.warnings).c_str());
}

void TestGgufKeys::refusesWhatIsNotComputed_data()
{
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("key");
    QTest::addColumn<QByteArray>("value");
    QTest::addColumn<QString>("words");
    const auto row = [](const char* key, const std::string& value, const char* words, const char* model = "llama") {
        QTest::newRow(key) << QString::fromLatin1(model) << QString::fromLatin1(key) << QByteArray::fromStdString(value)
                           << QString::fromLatin1(words);
    };
    row("llama.attention.causal", stored(false), "'llama.attention.causal' is false; expected true");
    row("llama.attention.scale", stored(0.9), "'llama.attention.scale' is 0.9");
    row("llama.attention.clamp_kqv", stored(8.0), "'llama.attention.clamp_kqv' is 8; expected 0");
    row("llama.attention.max_alibi_bias", stored(8.0), "max_alibi_bias");
    row("llama.attention.value_length", stored(std::uint32_t{4}), "value_length");
    row("llama.rope.dimension_count", stored(std::uint32_t{4}), "'llama.rope.dimension_count' is 4; expected 8");
    row("llama.rope.scaling.type", stored(std::string("longrope")), "is 'longrope'; expected none, linear or yarn");
    row("llama.rope.scaling.attn_factor", stored(std::nan("")), "expected a finite number");
    row("llama.feed_forward_length", storedList({32, 40}),
        "'llama.feed_forward_length' is a list of 2; expected the same");
    row("llama.attention.head_count_kv", storedList({2, 4}), "expected the same in all layers");
    row("llama.logit_scale", stored(0.5), "logit_scale");
    row("llama.residual_scale", stored(0.5), "residual_scale");
    row("llama.embedding_scale", stored(12.0), "embedding_scale");
    row("llama.attn_logit_softcapping", stored(50.0), "attn_logit_softcapping");
    row("llama.final_logit_softcapping", stored(30.0), "final_logit_softcapping");
    row("llama.use_parallel_residual", stored(true), "use_parallel_residual");
    row("llama.expert_count", stored(std::uint32_t{8}), "it has no 'llama.expert_used_count'");
    row("llama.nextn_predict_layers", stored(std::uint32_t{1}), "nextn_predict_layers");
    row("general.type", stored(std::string("adapter")), "it is of the type 'adapter'; expected a model");
    row("lfm2.attention.sliding_window", stored(std::uint32_t{8}), "is 8; expected 0", "lfm2");
    row("jamba.attention.head_count_kv", storedList({1, 2}), "expected 0 or the same in all layers", "jamba");
    row("granitehybrid.attention.head_count_kv", storedList({0, 1, 0}), "expected a number for each layer",
        "granitemoehybrid");
    row("jamba.ssm.inner_size", stored(std::uint32_t{12}), "expected a multiple of the width, 8", "jamba");
    row("deepseek2.expert_weights_norm", stored(true), "expert_weights_norm' is true; expected 0", "deepseek_v2");
    row("deepseek2.attention.temperature_scale", stored(0.1), "is 0.1; expected 0", "deepseek_v2");
    row("deepseek2.rope.dimension_count", stored(std::uint32_t{3}), "an even number below the width of a key, 6",
        "deepseek_v2");
    row("deepseek2.attention.key_length", stored(std::uint32_t{5}), "expected 8", "deepseek_v3");
}

void TestGgufKeys::refusesWhatIsNotComputed()
{
    QFETCH(const QString, model);
    QFETCH(const QString, key);
    QFETCH(const QByteArray, value);
    QFETCH(const QString, words);
    ggufedit::File file(kData / "forms" / (model.toStdString() + ".gguf"));
    file.values[key.toStdString()] = value.toStdString();
    const Opened opened = openedAt(written(file));
    QVERIFY2(QString::fromStdString(opened.error).contains(words) && opened.error.ends_with('.'), opened.error.c_str());
}

void TestGgufKeys::refusesAFileWithoutItsEpsilon()
{
    for (const auto& [model, key] :
         {std::pair("llama", "llama.attention.layer_norm_rms_epsilon"),
          std::pair("gpt2", "gpt2.attention.layer_norm_epsilon"), std::pair("mamba", "mamba.ssm.conv_kernel"),
          std::pair("mamba2", "mamba2.ssm.group_count"), std::pair("lfm2", "lfm2.shortconv.l_cache"),
          std::pair("falcon_h1", "falcon-h1.ssm.inner_size"), std::pair("jamba", "jamba.expert_used_count"),
          std::pair("deepseek_v3", "deepseek2.attention.kv_lora_rank")}) {
        ggufedit::File file(kData / "forms" / (std::string(model) + ".gguf"));
        QCOMPARE(file.values.erase(key), std::size_t{1});
        const Opened opened = openedAt(written(file));
        QVERIFY2(opened.error.find("it has no '" + std::string(key) + "'") != std::string::npos, opened.error.c_str());
    }
}

void TestGgufKeys::refusesLayersAtOddDistances()
{
    ggufedit::File file(kData / "forms" / "jamba.gguf");
    file.values["jamba.block_count"] = stored(std::uint32_t{4});
    file.values["jamba.attention.head_count_kv"] = storedList({0, 1, 1, 0});
    const Opened opened = openedAt(written(file));
    QVERIFY2(opened.error.ends_with(": its layers with attention do not follow at equal distances."),
             opened.error.c_str());
}

// Files made before keys and values were split say what the heads of the model are.
void TestGgufKeys::readsTheHeadsOfOlderDeepseekFiles()
{
    ggufedit::File file(kData / "forms" / "deepseek_v2.gguf");
    const Opened before = openedAt(written(file));
    for (const char* key : {"key", "value"}) {
        const std::string own = std::string("deepseek2.attention.") + key + "_length";
        file.values[own] = file.values[own + "_mla"];
        file.values.erase(own + "_mla");
    }
    file.values["deepseek2.attention.head_count_kv"] = stored(std::uint32_t{2});
    const Opened after = openedAt(written(file));
    QVERIFY2(before.error.empty() && after.error.empty(), (before.error + after.error).c_str());
    QVERIFY(at::equal(before.logits, after.logits));
}

void TestGgufKeys::saysWhereLogitsMayLackAMultiplier()
{
    ggufedit::File file(kData / "forms" / "falcon_h1.gguf");
    file.remove("output.weight");
    const Opened opened = openedAt(written(file));
    QVERIFY2(opened.error.empty() && mentioned(opened.warnings, "no output matrix of its own"),
             (opened.error + joined(opened.warnings)).c_str());
}

void TestGgufKeys::refusesAVocabularyAlone()
{
    const Opened opened = openedAt(kData / "forms" / "vocabulary-qwen2.gguf");
    QVERIFY2(opened.error.find("expected a whole model, not a vocabulary alone") != std::string::npos,
             opened.error.c_str());
}

void TestGgufKeys::refusesFactorsThatAreNone_data()
{
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("tensor");
    QTest::addColumn<QList<float>>("factors");
    for (const auto& [model, tensor, count] :
         {std::tuple("phi3", "rope_factors_long.weight", 3), std::tuple("phi3", "rope_factors_short.weight", 3),
          std::tuple("llama", "rope_freqs.weight", 4)}) {
        const auto row = [&](const char* what, const QList<float>& factors) {
            QTest::addRow("%s, %s", tensor, what) << model << tensor << factors;
        };
        const float infinite = std::numeric_limits<float>::infinity();
        row("one too few", QList<float>(count - 1, 1.0F));
        row("one too many", QList<float>(count + 1, 1.0F));
        for (const auto& [what, value] : {std::pair("zero", 0.0F), std::pair("negative", -1.0F),
                                          std::pair("not a number", std::nanf("")), std::pair("infinite", infinite)})
            row(what, QList<float>(count - 1, 1.0F) << value);
    }
}

void TestGgufKeys::refusesFactorsThatAreNone()
{
    QFETCH(const QString, model);
    QFETCH(const QString, tensor);
    QFETCH(const QList<float>, factors);
    ggufedit::File file(kData / "forms" / (model.toStdString() + ".gguf"));
    file.remove(tensor.toStdString());
    file.add(tensor.toStdString(), {factors.begin(), factors.end()});
    const Opened opened = openedAt(written(file));
    QVERIFY2(QString::fromStdString(opened.error).contains(tensor.section(u'.', 0, 0)) && opened.error.ends_with('.'),
             opened.error.c_str());
}

void TestGgufKeys::refusesHeadsThatDoNotFit_data()
{
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("tensor");
    QTest::addColumn<QList<quint64>>("sizes");
    QTest::addColumn<quint32>("type");
    QTest::addColumn<qsizetype>("bytes");
    constexpr quint32 kFloat = 0, kBlocks = 8; // Q8_0: 34 bytes for 32 numbers
    const auto row = [](const char* name, const char* model, const char* tensor, const QList<quint64>& sizes,
                        quint32 type, qsizetype bytes) {
        QTest::newRow(name) << QString::fromLatin1(model) << QString::fromLatin1(tensor) << sizes << type << bytes;
    };
    row("rotating list in blocks", "llama", "blk.0.attn_q.bias", {32}, kBlocks, 34);
    row("list of value heads in blocks", "qwen3_5_text", "blk.0.ssm_a", {32}, kBlocks, 34);
    row("fewer value heads", "qwen3_5_text", "blk.0.ssm_a", {5}, kFloat, 20);
    row("value heads in three dimensions", "qwen3_5_text", "blk.0.ssm_conv1d.weight", {3, 40, 2}, kFloat, 960);
    row("value heads without numbers", "qwen3_5_text", "blk.0.ssm_out.weight", {0, 8}, kFloat, 0);
}

void TestGgufKeys::refusesHeadsThatDoNotFit()
{
    QFETCH(const QString, model);
    QFETCH(const QString, tensor);
    QFETCH(const QList<quint64>, sizes);
    QFETCH(const quint32, type);
    QFETCH(const qsizetype, bytes);
    ggufedit::File file(kData / "forms" / (model.toStdString() + ".gguf"));
    file.remove(tensor.toStdString());
    file.add(tensor.toStdString(), {sizes.begin(), sizes.end()}, type,
             std::string(static_cast<std::size_t>(bytes), 'a'));
    const Opened opened = openedAt(written(file));
    QVERIFY2(!opened.error.empty() && opened.error.ends_with('.'), opened.error.c_str());
}

// Without the key there is nothing to show in its place.
void TestGgufKeys::refusesKeyHeadsThatNoKeyStates()
{
    ggufedit::File file(kData / "forms" / "gemma4_text.gguf");
    file.values.erase("gemma4.attention.head_count_kv");
    const std::string keys = "blk.0.attn_k.weight";
    file.remove(keys);
    file.add(keys, {8, 3}, 0, std::string(96, 'a')); // less than a head of four
    const Opened opened = openedAt(written(file));
    QVERIFY2(opened.error.find("'gemma4.attention.head_count_kv' is missing") != opened.error.npos,
             opened.error.c_str());
}

void TestGgufKeys::listsTensorsWithoutAPlace()
{
    ggufedit::File file(kData / "forms" / "llama.gguf");
    file.add("blk.0.attn_sinks", {1, 2, 3, 4});
    const Opened opened = openedAt(written(file));
    QVERIFY2(opened.error.empty() && mentioned(opened.warnings, "'blk.0.attn_sinks'"), joined(opened.warnings).c_str());
    file.add("rope_freqs.weight", {1, 1, 1});
    file.values["llama.rope.scaling.factor"] = stored(4.0);
    const Opened twice = openedAt(written(file));
    QVERIFY2(twice.error.find("both by metadata and by its tensor rope_freqs") != std::string::npos,
             twice.error.c_str());
}

// Converters write no window for models without one (Rnj-1 as gemma3, EXAONE 4.0 1.2B); the default windows of
// transformers' classes do not apply.
void TestGgufKeys::withoutAWindowTheWholeTextIsSeen()
{
    for (const char* model : {"gemma3_text", "exaone4"}) {
        ggufedit::File file(kData / "forms" / (std::string(model) + ".gguf"));
        std::erase_if(file.values,
                      [](const auto& value) { return value.first.find("sliding_window") != value.first.npos; });
        const Opened opened = openedAt(written(file));
        QVERIFY2(opened.error.empty(), opened.error.c_str());
        const fs::path golden = kData / "golden" / "hub" / model, folder = m_folder->path().toStdString();
        std::ifstream in(golden / "config.json");
        nlohmann::json config = nlohmann::json::parse(in);
        config["sliding_window"] = nullptr;
        config["layer_types"] = std::vector<std::string>(config["num_hidden_layers"], "full_attention");
        std::ofstream(folder / "config.json") << config;
        fs::copy_file(golden / "model.safetensors", folder / "model.safetensors", fs::copy_options::overwrite_existing);
        fs::remove(folder / "model.gguf");
        const Opened same = openedAt(folder);
        QVERIFY2(same.error.empty(), same.error.c_str());
        const double off = (opened.logits - same.logits).abs().max().item<double>(); // exaone4's factors are rounded
        QVERIFY2(off < 1e-4, qPrintable(QStringLiteral("%1: %2").arg(QLatin1String(model)).arg(off)));
    }
}

// As in llama.cpp, the end-of-turn token ends generation in addition to the end-of-text token.
void TestGgufKeys::anEndOfTurnEndsWhatIsGenerated()
{
    ggufedit::File file(kData / "forms" / "llama.gguf");
    file.values["tokenizer.ggml.eos_token_id"] = stored(std::uint32_t{2});
    file.values["tokenizer.ggml.eot_token_id"] = stored(std::uint32_t{7});
    file.values["tokenizer.ggml.eom_token_id"] = stored(std::uint32_t{2});
    const auto loaded = lm::load(written(file), {"cpu", "fp32"});
    QVERIFY(loaded.has_value());
    QCOMPARE(loaded->model->spec().stopIds, (std::vector<int>{2, 7}));
    QCOMPARE(loaded->model->spec().eosIds, std::vector<int>{2});
}

// The converter stores GLM-4's rotated pairs apart where positions have three parts, for pictures.
void TestGgufKeys::partsOfPositionsSayHowPairsLie()
{
    ggufedit::File file(kData / "forms" / "glm4.gguf");
    for (const auto& [parts, beside] : {std::pair(storedList({1, 1, 0, 0}), false), {storedList({0, 0, 0, 0}), true}}) {
        file.values["glm4.rope.dimension_sections"] = parts;
        const auto opened = io::GgufFile::open(written(file));
        QVERIFY(opened.has_value());
        const auto config = io::ggufConfig(**opened);
        QVERIFY(config.has_value() && config->warnings.empty());
        QCOMPARE(nlohmann::json::parse(config->json).at("rope_interleave").get<bool>(), beside);
    }
}

void TestGgufKeys::windowsFollowTheirPattern()
{
    ggufedit::File file(kData / "forms" / "gemma2.gguf");
    file.values["gemma2.attention.sliding_window"] = stored(std::uint32_t{3});
    const auto logitsWith = [&](const std::string& pattern) {
        file.values["gemma2.attention.sliding_window_pattern"] = pattern;
        return openedAt(written(file)).logits;
    };
    const at::Tensor everySecond = logitsWith(stored(std::uint32_t{2})), listed = logitsWith(storedList({1, 0, 1}));
    file.values.erase("gemma2.attention.sliding_window_pattern");
    QVERIFY(at::equal(everySecond, openedAt(written(file)).logits));
    QVERIFY(at::equal(everySecond, listed));
    QVERIFY(at::equal(logitsWith(stored(std::uint32_t{0})), logitsWith(storedList({1, 1, 1}))));
    QVERIFY(at::equal(logitsWith(stored(std::uint32_t{1})), logitsWith(storedList({0, 0, 0}))));
    QVERIFY(!at::equal(logitsWith(storedList({1, 1, 1})), everySecond));
    QVERIFY(!at::equal(logitsWith(storedList({0, 0, 0})), everySecond));
}

QTEST_GUILESS_MAIN(TestGgufKeys)
#include "tst_ggufkeys.moc"
