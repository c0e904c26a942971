// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The model that a small English model has to beat on prose: five tokens at a time, counted. Immutable once made: any
// thread.

#include <cstdint>
#include <span>
#include <vector>

namespace headscope::train {

/// Interpolated Kneser-Ney with one discount an order (Chen and Goodman 1999).
class NgramModel
{
public:
    /// `order` tokens at a time; the order is lower where that many tokens do not fit into 64 bits (5 up to 4,096
    /// tokens).
    NgramModel(std::span<const std::int32_t> tokens, int vocabulary, int order = 5);

    [[nodiscard]] int order() const { return static_cast<int>(m_orders.size()); }
    /// The probability of a token after the last of the tokens before it.
    [[nodiscard]] double probability(std::span<const std::int32_t> before, std::int32_t token) const;

private:
    struct Order {
        std::vector<std::uint64_t> keys; ///< ascending; the last token in the lowest bits
        std::vector<std::int64_t> sums;  ///< of counts before each key; one more than keys
        double discount = 0.0;
    };
    std::vector<Order> m_orders; ///< [0]: single tokens
    int m_bits = 0;
    int m_vocabulary = 0;
};

/// Nats a token of rows of `row` tokens, the first of each left out; nothing is known before a row.
[[nodiscard]] double nats(const NgramModel& model, std::span<const std::int64_t> tokens, int row);

} // namespace headscope::train
