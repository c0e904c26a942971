// SPDX-License-Identifier: GPL-3.0-or-later
// Normalizers, pre-tokenizers, post-processors and decoders out of JSON.
#include "core/text/components.h"

#include "core/text/jsonfile.h"
#include "core/text/unicode/utf8.h"

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include <limits>

namespace headscope::text {

namespace {

using nlohmann::json;

Error unknownType(const char* what, const std::string& type)
{
    return inputError(
        fmt::format("The tokenizer's {} has the type '{}', which Headscope does not support.", what, type));
}

/// The list under `key`; fails when it is none.
Result<const json*> listOf(const JsonObject& object, const char* key)
{
    const json* list = object.find(key);
    if (list == nullptr || !list->is_array())
        return inputError(fmt::format("'{}' of {} is {}; expected a list.", key, object.where(),
                                      list == nullptr ? "missing" : describe(*list)));
    return list;
}

Result<Pattern> readPattern(const JsonObject& object)
{
    const json* pattern = object.find("pattern");
    if (pattern != nullptr && pattern->is_string())
        return Pattern::literal(pattern->get<std::string>());
    if (pattern != nullptr && pattern->is_object() && pattern->size() == 1) {
        const auto entry = pattern->begin();
        if (entry->is_string() && entry.key() == "String")
            return Pattern::literal(entry->get<std::string>());
        if (entry->is_string() && entry.key() == "Regex")
            return Pattern::compile(entry->get<std::string>());
    }
    return inputError(fmt::format("'pattern' of {} is not {{\"String\": ...}} or {{\"Regex\": ...}}.", object.where()));
}

Result<SplitBehavior> readBehavior(JsonObject& object, const char* fallback)
{
    const std::string name = object.string("behavior", fallback);
    if (name == "Removed")
        return SplitBehavior::Removed;
    if (name == "Isolated")
        return SplitBehavior::Isolated;
    if (name == "MergedWithPrevious")
        return SplitBehavior::MergedWithPrevious;
    if (name == "MergedWithNext")
        return SplitBehavior::MergedWithNext;
    if (name == "Contiguous")
        return SplitBehavior::Contiguous;
    return inputError(fmt::format(
        "'behavior' of {} is '{}'; expected Removed, Isolated, MergedWithPrevious, MergedWithNext or Contiguous.",
        object.where(), name));
}

Result<PrependScheme> readScheme(JsonObject& object)
{
    const std::string name = object.string("prepend_scheme", "always");
    PrependScheme scheme = PrependScheme::Always;
    if (name == "first")
        scheme = PrependScheme::First;
    else if (name == "never")
        scheme = PrependScheme::Never;
    else if (name != "always")
        return inputError(
            fmt::format("'prepend_scheme' of {} is '{}'; expected always, first or never.", object.where(), name));
    if (!object.flag("add_prefix_space", true)) {
        if (object.find("prepend_scheme") != nullptr && scheme != PrependScheme::Never)
            return inputError(
                fmt::format("'add_prefix_space' of {} is false but 'prepend_scheme' is '{}'; expected never.",
                            object.where(), name));
        scheme = PrependScheme::Never;
    }
    return scheme;
}

Result<std::string> readReplacement(JsonObject& object)
{
    std::string replacement = object.string("replacement", "\xE2\x96\x81");
    if (object.error())
        return *object.error();
    if (replacement.empty() || utf8Length(static_cast<unsigned char>(replacement[0])) != replacement.size())
        return inputError(
            fmt::format("'replacement' of {} is '{}'; expected one character.", object.where(), replacement));
    return replacement;
}

/// Reads every entry of a Sequence with `read`.
template <typename T, typename Read>
Result<std::vector<T>> readAll(const JsonObject& object, const char* key, Read read)
{
    const Result<const json*> list = listOf(object, key);
    if (!list.has_value())
        return list.error();
    std::vector<T> out;
    for (const json& entry : **list) {
        Result<T> one = read(entry);
        if (!one.has_value())
            return one.error();
        if (*one)
            out.push_back(*std::move(one));
    }
    return out;
}

} // namespace

Result<NormalizerPtr> readNormalizer(const json& value)
{
    if (value.is_null())
        return NormalizerPtr();
    JsonObject object(value, "the normalizer");
    const std::string type = object.required("type");
    if (object.error())
        return *object.error();
    if (type == "Sequence") {
        auto steps = readAll<NormalizerPtr>(object, "normalizers", readNormalizer);
        if (!steps.has_value())
            return steps.error();
        return makeSequenceNormalizer(*std::move(steps));
    }
    if (type == "NFC")
        return makeUnicodeNormalizer(UnicodeForm::Nfc);
    if (type == "NFD")
        return makeUnicodeNormalizer(UnicodeForm::Nfd);
    if (type == "NFKC")
        return makeUnicodeNormalizer(UnicodeForm::Nfkc);
    if (type == "NFKD")
        return makeUnicodeNormalizer(UnicodeForm::Nfkd);
    if (type == "Lowercase")
        return makeLowercaseNormalizer();
    if (type == "Precompiled") {
        const std::string map = object.string("precompiled_charsmap", "");
        return object.error() ? Result<NormalizerPtr>(*object.error()) : makePrecompiledNormalizer(map);
    }
    if (type == "Prepend") {
        std::string prefix = object.required("prepend");
        return object.error() ? Result<NormalizerPtr>(*object.error()) : makePrependNormalizer(std::move(prefix));
    }
    if (type == "Strip") {
        const bool left = object.flag("strip_left", true);
        const bool right = object.flag("strip_right", true);
        return object.error() ? Result<NormalizerPtr>(*object.error()) : makeStripNormalizer(left, right);
    }
    if (type == "Replace") {
        Result<Pattern> pattern = readPattern(object);
        std::string content = object.required("content");
        if (!pattern.has_value())
            return pattern.error();
        return object.error() ? Result<NormalizerPtr>(*object.error())
                              : makeReplaceNormalizer(*std::move(pattern), std::move(content));
    }
    return unknownType("normalizer", type);
}

namespace {

Result<PreTokenizerPtr> readPreTokenizerStep(const json& value, bool keepsBytes);

Result<PreTokenizerPtr> readPreTokenizerSequence(const JsonObject& object, bool keepsBytes)
{
    const Result<const json*> list = listOf(object, "pretokenizers");
    if (!list.has_value())
        return list.error();
    std::vector<PreTokenizerPtr> steps;
    for (std::size_t i = 0; i < (*list)->size(); ++i) {
        Result<PreTokenizerPtr> step = readPreTokenizerStep((**list)[i], keepsBytes && i + 1 == (*list)->size());
        if (!step.has_value())
            return step;
        if (*step)
            steps.push_back(*std::move(step));
    }
    return makeSequencePreTokenizer(std::move(steps));
}

Result<PreTokenizerPtr> readPreTokenizerStep(const json& value, bool keepsBytes)
{
    if (value.is_null())
        return PreTokenizerPtr();
    JsonObject object(value, "the pre-tokenizer");
    const std::string type = object.required("type");
    if (object.error())
        return *object.error();
    if (type == "Sequence")
        return readPreTokenizerSequence(object, keepsBytes);
    if (type == "ByteLevel") {
        const bool prefix = object.flag("add_prefix_space", true);
        const bool regex = object.flag("use_regex", true);
        return object.error() ? Result<PreTokenizerPtr>(*object.error())
                              : makeByteLevelPreTokenizer(prefix, regex, keepsBytes);
    }
    if (type == "Split") {
        Result<Pattern> pattern = readPattern(object);
        if (!pattern.has_value())
            return pattern.error();
        const Result<SplitBehavior> behavior = readBehavior(object, "");
        const bool invert = object.flag("invert", false);
        if (object.error())
            return *object.error();
        if (!behavior.has_value())
            return behavior.error();
        return makeSplitPreTokenizer(*std::move(pattern), *behavior, invert);
    }
    if (type == "Digits") {
        const bool individual = object.flag("individual_digits", false);
        return object.error() ? Result<PreTokenizerPtr>(*object.error())
                              : makeClassPreTokenizer(CharacterClass::Numeric,
                                                      individual ? SplitBehavior::Isolated : SplitBehavior::Contiguous);
    }
    if (type == "Punctuation") {
        const Result<SplitBehavior> behavior = readBehavior(object, "Isolated");
        if (object.error())
            return *object.error();
        if (!behavior.has_value())
            return behavior.error();
        return makeClassPreTokenizer(CharacterClass::Punctuation, *behavior);
    }
    if (type == "Whitespace")
        return makeWhitespacePreTokenizer();
    if (type == "WhitespaceSplit")
        return makeClassPreTokenizer(CharacterClass::Whitespace, SplitBehavior::Removed);
    if (type == "Metaspace") {
        const Result<std::string> replacement = readReplacement(object);
        if (!replacement.has_value())
            return replacement.error();
        const Result<PrependScheme> scheme = readScheme(object);
        const bool split = object.flag("split", true);
        if (object.error())
            return *object.error();
        if (!scheme.has_value())
            return scheme.error();
        return makeMetaspacePreTokenizer(*replacement, *scheme, split);
    }
    return unknownType("pre-tokenizer", type);
}

} // namespace

Result<PreTokenizerPtr> readPreTokenizer(const json& value, bool spellsBytes)
{
    return readPreTokenizerStep(value, spellsBytes);
}

Result<DecoderPtr> readDecoder(const json& value)
{
    if (value.is_null())
        return DecoderPtr();
    JsonObject object(value, "the decoder");
    const std::string type = object.required("type");
    if (object.error())
        return *object.error();
    if (type == "Sequence") {
        auto steps = readAll<DecoderPtr>(object, "decoders", readDecoder);
        if (!steps.has_value())
            return steps.error();
        return makeSequenceDecoder(*std::move(steps));
    }
    if (type == "ByteLevel")
        return makeByteLevelDecoder();
    if (type == "ByteFallback")
        return makeByteFallbackDecoder();
    if (type == "Fuse")
        return makeFuseDecoder();
    if (type == "Replace") {
        Result<Pattern> pattern = readPattern(object);
        std::string content = object.required("content");
        if (!pattern.has_value())
            return pattern.error();
        return object.error() ? Result<DecoderPtr>(*object.error())
                              : makeReplaceDecoder(*std::move(pattern), std::move(content));
    }
    if (type == "Strip") {
        const std::string content = object.required("content");
        const std::int64_t start = object.integer("start").value_or(0);
        const std::int64_t stop = object.integer("stop").value_or(0);
        if (object.error())
            return *object.error();
        if (content.empty() || utf8Length(static_cast<unsigned char>(content[0])) != content.size() || start < 0
            || stop < 0)
            return inputError(fmt::format("The decoder Strip has content '{}', start {}, stop {}; expected one "
                                          "character and counts of at least 0.",
                                          content, start, stop));
        std::size_t i = 0;
        return makeStripDecoder(nextCharacter(content, i), static_cast<std::size_t>(start),
                                static_cast<std::size_t>(stop));
    }
    if (type == "Metaspace") {
        const Result<std::string> replacement = readReplacement(object);
        if (!replacement.has_value())
            return replacement.error();
        const Result<PrependScheme> scheme = readScheme(object);
        if (!scheme.has_value())
            return scheme.error();
        return makeMetaspaceDecoder(*replacement, *scheme);
    }
    return unknownType("decoder", type);
}

namespace {

/// `ids` and `tokens` of an entry of `special_tokens`.
Result<TemplatePart> readSpecialPart(const JsonObject& processor, const std::string& name)
{
    const json* specials = processor.find("special_tokens");
    const json* entry =
        specials != nullptr && specials->is_object() && specials->contains(name) ? &(*specials)[name] : nullptr;
    if (entry == nullptr || !entry->is_object() || !entry->contains("ids") || !(*entry)["ids"].is_array())
        return inputError(fmt::format(
            "The post-processor's template names the special token '{}', which its 'special_tokens' does not define.",
            name));
    TemplatePart part;
    for (const json& id : (*entry)["ids"]) {
        if (!id.is_number_unsigned()
            || id.get<std::uint64_t>() >= static_cast<std::uint64_t>(std::numeric_limits<int>::max()))
            return inputError(fmt::format(
                "The post-processor's special token '{}' has an id that is not a whole number from 0 to 2^31-2.",
                name));
        part.ids.push_back(id.get<int>());
        const std::size_t at = part.tokens.size();
        const json* tokens = entry->contains("tokens") ? &(*entry)["tokens"] : nullptr;
        const bool named = tokens != nullptr && tokens->is_array() && at < tokens->size() && (*tokens)[at].is_string();
        part.tokens.push_back(named ? (*tokens)[at].get<std::string>() : name);
    }
    return part;
}

Result<std::vector<TemplatePart>> readTemplate(const JsonObject& processor)
{
    const Result<const json*> list = listOf(processor, "single");
    if (!list.has_value())
        return list.error();
    std::vector<TemplatePart> parts;
    for (const json& piece : **list) {
        const bool known = piece.is_object() && piece.size() == 1 && piece.begin()->is_object()
                           && piece.begin()->contains("id") && (*piece.begin())["id"].is_string();
        if (!known)
            return inputError(
                "A piece of the post-processor's template is neither {\"Sequence\": ...} nor {\"SpecialToken\": ...}.");
        const std::string kind = piece.begin().key();
        const std::string id = (*piece.begin())["id"].get<std::string>();
        if (kind == "Sequence" && id == "A") {
            parts.push_back({true, {}, {}});
        } else if (kind == "SpecialToken") {
            Result<TemplatePart> part = readSpecialPart(processor, id);
            if (!part.has_value())
                return part.error();
            parts.push_back(*std::move(part));
        } else {
            return inputError(fmt::format(
                "The post-processor's template has the piece {} '{}'; expected Sequence 'A' or a SpecialToken.", kind,
                id));
        }
    }
    return parts;
}

/// `[content, id]`, as RobertaProcessing and BertProcessing write their special tokens.
Result<TemplatePart> readTokenPair(const JsonObject& processor, const char* key)
{
    const json* pair = processor.find(key);
    if (pair == nullptr || !pair->is_array() || pair->size() != 2 || !(*pair)[0].is_string()
        || !(*pair)[1].is_number_unsigned()
        || (*pair)[1].get<std::uint64_t>() >= static_cast<std::uint64_t>(std::numeric_limits<int>::max()))
        return inputError(fmt::format("'{}' of the post-processor is not a list of a token and its id.", key));
    return TemplatePart{false, {(*pair)[1].get<int>()}, {(*pair)[0].get<std::string>()}};
}

Result<void> readPostProcessorInto(const json& value, PostProcessor& out)
{
    if (value.is_null())
        return {};
    JsonObject object(value, "the post-processor");
    const std::string type = object.required("type");
    if (object.error())
        return *object.error();
    if (type == "Sequence") {
        const Result<const json*> list = listOf(object, "processors");
        if (!list.has_value())
            return list.error();
        for (const json& entry : **list) {
            if (Result<void> done = readPostProcessorInto(entry, out); !done.has_value())
                return done;
        }
        return {};
    }
    const bool trims = object.flag("trim_offsets", true);
    const bool prefix = object.flag("add_prefix_space", true);
    if (object.error())
        return *object.error();
    if (type == "ByteLevel") {
        if (trims)
            out.addTrim(prefix);
        return {};
    }
    if (type == "TemplateProcessing") {
        Result<std::vector<TemplatePart>> parts = readTemplate(object);
        if (!parts.has_value())
            return parts.error();
        out.addTemplate(*std::move(parts));
        return {};
    }
    if (type == "RobertaProcessing" || type == "BertProcessing") {
        Result<TemplatePart> cls = readTokenPair(object, "cls");
        Result<TemplatePart> sep = readTokenPair(object, "sep");
        if (!cls.has_value())
            return cls.error();
        if (!sep.has_value())
            return sep.error();
        if (trims && type == "RobertaProcessing")
            out.addTrim(prefix);
        out.addTemplate({*std::move(cls), TemplatePart{true, {}, {}}, *std::move(sep)});
        return {};
    }
    return unknownType("post-processor", type);
}

} // namespace

Result<PostProcessor> readPostProcessor(const json& value)
{
    PostProcessor out;
    if (const Result<void> done = readPostProcessorInto(value, out); !done.has_value())
        return done.error();
    return out;
}

} // namespace headscope::text
