// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Rows of the matrix of a linear recurrence whose state is multiplied by a matrix at each token (RWKV-7, the gated
// delta rule), from what its own scan makes of unit values and unit states. Worker thread.

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <vector>

namespace headscope::lm {

/// y [.., count, P] of values v [.., count, P] of the tokens [from, from + count); `state` [.., N, P] is the state
/// before them and becomes the one after. Linear in v and state together.
using ChunkScan =
    std::function<at::Tensor(std::int64_t from, std::int64_t count, const at::Tensor& v, at::Tensor& state)>;

/// M with y = M v. A row goes back from its own chunk, a chunk at a time, so work grows with rows times T and memory
/// with T: what chunks do is kept as long as the copies of this live, where it is not too much.
class RecurrenceRows
{
public:
    struct Shape {
        std::vector<std::int64_t> batch;                ///< the leading dimensions
        std::int64_t length = 0, states = 0, chunk = 1; ///< T, N, tokens scanned at once
        at::TensorOptions options;
    };
    RecurrenceRows(Shape shape, ChunkScan scan);

    /// Rows [first, first + count), [.., count, T].
    [[nodiscard]] at::Tensor operator()(std::int64_t first, std::int64_t count) const;

private:
    struct Chunk {
        at::Tensor y;     ///< [.., Q, Q + N]: what its tokens read of each other's values, then of the state before
        at::Tensor after; ///< [.., N, Q + N]: what the state behind has of its values, then of the state before
    };
    [[nodiscard]] Chunk chunk(std::int64_t index) const;
    Shape m_shape;
    ChunkScan m_scan;
    std::shared_ptr<std::vector<Chunk>> m_kept; ///< undefined: not asked for yet; null: too much to keep
};

} // namespace headscope::lm
