// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/pieces/piecetokenizer.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace headscope::io {

namespace {

using nlohmann::json;

/// SentencePiece has scores and no merges: every way to join two tokens to a third is one, the best third first.
json mergesByScore(const std::vector<std::string>& tokens, const std::vector<double>& scores)
{
    struct Merge {
        std::size_t left, right, whole;
    };
    std::unordered_map<std::string_view, std::size_t> ids;
    for (std::size_t id = 0; id < tokens.size(); ++id)
        ids.emplace(tokens[id], id);
    constexpr std::size_t kLongest = 256; // bytes; longer tokens are user-defined and found whole
    std::vector<Merge> merges;
    for (std::size_t id = 0; id < tokens.size(); ++id) {
        const std::string_view whole = tokens[id];
        const std::size_t first = merges.size();
        for (std::size_t at = 1; at < whole.size() && whole.size() <= kLongest; ++at) {
            const auto left = ids.find(whole.substr(0, at)), right = ids.find(whole.substr(at));
            if (left != ids.end() && right != ids.end())
                merges.push_back({left->second, right->second, id});
        }
        std::stable_sort(
            merges.begin() + static_cast<std::ptrdiff_t>(first), merges.end(), [&](const Merge& a, const Merge& b) {
                return std::pair(scores[a.left], scores[a.right]) > std::pair(scores[b.left], scores[b.right]);
            });
    }
    std::stable_sort(merges.begin(), merges.end(),
                     [&](const Merge& a, const Merge& b) { return scores[a.whole] > scores[b.whole]; });
    json list = json::array();
    for (const Merge& merge : merges)
        list.push_back({tokens[merge.left], tokens[merge.right]});
    return list;
}

json replace(json pattern, const char* to)
{
    return {{"type", "Replace"}, {"pattern", std::move(pattern)}, {"content", to}};
}

json modelOf(const PieceVocabulary& v)
{
    const bool known = v.unknown < v.pieces.size();
    if (!v.unigram)
        return {{"type", "BPE"},
                {"dropout", nullptr},
                {"unk_token", known ? json(v.pieces[v.unknown]) : json()},
                {"fuse_unk", true},
                {"byte_fallback", v.byteFallback},
                {"ignore_merges", false},
                {"vocab", vocabularyOf(v.pieces)},
                {"merges", mergesByScore(v.pieces, v.scores)}};
    json entries = json::array();
    for (std::size_t id = 0; id < v.pieces.size(); ++id)
        entries.push_back({v.pieces[id], v.scores[id]});
    return {{"type", "Unigram"},
            {"unk_id", known ? json(v.unknown) : json()},
            {"byte_fallback", v.byteFallback},
            {"vocab", std::move(entries)}};
}

} // namespace

json vocabularyOf(const std::vector<std::string>& tokens)
{
    json vocabulary = json::object();
    for (std::size_t id = 0; id < tokens.size(); ++id)
        vocabulary[tokens[id]] = id;
    return vocabulary;
}

json sequenceOf(const char* member, std::vector<json> steps)
{
    return {{"type", "Sequence"}, {member, std::move(steps)}};
}

json addedTokensOf(const std::vector<std::string>& tokens, const std::vector<std::int64_t>& types)
{
    json added = json::array();
    for (std::size_t id = 0; id < tokens.size(); ++id)
        if (types[id] == kControl || types[id] == kUserDefined || types[id] == kUnknown)
            added.push_back({{"id", id},
                             {"content", tokens[id]},
                             {"single_word", false},
                             {"lstrip", false},
                             {"rstrip", false},
                             {"normalized", false},
                             {"special", types[id] != kUserDefined}});
    return added;
}

PieceParts pieceParts(const PieceVocabulary& v)
{
    constexpr const char* kSpace = "\xe2\x96\x81";
    std::vector<json> before,
        after = {replace({{"String", kSpace}}, " "), {{"type", "ByteFallback"}}, {{"type", "Fuse"}}};
    if (!v.characterMap.empty())
        before.push_back({{"type", "Precompiled"}, {"precompiled_charsmap", v.characterMap}});
    if (v.joinsSpaces) {
        before.push_back(replace({{"Regex", R"(\A +| +\z)"}}, ""));
        before.push_back(replace({{"Regex", " {2,}"}}, " "));
    }
    if (v.prefix) {
        before.push_back({{"type", "Prepend"}, {"prepend", kSpace}});
        after.push_back({{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}});
    }
    before.push_back(replace({{"String", " "}}, kSpace));
    return {sequenceOf("normalizers", std::move(before)), sequenceOf("decoders", std::move(after)), modelOf(v)};
}

} // namespace headscope::io
