// SPDX-License-Identifier: GPL-3.0-or-later
// Always the longest token that fits, from left to right: the RWKV World tokenizer.
#include "core/text/models/bytealphabet.h"
#include "core/text/models/tokenizermodels.h"

#include <fmt/format.h>

#include <algorithm>

namespace headscope::text {

namespace {

class LongestMatch final : public Model
{
public:
    LongestMatch(Vocabulary vocabulary, std::vector<std::pair<std::string, int>> tokens)
        : m_vocabulary(std::move(vocabulary)), m_tokens(std::move(tokens))
    {
        std::ranges::sort(m_tokens);
    }

    Result<void> tokenize(std::string_view word, bool, WordCache&, std::vector<WordToken>& out) const override
    {
        for (std::size_t at = 0; at < word.size();) {
            const Match match = longest(word.substr(at));
            if (match.length == 0)
                return inputError(fmt::format("No token of the vocabulary begins with the byte 0x{:02X}.",
                                              static_cast<unsigned char>(word[at])));
            out.push_back({match.id, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + match.length)});
            at += match.length;
        }
        return {};
    }
    const Vocabulary& vocabulary() const override { return m_vocabulary; }
    bool spellsBytes() const override { return true; }

private:
    struct Match {
        int id = -1;
        std::size_t length = 0;
    };

    /// Narrows the tokens that begin as `text` does, byte by byte: the first of them is the text so far, if it is one.
    [[nodiscard]] Match longest(std::string_view text) const
    {
        Match match;
        auto first = m_tokens.begin(), last = m_tokens.end();
        for (std::size_t length = 1; length <= text.size() && first != last; ++length) {
            const auto byteAt = [length](const auto& token) {
                return token.first.size() < length ? -1 : static_cast<unsigned char>(token.first[length - 1]);
            };
            const int byte = static_cast<unsigned char>(text[length - 1]);
            first = std::ranges::lower_bound(first, last, byte, {}, byteAt);
            last = std::ranges::upper_bound(first, last, byte, {}, byteAt);
            if (first != last && first->first.size() == length)
                match = {first->second, length};
        }
        return match;
    }

    Vocabulary m_vocabulary;
    std::vector<std::pair<std::string, int>> m_tokens; ///< as bytes, sorted
};

} // namespace

Result<ModelPtr> makeLongestMatch(const std::vector<std::pair<std::string, std::int64_t>>& tokens,
                                  const std::string& end)
{
    std::vector<std::pair<std::string, std::int64_t>> spelled;
    for (const auto& [bytes, id] : tokens)
        spelled.emplace_back(toByteLevel(bytes), id);
    if (std::ranges::none_of(tokens, [](const auto& token) { return token.second == 0; }))
        spelled.emplace_back(end, 0);
    std::vector<std::pair<std::string, std::int64_t>> sorted = spelled;
    std::ranges::sort(sorted);
    if (const auto twice = std::ranges::adjacent_find(sorted, {}, [](const auto& token) { return token.first; });
        twice != sorted.end())
        return inputError(fmt::format("The token '{}' occurs twice.", twice->first));
    Result<Vocabulary> vocabulary = Vocabulary::make(std::move(spelled));
    if (!vocabulary.has_value())
        return vocabulary.error();
    std::vector<std::pair<std::string, int>> matched;
    for (const auto& [bytes, id] : tokens)
        matched.emplace_back(bytes, static_cast<int>(id));
    return ModelPtr(std::make_unique<LongestMatch>(*std::move(vocabulary), std::move(matched)));
}

} // namespace headscope::text
