// SPDX-License-Identifier: GPL-3.0-or-later
// WordLevel: one token a word.
#include "core/text/models/tokenizermodels.h"

#include <fmt/format.h>

namespace headscope::text {

namespace {

class WordLevel final : public Model
{
public:
    WordLevel(Vocabulary vocabulary, std::string unknown)
        : m_vocabulary(std::move(vocabulary)), m_unknown(std::move(unknown)), m_unknownId(m_vocabulary.idOf(m_unknown))
    {
    }
    Result<void> tokenize(std::string_view word, bool, WordCache&, std::vector<WordToken>& out) const override
    {
        std::optional<int> id = m_vocabulary.idOf(word);
        if (!id)
            id = m_unknownId;
        if (!id)
            return Error{Error::Kind::Input,
                         fmt::format("The word '{}' is not in the vocabulary, which has no unknown token '{}' for it.",
                                     word, m_unknown),
                         std::string(word)};
        out.push_back({*id, 0, static_cast<std::uint32_t>(word.size())});
        return {};
    }
    const Vocabulary& vocabulary() const override { return m_vocabulary; }

private:
    Vocabulary m_vocabulary;
    std::string m_unknown;
    std::optional<int> m_unknownId;
};

} // namespace

ModelPtr makeWordLevel(Vocabulary vocabulary, std::string unknown)
{
    return std::make_unique<WordLevel>(std::move(vocabulary), std::move(unknown));
}

} // namespace headscope::text
