// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/mixers/recurrencerows.h"

#include <c10/util/accumulate.h>

#include <algorithm>
#include <utility>

namespace headscope::lm {

namespace {

constexpr std::int64_t kKeptNumbers = std::int64_t{1} << 26; // 268 MB

} // namespace

RecurrenceRows::RecurrenceRows(Shape shape, ChunkScan scan) : m_shape(std::move(shape)), m_scan(std::move(scan))
{
    const std::int64_t chunks = (m_shape.length + m_shape.chunk - 1) / m_shape.chunk,
                       side = m_shape.chunk + m_shape.states;
    if (chunks * c10::multiply_integers(m_shape.batch) * side * side <= kKeptNumbers)
        m_kept = std::make_shared<std::vector<Chunk>>(static_cast<std::size_t>(chunks));
}

RecurrenceRows::Chunk RecurrenceRows::chunk(std::int64_t index) const
{
    if (m_kept && (*m_kept)[static_cast<std::size_t>(index)].y.defined())
        return (*m_kept)[static_cast<std::size_t>(index)];
    const std::int64_t from = index * m_shape.chunk, count = std::min(m_shape.chunk, m_shape.length - from);
    const auto units = [&](std::int64_t rows, std::int64_t firstColumn) {
        std::vector<std::int64_t> sizes = m_shape.batch;
        sizes.insert(sizes.end(), {rows, count + m_shape.states});
        at::Tensor unit = at::zeros(sizes, m_shape.options);
        unit.diagonal(firstColumn, -2, -1).fill_(1.0);
        return unit;
    };
    Chunk made{.after = units(m_shape.states, count)};
    made.y = m_scan(from, count, units(count, 0), made.after);
    if (m_kept)
        (*m_kept)[static_cast<std::size_t>(index)] = made;
    return made;
}

at::Tensor RecurrenceRows::operator()(std::int64_t first, std::int64_t count) const
{
    std::vector<std::int64_t> sizes = m_shape.batch;
    sizes.insert(sizes.end(), {count, m_shape.length});
    const at::Tensor rows = at::zeros(sizes, m_shape.options);
    at::Tensor reads; // [.., R, N]: what the rows behind a chunk read of the state at its end
    for (std::int64_t index = (first + count - 1) / m_shape.chunk; index >= 0; --index) {
        const Chunk own = chunk(index);
        const std::int64_t from = index * m_shape.chunk, width = own.y.size(-2);
        std::vector<at::Tensor> parts; // [.., R, Q + N]: of its values, then of the state before it
        if (const std::int64_t skipped = std::max(first - from, std::int64_t{0}); skipped < width)
            parts.push_back(own.y.narrow(-2, skipped, std::min(first + count - from, width) - skipped));
        if (reads.defined())
            parts.push_back(at::matmul(reads, own.after));
        const at::Tensor both = parts.size() == 1 ? parts.front() : at::cat(parts, -2);
        const std::int64_t reading = both.size(-2);
        rows.narrow(-2, count - reading, reading).narrow(-1, from, width).copy_(both.narrow(-1, 0, width));
        reads = both.narrow(-1, width, m_shape.states);
    }
    return rows;
}

} // namespace headscope::lm
