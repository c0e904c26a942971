// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/training/bpetrainer.h"

#include "core/text/models/bytealphabet.h"
#include "core/text/unicode/utf8.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

namespace headscope::text {

namespace {

using Pair = std::pair<int, int>;

std::uint64_t key(const Pair& pair)
{
    return (static_cast<std::uint64_t>(pair.first) << 32) | static_cast<std::uint32_t>(pair.second);
}

struct Word {
    std::vector<int> ids;
    std::int64_t count = 0;
};

/// A pair that may be merged next, and the words that it may stand in.
struct Candidate {
    Pair pair;
    std::int64_t count = 0;
    std::vector<std::size_t> words; ///< ascending
};

/// The most frequent pair is on top; among equals the one of the smaller ids.
struct Later {
    bool operator()(const Candidate& a, const Candidate& b) const
    {
        return a.count != b.count ? a.count < b.count : a.pair > b.pair;
    }
};

// The state of one run: words as ids, how often each pair stands in them, and what may be merged next.
class Merging
{
public:
    explicit Merging(std::vector<Word> words) : m_words(std::move(words))
    {
        for (std::size_t i = 0; i < m_words.size(); ++i)
            for (std::size_t k = 0; k + 1 < m_words[i].ids.size(); ++k)
                change({m_words[i].ids[k], m_words[i].ids[k + 1]}, m_words[i].count, i);
        queueChanged();
    }

    /// Takes the next pair out of the queue; false when there is none.
    bool next(Candidate& best)
    {
        while (!m_queue.empty()) {
            std::pop_heap(m_queue.begin(), m_queue.end(), Later());
            best = std::move(m_queue.back());
            m_queue.pop_back();
            // Counts in the queue are those of the time when the pair was queued.
            const std::int64_t now = m_pairs[key(best.pair)];
            if (best.count == now)
                return now > 0;
            best.count = now;
            queue(std::move(best));
        }
        return false;
    }

    void merge(const Candidate& best, int replacement)
    {
        for (const std::size_t word : best.words)
            mergeIn(word, best.pair, replacement);
        queueChanged();
    }

private:
    void mergeIn(std::size_t word, const Pair& pair, int replacement)
    {
        std::vector<int>& ids = m_words[word].ids;
        const std::int64_t count = m_words[word].count;
        for (std::size_t i = 0; i + 1 < ids.size(); ++i) {
            if (ids[i] != pair.first || ids[i + 1] != pair.second)
                continue;
            if (i > 0) {
                change({ids[i - 1], pair.first}, -count, word);
                change({ids[i - 1], replacement}, count, word);
            }
            ids[i] = replacement;
            ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(i) + 1);
            if (i + 1 < ids.size()) {
                change({pair.second, ids[i + 1]}, -count, word);
                change({replacement, ids[i + 1]}, count, word);
            }
        }
    }
    void change(const Pair& pair, std::int64_t by, std::size_t word)
    {
        m_pairs[key(pair)] += by;
        if (by <= 0)
            return;
        std::vector<std::size_t>& words = m_changed[pair];
        if (words.empty() || words.back() != word)
            words.push_back(word);
    }
    void queue(Candidate candidate)
    {
        m_queue.push_back(std::move(candidate));
        std::push_heap(m_queue.begin(), m_queue.end(), Later());
    }
    void queueChanged()
    {
        for (auto& [pair, words] : m_changed)
            if (const std::int64_t count = m_pairs[key(pair)]; count > 0)
                queue({pair, count, std::move(words)});
        m_changed.clear();
    }

    std::vector<Word> m_words;
    std::unordered_map<std::uint64_t, std::int64_t> m_pairs;
    std::map<Pair, std::vector<std::size_t>> m_changed; ///< pairs that came up since they were last queued, and where
    std::vector<Candidate> m_queue;                     ///< a heap
};

// The bytes in the order of the characters that stand for them.
std::array<int, 256> bytesInOrder()
{
    std::array<int, 256> order{};
    std::iota(order.begin(), order.end(), 0);
    // UTF-8 sorts like the code points that it spells.
    std::sort(order.begin(), order.end(), [](int a, int b) {
        return byteAlphabet()[static_cast<std::size_t>(a)] < byteAlphabet()[static_cast<std::size_t>(b)];
    });
    return order;
}

} // namespace

Result<BpeTrainer> BpeTrainer::make()
{
    Result<PreTokenizerPtr> words = makeByteLevelPreTokenizer(false, true, true);
    if (!words.has_value())
        return words.error();
    return BpeTrainer(std::move(*words));
}

Result<void> BpeTrainer::add(std::string_view text, int times)
{
    if (text.size() > UINT32_MAX)
        return inputError("A text of " + std::to_string(text.size())
                          + " bytes is too large to count its words at once; expected less than 4 GiB.");
    if (const auto bad = firstInvalidUtf8(text))
        return inputError("A text is not valid UTF-8 at byte " + std::to_string(*bad) + ".");
    Arena arena(text);
    std::vector<Piece> words;
    if (Result<void> done = m_words->split({.text = text}, arena, words); !done.has_value())
        return done;
    for (const Piece& word : words)
        m_counts[std::string(word.text)] += times;
    return {};
}

BpeVocabulary BpeTrainer::train(int size, const std::vector<std::string>& specials) const
{
    // 1. Special tokens, then the bytes.
    BpeVocabulary out;
    out.tokens = specials;
    out.specials = static_cast<int>(specials.size());
    std::array<int, 256> idOf{};
    for (const int byte : bytesInOrder()) {
        idOf[static_cast<std::size_t>(byte)] = static_cast<int>(out.tokens.size());
        out.tokens.push_back(byteAlphabet()[static_cast<std::size_t>(byte)]);
    }
    std::unordered_map<std::string, int> ids;
    for (std::size_t id = 0; id < out.tokens.size(); ++id)
        ids.emplace(out.tokens[id], static_cast<int>(id));

    // 2. Words as ids; sorted, so that a run does the same steps everywhere.
    std::vector<Word> words;
    for (const auto& [bytes, count] : std::map<std::string, std::int64_t>(m_counts.begin(), m_counts.end())) {
        Word& word = words.emplace_back();
        word.count = count;
        for (const char byte : bytes)
            word.ids.push_back(idOf[static_cast<unsigned char>(byte)]);
    }

    // 3. Merges. Two different pairs may spell the same token: it is then made twice and has one id.
    Merging merging(std::move(words));
    Candidate best;
    while (static_cast<int>(out.tokens.size()) < size && merging.next(best)) {
        const std::string token = out.tokens[static_cast<std::size_t>(best.pair.first)]
                                  + out.tokens[static_cast<std::size_t>(best.pair.second)];
        const auto [found, isNew] = ids.emplace(token, static_cast<int>(out.tokens.size()));
        if (isNew)
            out.tokens.push_back(token);
        out.merges.push_back(best.pair);
        merging.merge(best, found->second);
    }
    return out;
}

std::string BpeVocabulary::tokenizerJson() const
{
    using Json = nlohmann::ordered_json;
    Json vocabulary = Json::object(), pairs = Json::array(), added = Json::array();
    for (std::size_t id = 0; id < tokens.size(); ++id)
        vocabulary[tokens[id]] = id;
    for (const auto& [first, second] : merges)
        pairs.push_back({tokens[static_cast<std::size_t>(first)], tokens[static_cast<std::size_t>(second)]});
    for (int id = 0; id < specials; ++id)
        added.push_back({{"id", id},
                         {"content", tokens[static_cast<std::size_t>(id)]},
                         {"single_word", false},
                         {"lstrip", false},
                         {"rstrip", false},
                         {"normalized", false},
                         {"special", true}});
    const auto byteLevel = [](bool prefixSpace) {
        return Json{
            {"type", "ByteLevel"}, {"add_prefix_space", prefixSpace}, {"trim_offsets", true}, {"use_regex", true}};
    };
    const Json json = {{"version", "1.0"},
                       {"truncation", nullptr},
                       {"padding", nullptr},
                       {"added_tokens", added},
                       {"normalizer", nullptr},
                       {"pre_tokenizer", byteLevel(false)},
                       {"post_processor", nullptr},
                       {"decoder", byteLevel(true)},
                       {"model",
                        {{"type", "BPE"},
                         {"dropout", nullptr},
                         {"unk_token", nullptr},
                         {"continuing_subword_prefix", nullptr},
                         {"end_of_word_suffix", nullptr},
                         {"fuse_unk", false},
                         {"byte_fallback", false},
                         {"ignore_merges", false},
                         {"vocab", vocabulary},
                         {"merges", pairs}}}};
    return json.dump(1) + "\n";
}

} // namespace headscope::text
