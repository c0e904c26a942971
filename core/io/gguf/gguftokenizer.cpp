// SPDX-License-Identifier: GPL-3.0-or-later
// ggufTokenizer(): the vocabulary of a GGUF file in the words of tokenizer.json, as transformers
// and llama.cpp understand it.
#include "core/io/gguf/gguffile.h"

#include "core/io/pieces/piecetokenizer.h"
#include "core/io/textfiles/quote.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace headscope::io {

namespace {

using nlohmann::json;

constexpr const char* kLlama3Pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char* kQwen2Pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char* kQwen35Pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char* kSeedCoderPattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1}| ?[^\s\p{L}\p{N}\r\n]+|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char* kGpt4oPattern =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char* kTekkenPattern =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

// DeepSeek-LLM's and V2's letters with case.
constexpr const char* kCasedPattern =
    R"(\s?[A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿǄ-ʓʕ-ʯͰ-ͳͶͷͻ-ͽͿΆΈ-ΊΌΎ-ΡΣ-ϵϷ-ҁҊ-ԯԱ-ՖႠ-ჅᎠ-Ᏽᏸ-ᏽᲐ-ᲺᲽ-Ჿᴀ-ᴫᵫ-ᵷᵹ-ᶚḀ-ἕἘ-Ἕἠ-ὅὈ-Ὅὐ-ὗὙὛὝὟ-ώᾀ-ᾴᾶ-ᾼιῂ-ῄῆ-ῌῐ-ΐῖ-Ίῠ-Ῥῲ-ῴῶ-ῼℂℇℊ-ℓℕℙ-ℝℤΩℨK-ℭℯ-ℴℹℼ-ℿⅅ-ⅉⅎↃↄⰀ-ⱻⱾ-ⳤⳫ-ⳮⳲⳳꙀ-ꙭꚀ-ꚛꜢ-ꝯꝱ-ꞇꞋ-ꞎꭰ-ꮿﬀ-ﬆﬓ-ﬗＡ-Ｚａ-ｚ𐐀-𐑏𐒰-𐓓𐓘-𐓻𐲀-𐲲𐳀-𐳲𑢠-𑣟𞤀-𞥃]+)";

/// One expression splits text, by the names that llama.cpp's converter gives the rule.
struct SplitRule {
    const char* pattern;
    bool wholeWords; ///< a word of the vocabulary is taken as it is, whatever the merges make of it
    std::array<std::string_view, 7> names;
};

constexpr std::array kSplitRules = {
    SplitRule{kLlama3Pattern, true, {"llama-bpe", "llama3", "llama-v3", "falcon3", "falcon-h1", "pixtral", "lfm2"}},
    SplitRule{kLlama3Pattern, true, {"glm4", "glm5"}},
    SplitRule{kLlama3Pattern, false, {"dbrx", "smaug-bpe", "chatglm-bpe"}},
    SplitRule{kQwen2Pattern, false, {"qwen2", "deepseek-r1-qwen", "kormo", "stablelm2", "hunyuan", "megrez"}},
    SplitRule{kQwen35Pattern, false, {"qwen35"}},
    SplitRule{kSeedCoderPattern, false, {"seed-coder"}},
    SplitRule{kGpt4oPattern, false, {"gpt-4o", "llama4", "kanana2", "minimax-m2"}},
    SplitRule{kTekkenPattern, true, {"tekken"}},
};

/// Null: no single expression.
const SplitRule* splitRuleOf(std::string_view name)
{
    const auto found = std::ranges::find_if(
        kSplitRules, [&](const SplitRule& rule) { return std::ranges::find(rule.names, name) != rule.names.end(); });
    return found == kSplitRules.end() || name.empty() ? nullptr : &*found;
}

json byteLevel(bool useRegex)
{
    return {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}, {"use_regex", useRegex}};
}

json split(const char* pattern)
{
    return {{"type", "Split"}, {"pattern", {{"Regex", pattern}}}, {"behavior", "Isolated"}, {"invert", false}};
}

/// How text is split before bytes are merged, by the name that llama.cpp's converter gave the rule.
Result<json> preTokenizer(const std::string& rule)
{
    static constexpr std::array kLikeGpt2 = {"default", "gpt-2", "gpt2",    "mpt",         "olmo",     "gpt-neox",
                                             "jais",    "phi-2", "exaone4", "roberta-bpe", "gigachat", "modern-bert"};
    static constexpr std::array kDigitsFirst = {"smollm", "starcoder", "refact", "command-r", "codeshell", "exaone"};
    const auto isOneOf = [&](const auto& names) { return std::find(names.begin(), names.end(), rule) != names.end(); };
    if (isOneOf(kLikeGpt2))
        return byteLevel(true);
    if (const SplitRule* own = splitRuleOf(rule))
        return sequenceOf("pretokenizers", {split(own->pattern), byteLevel(false)});
    if (rule == "deepseek-v3" || rule == "hunyuan-dense")
        return sequenceOf(
            "pretokenizers",
            {split(R"(\p{N}{1,3})"), split("[一-龥぀-ゟ゠-ヿ]+"),
             split(
                 R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"),
             byteLevel(false)});
    if (rule == "deepseek-llm")
        return sequenceOf("pretokenizers", {split("[\\r\\n]"),
                                            split(kCasedPattern),
                                            split(R"(\s?[!-/:-~！-／：-～‘-‟　-。]+)"),
                                            split("\\s+$"),
                                            split("[一-龥ࠀ-一가-퟿]+"),
                                            {{"type", "Digits"}, {"individual_digits", true}},
                                            byteLevel(false)});
    if (rule == "deepseek-coder")
        return sequenceOf("pretokenizers", {split("[\\r\\n]"),
                                            split(R"(\s?\p{L}+)"),
                                            split(R"(\s?\p{P}+)"),
                                            split("[一-龥ࠀ-一가-퟿]+"),
                                            {{"type", "Digits"}, {"individual_digits", true}},
                                            byteLevel(false)});
    if (isOneOf(kDigitsFirst))
        return sequenceOf("pretokenizers", {{{"type", "Digits"}, {"individual_digits", true}}, byteLevel(true)});
    if (rule == "falcon")
        return sequenceOf("pretokenizers", {{{"type", "Punctuation"}, {"behavior", "Contiguous"}},
                                            byteLevel(true),
                                            {{"type", "Digits"}, {"individual_digits", false}},
                                            split("[0-9][0-9][0-9]")});
    return inputError("its tokenizer splits text by the rule " + inQuotes(rule)
                      + ", which is not known; name the tokenizer of the original model with --tokenizer");
}

/// tokenizer.json's parts that depend on the kind of vocabulary.
struct Kind {
    json normalizer, preTokenizer, decoder, model;
};

Result<Kind> bytePairs(const GgufHeader& header, const std::vector<std::string>& tokens)
{
    const std::vector<std::string>* merges = header.texts("tokenizer.ggml.merges");
    if (!merges)
        return inputError("its tokenizer has no merges");
    const std::string* rule = header.text("tokenizer.ggml.pre");
    const std::string name = rule ? *rule : "default";
    const auto pre = preTokenizer(name);
    if (!pre.has_value())
        return pre.error();
    return Kind{name == "qwen2" ? json{{"type", "NFC"}} : json(),
                *pre,
                {{"type", "ByteLevel"}},
                {{"type", "BPE"},
                 {"dropout", nullptr},
                 {"fuse_unk", false},
                 {"byte_fallback", false},
                 {"ignore_merges", splitRuleOf(name) && splitRuleOf(name)->wholeWords},
                 {"vocab", vocabularyOf(tokens)},
                 {"merges", *merges}}};
}

/// Gemma 4's: pairs of characters, spaces among them, with bytes for what the vocabulary has not.
Result<Kind> characterPairs(const GgufHeader& header, const std::vector<std::string>& tokens)
{
    const std::vector<std::string>* merges = header.texts("tokenizer.ggml.merges");
    if (!merges)
        return inputError("its tokenizer has no merges");
    PieceParts parts = pieceParts({.pieces = {}, .scores = {}, .prefix = false});
    const auto unknown = static_cast<std::size_t>(header.integer("tokenizer.ggml.unknown_token_id").value_or(0));
    return Kind{std::move(parts.normalizer),
                json(),
                std::move(parts.decoder),
                {{"type", "BPE"},
                 {"dropout", nullptr},
                 {"unk_token", unknown < tokens.size() ? json(tokens[unknown]) : json()},
                 {"fuse_unk", true},
                 {"byte_fallback", true},
                 {"vocab", vocabularyOf(tokens)},
                 {"merges", *merges}}};
}

Result<Kind> sentencePieces(const GgufHeader& header, const std::vector<std::string>& tokens)
{
    const std::vector<double>* scores = header.numbers("tokenizer.ggml.scores");
    if (!scores || scores->size() != tokens.size())
        return inputError("its tokenizer does not have a score for each token");
    PieceVocabulary v{.pieces = tokens, .scores = *scores};
    v.prefix = header.flag("tokenizer.ggml.add_space_prefix").value_or(true);
    v.unknown = static_cast<std::size_t>(header.integer("tokenizer.ggml.unknown_token_id").value_or(0));
    PieceParts parts = pieceParts(v);
    return Kind{std::move(parts.normalizer), json(), std::move(parts.decoder), std::move(parts.model)};
}

/// BOS before and EOS after the text, as the file asks.
json postProcessor(const GgufHeader& header, const std::vector<std::string>& tokens, bool bosDefault)
{
    json single = json::array(), special = json::object();
    const auto add = [&](const char* key) {
        const auto id = header.integer(key);
        if (!id || *id < 0 || static_cast<std::size_t>(*id) >= tokens.size())
            return;
        const std::string& token = tokens[static_cast<std::size_t>(*id)];
        single.push_back({{"SpecialToken", {{"id", token}, {"type_id", 0}}}});
        special[token] = {{"id", token}, {"ids", {*id}}, {"tokens", {token}}};
    };
    if (header.flag("tokenizer.ggml.add_bos_token").value_or(bosDefault))
        add("tokenizer.ggml.bos_token_id");
    single.push_back({{"Sequence", {{"id", "A"}, {"type_id", 0}}}});
    if (header.flag("tokenizer.ggml.add_eos_token").value_or(false))
        add("tokenizer.ggml.eos_token_id");
    if (special.empty())
        return {};
    return {{"type", "TemplateProcessing"}, {"single", single}, {"pair", single}, {"special_tokens", special}};
}

Result<json> tokenizerOf(const GgufHeader& header)
{
    const std::string* model = header.text("tokenizer.ggml.model");
    const std::vector<std::string>* tokens = header.texts("tokenizer.ggml.tokens");
    if (!model || !tokens || tokens->empty())
        return inputError("it contains no tokenizer; pass the original model's with --tokenizer");
    const bool pieces = *model == "llama", characters = *model == "gemma4";
    if (*model != "gpt2" && !pieces && !characters)
        return inputError("its tokenizer type is " + inQuotes(*model)
                          + "; expected 'gpt2', 'llama' or 'gemma4', or pass the original model's with --tokenizer");
    std::vector<std::int64_t> types(tokens->size(), kNormal);
    if (const auto* stored = header.integers("tokenizer.ggml.token_type")) {
        if (stored->size() != tokens->size())
            return inputError("its tokenizer does not have a type for each token");
        types = *stored;
    }
    auto kind = pieces       ? sentencePieces(header, *tokens)
                : characters ? characterPairs(header, *tokens)
                             : bytePairs(header, *tokens);
    if (!kind.has_value())
        return kind.error();
    return json{{"version", "1.0"},
                {"truncation", nullptr},
                {"padding", nullptr},
                {"added_tokens", addedTokensOf(*tokens, types)},
                {"normalizer", std::move(kind->normalizer)},
                {"pre_tokenizer", std::move(kind->preTokenizer)},
                {"post_processor", postProcessor(header, *tokens, pieces || characters)},
                {"decoder", std::move(kind->decoder)},
                {"model", std::move(kind->model)}};
}

} // namespace

Result<std::string> ggufTokenizer(const GgufFile& file)
{
    const auto tokenizer = tokenizerOf(file.header());
    return tokenizer.has_value() ? Result<std::string>(tokenizer->dump(-1, ' ', false, json::error_handler_t::replace))
                                 : Result<std::string>(file.refused(tokenizer.error()));
}

} // namespace headscope::io
