// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/tokenmatch.h"

#include <algorithm>
#include <limits>

namespace headscope::analysis {

namespace {

/// What two texts share at their beginning and, after that, at their end.
struct Shared {
    std::size_t head = 0, tail = 0; // bytes
};

Shared sharedBytes(std::string_view a, std::string_view b)
{
    const std::size_t shorter = std::min(a.size(), b.size());
    Shared shared;
    while (shared.head < shorter && a[shared.head] == b[shared.head])
        ++shared.head;
    while (shared.tail < shorter - shared.head && a[a.size() - 1 - shared.tail] == b[b.size() - 1 - shared.tail])
        ++shared.tail;
    return shared;
}

enum class Region { Head, Changed, Tail };

Region regionOf(const TokenBytes& token, std::size_t textBytes, const Shared& shared)
{
    if (token.second <= shared.head)
        return Region::Head;
    return token.first >= textBytes - shared.tail ? Region::Tail : Region::Changed;
}

// The token without bytes at `byte` that has as many such tokens before it there.
int insertedAt(std::span<const TokenBytes> tokens, std::size_t byte, int number)
{
    for (std::size_t t = 0; t < tokens.size(); ++t)
        if (tokens[t] == TokenBytes{byte, byte} && number-- == 0)
            return static_cast<int>(t);
    return -1;
}

// The last token that begins at or before `byte`, which is the one that covers it unless it lies between tokens.
int covering(std::span<const TokenBytes> tokens, std::size_t byte)
{
    auto it = std::upper_bound(tokens.begin(), tokens.end(), byte,
                               [](std::size_t at, const TokenBytes& token) { return at < token.first; });
    while (it != tokens.begin())
        if (const TokenBytes& token = *--it; token.second > token.first)
            return static_cast<int>(it - tokens.begin());
    return -1;
}

std::vector<int> tokensIn(Region region, const TokenizedText& side, const Shared& shared)
{
    std::vector<int> found;
    for (std::size_t t = 0; t < side.tokens.size(); ++t)
        if (regionOf(side.tokens[t], side.text.size(), shared) == region)
            found.push_back(static_cast<int>(t));
    return found;
}

std::vector<int> partners(const TokenizedText& from, const TokenizedText& to, const Shared& shared)
{
    const std::vector<int> changed = tokensIn(Region::Changed, from, shared),
                           changedThere = tokensIn(Region::Changed, to, shared);
    std::vector<int> found(from.tokens.size(), -1);
    std::size_t number = 0;
    for (std::size_t t = 0; t < from.tokens.size(); ++t) {
        const auto [begin, end] = from.tokens[t];
        const Region region = regionOf(from.tokens[t], from.text.size(), shared);
        if (region == Region::Changed) {
            if (changed.size() == changedThere.size())
                found[t] = changedThere[number];
            ++number;
            continue;
        }
        const auto there = [&, region = region](std::size_t byte) {
            return region == Region::Head ? byte : byte + to.text.size() - from.text.size();
        };
        if (end > begin) {
            found[t] = covering(to.tokens, there(end - 1));
            continue;
        }
        int before = 0;
        for (std::size_t i = 0; i < t; ++i)
            before += from.tokens[i] == from.tokens[t];
        found[t] = insertedAt(to.tokens, there(begin), before);
    }
    return found;
}

} // namespace

TokenMatch::TokenMatch(const TokenizedText& a, const TokenizedText& b)
{
    const Shared shared = sharedBytes(a.text, b.text);
    m_b = partners(a, b, shared);
    m_a = partners(b, a, shared);
}

bool TokenMatch::identity() const
{
    if (m_a.size() != m_b.size())
        return false;
    for (std::size_t t = 0; t < m_b.size(); ++t)
        if (m_b[t] != static_cast<int>(t))
            return false;
    return true;
}

Matrix onTokensOfA(const Matrix& b, const TokenMatch& match)
{
    Matrix moved(match.countA(), match.countA());
    for (int row = 0; row < moved.rows; ++row) {
        const int source = match.tokenOfB(row);
        if (source < 0 || source >= b.rows) {
            for (int col = 0; col < moved.cols; ++col)
                moved.at(row, col) = std::numeric_limits<float>::quiet_NaN();
            continue;
        }
        for (int col = 0; col < b.cols; ++col)
            if (const int target = match.tokenOfA(col); target >= 0)
                moved.at(row, target) += b.at(source, col);
    }
    return moved;
}

} // namespace headscope::analysis
