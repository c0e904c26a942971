// SPDX-License-Identifier: GPL-3.0-or-later
// Unigram: the split of a word with the highest sum of log-probabilities (Kudo 2018, the Viterbi part).
#include "core/text/models/tokenizermodels.h"

#include "core/text/models/flatmap.h"
#include "core/text/unicode/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace headscope::text {

namespace {

constexpr double kUnknownPenalty = 10.0; ///< an unknown character is this much worse than the least probable token

/// The score as the reference reads it: its JSON reader multiplies or divides the digits by a power of ten, which can
/// miss the nearest number by one bit, and which of two splits of equal score wins depends on that bit. The digits are
/// those of the shortest text for the number, as writers of JSON write it.
double asTheReferenceReads(double score)
{
    if (!std::isfinite(score) || score == 0.0)
        return score;
    char text[64];
    const char* const end = std::to_chars(text, text + sizeof text, std::abs(score), std::chars_format::scientific).ptr;
    std::uint64_t digits = 0;
    int exponent = 1; // of the digits, once the point was passed
    const char* c = text;
    for (; *c != 'e'; ++c) {
        if (*c == '.')
            continue;
        digits = digits * 10 + static_cast<std::uint64_t>(*c - '0');
        --exponent;
    }
    exponent += std::atoi(std::string(c + 1, end).c_str());
    if (std::abs(exponent) > 22) // no score is that small or large, and the power itself would not be exact
        return score;
    const double power = std::pow(10.0, std::abs(exponent)), whole = static_cast<double>(digits);
    return std::copysign(exponent < 0 ? whole / power : whole * power, score);
}

/// All tokens byte by byte; node 0 is the root.
class PieceTrie
{
public:
    void add(std::string_view token, int id)
    {
        std::uint64_t node = 0;
        for (const char c : token) {
            const std::uint64_t key = node << 8 | static_cast<unsigned char>(c);
            if (const std::uint64_t* next = m_edges.find(key); next != nullptr) {
                node = *next;
            } else {
                m_ids.push_back(-1);
                node = m_ids.size() - 1;
                m_edges.set(key, node);
            }
        }
        m_ids[node] = id;
    }
    /// Calls visit(length, id) for every token that `text` begins with, shortest first.
    template <typename Visit> void prefixes(std::string_view text, Visit visit) const
    {
        std::uint64_t node = 0;
        for (std::size_t i = 0; i < text.size(); ++i) {
            const std::uint64_t* next = m_edges.find(node << 8 | static_cast<unsigned char>(text[i]));
            if (next == nullptr)
                return;
            node = *next;
            if (m_ids[node] >= 0)
                visit(i + 1, m_ids[node]);
        }
    }

private:
    FlatMap m_edges;
    std::vector<int> m_ids{-1};
};

class Unigram final : public Model
{
public:
    Unigram(std::vector<std::string> tokens, std::vector<double> scores, std::optional<int> unknown, bool byteFallback)
        : m_vocabulary(Vocabulary::fromList(std::move(tokens))), m_scores(std::move(scores)), m_unknown(unknown),
          m_byteFallback(byteFallback), m_byteTokens(byteTokens(m_vocabulary))
    {
        std::transform(m_scores.begin(), m_scores.end(), m_scores.begin(), asTheReferenceReads);
        double lowest = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < m_scores.size(); ++i) {
            const std::string& token = *m_vocabulary.tokenOf(static_cast<int>(i));
            if (!token.empty())
                m_trie.add(token, static_cast<int>(i));
            lowest = std::min(lowest, m_scores[i]);
        }
        m_unknownScore = lowest - kUnknownPenalty;
    }

    Result<void> tokenize(std::string_view word, bool, WordCache& cache, std::vector<WordToken>& out) const override
    {
        if (const auto known = cache.find(word)) {
            out.insert(out.end(), known->begin(), known->end());
            return {};
        }
        const std::size_t first = out.size();
        if (Result<void> done = tokenizeNew(word, out); !done.has_value())
            return done;
        cache.insert(word, std::span(out).subspan(first));
        return {};
    }
    const Vocabulary& vocabulary() const override { return m_vocabulary; }

private:
    struct Best {
        double score = 0;
        std::size_t from = kUnreached;
        int id = -1; ///< -1: unknown
    };
    static constexpr std::size_t kUnreached = ~std::size_t{0};

    Result<void> tokenizeNew(std::string_view word, std::vector<WordToken>& out) const
    {
        std::vector<Best> best(word.size() + 1); // of the splits that end here
        const auto offer = [&](std::size_t from, std::size_t to, double score, int id) {
            Best& b = best[to];
            if (b.from == kUnreached || best[from].score + score > b.score)
                b = {best[from].score + score, from, id};
        };
        for (std::size_t i = 0; i < word.size();) {
            const std::size_t character = utf8Length(static_cast<unsigned char>(word[i]));
            bool single = false;
            m_trie.prefixes(word.substr(i), [&](std::size_t length, int id) {
                offer(i, i + length, m_scores[static_cast<std::size_t>(id)], id);
                single = single || length == character;
            });
            if (!single) {
                if (!m_unknown)
                    return inputError(
                        fmt::format("The character '{}' is not in the vocabulary, which has no unknown token.",
                                    word.substr(i, character)));
                offer(i, i + character, m_unknownScore, *m_unknown);
            }
            i += character;
        }
        std::vector<WordToken> backwards;
        for (std::size_t end = word.size(); end > 0; end = best[end].from) {
            const WordToken t{best[end].id, static_cast<std::uint32_t>(best[end].from),
                              static_cast<std::uint32_t>(end)};
            const bool fuses =
                m_unknown && t.id == *m_unknown && !backwards.empty() && backwards.back().id == *m_unknown;
            if (fuses)
                backwards.back().begin = t.begin;
            else
                backwards.push_back(t);
        }
        for (auto t = backwards.rbegin(); t != backwards.rend(); ++t)
            emit(*t, word.substr(t->begin, t->end - t->begin), out);
        return {};
    }

    void emit(WordToken t, std::string_view text, std::vector<WordToken>& out) const
    {
        if (const auto id = m_vocabulary.idOf(text)) { // a run of unknown characters can spell a token
            out.push_back({*id, t.begin, t.end});
            return;
        }
        const bool bytes = m_byteFallback && std::all_of(text.begin(), text.end(), [&](char c) {
                               return m_byteTokens[static_cast<unsigned char>(c)] >= 0;
                           });
        if (!bytes) {
            out.push_back(t);
            return;
        }
        for (const char c : text)
            out.push_back({m_byteTokens[static_cast<unsigned char>(c)], t.begin, t.end});
    }

    Vocabulary m_vocabulary;
    std::vector<double> m_scores;
    PieceTrie m_trie;
    std::optional<int> m_unknown;
    double m_unknownScore = 0;
    bool m_byteFallback;
    std::vector<int> m_byteTokens;
};

} // namespace

Result<ModelPtr> makeUnigram(std::vector<std::string> tokens, std::vector<double> scores, std::optional<int> unknown,
                             bool byteFallback)
{
    if (unknown && (*unknown < 0 || static_cast<std::size_t>(*unknown) >= tokens.size()))
        return inputError(
            fmt::format("The Unigram model's unk_id is {}; expected an id below the vocabulary's size {}.", *unknown,
                        tokens.size()));
    return ModelPtr(std::make_unique<Unigram>(std::move(tokens), std::move(scores), unknown, byteFallback));
}

} // namespace headscope::text
