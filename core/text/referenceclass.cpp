// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/referenceclass.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace headscope::text {

namespace {

using nlohmann::json;

constexpr const char* kQwen2Pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char* kQwen35Pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

// The class that AutoTokenizer of transformers 5.23 has for a model_type: "" is the one that follows tokenizer.json,
// for types that are not here the files' own class counts. `forced`: whatever class the files name.
struct TypeRow {
    std::string_view type, name;
    bool forced = false;
};
constexpr std::array kTypes = {
    TypeRow{"aya_vision", "CohereTokenizer"},
    TypeRow{"code_llama", "CodeLlamaTokenizer"},
    TypeRow{"codegen", "GPT2Tokenizer"},
    TypeRow{"cohere", "CohereTokenizer"},
    TypeRow{"cohere2", "CohereTokenizer"},
    TypeRow{"ernie4_5", "", true},
    TypeRow{"ernie4_5_moe", "", true},
    TypeRow{"falcon_mamba", "GPTNeoXTokenizer"},
    TypeRow{"gemma", "GemmaTokenizer"},
    TypeRow{"gemma2", "GemmaTokenizer"},
    TypeRow{"gemma3", "GemmaTokenizer"},
    TypeRow{"gemma3_text", "GemmaTokenizer"},
    TypeRow{"gemma3n", "GemmaTokenizer"},
    TypeRow{"glm", ""},
    TypeRow{"glm4", ""},
    TypeRow{"glm4_moe", ""},
    TypeRow{"gpt2", "GPT2Tokenizer"},
    TypeRow{"gpt_bigcode", ""},
    TypeRow{"gpt_neo", "GPT2Tokenizer"},
    TypeRow{"gpt_neox", "GPTNeoXTokenizer"},
    TypeRow{"gptj", "GPT2Tokenizer"},
    TypeRow{"granite", ""},
    TypeRow{"granitemoe", ""},
    TypeRow{"granitemoehybrid", ""},
    TypeRow{"granitemoeshared", ""},
    TypeRow{"internvl", "Qwen2Tokenizer"},
    TypeRow{"jamba", "", true},
    TypeRow{"kimi_linear", ""},
    TypeRow{"llava", "", true},
    TypeRow{"llava_next", "", true},
    TypeRow{"mamba", "GPTNeoXTokenizer"},
    TypeRow{"mamba2", "GPTNeoXTokenizer"},
    TypeRow{"minimax_m2", "", true},
    TypeRow{"ministral", ""},
    TypeRow{"ministral3", ""},
    TypeRow{"mistral", ""},
    TypeRow{"mistral3", ""},
    TypeRow{"mixtral", ""},
    TypeRow{"mpt", "GPTNeoXTokenizer"},
    TypeRow{"nemotron", "", true},
    TypeRow{"olmo", "GPTNeoXTokenizer"},
    TypeRow{"olmo2", ""},
    TypeRow{"olmo3", ""},
    TypeRow{"olmo_hybrid", ""},
    TypeRow{"olmoe", "GPTNeoXTokenizer"},
    TypeRow{"opt", "GPT2Tokenizer"},
    TypeRow{"phi", "GPT2Tokenizer"},
    TypeRow{"phi3", "", true},
    TypeRow{"phi3_v", "", true},
    TypeRow{"phimoe", "", true},
    TypeRow{"pixtral", ""},
    TypeRow{"qwen2", "Qwen2Tokenizer", true},
    TypeRow{"qwen2_5_vl", "Qwen2Tokenizer"},
    TypeRow{"qwen2_moe", "Qwen2Tokenizer"},
    TypeRow{"qwen2_vl", "Qwen2Tokenizer"},
    TypeRow{"qwen3", "Qwen2Tokenizer"},
    TypeRow{"qwen3_5", "Qwen3_5Tokenizer", true},
    TypeRow{"qwen3_5_moe", "Qwen3_5Tokenizer", true},
    TypeRow{"qwen3_5_moe_text", "Qwen3_5Tokenizer", true},
    TypeRow{"qwen3_5_text", "Qwen3_5Tokenizer"},
    TypeRow{"qwen3_moe", "Qwen2Tokenizer"},
    TypeRow{"qwen3_next", "Qwen2Tokenizer"},
    TypeRow{"qwen3_vl", "Qwen2Tokenizer"},
    TypeRow{"qwen3_vl_moe", "Qwen2Tokenizer"},
    TypeRow{"recurrent_gemma", "GemmaTokenizer"},
    TypeRow{"rwkv", "GPTNeoXTokenizer"},
    TypeRow{"smolvlm", "", true},
    TypeRow{"stablelm", ""},
    TypeRow{"starcoder2", "GPT2Tokenizer"},
    TypeRow{"vipllava", "", true},
    TypeRow{"xlstm", "GPTNeoXTokenizer"},
};

// The other classes of transformers 5.23 that do not follow tokenizer.json alone; what they build is not known here.
constexpr std::array kOtherClasses = {
    "Albert",
    "Bart",
    "Barthez",
    "Bartpho",
    "Bert",
    "BertGeneration",
    "BertJapanese",
    "Bertweet",
    "BigBird",
    "BioGpt",
    "Blenderbot",
    "ByT5",
    "CLIP",
    "CTRL",
    "Camembert",
    "Canine",
    "Clvp",
    "ConvBert",
    "CpmAnt",
    "Cpm",
    "Deberta",
    "DebertaV2",
    "Dia",
    "DistilBert",
    "Esm",
    "Esmc",
    "FNet",
    "FSMT",
    "Flaubert",
    "Funnel",
    "GPTNeoXJapanese",
    "GPTSw3",
    "Herbert",
    "Lasr",
    "LayoutLMv2",
    "LayoutLMv3",
    "LayoutXLM",
    "Luke",
    "M2M100",
    "MBart",
    "MBart50",
    "MLuke",
    "MPNet",
    "Marian",
    "MarkupLM",
    "Mgpstr",
    "MobileBert",
    "MyT5",
    "Nllb",
    "Nougat",
    "OpenAIGPT",
    "PLBart",
    "Pegasus",
    "Perceiver",
    "Phobert",
    "ProphetNet",
    "Rag",
    "Reformer",
    "RemBert",
    "RoCBert",
    "RoFormer",
    "Roberta",
    "SeamlessM4T",
    "Siglip",
    "Siglip2",
    "Speech2Text",
    "SpeechT5",
    "Splinter",
    "SqueezeBert",
    "T5",
    "Tapas",
    "Tipsv2",
    "Udop",
    "VideoPrism",
    "Vits",
    "Wav2Vec2CTC",
    "Whisper",
    "XGLM",
    "XLM",
    "XLMRoberta",
    "XLNet",
};

bool isOther(std::string_view name)
{
    if (name.ends_with("Tokenizer"))
        name.remove_suffix(std::string_view("Tokenizer").size());
    return std::ranges::find(kOtherClasses, name) != kOtherClasses.end();
}

json byteLevelOf(bool prefix, bool regex)
{
    return {{"type", "ByteLevel"}, {"add_prefix_space", prefix}, {"use_regex", regex}};
}

json splitOf(const char* pattern)
{
    return {{"type", "Split"}, {"pattern", {{"Regex", pattern}}}, {"behavior", "Isolated"}, {"invert", false}};
}

json inTurn(const char* key, json steps)
{
    return {{"type", "Sequence"}, {key, std::move(steps)}};
}

/// The steps of a component, each as text with its defaults written out.
void addSteps(const json& component, std::vector<std::string>& out)
{
    if (!component.is_object())
        return;
    const std::string type = component.value("type", std::string());
    if (type == "Sequence") {
        for (const char* key : {"normalizers", "pretokenizers"})
            if (component.contains(key))
                for (const json& step : component[key])
                    addSteps(step, out);
        return;
    }
    json step = component;
    if (type == "ByteLevel") {
        step = byteLevelOf(component.value("add_prefix_space", true), component.value("use_regex", true));
    } else if (type == "Metaspace") {
        const bool prefix = component.value("add_prefix_space", true);
        step = {{"type", type},
                {"replacement", component.value("replacement", "\u2581")},
                {"prepend_scheme", component.value("prepend_scheme", prefix ? "always" : "never")},
                {"split", component.value("split", true)}};
    }
    out.push_back(step.dump());
}

std::vector<std::string> stepsOf(const json& component)
{
    std::vector<std::string> steps;
    addSteps(component, steps);
    return steps;
}

std::vector<std::string> wordsOf(const json& normalizer, const json& preTokenizer)
{
    std::vector<std::string> steps = stepsOf(preTokenizer);
    const auto blanks = [](const std::string& step) {
        const json read = json::parse(step);
        return read.value("pattern", json()) == json{{"String", " "}};
    };
    if (std::ranges::any_of(stepsOf(normalizer), blanks))
        std::erase_if(steps, blanks); // none is left to split at
    return steps;
}

json memberOf(const json& file, const char* key)
{
    return file.contains(key) ? file[key] : json();
}

bool usesByteFallback(const std::string& name)
{
    return name == "LlamaTokenizer" || name == "CodeLlamaTokenizer" || name == "GemmaTokenizer";
}

/// Whether the file's model does something that those of the classes do not, or the other way round.
bool otherModel(const std::string& name, const json& model)
{
    const auto named = [&](const char* key) {
        return model.contains(key) && model[key].is_string() && model[key] != "";
    };
    return model.value("type", "BPE") != "BPE" || model.value("byte_fallback", false) != usesByteFallback(name)
           || model.value("ignore_merges", false) || named("continuing_subword_prefix") || named("end_of_word_suffix");
}

/// The special tokens that a template puts around a text, by name; "" is the text.
std::vector<std::string> templateOf(const json& processor)
{
    std::vector<std::string> parts;
    if (!processor.is_object())
        return {""};
    if (processor.contains("processors"))
        for (const json& inner : processor["processors"])
            if (auto found = templateOf(inner); found.size() > 1)
                parts = std::move(found);
    if (processor.contains("single") && processor["single"].is_array())
        for (const json& piece : processor["single"])
            parts.push_back(piece.contains("SpecialToken") ? piece["SpecialToken"].value("id", std::string()) : "");
    if (processor.contains("cls") && processor.contains("sep"))
        return {"cls", "", "sep"};
    return parts.empty() ? std::vector<std::string>{""} : parts;
}

/// The classes take their added tokens from `added_tokens_decoder` alone; else those of added_tokens.json and
/// tokenizer.json by their ids.
bool otherAddedTokens(const json& ofFile, const TokenizerConfig& config)
{
    if (!ofFile.is_array())
        return false;
    if (config.hasDecoder)
        return !std::ranges::all_of(ofFile, [&](const json& token) {
            const auto content = token.value("content", std::string());
            return std::ranges::find(config.listed, content, &AddedToken::content) != config.listed.end();
        });
    std::vector<std::int64_t> ids;
    for (const json& token : ofFile)
        ids.push_back(token.value("id", std::int64_t{-1}));
    return std::ranges::any_of(config.listed, [&](const AddedToken& token) {
        return std::ranges::find(ids, token.id) == ids.end()
               && std::ranges::any_of(ids, [&](std::int64_t id) { return id > token.id; });
    });
}

} // namespace

std::optional<std::string> referenceClass(const TokenizerConfig& config, std::string_view file)
{
    std::string named = config.tokenizerClass;
    if (named.ends_with("Fast"))
        named.resize(named.size() - 4);
    const auto row = std::ranges::find(kTypes, config.modelType, &TypeRow::type);
    const bool typed = row != kTypes.end();
    if (named == "LlamaTokenizer" && !(typed && row->forced) && file.find("\"ByteLevel\"") != std::string_view::npos)
        return std::nullopt;
    if (typed && row->name != named && (named.empty() || row->name.empty() || row->forced))
        named = row->name;
    if (isOther(named) || !tokensOfClass(named).empty())
        return named;
    return std::nullopt;
}

std::vector<std::pair<std::string, std::string>> tokensOfClass(const std::string& name)
{
    constexpr const char* end = "<|endoftext|>";
    if (name == "LlamaTokenizer")
        return {{"unk_token", "<unk>"}, {"bos_token", "<s>"}, {"eos_token", "</s>"}};
    if (name == "CodeLlamaTokenizer")
        return {{"unk_token", "<unk>"},          {"bos_token", "<s>"},
                {"eos_token", "</s>"},           {"prefix_token", "\u2581<PRE>"},
                {"middle_token", "\u2581<MID>"}, {"suffix_token", "\u2581<SUF>"},
                {"eot_token", "\u2581<EOT>"},    {"fill_token", "<FILL_ME>"}};
    if (name == "GPT2Tokenizer" || name == "CodeGenTokenizer")
        return {{"unk_token", end}, {"bos_token", end}, {"eos_token", end}};
    if (name == "GPTNeoXTokenizer")
        return {{"unk_token", end}, {"bos_token", end}, {"eos_token", end}, {"pad_token", "<|padding|>"}};
    if (name == "Qwen2Tokenizer" || name == "Qwen3_5Tokenizer")
        return {{"unk_token", end}, {"eos_token", end}, {"pad_token", end}};
    if (name == "GemmaTokenizer")
        return {{"unk_token", "<unk>"},
                {"bos_token", "<bos>"},
                {"eos_token", "<eos>"},
                {"pad_token", "<pad>"},
                {"mask_token", "<mask>"}};
    if (name == "CohereTokenizer")
        return {{"unk_token", "<UNK>"},        {"bos_token", "<BOS_TOKEN>"}, {"eos_token", "<|END_OF_TURN_TOKEN|>"},
                {"pad_token", "<PAD>"},        {"cls_token", "<CLS>"},       {"sep_token", "<SEP>"},
                {"mask_token", "<MASK_TOKEN>"}};
    return {};
}

json normalizerOfClass(const std::string& name)
{
    if (name == "GemmaTokenizer")
        return {{"type", "Replace"}, {"pattern", {{"String", " "}}}, {"content", "\u2581"}};
    if (name == "GPTNeoXTokenizer" || name == "CohereTokenizer" || name.starts_with("Qwen"))
        return {{"type", "NFC"}};
    return nullptr;
}

json preTokenizerOfClass(const std::string& name, const TokenizerConfig& config)
{
    if (name == "LlamaTokenizer" || name == "CodeLlamaTokenizer") {
        const bool always = config.legacy && name == "LlamaTokenizer";
        return {{"type", "Metaspace"},
                {"replacement", "\u2581"},
                {"prepend_scheme", !config.addPrefixSpace.value_or(true) ? "never"
                                   : always                              ? "always"
                                                                         : "first"},
                {"split", false}};
    }
    const bool prefix = config.addPrefixSpace.value_or(false);
    if (name.starts_with("Qwen"))
        return inTurn("pretokenizers",
                      {splitOf(name == "Qwen2Tokenizer" ? kQwen2Pattern : kQwen35Pattern), byteLevelOf(prefix, false)});
    if (name == "CohereTokenizer")
        return inTurn("pretokenizers",
                      {json{{"type", "Digits"}, {"individual_digits", true}}, byteLevelOf(prefix, true)});
    if (name == "GemmaTokenizer")
        return nullptr; // it splits at blanks, of which its normalizer leaves none
    return byteLevelOf(prefix, true);
}

std::vector<std::string> builtOtherwise(const std::string& name, const json& file, const TokenizerConfig& config)
{
    if (isOther(name))
        return {"the whole pipeline"};
    std::vector<std::string> parts;
    const json normalizer = memberOf(file, "normalizer"), preTokenizer = memberOf(file, "pre_tokenizer");
    if (stepsOf(normalizer) != stepsOf(normalizerOfClass(name)))
        parts.emplace_back("the normalizer");
    if (wordsOf(normalizer, preTokenizer) != stepsOf(preTokenizerOfClass(name, config)))
        parts.emplace_back("the pre-tokenizer");
    if (otherModel(name, memberOf(file, "model")))
        parts.emplace_back("the model's options");
    const std::vector<std::string> around = templateOf(memberOf(file, "post_processor"));
    const std::string bos = config.tokenOf("bos_token").value_or("<s>");
    if ((name == "GPTNeoXTokenizer" && around.size() > 1)
        || (name == "CodeLlamaTokenizer" && around != std::vector<std::string>{bos, ""}))
        parts.emplace_back("the start and end tokens");
    if (otherAddedTokens(memberOf(file, "added_tokens"), config))
        parts.emplace_back("the added tokens");
    return parts;
}

} // namespace headscope::text
