// SPDX-License-Identifier: GPL-3.0-or-later
// Tokenizer::load: finds the files, reads them and puts a Pipeline together.
#include "core/base/hash.h"
#include "core/io/gguf/gguffile.h"
#include "core/io/pieces/spmfile.h"
#include "core/text/components.h"
#include "core/text/jsonfile.h"
#include "core/text/pipeline.h"
#include "core/text/referenceclass.h"
#include "core/text/rwkvvocabulary.h"
#include "core/text/steps/compiledpattern.h"
#include "core/text/tokenizerconfig.h"

#include <nlohmann/json.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace headscope::text {

namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr const char* kRwkvVocabulary = "rwkv_vocab_v20230424.txt";
constexpr const char* kRwkvEnd = "<|rwkv_tokenizer_end_of_text|>"; // id 0, where no file names it otherwise

bool isThere(const fs::path& path)
{
    std::error_code code;
    return fs::exists(path, code) && !fs::is_directory(path, code); // a pipe is refused when it is read
}

bool sameFlags(const AddedToken& a, const AddedToken& b)
{
    return a.singleWord == b.singleWord && a.lstrip == b.lstrip && a.rstrip == b.rstrip && a.normalized == b.normalized
           && a.special == b.special;
}

std::string quotedList(const std::vector<std::string>& words)
{
    constexpr std::size_t most = 10;
    std::string list;
    for (std::size_t i = 0; i < std::min(words.size(), most); ++i)
        list += fmt::format("{}'{}'", i == 0 ? "" : ", ", words[i]);
    return words.size() > most ? list + fmt::format(" and {} more", words.size() - most) : list;
}

/// The special tokens in transformers' order: by role, where the files name none that of the class, then the others.
std::vector<AddedToken> specialTokens(const TokenizerConfig& config, const std::optional<std::string>& ofClass)
{
    auto roles = config.roles;
    if (ofClass)
        for (const auto& [role, content] : tokensOfClass(*ofClass))
            if (std::ranges::find(config.roles, role, [](const auto& entry) { return entry.first; })
                == config.roles.end())
                roles.emplace_back(role, AddedToken{.content = content, .special = true});
    std::ranges::stable_sort(roles, {}, [](const auto& role) { return placeOfRole(role.first); });
    std::vector<AddedToken> tokens;
    for (auto& [role, token] : roles)
        if (token)
            tokens.push_back(*std::move(token));
    tokens.insert(tokens.end(), config.extra.begin(), config.extra.end());
    return tokens;
}

/// Adds the tokens that stand beside tokenizer.json as transformers does: flags of listed ones replace the file's, of
/// special tokens those are added that the tokenizer lacks. Returns what it changed, as text.
std::string addTokensBeside(std::vector<AddedToken>& tokens, const TokenizerConfig& config,
                            const std::optional<std::string>& ofClass, const Vocabulary& vocabulary,
                            std::vector<std::string>& warnings)
{
    std::string changed;
    std::vector<std::string> added;
    const auto there = [&](const AddedToken& token, bool alike) {
        return std::ranges::any_of(
            tokens, [&](const AddedToken& t) { return t.content == token.content && (!alike || sameFlags(t, token)); });
    };
    const auto add = [&](AddedToken token) {
        if (!there(token, false) && !vocabulary.idOf(token.content))
            added.push_back(token.content);
        token.id = -1; // a new token takes the next free id, whatever the file says
        changed += fmt::format("{}\n{}{}{}{}{}\n", token.content, token.singleWord, token.lstrip, token.rstrip,
                               token.normalized, token.special);
        tokens.push_back(std::move(token));
    };
    const auto hasPlace = [&](const AddedToken& token) { // added_tokens.json yields to tokenizer.json where ids collide
        return config.hasDecoder || std::ranges::find(tokens, token.id, &AddedToken::id) == tokens.end();
    };
    for (const AddedToken& token : config.listed)
        if (!token.content.empty() && !there(token, true) && hasPlace(token))
            add(token);
    const std::vector<AddedToken> known = tokens; // of special tokens named twice the later one's flags count
    for (const AddedToken& token : specialTokens(config, ofClass))
        if (!token.content.empty() && !there(token, true)
            && std::ranges::find(known, token.content, &AddedToken::content) == known.end())
            add(token);
    if (ofClass == "Qwen2Tokenizer") // adds its special tokens again, without flags
        for (const AddedToken& token : specialTokens(config, ofClass))
            if (AddedToken plain{.content = token.content, .special = true};
                !token.content.empty() && !there(plain, true))
                add(std::move(plain));
    if (!added.empty())
        warnings.push_back(fmt::format("{} added to the vocabulary, named beside the tokenizer but not in it: {}.",
                                       added.size() == 1 ? "A token was" : "Tokens were", quotedList(added)));
    return changed;
}

/// Of a folder without tokenizer.json: the start and end tokens that two flags ask for.
void addTemplate(PipelineParts& parts, const TokenizerConfig& config)
{
    const auto special = [&](int id) {
        const AddedToken* added = parts.added.tokenOf(id);
        const std::string* known = parts.model->vocabulary().tokenOf(id);
        return TemplatePart{false, {id}, {added != nullptr ? added->content : known != nullptr ? *known : ""}};
    };
    std::vector<TemplatePart> places{{true, {}, {}}};
    if (config.addBos.value_or(false) && parts.bos)
        places.insert(places.begin(), special(*parts.bos));
    if (config.addEos.value_or(false) && parts.eos)
        places.push_back(special(*parts.eos));
    if (places.size() > 1)
        parts.postProcessor.addTemplate(std::move(places));
}

/// Warns where the flags of tokenizer_config.json, or what transformers 4 made of the class, ask for other start and
/// end tokens than the pipeline adds. Returns whether they do.
bool warnOfOtherStart(PipelineParts& parts, const TokenizerConfig& config)
{
    const std::size_t before = parts.warnings.size();
    const auto check = [&](const char* flag, const char* place, std::optional<bool> asked, bool byClass, bool adds) {
        if (asked.value_or(byClass) == adds || (!asked && !byClass))
            return;
        parts.warnings.push_back(
            fmt::format("The tokenizer adds {} {} token, as in transformers 5, although {}; --bos sets another rule.",
                        adds ? "tokenizer.json's" : "no", place,
                        asked ? fmt::format("'{}' of tokenizer_config.json is {}", flag, *asked)
                              : fmt::format("transformers 4 added one for the class {}", config.tokenizerClass)));
    };
    check("add_bos_token", "start", config.addBos, config.tokenizerClass.starts_with("LlamaTokenizer"),
          !parts.postProcessor.idsBeforeText().empty());
    check("add_eos_token", "end", config.addEos, false, !parts.postProcessor.idsAfterText().empty());
    return parts.warnings.size() > before;
}

/// Added tokens, special ids and the post-processor's rules, once the components are there. `ofClass`: of
/// referenceClass().
Result<std::shared_ptr<const Tokenizer>> finish(PipelineParts parts, std::vector<AddedToken> tokens,
                                                const TokenizerConfig& config,
                                                const std::optional<std::string>& ofClass)
{
    const Vocabulary& vocabulary = parts.model->vocabulary();
    parts.warnings.insert(parts.warnings.end(), config.warnings.begin(), config.warnings.end());
    parts.splitSpecial = config.splitSpecial;
    std::string beside = addTokensBeside(tokens, config, ofClass, vocabulary, parts.warnings);
    Result<AddedTokens> added = AddedTokens::make(std::move(tokens), vocabulary, parts.normalizer.get());
    if (!added.has_value())
        return added.error();
    parts.added = *std::move(added);

    const auto idOf = [&](const char* role, std::optional<int> otherwise) -> std::optional<int> {
        std::optional<std::string> token = config.tokenOf(role);
        if (!token && !otherwise && ofClass)
            for (const auto& [known, content] : tokensOfClass(*ofClass))
                if (known == role)
                    token = content;
        const std::optional<int> id = token ? parts.added.idOf(*token) : std::nullopt;
        return id ? id : token ? vocabulary.idOf(*token) : otherwise;
    };
    parts.bos = idOf("bos_token", config.bosId);
    parts.eos = idOf("eos_token", config.eosId);
    if (const std::vector<int> ids = parts.postProcessor.idsBeforeText(); !parts.bos && !ids.empty())
        parts.bos = ids.front();
    if (const std::vector<int> ids = parts.postProcessor.idsAfterText(); !parts.eos && !ids.empty())
        parts.eos = ids.back();
    if (!parts.hasPostProcessor)
        addTemplate(parts, config);
    if (warnOfOtherStart(parts, config))
        beside += "start";
    if (parts.splitSpecial)
        beside += "split";
    if (!beside.empty()) // earlier versions read these otherwise: what they measured is another tokenizer's
        parts.contentHash = sha256Hex(parts.contentHash + beside);
    return std::shared_ptr<const Tokenizer>(std::make_shared<Pipeline>(std::move(parts)));
}

/// Returns whether a normalizer, pre-tokenizer or decoder has a pattern that earlier versions matched differently.
bool tokenizedDifferentlyBefore(const json& part)
{
    if (!part.is_structured())
        return false;
    return std::ranges::any_of(part.items(), [](const auto& member) {
        if (member.key() != "Regex" || !member.value().is_string())
            return tokenizedDifferentlyBefore(member.value());
        const auto pattern = Pattern::compile(member.value().template get<std::string>());
        return pattern.has_value() && pattern->matchedDifferentlyBefore();
    });
}

/// `bytes` are the text of a tokenizer.json; `path` is where they come from.
Result<std::shared_ptr<const Tokenizer>> fromTokenizerJson(const std::string& bytes, const fs::path& path,
                                                           const TokenizerConfig& config, bool hasPostProcessor = true)
{
    const Result<json> parsed = parseJson(bytes, fmt::format("'{}'", path.string()));
    if (!parsed.has_value())
        return parsed.error();
    const auto in = [&](Error error) {
        error.message = fmt::format("'{}': {}", path.string(), error.message);
        return error;
    };
    if (!parsed->is_object())
        return in(inputError(fmt::format("The file contains {}; expected an object.", describe(*parsed))));
    JsonObject file(*parsed, "the tokenizer");
    if (const std::string version = file.string("version", "1.0"); !file.error() && version != "1.0")
        return in(inputError(fmt::format("The tokenizer's version is '{}'; expected '1.0'.", version)));
    if (file.error())
        return in(*file.error());
    const auto member = [&](const char* key) { return file.find(key) == nullptr ? json() : *file.find(key); };

    PipelineParts parts;
    parts.contentHash = sha256Hex(bytes + config.hashed);
    for (const char* key : {"normalizer", "pre_tokenizer", "decoder"})
        if (tokenizedDifferentlyBefore(member(key))) { // results measured then are another tokenizer's
            parts.contentHash = sha256Hex(parts.contentHash + "pattern");
            break;
        }
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
    parts.hasPostProcessor = hasPostProcessor;
    parts.wantsCleanUp = config.cleanUpSpaces && modelJson->value("type", "BPE") != "BPE"; // as in transformers 5
    const std::optional<std::string> ofClass = referenceClass(config, bytes);
    if (ofClass)
        if (const auto otherwise = builtOtherwise(*ofClass, *parsed, config); !otherwise.empty())
            parts.warnings.push_back(fmt::format("The tokenizer follows {}; transformers 5.23 builds {} from the class "
                                                 "{} instead, so that some texts get "
                                                 "other ids there.",
                                                 path.filename().string(), fmt::join(otherwise, ", "), *ofClass));
    auto done = finish(std::move(parts), *std::move(added), config, ofClass);
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
        return inputError(fmt::format("'{}' cannot be read: {}.", path.string(), tokenizer.error().message));
    if (config.tokenizerClass.empty())
        config.tokenizerClass = "LlamaTokenizer"; // what such files come with
    return fromTokenizerJson(*tokenizer, path, config, false);
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

/// GPT-2's older pair of files, which other classes share: the class says how a text is cut.
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
    const std::optional<std::string> named = referenceClass(config, {});
    const bool bytesOfClass =
        named && preTokenizerOfClass(*named, config).dump().find("ByteLevel") != std::string::npos;
    const std::string ofClass = bytesOfClass ? *named : "GPT2Tokenizer";
    std::vector<AddedToken> tokens;
    if (!named && vocabulary->idOf("<|endoftext|>"))
        tokens.push_back({.content = "<|endoftext|>", .special = true});
    Result<ModelPtr> model = makeBpe(*std::move(vocabulary), *merges, BpeOptions{});
    if (!model.has_value())
        return model.error();
    Result<PreTokenizerPtr> preTokenizer =
        readPreTokenizer(preTokenizerOfClass(ofClass, config), (*model)->spellsBytes());
    if (!preTokenizer.has_value())
        return preTokenizer.error();
    Result<NormalizerPtr> normalizer = readNormalizer(normalizerOfClass(ofClass));
    if (!normalizer.has_value())
        return normalizer.error();
    parts.normalizer = *std::move(normalizer);
    parts.preTokenizer = *std::move(preTokenizer);
    parts.model = *std::move(model);
    parts.decoder = makeByteLevelDecoder();
    return finish(std::move(parts), std::move(tokens), config, named);
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
    const auto named = std::ranges::find(config.listed, 0, &AddedToken::id);
    AddedToken end;
    end.content = named == config.listed.end() ? kRwkvEnd : named->content;
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
    return finish(std::move(parts), {std::move(end)}, config, std::nullopt);
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
