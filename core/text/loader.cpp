// SPDX-License-Identifier: GPL-3.0-or-later
// Tokenizer::load: finds the files, reads them and puts a Pipeline together.
#include "core/base/hash.h"
#include "core/io/gguf/gguffile.h"
#include "core/io/pieces/spmfile.h"
#include "core/text/components.h"
#include "core/text/jsonfile.h"
#include "core/text/pipeline.h"
#include "core/text/rwkvvocabulary.h"
#include "core/text/tokenizerconfig.h"

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace headscope::text {

namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr const char* kQwenPattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

constexpr const char* kRwkvVocabulary = "rwkv_vocab_v20230424.txt";
constexpr const char* kRwkvEnd = "<|rwkv_tokenizer_end_of_text|>"; // id 0, where no file names it otherwise

bool isThere(const fs::path& path)
{
    std::error_code code;
    return fs::exists(path, code) && !fs::is_directory(path, code); // a pipe is refused when it is read
}

/// The classes of transformers that make their post-processor from two flags and ignore the file's.
bool replacesPostProcessor(const std::string& tokenizerClass)
{
    return tokenizerClass == "LlamaTokenizer" || tokenizerClass == "LlamaTokenizerFast";
}

/// Adds what the configuration names and the tokenizer lacks, as transformers does.
void addMissing(std::vector<AddedToken>& tokens, const TokenizerConfig& config, const Vocabulary& vocabulary,
                std::vector<std::string>& warnings)
{
    for (AddedToken token : config.tokens) {
        const bool listed =
            std::any_of(tokens.begin(), tokens.end(), [&](const AddedToken& t) { return t.content == token.content; });
        if (listed || token.content.empty())
            continue;
        if (!vocabulary.idOf(token.content))
            warnings.push_back(fmt::format("The token '{}' is named beside tokenizer.json but not in it; it was added.",
                                           token.content));
        token.id = -1;
        tokens.push_back(std::move(token));
    }
}

void replacePostProcessor(PipelineParts& parts, const TokenizerConfig& config, bool bosDefault)
{
    const bool wantsBos = config.addBos.value_or(bosDefault) && parts.bos;
    const bool wantsEos = config.addEos.value_or(false) && parts.eos;
    std::vector<TemplatePart> places;
    if (wantsBos)
        places.push_back({false, {*parts.bos}, {config.bos.value_or("<s>")}});
    places.push_back({true, {}, {}});
    if (wantsEos)
        places.push_back({false, {*parts.eos}, {config.eos.value_or("</s>")}});
    parts.postProcessor.clearTemplates();
    parts.postProcessor.addTemplate(std::move(places));
}

/// Added tokens, special ids and the post-processor's rules, once the components are there.
Result<std::shared_ptr<const Tokenizer>> finish(PipelineParts parts, std::vector<AddedToken> tokens,
                                                const TokenizerConfig& config)
{
    const Vocabulary& vocabulary = parts.model->vocabulary();
    parts.wantsCleanUp = config.cleanUpSpaces;
    addMissing(tokens, config, vocabulary, parts.warnings);
    Result<AddedTokens> added = AddedTokens::make(std::move(tokens), vocabulary, parts.normalizer.get());
    if (!added.has_value())
        return added.error();
    parts.added = *std::move(added);

    const auto find = [&](const std::string& token) {
        const std::optional<int> id = parts.added.idOf(token);
        return id ? id : vocabulary.idOf(token);
    };
    const bool llama = replacesPostProcessor(config.tokenizerClass);
    parts.bos = config.bos ? find(*config.bos) : llama ? find("<s>") : config.bosId;
    parts.eos = config.eos ? find(*config.eos) : llama ? find("</s>") : config.eosId;
    if (const std::vector<int> ids = parts.postProcessor.idsBeforeText(); !parts.bos && !ids.empty())
        parts.bos = ids.front();
    if (const std::vector<int> ids = parts.postProcessor.idsAfterText(); !parts.eos && !ids.empty())
        parts.eos = ids.back();
    const bool flagged = config.tokenizerClass.starts_with("GPTNeoXTokenizer")
                         && (config.addBos.value_or(false) || config.addEos.value_or(false));
    if (llama || flagged)
        replacePostProcessor(parts, config, llama);
    return std::shared_ptr<const Tokenizer>(std::make_shared<Pipeline>(std::move(parts)));
}

/// `bytes` are the text of a tokenizer.json; `path` is where they come from.
Result<std::shared_ptr<const Tokenizer>> fromTokenizerJson(const std::string& bytes, const fs::path& path,
                                                           const TokenizerConfig& config)
{
    const Result<json> parsed = parseJson(bytes, fmt::format("'{}'", path.string()));
    if (!parsed.has_value())
        return parsed.error();
    const auto in = [&](Error error) {
        error.message = fmt::format("'{}': {}", path.string(), error.message);
        return error;
    };
    if (!parsed->is_object())
        return in(inputError(fmt::format("The file holds {}; expected an object.", describe(*parsed))));
    JsonObject file(*parsed, "the tokenizer");
    if (const std::string version = file.string("version", "1.0"); !file.error() && version != "1.0")
        return in(inputError(fmt::format("The tokenizer's version is '{}'; expected '1.0'.", version)));
    if (file.error())
        return in(*file.error());
    const auto member = [&](const char* key) { return file.find(key) == nullptr ? json() : *file.find(key); };

    PipelineParts parts;
    parts.contentHash = sha256Hex(bytes + config.hashed);
    for (const char* key : {"truncation", "padding"}) {
        if (file.find(key) != nullptr)
            parts.warnings.push_back(
                fmt::format("'{}' of the tokenizer is ignored: nothing is cut off or padded.", key));
    }
    const json* modelJson = file.find("model");
    Result<ModelPtr> model = readModel(modelJson == nullptr ? json() : *modelJson);
    if (!model.has_value())
        return in(model.error());
    Result<NormalizerPtr> normalizer = readNormalizer(member("normalizer"));
    if (!normalizer.has_value())
        return in(normalizer.error());
    Result<PreTokenizerPtr> preTokenizer = readPreTokenizer(member("pre_tokenizer"), (*model)->spellsBytes());
    if (!preTokenizer.has_value())
        return in(preTokenizer.error());
    Result<PostProcessor> postProcessor = readPostProcessor(member("post_processor"));
    if (!postProcessor.has_value())
        return in(postProcessor.error());
    Result<DecoderPtr> decoder = readDecoder(member("decoder"));
    if (!decoder.has_value())
        return in(decoder.error());
    Result<std::vector<AddedToken>> added = readAddedTokens(member("added_tokens"));
    if (!added.has_value())
        return in(added.error());
    parts.model = *std::move(model);
    parts.normalizer = *std::move(normalizer);
    parts.preTokenizer = *std::move(preTokenizer);
    parts.postProcessor = *std::move(postProcessor);
    parts.decoder = *std::move(decoder);
    auto done = finish(std::move(parts), *std::move(added), config);
    return done.has_value() ? done : Result<std::shared_ptr<const Tokenizer>>(in(done.error()));
}

Result<std::shared_ptr<const Tokenizer>> loadTokenizerJson(const fs::path& path, const TokenizerConfig& config)
{
    const Result<std::string> bytes = readFile(path);
    return bytes.has_value() ? fromTokenizerJson(*bytes, path, config)
                             : Result<std::shared_ptr<const Tokenizer>>(bytes.error());
}

Result<std::shared_ptr<const Tokenizer>> loadSentencePiece(const fs::path& path, TokenizerConfig config)
{
    const Result<std::string> bytes = readFile(path);
    if (!bytes.has_value())
        return bytes.error();
    const Result<std::string> tokenizer = io::spmTokenizer(*bytes);
    if (!tokenizer.has_value())
        return inputError(fmt::format("'{}' can not be read: {}.", path.string(), tokenizer.error().message));
    if (config.tokenizerClass.empty())
        config.tokenizerClass = "LlamaTokenizer"; // what such files come with
    return fromTokenizerJson(*tokenizer, path, config);
}

Result<std::shared_ptr<const Tokenizer>> loadGguf(const fs::path& path)
{
    const auto file = io::GgufFile::open(path);
    if (!file.has_value())
        return file.error();
    const Result<std::string> tokenizer = io::ggufTokenizer(**file);
    if (!tokenizer.has_value())
        return tokenizer.error();
    const Result<TokenizerConfig> config = readTokenizerConfig(path);
    return config.has_value() ? fromTokenizerJson(*tokenizer, path, *config)
                              : Result<std::shared_ptr<const Tokenizer>>(config.error());
}

/// merges.txt: an optional line "#version: ...", then one merge a line.
Result<std::vector<std::pair<std::string, std::string>>> readMergesFile(std::string_view text)
{
    std::vector<std::pair<std::string, std::string>> merges;
    std::size_t number = 0;
    while (!text.empty()) {
        std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        if (line.ends_with('\r'))
            line.remove_suffix(1);
        ++number;
        if (line.starts_with("#version") || line.empty())
            continue;
        Result<std::pair<std::string, std::string>> pair = splitMerge(line, number);
        if (!pair.has_value())
            return pair.error();
        merges.push_back(*std::move(pair));
    }
    return merges;
}

/// GPT-2's older pair of files, and Qwen2's of the same form, which its class name tells apart.
Result<std::shared_ptr<const Tokenizer>> loadVocabAndMerges(const fs::path& folder, const TokenizerConfig& config)
{
    const Result<std::string> vocabBytes = readFile(folder / "vocab.json");
    if (!vocabBytes.has_value())
        return vocabBytes.error();
    const Result<std::string> mergesBytes = readFile(folder / "merges.txt");
    if (!mergesBytes.has_value())
        return mergesBytes.error();
    const Result<json> vocab = parseJson(*vocabBytes, fmt::format("'{}'", (folder / "vocab.json").string()));
    if (!vocab.has_value())
        return vocab.error();
    Result<Vocabulary> vocabulary = readVocabulary(*vocab, fmt::format("'{}'", (folder / "vocab.json").string()));
    if (!vocabulary.has_value())
        return vocabulary.error();
    const auto merges = readMergesFile(*mergesBytes);
    if (!merges.has_value())
        return merges.error();
    PipelineParts parts;
    parts.contentHash = sha256Hex(*vocabBytes + *mergesBytes + config.hashed);
    std::vector<AddedToken> tokens;
    if (config.tokens.empty() && vocabulary->idOf("<|endoftext|>")) {
        AddedToken end;
        end.content = "<|endoftext|>";
        end.special = true;
        tokens.push_back(end);
    }
    Result<ModelPtr> model = makeBpe(*std::move(vocabulary), *merges, BpeOptions{});
    if (!model.has_value())
        return model.error();
    const bool bytes = (*model)->spellsBytes();
    const bool qwen = config.tokenizerClass.starts_with("Qwen2Tokenizer");
    Result<PreTokenizerPtr> preTokenizer = makeByteLevelPreTokenizer(false, !qwen, bytes);
    if (!preTokenizer.has_value())
        return preTokenizer.error();
    if (qwen) {
        Result<Pattern> pattern = Pattern::compile(kQwenPattern);
        if (!pattern.has_value())
            return pattern.error();
        std::vector<PreTokenizerPtr> steps;
        steps.push_back(makeSplitPreTokenizer(*std::move(pattern), SplitBehavior::Isolated, false));
        steps.push_back(*std::move(preTokenizer));
        parts.preTokenizer = makeSequencePreTokenizer(std::move(steps));
        parts.normalizer = makeUnicodeNormalizer(UnicodeForm::Nfc);
    } else {
        parts.preTokenizer = *std::move(preTokenizer);
    }
    parts.model = *std::move(model);
    parts.decoder = makeByteLevelDecoder();
    return finish(std::move(parts), std::move(tokens), config);
}

/// RWKV's own: no rules but the vocabulary.
Result<std::shared_ptr<const Tokenizer>> loadRwkv(const fs::path& file, const TokenizerConfig& config)
{
    const auto in = [&](Error error) {
        error.message = fmt::format("'{}': {}", file.string(), error.message);
        if (!error.message.ends_with('.'))
            error.message += '.';
        return error;
    };
    const Result<std::string> bytes = readFile(file);
    if (!bytes.has_value())
        return bytes.error();
    const auto tokens = readRwkvVocabulary(*bytes);
    if (!tokens.has_value())
        return in(tokens.error());
    const auto named = std::ranges::find(config.tokens, 0, &AddedToken::id);
    AddedToken end;
    end.content = named == config.tokens.end() ? kRwkvEnd : named->content;
    end.special = true;
    Result<ModelPtr> model = makeLongestMatch(*tokens, end.content);
    if (!model.has_value())
        return in(model.error());
    Result<PreTokenizerPtr> whole = makeByteLevelPreTokenizer(false, false, true);
    if (!whole.has_value())
        return whole.error();
    PipelineParts parts;
    parts.contentHash = sha256Hex(*bytes + config.hashed);
    parts.model = *std::move(model);
    parts.preTokenizer = *std::move(whole);
    parts.decoder = makeByteLevelDecoder();
    return finish(std::move(parts), {std::move(end)}, config);
}

} // namespace

Result<std::shared_ptr<const Tokenizer>> Tokenizer::load(const fs::path& folderOrFile)
{
    std::error_code code;
    if (isThere(folderOrFile)) {
        if (folderOrFile.extension() == ".gguf")
            return loadGguf(folderOrFile);
        const Result<TokenizerConfig> config = readTokenizerConfig(folderOrFile.parent_path());
        if (config.has_value() && folderOrFile.extension() == ".model")
            return loadSentencePiece(folderOrFile, *config);
        return config.has_value() ? loadTokenizerJson(folderOrFile, *config)
                                  : Result<std::shared_ptr<const Tokenizer>>(config.error());
    }
    if (!fs::is_directory(folderOrFile, code))
        return ioError(fmt::format("There is no folder or file '{}' to read a tokenizer from.", folderOrFile.string()));
    const Result<TokenizerConfig> config = readTokenizerConfig(folderOrFile);
    if (!config.has_value())
        return config.error();
    if (isThere(folderOrFile / "tokenizer.json"))
        return loadTokenizerJson(folderOrFile / "tokenizer.json", *config);
    if (isThere(folderOrFile / "vocab.json") && isThere(folderOrFile / "merges.txt"))
        return loadVocabAndMerges(folderOrFile, *config);
    const auto gguf = io::ggufAt(folderOrFile);
    if (!gguf.has_value())
        return gguf.error();
    if (*gguf)
        return loadGguf(**gguf);
    if (isThere(folderOrFile / "tokenizer.model"))
        return loadSentencePiece(folderOrFile / "tokenizer.model", *config);
    if (isThere(folderOrFile / kRwkvVocabulary))
        return loadRwkv(folderOrFile / kRwkvVocabulary, *config);
    return inputError(
        fmt::format("The folder '{}' has no tokenizer; expected tokenizer.json, or vocab.json and merges.txt.",
                    folderOrFile.string()));
}

} // namespace headscope::text
