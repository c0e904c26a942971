// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/scoring/pairs/pairtokens.h"
#include "core/tasks/ownmodels.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>

namespace headscope::engine {

namespace {

// Python's str.isspace() for one code point: Unicode's White_Space and the four
// ASCII separators.
bool isPythonSpace(UChar32 c)
{
    return (c >= 0x1c && c <= 0x1f) || u_isUWhiteSpace(c);
}

// Bytes of the context without its trailing white space.
std::size_t strippedLength(const std::string& text)
{
    auto end = static_cast<std::int32_t>(text.size());
    while (end > 0) {
        std::int32_t before = end;
        UChar32 c = 0;
        U8_PREV(reinterpret_cast<const std::uint8_t*>(text.data()), 0, before, c);
        if (c < 0 || !isPythonSpace(c))
            break;
        end = before;
    }
    return static_cast<std::size_t>(end);
}

// Puts tokens in front of a text that does not begin with them.
void putInFront(text::Encoding& encoding, const std::vector<int>& ids, const text::Tokenizer& tokenizer)
{
    if (encoding.ids.size() >= ids.size() && std::equal(ids.begin(), ids.end(), encoding.ids.begin()))
        return;
    std::vector<std::string> spelled;
    for (const int id : ids)
        spelled.push_back(tokenizer.tokenOf(id).value_or(std::string()));
    encoding.ids.insert(encoding.ids.begin(), ids.begin(), ids.end());
    encoding.tokens.insert(encoding.tokens.begin(), spelled.begin(), spelled.end());
    encoding.offsets.insert(encoding.offsets.begin(), ids.size(), {0, 0});
}

Result<std::vector<int>> idsOf(const std::string& text, tasks::PairEncoding pairing, const text::Tokenizer& tokenizer,
                               BosPolicy bos)
{
    auto encoding = encodeText(text, pairing, tokenizer, bos);
    return encoding.has_value() ? Result<std::vector<int>>(std::move(encoding->ids))
                                : Result<std::vector<int>>(encoding.error());
}

// The harness's _encode_pair: trailing white space moves to the continuation,
// and what is scored are the ids of the whole text past the number of the
// context's ids.
Result<Pair> harnessPair(std::string context, std::string continuation, tasks::PairEncoding pairing,
                         const text::Tokenizer& tokenizer, BosPolicy bos)
{
    if (context.empty()) {
        const auto prefix = tokenizer.bosId() ? tokenizer.bosId() : tokenizer.eosId();
        if (!prefix)
            return inputError("The context is empty and the tokenizer has neither a "
                              "BOS nor an EOS token to stand in for it.");
        auto ids = idsOf(continuation, tasks::PairEncoding::Harness, tokenizer, BosPolicy::Never);
        if (!ids.has_value())
            return ids.error();
        return Pair{.context = {*prefix}, .continuation = std::move(*ids)};
    }
    const std::size_t length = strippedLength(context);
    continuation.insert(0, context, length, std::string::npos);
    context.resize(length);
    auto whole = idsOf(context + continuation, pairing, tokenizer, bos);
    auto front = idsOf(context, pairing, tokenizer, bos);
    if (!whole.has_value() || !front.has_value())
        return !whole.has_value() ? whole.error() : front.error();
    if (front->empty())
        return inputError("The context contains only white space; nothing is left to condition on.");
    Pair pair{.whole = std::move(*whole)};
    pair.compare(*front);
    pair.splitAt(front->size());
    pair.context = std::move(*front); // also where the whole begins with others
    return pair;
}

// The paper's KV retrieval: the prompt's length is counted without special
// tokens, the scored text has them.
Result<Pair> kvPair(const std::string& context, const std::string& continuation, const text::Tokenizer& tokenizer)
{
    const auto prompt = tokenizer.encode(context, false);
    auto whole = tokenizer.encode(context + continuation, true);
    const auto front = tokenizer.encode(context, true);
    if (!prompt.has_value() || !whole.has_value() || !front.has_value())
        return !prompt.has_value() ? prompt.error() : !whole.has_value() ? whole.error() : front.error();
    Pair pair{.whole = std::move(whole->ids)};
    pair.compare(front->ids);
    pair.splitAt(prompt->ids.size());
    return pair;
}

// Adds one choice: shares the sequence of an earlier choice with the same
// inputs.
void addChoice(EncodedExample& encoded, int choice, const Pair& pair, int maxLength)
{
    std::vector<int> ids = pair.context;
    ids.insert(ids.end(), pair.continuation.begin(), pair.continuation.end() - 1);
    const int tooMany = static_cast<int>(ids.size()) - maxLength;
    if (tooMany > 0) {
        ids.erase(ids.begin(), ids.begin() + tooMany);
        encoded.truncated = true;
    }
    auto found = std::find_if(encoded.sequences.begin(), encoded.sequences.end(),
                              [&](const Sequence& s) { return s.ids == ids; });
    if (found == encoded.sequences.end()) {
        encoded.sequences.push_back({std::move(ids), {}});
        found = encoded.sequences.end() - 1;
    }
    const int first = static_cast<int>(found->ids.size() - pair.continuation.size());
    for (std::size_t i = 0; i < pair.continuation.size(); ++i)
        found->targets.push_back({choice, first + static_cast<int>(i), pair.continuation[i]});
}

} // namespace

Result<text::Encoding> encodeText(const std::string& text, tasks::PairEncoding pairing,
                                  const text::Tokenizer& tokenizer, BosPolicy bos)
{
    const bool started = pairing == tasks::PairEncoding::ModelStart;
    const bool special = bos != BosPolicy::Never || pairing == tasks::PairEncoding::KvRetrieval;
    auto encoding = tokenizer.encode(text, special && !started);
    if (!encoding.has_value())
        return encoding;
    if (started)
        putInFront(*encoding, tasks::startOf(tokenizer), tokenizer);
    if (bos == BosPolicy::Always && tokenizer.bosId())
        putInFront(*encoding, {*tokenizer.bosId()}, tokenizer);
    return encoding;
}

const char* name(BosPolicy policy)
{
    return policy == BosPolicy::Never ? "never" : policy == BosPolicy::Always ? "always" : "default";
}

namespace {

// Empty: it can be scored.
std::string refusal(const Pair& pair, int choice, tasks::PairEncoding pairing, int maxLength)
{
    const auto length = static_cast<int>(pair.continuation.size());
    const int inputs = static_cast<int>(pair.context.size()) + length - 1;
    const std::string named = "Choice " + std::to_string(choice), most = std::to_string(maxLength) + ".";
    if (length == 0)
        return named + " adds no token to its context.";
    if (length > maxLength)
        return named + " has " + std::to_string(length) + " tokens; the model allows " + most;
    if (pairing == tasks::PairEncoding::KvRetrieval && inputs > maxLength)
        return "The prompt has " + std::to_string(inputs) + " tokens; the model allows " + most;
    return {};
}

void encodePrompt(EncodedExample& encoded, const tasks::Example& example, tasks::PairEncoding pairing,
                  const text::Tokenizer& tokenizer, BosPolicy bos, int maxLength)
{
    auto ids = idsOf(example.context, pairing, tokenizer, bos);
    if (!ids.has_value()) {
        encoded.rejected = ids.error().message;
        return;
    }
    encoded.prompt = std::move(*ids);
    if (encoded.prompt.empty())
        encoded.rejected = "The prompt is empty; expected at least one token.";
    const int keep = maxLength - example.maxNewTokens;
    if (keep < 1)
        encoded.rejected = "The model allows " + std::to_string(maxLength) + " tokens and the answer may take "
                           + std::to_string(example.maxNewTokens) + "; no room is left for the prompt.";
    else if (static_cast<int>(encoded.prompt.size()) > keep) {
        encoded.prompt.erase(encoded.prompt.begin(), encoded.prompt.end() - keep);
        encoded.truncated = true;
    }
}

} // namespace

Result<std::vector<Pair>> pairsOf(const tasks::Example& example, tasks::PairEncoding pairing,
                                  const text::Tokenizer& tokenizer, BosPolicy bos)
{
    std::vector<Pair> pairs;
    for (std::size_t choice = 0; choice < example.continuations.size(); ++choice) {
        const std::string& context = example.contexts.empty() ? example.context : example.contexts[choice];
        auto pair = pairing == tasks::PairEncoding::KvRetrieval
                        ? kvPair(context, example.continuations[choice], tokenizer)
                        : harnessPair(context, example.continuations[choice], pairing, tokenizer, bos);
        if (!pair.has_value())
            return pair.error();
        pairs.push_back(std::move(*pair));
    }
    return pairs;
}

EncodedExample encodePairs(const Result<std::vector<Pair>>& pairs, tasks::PairEncoding pairing, int maxLength)
{
    EncodedExample encoded;
    if (!pairs.has_value()) {
        encoded.rejected = pairs.error().message;
        return encoded;
    }
    encoded.choices = static_cast<int>(pairs->size());
    for (int choice = 0; choice < encoded.choices; ++choice) {
        const Pair& pair = (*pairs)[static_cast<std::size_t>(choice)];
        encoded.rejected = refusal(pair, choice, pairing, maxLength);
        if (!encoded.rejected.empty()) {
            encoded.sequences.clear();
            return encoded;
        }
        addChoice(encoded, choice, pair, maxLength);
    }
    return encoded;
}

int longestText(int maxPositions)
{
    return maxPositions > 0 ? maxPositions : 2048;
}

void refuseUnknownIds(EncodedExample& example, int vocabulary)
{
    int largest = -1;
    for (const int id : example.prompt)
        largest = std::max(largest, id);
    for (const Sequence& sequence : example.sequences) {
        for (const int id : sequence.ids)
            largest = std::max(largest, id);
        for (const Sequence::Target& target : sequence.targets)
            largest = std::max(largest, target.token);
    }
    if (largest >= vocabulary)
        example.rejected = "The tokenizer returned the id " + std::to_string(largest) + "; the model has ids 0 to "
                           + std::to_string(vocabulary - 1) + ".";
    if (!example.rejected.empty())
        example.sequences.clear();
}

EncodedExample encode(const tasks::Example& example, tasks::PairEncoding pairing, const text::Tokenizer& tokenizer,
                      BosPolicy bos, int maxLength)
{
    if (example.scoring != tasks::Scoring::Generation)
        return encodePairs(pairsOf(example, pairing, tokenizer, bos), pairing, maxLength);
    EncodedExample encoded;
    encodePrompt(encoded, example, pairing, tokenizer, bos, maxLength);
    return encoded;
}

} // namespace headscope::engine
