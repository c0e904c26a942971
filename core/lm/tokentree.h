// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Many texts as one packed row of tokens, in which what several of them start with is there once. Worker thread.

#include "core/lm/cpukernels.h"

#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

namespace headscope::lm {

/// Rows and segments are in depth-first order: parents first, and the rows of all that continues a segment right behind it.
class TokenTree
{
public:
    /// Of texts in lexicographic order (then what they share is next to each other). `rowOf` gets for each text the row of
    /// each of its tokens.
    explicit TokenTree(const std::vector<const std::vector<int>*>& texts, std::vector<std::vector<std::int64_t>>* rowOf = nullptr);
    /// `batch` texts of `length` tokens that share nothing.
    TokenTree(std::int64_t batch, std::int64_t length);

    [[nodiscard]] const std::vector<TreeSegment>& segments() const { return m_segments; }
    [[nodiscard]] std::int64_t rows() const { return static_cast<std::int64_t>(m_positions.size()); }
    [[nodiscard]] std::int64_t longest() const { return m_longest; } ///< tokens of the longest text
    [[nodiscard]] std::int64_t levels() const { return m_levels; }
    [[nodiscard]] const std::vector<int>& ids() const { return m_ids; } ///< by row; empty for the second constructor
    [[nodiscard]] const std::vector<std::int64_t>& positions() const { return m_positions; } ///< by row
    [[nodiscard]] const std::vector<std::int64_t>& previous() const { return m_previous; } ///< by row: the row before, -1: none

private:
    void finish();
    std::vector<TreeSegment> m_segments;
    std::vector<int> m_ids;
    std::vector<std::int64_t> m_positions, m_previous;
    std::int64_t m_longest = 0, m_levels = 0;
};

/// The texts of a tree written out, padded on the right: for mixers that know no tree. Neighbours that share most of their
/// tokens are written as one group, in which a row sees only its own text.
struct TreePaths {
    at::Tensor rows;      ///< int64 [groups, T]: the row at each place (past a group's end: its last)
    at::Tensor place;     ///< int64 [rows]: one place group * T + t where each row lies
    at::Tensor positions; ///< int64 [groups, T]
    std::int64_t longest = 0; ///< tokens of the longest text
    at::Tensor visible;   ///< bool [groups, T, T]: the places that each place comes after in its text, and itself; undefined: all before it
};
[[nodiscard]] TreePaths pathsOf(const TokenTree& tree, const at::Device& device);

} // namespace headscope::lm
