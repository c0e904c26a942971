// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which tokens of two tokenizations show the same piece of text, so that two maps can be read together. Pure values;
// any thread.

#include "core/base/matrix.h"

#include <cstddef>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope::analysis {

/// Bytes [first, second) of the text that a token covers; a token that was put in (<s>) covers none.
using TokenBytes = std::pair<std::size_t, std::size_t>;

struct TokenizedText {
    std::string_view text;
    std::span<const TokenBytes> tokens;
};

/// The partner of a token is the token of the other side that covers its last byte: the one that has read as much of
/// the text. Where the texts differ, their common beginning and end are matched so; between them tokens are matched by
/// their number if there are equally many, else they have no partner.
class TokenMatch
{
public:
    TokenMatch() = default;
    TokenMatch(const TokenizedText& a, const TokenizedText& b);

    /// -1: no partner. Tokens outside of the prompt have none.
    [[nodiscard]] int tokenOfB(int a) const { return partner(m_b, a); }
    [[nodiscard]] int tokenOfA(int b) const { return partner(m_a, b); }
    [[nodiscard]] int countA() const { return static_cast<int>(m_b.size()); }
    /// Token i is token i on both sides.
    [[nodiscard]] bool identity() const;

private:
    [[nodiscard]] static int partner(const std::vector<int>& partners, int token)
    {
        return token >= 0 && token < static_cast<int>(partners.size()) ? partners[static_cast<std::size_t>(token)] : -1;
    }
    std::vector<int> m_b; ///< [tokens of A]: partner in B
    std::vector<int> m_a; ///< [tokens of B]: partner in A
};

/// B's map on the tokens of A, [A, A]: row r is the row of r's partner, and what lies on a token of B is added to that
/// token's partner, so that no mass is lost where one tokenizer cuts finer. Rows without a partner are NaN.
[[nodiscard]] Matrix onTokensOfA(const Matrix& b, const TokenMatch& match);

} // namespace headscope::analysis
