// SPDX-License-Identifier: GPL-3.0-or-later
// The fuzz targets of tests/fuzz without a fuzzer: sound inputs, changed at random from a fixed seed. A broken promise
// ends the program. libFuzzer runs the same functions for longer by hand (tests/fuzz/CMakeLists.txt).

#include <QTest>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include <unistd.h>

extern "C" int fuzzAdapter(const std::uint8_t* data, std::size_t size);
extern "C" int fuzzLens(const std::uint8_t* data, std::size_t size);
extern "C" int fuzzPacked(const std::uint8_t* data, std::size_t size);
extern "C" int fuzzYaml(const std::uint8_t* data, std::size_t size);
extern "C" int fuzzSafetensors(const std::uint8_t* data, std::size_t size);
extern "C" int fuzzConfig(const std::uint8_t* data, std::size_t size);
extern "C" int fuzzSession(const std::uint8_t* data, std::size_t size);
extern "C" int fuzzIndex(const std::uint8_t* data, std::size_t size);
extern "C" int fuzzGguf(const std::uint8_t* data, std::size_t size);
extern "C" int fuzzParquet(const std::uint8_t* data, std::size_t size);
extern "C" int fuzzPickle(const std::uint8_t* data, std::size_t size);
extern "C" int fuzzChat(const unsigned char* data, std::size_t size);
extern "C" int fuzzTokenizer(const unsigned char* data, std::size_t size);
extern "C" int fuzzImporters(const std::uint8_t* data, std::size_t size);

namespace fs = std::filesystem;

namespace {

using Target = int (*)(const std::uint8_t*, std::size_t);

std::string readAll(const fs::path& path)
{
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// Changes texts; the same seed gives the same changes.
class Mutator
{
public:
    explicit Mutator(std::uint64_t seed) : m_random(seed) {}

    /// `fixed` bytes at the front stay.
    std::string operator()(std::string text, std::size_t fixed)
    {
        for (std::size_t rounds = 1 + below(3); rounds > 0; --rounds)
            change(text, fixed);
        return text;
    }
    std::size_t below(std::size_t count) { return count == 0 ? 0 : m_random() % count; }

private:
    void change(std::string& text, std::size_t fixed)
    {
        static const std::vector<std::string> words = {
            "null",       "-1",    "0",   "1",  "2",       "3",    "7",    "1e999", "1e308", "999999999",
            "1000000000", "65536", "0.5", "[]", "{}",      "\"\"", "true", "false", "{",     "[",
            "]",          "}",     ",",   "\"", "\\u0000", "\\",   "\xff", "NaN"};
        const std::string& word = words[below(words.size())];
        if (text.size() <= fixed) {
            text += word;
            return;
        }
        const std::size_t at = fixed + below(text.size() - fixed), length = std::min(text.size() - at, 1 + below(24));
        switch (below(8)) {
        case 0: text[at] = static_cast<char>(below(256)); break;
        case 1: text.erase(at, length); break;
        case 2: text.insert(at, text.substr(at, length)); break;
        case 3: text.insert(at, word); break;
        case 4: text.resize(at); break;
        default: { // a number becomes another value
            const std::size_t from = text.find_first_of("0123456789", at);
            if (from != std::string::npos)
                text.replace(from, text.find_first_not_of("0123456789.e", from) - from, word);
        }
        }
    }

    std::mt19937_64 m_random;
};

void run(Target target, const std::vector<std::string>& seeds, int runs, std::size_t fixed = 0)
{
    QVERIFY(!seeds.empty());
    Mutator mutate(20240607);
    for (const std::string& seed : seeds)
        QCOMPARE(target(reinterpret_cast<const std::uint8_t*>(seed.data()), seed.size()), 0);
    for (int i = 0; i < runs; ++i) {
        const std::string text = mutate(seeds[mutate.below(seeds.size())], fixed);
        QCOMPARE(target(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()), 0);
    }
}

const fs::path kSource = HEADSCOPE_SOURCE_DIR;

} // namespace

class TestFuzzSmoke : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void safetensorsHeader();
    void config();
    void shardIndex();
    void gguf();
    void parquet();
    void pickle();
    void chat();
    void tokenizer();
    void importers();
    void session();
    void adapter();
    void lens();
    void packed();
    void yaml();
    void cleanupTestCase();
};

void TestFuzzSmoke::safetensorsHeader()
{
    std::vector<std::string> seeds;
    for (
        const char* text :
        {R"({"a":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}})",
         R"({"__metadata__":{"format":"pt"},"a":{"dtype":"BF16","shape":[4],"data_offsets":[0,8]},"b":{"dtype":"I64","shape":[],"data_offsets":[8,16]}})"}) {
        const std::uint64_t size = 16;
        std::string seed(8, '\0');
        std::memcpy(seed.data(), &size, 8);
        seeds.push_back(seed + text);
    }
    run(fuzzSafetensors, seeds, 100000, 8);
}

void TestFuzzSmoke::config()
{
    std::vector<fs::path> folders;
    for (const auto& entry : fs::recursive_directory_iterator(kSource / "tests" / "data" / "golden"))
        if (entry.path().filename() == "config.json")
            folders.push_back(entry.path());
    std::sort(folders.begin(), folders.end());
    std::vector<std::string> seeds;
    for (std::size_t i = 0; i < folders.size(); ++i)
        seeds.push_back(static_cast<char>(i) + readAll(folders[i]));
    run(fuzzConfig, seeds, 4000, 1);
}

void TestFuzzSmoke::shardIndex()
{
    run(fuzzIndex,
        {R"({"metadata":{"total_size":16},"weight_map":{"x":"a.safetensors","y":"b.safetensors"}})",
         R"({"weight_map":{"x":"a.safetensors"}})"},
        10000);
}

void TestFuzzSmoke::gguf()
{
    std::vector<std::string> seeds;
    for (const char* name : {"blocks.gguf", "vocabulary-llama2.gguf"})
        seeds.push_back(readAll(kSource / "tests" / "data" / "forms" / name));
    run(fuzzGguf, seeds, 20000);
}

void TestFuzzSmoke::parquet()
{
    std::vector<std::string> seeds;
    for (const char* name : {"plain", "gzip", "snappy", "zstd", "delta", "nested"})
        seeds.push_back(readAll(kSource / "tests" / "data" / "parquet" / (std::string(name) + ".parquet")));
    run(fuzzParquet, seeds, 20000);
}

void TestFuzzSmoke::pickle()
{
    // The pickle of an archive of stored entries is a part of its bytes.
    std::vector<std::string> seeds;
    for (const char* name : {"tensors.pt", "mamba/pytorch_model.bin"}) {
        const std::string file = readAll(kSource / "tests" / "data" / "forms" / name);
        const std::size_t begin = file.find("\x80\x02"), end = file.find("PK\x07\x08", begin);
        QVERIFY(begin != std::string::npos && end != std::string::npos);
        seeds.push_back(file.substr(begin, end - begin));
    }
    run(fuzzPickle, seeds, 50000);
}

void TestFuzzSmoke::tokenizer()
{
    const std::string own = readAll(kSource / "resources" / "models" / "tiny-transformer" / "tokenizer.json");
    QVERIFY(!own.empty());
    const std::string small =
        R"({"version":"1.0","added_tokens":[{"id":3,"content":"<s>","special":true}],"pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false},)"
        R"("decoder":{"type":"ByteLevel"},"model":{"type":"BPE","vocab":{"a":0,"b":1,"ab":2,"<s>":3},"merges":["a b"]}})";
    run(fuzzTokenizer, {own + std::string(1, '\0') + "k1 is v2. <s>", small + std::string(1, '\0') + "ab ba<s>"}, 2000);
}

void TestFuzzSmoke::chat()
{
    run(fuzzChat,
        {"{% set n = namespace(i=1) %}{% for m in messages if m.role != 'tool' %}{{ '<' ~ m['role'] ~ loop.index0 ~ "
         "'>' }}"
         "{% if m.content is string %}{{ m.content|trim }}{% else %}{{ m|tojson(indent=2) }}{% endif %}{% endfor %}",
         "{%- macro f(a, b=[1, 2.5, {'x': none}]) -%}{{ a }}{{ b[::-1] }}{%- endmacro -%}{{ f(tools[0].function.name) "
         "}}"
         "{{ messages|map(attribute='role')|join(', ') }}{{ 'a b'.split(' ', 1)[0] * 3 }}{{ bos_token[0:2]|upper }}"},
        2000);
}

void TestFuzzSmoke::importers()
{
    std::vector<std::string> seeds;
    const std::vector<std::string> rows = {
        "q,a,b,c,d,A\n",
        R"({"question":"q","choices":["a","b","c","d"],"answer":1,"subject":"anatomy"})",
        R"({"id":"1","question":{"stem":"q","choices":[{"text":"a","label":"A"},{"text":"b","label":"B"}]},"answerKey":"B"})",
        R"({"id":"1","question":"q","choices":{"text":["a","b"],"label":["A","B"]},"answerKey":"A"})",
        R"({"goal":"g","sol1":"a","sol2":"b","label":0})",
        "goal,sol1,sol2,label\ng,a,b,1\n",
        R"({"sentence":"a _ b","option1":"x","option2":"y","answer":"1"})",
        R"({"ind":1,"activity_label":"a","ctx_a":"x","ctx_b":"y","ctx":"x y","endings":["a","b","c","d"],"label":"2"})",
        R"({"question_stem":"q","choices":{"text":["a","b"],"label":["A","B"]},"answerKey":"A","fact1":"f"})",
        R"({"text":"the last word"})",
        R"({"question":"q","answer":"because #### 12"})",
        R"({"doc_id":"1","text":"t","key":"k","value":"v"})",
        R"x({"examples":[{"input":"i","target":"(A)"}]})x"};
    for (std::size_t i = 0; i < rows.size() + 3; ++i)
        seeds.push_back(static_cast<char>(i)
                        + (i < rows.size()    ? rows[i]
                           : i == rows.size() ? R"({"task":"own","rows":[]})"
                                              : "word\nother\nthird\n"));
    run(fuzzImporters, seeds, 6000, 1);
}

// Bytes change where they stand: a file whose pages move is refused at once, and would test nothing further in.
void TestFuzzSmoke::session()
{
    std::vector<std::string> seeds;
    for (const auto& entry : fs::directory_iterator(kSource / "tests" / "data" / "sessions"))
        if (entry.path().extension() == ".session")
            seeds.push_back(readAll(entry.path()));
    std::sort(seeds.begin(), seeds.end());
    run(fuzzSession, seeds, 0);
    Mutator random(20240607);
    for (int i = 0; i < 150; ++i) {
        std::string bytes = seeds[random.below(seeds.size())];
        for (std::size_t changes = 1 + random.below(4); changes > 0; --changes)
            bytes[100 + random.below(bytes.size() - 100)] = static_cast<char>(random.below(256));
        QCOMPARE(fuzzSession(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()), 0);
    }
}

void TestFuzzSmoke::adapter()
{
    std::vector<std::string> configs, weights;
    for (const char* name : {"llama", "mamba2"}) {
        const fs::path folder = kSource / "tests" / "data" / "adapters" / name;
        const auto number = static_cast<char>(configs.size());
        configs.push_back(number + readAll(folder / "adapter_config.json"));
        weights.push_back(static_cast<char>(number | '\x80') + readAll(folder / "adapter_model.safetensors"));
    }
    run(fuzzAdapter, configs, 1500, 1);
    run(fuzzAdapter, weights, 1500, 9);
}

void TestFuzzSmoke::lens()
{
    run(fuzzLens, {readAll(kSource / "tests" / "data" / "lenses" / "published.pt")}, 2000);
}

void TestFuzzSmoke::packed()
{
    std::vector<fs::path> folders;
    for (const auto& entry : fs::directory_iterator(kSource / "tests" / "data" / "packed"))
        folders.push_back(entry.path());
    std::sort(folders.begin(), folders.end());
    std::vector<std::string> seeds;
    for (std::size_t i = 0; i < folders.size(); ++i) {
        seeds.push_back(static_cast<char>(i) + readAll(folders[i] / "config.json"));
        const std::string weights = readAll(folders[i] / "model.safetensors");
        std::uint64_t header = 0;
        std::memcpy(&header, weights.data(), sizeof header);
        seeds.push_back(static_cast<char>(i | 0x80) + weights.substr(sizeof header, header));
    }
    run(fuzzPacked, seeds, 400, 1);
}

void TestFuzzSmoke::yaml()
{
    run(fuzzYaml,
        {"task: own\ndataset_path: json\ndataset_kwargs:\n  data_files: {test: rows.jsonl}\ntest_split: test\n"
         "output_type: multiple_choice\ndoc_to_text: \"{{question}}\"\ndoc_to_choice: [a, b]\ndoc_to_target: 1\n"
         "metric_list:\n  - metric: acc\n    aggregation: mean\n    higher_is_better: true\n",
         "# a remark\ntask: |\n  two\n  lines\nfewshot_config: &a {x: ~, y: 1.5e3, z: 'q''q', k: !!int 7}\nother: *a\n"
         "? [k]\n: v\n",
         "list: [yes, 0o17, 0x1F, .inf, .nan, 1_000, 12:30:45, 1:30.5, 2001-01-01,\n"
         "  1.0e+999, -1.5e-320, 999999999999999999999:00]\n"},
        20000);
}

void TestFuzzSmoke::cleanupTestCase()
{
    const std::string id = std::to_string(getpid());
    for (const char* name : {"headscope-fuzz-", "fuzz_tokenizer."})
        fs::remove_all(fs::temp_directory_path() / (name + id));
}

QTEST_GUILESS_MAIN(TestFuzzSmoke)
#include "tst_fuzzsmoke.moc"
