// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The baseline that a small English model must beat on prose: five-gram counts. Immutable once made: any
// thread.

#include <cstdint>
#include <span>
#include <vector>

namespace headscope::train {

/// Interpolated Kneser-Ney with one discount per order (Chen and Goodman 1999).
class NgramModel
{
public:
    /// Uses n-grams of `order` tokens; the order is lower if that many tokens do not fit into 64 bits (5 up to 4,096
    /// tokens).
    NgramModel(std::span<const std::int32_t> tokens, int vocabulary, int order = 5);

    [[nodiscard]] int order() const { return static_cast<int>(m_orders.size()); }
    /// Returns the probability of a token after the last of the tokens before it.
    [[nodiscard]] double probability(std::span<const std::int32_t> before, std::int32_t token) const;

private:
    struct Order {
        std::vector<std::uint64_t> keys; ///< ascending; the last token in the lowest bits
        std::vector<std::int64_t> sums;  ///< cumulative counts before each key; one more than keys
        double discount = 0.0;
    };
    std::vector<Order> m_orders; ///< [0]: single tokens
    int m_bits = 0;
    int m_vocabulary = 0;
};

/// Returns nats per token of rows of `row` tokens, without the first of each; no context precedes a row.
[[nodiscard]] double nats(const NgramModel& model, std::span<const std::int64_t> tokens, int row);

} // namespace headscope::train
