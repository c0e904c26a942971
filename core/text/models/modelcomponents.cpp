// SPDX-License-Identifier: GPL-3.0-or-later
// Models and added tokens out of JSON.
#include "core/text/components.h"

#include "core/text/jsonfile.h"

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include <limits>

namespace headscope::text {

namespace {

using nlohmann::json;

Result<std::vector<std::pair<std::string, std::string>>> readMerges(const json& list)
{
    std::vector<std::pair<std::string, std::string>> merges;
    merges.reserve(list.size());
    std::size_t number = 0;
    for (const json& entry : list) {
        ++number;
        if (entry.is_array() && entry.size() == 2 && entry[0].is_string() && entry[1].is_string()) {
            merges.emplace_back(entry[0].get_ref<const std::string&>(), entry[1].get_ref<const std::string&>());
        } else if (entry.is_string()) {
            const std::string& line = entry.get_ref<const std::string&>();
            if (line.starts_with("#version"))
                continue;
            Result<std::pair<std::string, std::string>> pair = splitMerge(line, number);
            if (!pair.has_value())
                return pair.error();
            merges.push_back(*std::move(pair));
        } else {
            return inputError(
                fmt::format("Merge {} of the model is neither \"left right\" nor [\"left\", \"right\"].", number));
        }
    }
    return merges;
}

Result<ModelPtr> readBpe(JsonObject& object)
{
    const json* dropout = object.find("dropout");
    if (dropout != nullptr && (!dropout->is_number() || dropout->get<double>() != 0.0))
        return inputError("The BPE model has dropout, which would make the ids random; expected null or 0.");
    BpeOptions options;
    options.unknown = object.optionalString("unk_token");
    options.continuingPrefix = object.string("continuing_subword_prefix", "");
    options.endOfWordSuffix = object.string("end_of_word_suffix", "");
    options.fuseUnknown = object.flag("fuse_unk", false);
    options.byteFallback = object.flag("byte_fallback", false);
    options.ignoreMerges = object.flag("ignore_merges", false);
    if (object.error())
        return *object.error();
    const json* vocab = object.find("vocab");
    const json* list = object.find("merges");
    if (vocab == nullptr || list == nullptr || !list->is_array())
        return inputError("The BPE model has no 'vocab' or no list of 'merges'.");
    Result<Vocabulary> vocabulary = readVocabulary(*vocab, "the BPE model's 'vocab'");
    if (!vocabulary.has_value())
        return vocabulary.error();
    const auto merges = readMerges(*list);
    if (!merges.has_value())
        return merges.error();
    return makeBpe(*std::move(vocabulary), *merges, std::move(options));
}

Result<ModelPtr> readUnigram(JsonObject& object)
{
    const json* list = object.find("vocab");
    if (list == nullptr || !list->is_array())
        return inputError("The Unigram model's 'vocab' is not a list of [token, score].");
    std::vector<std::string> tokens;
    std::vector<double> scores;
    tokens.reserve(list->size());
    scores.reserve(list->size());
    for (const json& entry : *list) {
        if (!entry.is_array() || entry.size() != 2 || !entry[0].is_string() || !entry[1].is_number())
            return inputError(
                fmt::format("Entry {} of the Unigram model's 'vocab' is not [token, score].", tokens.size()));
        tokens.push_back(entry[0].get<std::string>());
        scores.push_back(entry[1].get<double>());
    }
    const std::optional<std::int64_t> unknown = object.integer("unk_id");
    const bool byteFallback = object.flag("byte_fallback", false);
    if (object.error())
        return *object.error();
    std::optional<int> unknownId;
    if (unknown)
        unknownId = *unknown < 0 || *unknown > std::numeric_limits<int>::max() ? -1 : static_cast<int>(*unknown);
    return makeUnigram(std::move(tokens), std::move(scores), unknownId, byteFallback);
}

} // namespace

Result<std::pair<std::string, std::string>> splitMerge(std::string_view line, std::size_t number)
{
    const std::size_t space = line.find(' ');
    if (space == line.npos || line.find(' ', space + 1) != line.npos)
        return inputError(
            fmt::format("Merge {} is '{}'; expected two parts with one space between them.", number, line));
    return std::pair(std::string(line.substr(0, space)), std::string(line.substr(space + 1)));
}

Result<Vocabulary> readVocabulary(const json& value, const std::string& where)
{
    if (!value.is_object())
        return inputError(fmt::format("{} is {}; expected an object from token to id.", where, describe(value)));
    std::vector<std::pair<std::string, std::int64_t>> tokens;
    tokens.reserve(value.size());
    for (auto entry = value.begin(); entry != value.end(); ++entry) {
        if (!entry->is_number_integer())
            return inputError(fmt::format("Token '{}' of {} has {} as its id; expected a whole number.", entry.key(),
                                          where, describe(*entry)));
        const bool tooLarge =
            entry->is_number_unsigned()
            && entry->get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
        tokens.emplace_back(entry.key(),
                            tooLarge ? std::numeric_limits<std::int64_t>::max() : entry->get<std::int64_t>());
    }
    return Vocabulary::make(std::move(tokens));
}

Result<ModelPtr> readModel(const json& value)
{
    if (!value.is_object())
        return inputError(fmt::format("'model' of the tokenizer is {}; expected an object.", describe(value)));
    JsonObject object(value, "the model");
    std::string type = object.string("type", "");
    if (object.error())
        return *object.error();
    if (type.empty() && value.contains("merges")) // files older than the key
        type = "BPE";
    if (const json* vocab = object.find("vocab"); type.empty() && vocab != nullptr && vocab->is_array())
        type = "Unigram"; // T5's
    if (type == "BPE")
        return readBpe(object);
    if (type == "Unigram")
        return readUnigram(object);
    if (type == "WordLevel") {
        const json* vocab = object.find("vocab");
        std::string unknown = object.string("unk_token", "<unk>");
        if (object.error())
            return *object.error();
        Result<Vocabulary> vocabulary =
            readVocabulary(vocab == nullptr ? json() : *vocab, "the WordLevel model's 'vocab'");
        if (!vocabulary.has_value())
            return vocabulary.error();
        return makeWordLevel(*std::move(vocabulary), std::move(unknown));
    }
    return inputError(
        fmt::format("The tokenizer's model has the type '{}'; expected BPE, Unigram or WordLevel.", type));
}

Result<AddedToken> readAddedToken(const json& value, const std::string& where)
{
    if (!value.is_object())
        return inputError(fmt::format("{} is {}; expected an object with 'content'.", where, describe(value)));
    JsonObject object(value, where);
    AddedToken token;
    token.content = object.required("content");
    token.singleWord = object.flag("single_word", false);
    token.lstrip = object.flag("lstrip", false);
    token.rstrip = object.flag("rstrip", false);
    token.special = object.flag("special", false);
    token.normalized = object.flag("normalized", !token.special);
    const std::optional<std::int64_t> id = object.integer("id");
    if (object.error())
        return *object.error();
    if (id && (*id < 0 || *id >= std::numeric_limits<int>::max()))
        return inputError(
            fmt::format("'id' of {} is {}; expected 0 to {}.", where, *id, std::numeric_limits<int>::max() - 1));
    token.id = id.value_or(-1);
    return token;
}

Result<std::vector<AddedToken>> readAddedTokens(const json& value)
{
    std::vector<AddedToken> tokens;
    if (value.is_null())
        return tokens;
    if (!value.is_array())
        return inputError(fmt::format("'added_tokens' of the tokenizer is {}; expected a list.", describe(value)));
    for (const json& entry : value) {
        Result<AddedToken> token = readAddedToken(entry, fmt::format("added token {}", tokens.size()));
        if (!token.has_value())
            return token.error();
        tokens.push_back(*std::move(token));
    }
    return tokens;
}

} // namespace headscope::text
