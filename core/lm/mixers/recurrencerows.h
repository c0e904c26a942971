// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Rows of the matrix of a linear recurrence whose state is multiplied by a matrix at each token (RWKV-7, the gated
// delta rule), computed by running its own scan on unit values and unit states. Worker thread.

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <vector>

namespace headscope::lm {

/// Returns y [.., count, P] for values v [.., count, P] of the tokens [from, from + count); `state` [.., N, P] is the
/// state before them and becomes the one after. Linear in v and state together.
using ChunkScan =
    std::function<at::Tensor(std::int64_t from, std::int64_t count, const at::Tensor& v, at::Tensor& state)>;

/// M with y = M v. A row is computed backwards from its own chunk, one chunk at a time, so work grows with rows times T
/// and memory with T: chunk maps are cached as long as copies of this exist, unless they are too large.
class RecurrenceRows
{
public:
    struct Shape {
        std::vector<std::int64_t> batch;                ///< the leading dimensions
        std::int64_t length = 0, states = 0, chunk = 1; ///< T, N, tokens scanned at once
        at::TensorOptions options;
    };
    RecurrenceRows(Shape shape, ChunkScan scan);

    /// Returns rows [first, first + count), [.., count, T].
    [[nodiscard]] at::Tensor operator()(std::int64_t first, std::int64_t count) const;

private:
    struct Chunk {
        at::Tensor y;     ///< [.., Q, Q + N]: the tokens' outputs from each other's values, then from the state before
        at::Tensor after; ///< [.., N, Q + N]: the state after the chunk from its values, then from the state before
    };
    [[nodiscard]] Chunk chunk(std::int64_t index) const;
    Shape m_shape;
    ChunkScan m_scan;
    std::shared_ptr<std::vector<Chunk>> m_kept; ///< undefined: not computed yet; null: too large to cache
};

} // namespace headscope::lm
