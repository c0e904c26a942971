// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Matches tokens of two tokenizations that cover the same text, so that two maps can be compared. Pure values; any
// thread.

#include "core/base/matrix.h"

#include <cstddef>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope::analysis {

/// Bytes [first, second) of the text that a token covers; an inserted token (<s>) covers none.
using TokenBytes = std::pair<std::size_t, std::size_t>;

struct TokenizedText {
    std::string_view text;
    std::span<const TokenBytes> tokens;
};

/// The partner of a token is the other side's token that covers its last byte: the one that has read equally much of
/// the text. If the texts differ, their common beginning and end are matched in this way; tokens between them are
/// matched by index if there are equally many, otherwise they have no partner.
class TokenMatch
{
public:
    TokenMatch() = default;
    TokenMatch(const TokenizedText& a, const TokenizedText& b);

    /// Return the partner; -1: none. Tokens outside the prompt have none.
    [[nodiscard]] int tokenOfB(int a) const { return partner(m_b, a); }
    [[nodiscard]] int tokenOfA(int b) const { return partner(m_a, b); }
    [[nodiscard]] int countA() const { return static_cast<int>(m_b.size()); }
    /// Returns whether token i is matched to token i everywhere.
    [[nodiscard]] bool identity() const;

private:
    [[nodiscard]] static int partner(const std::vector<int>& partners, int token)
    {
        return token >= 0 && token < static_cast<int>(partners.size()) ? partners[static_cast<std::size_t>(token)] : -1;
    }
    std::vector<int> m_b; ///< [tokens of A]: partner in B
    std::vector<int> m_a; ///< [tokens of B]: partner in A
};

/// Returns B's map on the tokens of A, [A, A]: row r is the row of r's partner, and mass on a token of B is added to
/// that token's partner, so that no mass is lost if one tokenizer splits finer. Rows without a partner are NaN.
[[nodiscard]] Matrix onTokensOfA(const Matrix& b, const TokenMatch& match);

} // namespace headscope::analysis
