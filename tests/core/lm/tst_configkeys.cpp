// SPDX-License-Identifier: GPL-3.0-or-later
// What each key of config.json does, against transformers: tests/data/configkeys holds other values for every key of
// every family's config class and what they change (tests/reference/config_keys.py made it). A value that changes the
// reference's logits changes ours in the same way, is refused, or its key is listed when the model is opened.
#include "core/io/safetensors/checkpoint.h"
#include "core/io/safetensors/safetensors.h"
#include "core/io/textfiles/pythonjson.h"
#include "core/lm/family.h"
#include "core/lm/familykind.h"
#include "core/lm/load.h"
#include "tests/support/packedtext.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <nlohmann/json.hpp>

#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

using namespace headscope;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

const fs::path kData = fs::path(HEADSCOPE_SOURCE_DIR) / "tests" / "data";

constexpr double kTolerance = 1e-3; // of a digest's number, from another release of torch than the goldens

/// Two logits of the last tokens and the mean magnitude of all, as config_keys.py has them.
using Digest = std::array<double, 3>;

/// A small model whose config is changed again and again.
struct Model {
    json file;
    std::shared_ptr<const io::Checkpoint> checkpoint;
    at::Tensor ids;

    explicit Model(const fs::path& folder) : checkpoint(*io::Checkpoint::open(folder))
    {
        std::ifstream in(folder / "config.json");
        const std::string text(std::istreambuf_iterator<char>(in), {});
        file = *io::parsePythonJson(text);
        const auto tensors = *io::SafetensorsFile::open(folder / "expected.safetensors");
        const io::TensorInfo* info = tensors->find("input_ids");
        ids = at::empty(info->shape, at::kLong);
        const auto bytes = tensors->bytes(*info);
        std::memcpy(ids.data_ptr(), bytes.data(), bytes.size());
    }
    /// The keys of the text, which are those of the file or of an object in it.
    [[nodiscard]] json& keys() { return file.contains("text_config") ? file["text_config"] : file; }
    [[nodiscard]] Result<lm::LoadedModel> opened() const
    {
        const auto config = lm::Config::parse(file.dump());
        return config.has_value() ? lm::load(*config, checkpoint, {"cpu", "fp32"}) : config.error();
    }
    [[nodiscard]] Digest digest(const lm::Model& model) const
    {
        const at::NoGradGuard noGrad;
        const at::Tensor logits = model.logits(ids);
        return {logits[0][-1][5].item<double>(), logits[1][-1][7].item<double>(), logits.abs().mean().item<double>()};
    }
};

bool close(const Digest& a, const Digest& b)
{
    for (std::size_t i = 0; i < a.size(); ++i)
        if (!(std::abs(a[i] - b[i]) <= kTolerance * std::max(1.0, std::abs(b[i]))))
            return false;
    return true;
}

/// The names of the keys that a row sets or leaves out.
std::set<std::string> keysOf(const json& row)
{
    std::set<std::string> names;
    const json changed = row.value("set", json::object());
    for (const auto& [key, value] : changed.items())
        names.insert(key);
    for (const json& key : row.value("drop", json::array()))
        names.insert(key);
    return names;
}

/// Whether a warning names one of the keys or something in one of them.
bool says(const std::vector<std::string>& warnings, const std::set<std::string>& keys)
{
    return std::any_of(keys.begin(), keys.end(), [&](const std::string& key) {
        return std::any_of(warnings.begin(), warnings.end(), [&key](const std::string& warning) {
            return warning.find("'" + key + "'") != std::string::npos
                   || warning.find("'" + key + ".") != std::string::npos;
        });
    });
}

/// What the values of each key at the top do here, for the table of the manual: printed to the file that
/// HEADSCOPE_CONFIG_TABLE names.
class KeyUse
{
public:
    enum Kind { Read, Refused, Listed, Ignored };
    void add(const json& row, Kind kind)
    {
        for (const std::string& key : keysOf(row))
            if (keysOf(row).size() == 1)
                m_kinds[key].insert(kind);
    }
    void print(const std::string& model) const
    {
        const QString file = qEnvironmentVariable("HEADSCOPE_CONFIG_TABLE");
        if (file.isEmpty())
            return;
        std::array<std::string, 4> cells;
        for (const auto& [key, kinds] : m_kinds)
            for (const Kind kind : {Read, Refused, Listed, Ignored})
                if (kinds.contains(kind) && (kind == Refused || kind == *kinds.begin() || *kinds.begin() == Refused)) {
                    cells[kind] += (cells[kind].empty() ? "" : ", ") + key;
                    if (kind != Refused)
                        break;
                }
        std::ofstream(file.toStdString(), std::ios::app)
            << "| " << model << " | " << cells[Read] << " | " << cells[Refused] << " | " << cells[Listed] << " | "
            << cells[Ignored] << " |\n";
    }

private:
    std::map<std::string, std::set<Kind>> m_kinds;
};

} // namespace

class TestConfigKeys : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void everyFamilyHasItsTable();
    void changedKeysActAsInTheReference_data();
    void changedKeysActAsInTheReference();
    void publishedConfigsHaveNoUnreadKey_data();
    void publishedConfigsHaveNoUnreadKey();
    void unreadKeysAreListedOnce();
    void prefixModelsAreRefusedByName();
    void longFactorsAreNumbersToDivideBy();
    void zambaPlacesItsTransformersByRule();
    void generationConfigSaysWhereToStop();
    void textsEndWhereAttentionChanges_data();
    void textsEndWhereAttentionChanges();
    void nearestFamiliesAreOfTheSameKind_data() { publishedConfigsHaveNoUnreadKey_data(); }
    void nearestFamiliesAreOfTheSameKind();
};

void TestConfigKeys::changedKeysActAsInTheReference_data()
{
    QTest::addColumn<QString>("table");
    for (const auto& entry : fs::directory_iterator(kData / "configkeys"))
        if (entry.path().extension() == ".z")
            QTest::newRow(entry.path().stem().stem().c_str()) << QString::fromStdString(entry.path().string());
}

void TestConfigKeys::changedKeysActAsInTheReference()
{
    QFETCH(QString, table);
    std::istringstream in(testing::packedText(table.toStdString()).toStdString());
    std::string line;
    QVERIFY(std::getline(in, line));
    const json head = json::parse(line);
    Model model(kData / head["model"].get<std::string>());
    const json published = model.keys();
    const Digest unchanged = head["result"];
    std::set<std::string> different; // rows that are known to differ, each with a reason
    for (const json& row : json::parse(std::ifstream(kData / "configkeys" / "different.json"))
                               .value(fs::path(table.toStdString()).stem().stem().string(), json::array()))
        different.insert(row.at("row").get<std::string>());
    std::string wrong;
    KeyUse uses;
    int rows = 0;
    while (std::getline(in, line)) {
        const json row = json::parse(line);
        model.keys() = row.value("saved", false) ? head["saved"] : published;
        model.keys().update(row.value("set", json::object()));
        for (const json& key : row.value("drop", json::array()))
            model.keys().erase(key.get<std::string>());
        ++rows;
        const auto opened = model.opened();
        const json& result = row["result"];
        const bool ends = opened.has_value() && opened->model->spec().endsThere
                          && model.ids.size(1) > opened->model->spec().maxPositions;
        if (!opened.has_value() || ends) { // a key may be left out, and what transformers saves opens; other values
                                           // may not
            uses.add(row, KeyUse::Refused);
            if (result == "same" && !row.contains("set"))
                wrong += "refused: " + line + " " + (ends ? "text" : opened.error().message) + "\n";
            continue;
        }
        // Where the reference refuses a value that is left aside here, nothing is computed in another way; where it
        // refuses null, the class's default is taken.
        const json changed = row.value("set", json::object());
        if (result == "error" && std::all_of(changed.begin(), changed.end(), [](const json& v) { return v.is_null(); })
            && !changed.empty())
            continue;
        const bool alone = result == "same" || result == "error";
        const Digest ours = model.digest(*opened->model);
        const bool said = says(opened->warnings, keysOf(row));
        uses.add(row, !close(ours, unchanged) ? KeyUse::Read : said ? KeyUse::Listed : KeyUse::Ignored);
        const bool silent = !said && !close(ours, alone ? unchanged : result.get<Digest>());
        if (silent && different.erase(line) == 0)
            wrong += "silent: " + line + " " + json(ours).dump() + "\n";
    }
    for (const std::string& row : different)
        wrong += "in different.json, but acts as in the reference: " + row + "\n";
    uses.print(fs::path(table.toStdString()).stem().stem().string());
    QVERIFY(rows > 50);
    QVERIFY2(wrong.empty(), wrong.c_str());
}

void TestConfigKeys::publishedConfigsHaveNoUnreadKey_data()
{
    QTest::addColumn<QString>("folder");
    for (const char* place : {"golden", "variants"})
        for (const auto& entry : fs::recursive_directory_iterator(kData / place))
            if (fs::exists(entry.path() / "config.json") && fs::exists(entry.path() / "model.safetensors"))
                QTest::newRow(fs::relative(entry.path(), kData).c_str())
                    << QString::fromStdString(entry.path().string());
}

// The small models have the fields of published ones: none of those is worth a word.
void TestConfigKeys::publishedConfigsHaveNoUnreadKey()
{
    QFETCH(QString, folder);
    const auto model = lm::inspect(folder.toStdString(), {"cpu", "fp32"});
    QVERIFY2(model.has_value(), model.has_value() ? "" : model.error().message.c_str());
    for (const std::string& warning : model->warnings)
        QVERIFY2(warning.find("are not used") == std::string::npos, warning.c_str());
}

// Every family that transformers has too. A new one needs its table.
void TestConfigKeys::everyFamilyHasItsTable()
{
    std::set<std::string> missing;
    for (const std::string& family : lm::familyNames())
        missing.insert(family);
    for (const auto& entry : fs::directory_iterator(kData / "configkeys")) {
        if (entry.path().extension() != ".z")
            continue;
        std::istringstream in(testing::packedText(entry.path()).toStdString());
        std::string line;
        if (std::getline(in, line))
            missing.erase(json::parse(line)["saved"]["model_type"]);
    }
    const std::set<std::string> notInTransformers{"llamba", "hybrid_llamba", "rwkv7", "mamba_original",
                                                  "mamba2_original"};
    const std::set<std::string> builtAsAnother{"qwen2_vl_text", "qwen2_5_vl_text", "qwen3_vl_text", "kimi_k2"};
    for (const auto& known : {notInTransformers, builtAsAnother})
        for (const std::string& family : known)
            missing.erase(family);
    for (const std::string& family : missing)
        QVERIFY2(false, family.c_str());
}

// Also in objects; null and what changes no result in any family need no word.
void TestConfigKeys::unreadKeysAreListedOnce()
{
    Model model(kData / "golden" / "llama");
    model.file.update({{"qk_norm", true},
                       {"rope_scaling", {{"rope_type", "linear"}, {"factor", 2.0}, {"ramp", 3}}},
                       {"residual_scale", nullptr},
                       {"hidden_dropout", 0.1},
                       {"bad\nkey", 1}});
    const auto opened = model.opened();
    QVERIFY(opened.has_value());
    QCOMPARE(opened->warnings.size(), std::size_t{1});
    QCOMPARE(opened->warnings.front(),
             std::string("These keys of config.json are not used: 'bad?key', 'qk_norm', 'rope_scaling.ramp'. If the "
                         "model's own code uses one of them, its results differ from those here."));
}

void TestConfigKeys::prefixModelsAreRefusedByName()
{
    const auto config = lm::Config::parse(R"({"model_type": "paligemma", "text_config": {"model_type": "gemma2"}})");
    QVERIFY(config.has_value());
    const auto spec = lm::describe(*config);
    QVERIFY(!spec.has_value());
    QVERIFY2(spec.error().message.starts_with("PaliGemma reads its prompt in both directions"),
             spec.error().message.c_str());
}

void TestConfigKeys::longFactorsAreNumbersToDivideBy()
{
    for (const char* key : {"long_factor", "short_factor"})
        for (const double factor : {0.0, -2.0, 1e-320}) {
            json scaling{{"type", "longrope"}, {"long_factor", {1, 2, 3, 4}}, {"short_factor", {1, 2, 3, 4}}};
            scaling[key][2] = factor;
            const auto spec = lm::describe(lm::Config(json{{"model_type", "phi3"},
                                                           {"hidden_size", 32},
                                                           {"intermediate_size", 64},
                                                           {"num_attention_heads", 4},
                                                           {"num_hidden_layers", 2},
                                                           {"vocab_size", 64},
                                                           {"max_position_embeddings", 128},
                                                           {"original_max_position_embeddings", 64},
                                                           {"rope_scaling", scaling}}));
            QVERIFY(!spec.has_value());
            QVERIFY2(spec.error().message.find("'" + std::string(key) + "' has a factor that is not positive")
                         != std::string::npos,
                     spec.error().message.c_str());
        }
}

// The third layer, and of those behind it each whose number from there leaves the offset.
void TestConfigKeys::zambaPlacesItsTransformersByRule()
{
    const auto spec = lm::describe(lm::Config(json{{"model_type", "zamba"},
                                                   {"hidden_size", 32},
                                                   {"num_attention_heads", 4},
                                                   {"num_key_value_heads", 4},
                                                   {"num_hidden_layers", 12},
                                                   {"attn_layer_period", 4},
                                                   {"attn_layer_offset", 1}}));
    QVERIFY2(spec.has_value(), spec.has_value() ? "" : spec.error().message.c_str());
    std::vector<int> hybrid;
    for (std::size_t i = 0; i < spec->layers.size(); ++i)
        if (spec->layers[i].mixers.size() == 2)
            hybrid.push_back(static_cast<int>(i));
    QCOMPARE(hybrid, (std::vector<int>{2, 4, 8}));
}

// As in transformers, its list takes precedence over config.json's; unsupported settings are reported in a warning.
void TestConfigKeys::generationConfigSaysWhereToStop()
{
    const std::filesystem::path golden = std::filesystem::path(HEADSCOPE_SOURCE_DIR) / "tests/data/golden/llama";
    const QTemporaryDir folder;
    const std::filesystem::path copy = folder.path().toStdString();
    for (const char* name : {"config.json", "model.safetensors"})
        std::filesystem::copy_file(golden / name, copy / name);
    const auto opened = [&](const char* generation) {
        if (generation)
            std::ofstream(copy / "generation_config.json") << generation;
        return lm::load(copy, {"cpu", "fp32"});
    };
    const auto plain = opened(nullptr);
    QVERIFY(plain.has_value());
    QCOMPARE(plain->model->spec().stopIds, plain->model->spec().eosIds);
    const auto listed = opened(R"({"eos_token_id": [3, 9], "repetition_penalty": 1.0, "temperature": 0.6})");
    QVERIFY(listed.has_value());
    QCOMPARE(listed->model->spec().stopIds, (std::vector<int>{3, 9}));
    QCOMPARE(listed->warnings.size(), plain->warnings.size());
    QCOMPARE(listed->contentHash, plain->contentHash); // what is stored of the model stays its own
    const auto penal = opened(R"({"repetition_penalty": 1.05, "suppress_tokens": [1]})");
    QVERIFY(penal.has_value());
    QCOMPARE(penal->model->spec().stopIds, plain->model->spec().eosIds);
    QVERIFY(penal->warnings.back().find("'repetition_penalty', 'suppress_tokens'") != std::string::npos);
    QVERIFY(!opened(R"({"eos_token_id": "x"})").has_value());
}

void TestConfigKeys::textsEndWhereAttentionChanges_data()
{
    QTest::addColumn<QString>("folder");
    QTest::addColumn<QString>("key");
    QTest::addColumn<int>("value");
    QTest::newRow("chosen keys") << "deepseek_v32"
                                 << "index_topk" << 4;
    QTest::newRow("chunks") << "llama4_text"
                            << "attention_chunk_size" << 4;
    QTest::newRow("temperature") << "llama4_text"
                                 << "floor_scale" << 5;
}

// Beyond, the reference would read less or otherwise: refused, and said when the model is opened.
void TestConfigKeys::textsEndWhereAttentionChanges()
{
    QFETCH(const QString, folder);
    QFETCH(const QString, key);
    QFETCH(const int, value);
    Model model(kData / "golden" / "hub" / folder.toStdString());
    model.keys()[key.toStdString()] = value;
    const auto opened = model.opened();
    QVERIFY(opened.has_value());
    QCOMPARE(opened->model->spec().maxPositions, 4);
    QCOMPARE(opened->warnings.size(), std::size_t{1});
    QVERIFY2(opened->warnings.front().find("up to 4 tokens") != std::string::npos, opened->warnings.front().c_str());
    const at::NoGradGuard noGrad;
    const at::Tensor four = opened->model->logits(model.ids.narrow(1, 0, 4));
    QVERIFY_THROWS_EXCEPTION(std::runtime_error, opened->model->logits(model.ids.narrow(1, 0, 5)));
    model.keys()[key.toStdString()] = 64;
    const auto whole = model.opened();
    QVERIFY(whole.has_value());
    QVERIFY(at::allclose(whole->model->logits(model.ids).narrow(1, 0, 4), four, 0, 1e-4));
}

// A family that is not known, with the keys of one that is.
void TestConfigKeys::nearestFamiliesAreOfTheSameKind()
{
    QFETCH(QString, folder);
    const auto config = lm::Config::load(folder.toStdString());
    QVERIFY(config.has_value());
    const std::string family = *config->family();
    const std::vector<std::string> nearest = lm::nearestFamilies(*config, "elephant");
    QCOMPARE(nearest.size(), std::size_t{3});
    QVERIFY2(lm::familyKind(nearest.front()) == lm::familyKind(family), (family + ": " + nearest.front()).c_str());
    QVERIFY(lm::nearestFamilies(*config, "gemma").front().starts_with("gemma")); // of the same line
}

QTEST_GUILESS_MAIN(TestConfigKeys)
#include "tst_configkeys.moc"
