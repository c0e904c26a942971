// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/english/ngram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace headscope::train {

namespace {

// Sorted keys without repetition, and how often each came.
void countKeys(std::vector<std::uint64_t>& keys, std::vector<std::int64_t>& counts)
{
    std::sort(keys.begin(), keys.end());
    counts.clear();
    std::size_t kept = 0;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (i > 0 && keys[i] == keys[kept - 1]) {
            ++counts.back();
            continue;
        }
        keys[kept++] = keys[i];
        counts.push_back(1);
    }
    keys.resize(kept);
}

// What is taken from every count, by how many counts of 1 and 2 there are.
double discountOf(const std::vector<std::int64_t>& counts)
{
    const auto ones = static_cast<double>(std::count(counts.begin(), counts.end(), 1));
    const auto twos = static_cast<double>(std::count(counts.begin(), counts.end(), 2));
    return ones > 0 ? ones / (ones + 2 * twos) : 0.5;
}

} // namespace

NgramModel::NgramModel(std::span<const std::int32_t> tokens, int vocabulary, int order)
    : m_bits(std::max(1, static_cast<int>(std::bit_width(static_cast<unsigned>(vocabulary - 1))))),
      m_vocabulary(vocabulary)
{
    const int most = std::clamp(order, 1, 64 / m_bits);
    m_orders.resize(static_cast<std::size_t>(most));
    std::vector<std::uint64_t> keys;
    const auto maskOf = [&](int length) {
        return length * m_bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << (length * m_bits)) - 1;
    };
    // 1. The longest: what stands in the text.
    std::uint64_t key = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        key = ((key << m_bits) | static_cast<std::uint64_t>(tokens[i])) & maskOf(most);
        if (static_cast<int>(i) + 1 >= most)
            keys.push_back(key);
    }
    // 2. The shorter ones count after how many different tokens they came.
    for (int length = most; length >= 1; --length) {
        Order& current = m_orders[static_cast<std::size_t>(length - 1)];
        std::vector<std::int64_t> counts;
        countKeys(keys, counts);
        current.discount = discountOf(counts);
        current.sums.assign(1, 0);
        for (const std::int64_t count : counts)
            current.sums.push_back(current.sums.back() + count);
        current.keys = keys;
        for (std::uint64_t& shorter : keys)
            shorter &= maskOf(length - 1);
    }
}

double NgramModel::probability(std::span<const std::int32_t> before, std::int32_t token) const
{
    double p = 1.0 / m_vocabulary;
    std::uint64_t context = 0; // of the order at hand
    for (std::size_t length = 0; length < m_orders.size() && length <= before.size(); ++length) {
        if (length > 0)
            context |= static_cast<std::uint64_t>(before[before.size() - length])
                       << (m_bits * static_cast<int>(length - 1));
        const Order& order = m_orders[length];
        const std::uint64_t first = context << m_bits, last = first | ((std::uint64_t{1} << m_bits) - 1);
        const auto begin = std::lower_bound(order.keys.begin(), order.keys.end(), first);
        const auto end = std::upper_bound(begin, order.keys.end(), last);
        if (begin == end)
            break; // a context that never came tells nothing, nor does a longer one
        const auto at = [&](auto it) { return order.sums[static_cast<std::size_t>(it - order.keys.begin())]; };
        const auto total = static_cast<double>(at(end) - at(begin));
        const auto found = std::lower_bound(begin, end, first | static_cast<std::uint64_t>(token));
        const double count = found != end && *found == (first | static_cast<std::uint64_t>(token))
                                 ? static_cast<double>(at(found + 1) - at(found))
                                 : 0.0;
        p = std::max(count - order.discount, 0.0) / total
            + order.discount * static_cast<double>(end - begin) / total * p;
    }
    return p;
}

double nats(const NgramModel& model, std::span<const std::int64_t> tokens, int row)
{
    double sum = 0;
    std::size_t count = 0;
    std::vector<std::int32_t> before;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (i % static_cast<std::size_t>(row) == 0) {
            before.clear();
        } else {
            sum -= std::log(model.probability(before, static_cast<std::int32_t>(tokens[i])));
            ++count;
        }
        before.push_back(static_cast<std::int32_t>(tokens[i]));
    }
    return count > 0 ? sum / static_cast<double>(count) : 0.0;
}

} // namespace headscope::train
