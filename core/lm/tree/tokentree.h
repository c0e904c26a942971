// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Many prompts as one packed row of tokens, in which common prefixes occur only once. Worker thread.

#include "core/lm/kernels/cpukernels.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace headscope::lm {

/// Rows and segments are in depth-first order: parents first, and all continuations of a segment directly after
/// it.
class TokenTree
{
public:
    /// Builds the tree of prompts in lexicographic order (so that common prefixes are adjacent). `rowOf` receives for
    /// each prompt the row of each of its tokens.
    explicit TokenTree(const std::vector<const std::vector<int>*>& texts,
                       std::vector<std::vector<std::int64_t>>* rowOf = nullptr);
    /// Builds a tree of `batch` prompts of `length` tokens without common prefixes.
    TokenTree(std::int64_t batch, std::int64_t length);

    [[nodiscard]] const std::vector<TreeSegment>& segments() const { return m_segments; }
    [[nodiscard]] std::int64_t rows() const { return static_cast<std::int64_t>(m_positions.size()); }
    [[nodiscard]] std::int64_t longest() const { return m_longest; } ///< tokens of the longest prompt
    [[nodiscard]] std::int64_t levels() const { return m_levels; }
    [[nodiscard]] const std::vector<int>& ids() const { return m_ids; } ///< by row; empty for the second constructor
    [[nodiscard]] const std::vector<std::int64_t>& positions() const { return m_positions; } ///< by row
    [[nodiscard]] const std::vector<std::int64_t>& previous() const
    {
        return m_previous;
    } ///< by row: the preceding row, -1: none

private:
    void finish();
    std::vector<TreeSegment> m_segments;
    std::vector<int> m_ids;
    std::vector<std::int64_t> m_positions, m_previous;
    std::int64_t m_longest = 0, m_levels = 0;
};

/// The prompts of a tree written out, padded on the right: for mixers without tree support. Neighbours that share most
/// of their tokens are written as one group, in which a row sees only its own prompt.
struct TreePaths {
    at::Tensor rows;          ///< int64 [groups, T]: the row in each place (after a group's end: its last)
    at::Tensor place;         ///< int64 [rows]: a place group * T + t of each row
    at::Tensor positions;     ///< int64 [groups, T]
    std::int64_t longest = 0; ///< tokens of the longest prompt
    at::Tensor visible;       ///< bool [groups, T, T]: the places that precede each place in its prompt, and itself;
                              ///< undefined: all before it
};
[[nodiscard]] TreePaths pathsOf(const TokenTree& tree, const at::Device& device);

/// The segments of a tree by level, grouped by similar length: for scans that carry a state.
struct TreeLevels {
    struct Group {
        at::Tensor rows; ///< int64 [S, T]: each segment's rows; after the end of a shorter one, the number of all rows
        at::Tensor parents;      ///< int64 [S]: the segment of the previous level that each continues; undefined on the
                                 ///< first level
        std::int64_t begin = -1; ///< the first row, if `rows` is just the consecutive numbers from there on
    };
    std::vector<std::vector<Group>> levels; ///< segments are numbered within their level, group after group
    at::Tensor place;    ///< int64 [rows]: index of each row if all groups are concatenated; undefined: unchanged
    bool padded = false; ///< some segment is shorter than its group
};
[[nodiscard]] TreeLevels levelsOf(const TokenTree& tree, const at::Device& device);

/// A tree with its tensors on the model's device, created on first use and shared by all layers of a
/// run.
class DeviceTree
{
public:
    DeviceTree(std::shared_ptr<const TokenTree> tree, at::Device device) : m_tree(std::move(tree)), m_device(device) {}

    [[nodiscard]] const TokenTree& onHost() const { return *m_tree; }
    /// Returns the same for layers on another device; made once.
    [[nodiscard]] const DeviceTree& on(const at::Device& device) const;
    [[nodiscard]] at::Tensor ids() const;              ///< int64 [1, rows]
    [[nodiscard]] const at::Tensor& positions() const; ///< int64 [rows]
    [[nodiscard]] const at::Tensor& previous() const;  ///< int64 [rows + 1]: the preceding row, or the number of rows
    [[nodiscard]] const TreePaths& paths() const;
    [[nodiscard]] const TreeLevels& levels() const;

private:
    std::shared_ptr<const TokenTree> m_tree;
    at::Device m_device;
    mutable std::vector<std::shared_ptr<const DeviceTree>> m_others;
    mutable at::Tensor m_positions, m_previous;
    mutable std::optional<TreePaths> m_paths;
    mutable std::optional<TreeLevels> m_levels;
};

} // namespace headscope::lm
