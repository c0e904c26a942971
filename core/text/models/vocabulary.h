// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Tokens and their ids, both ways. Immutable once made: any thread.

#include "core/base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace headscope::text {

class Vocabulary
{
public:
    /// Makes a vocabulary of distinct tokens (a map's keys). Fails for an id outside 0..2^31-2 or one used twice.
    [[nodiscard]] static Result<Vocabulary> make(std::vector<std::pair<std::string, std::int64_t>> tokens);
    /// Makes a vocabulary whose ids are positions; a token that occurs twice keeps both ids and is found by the last.
    [[nodiscard]] static Vocabulary fromList(std::vector<std::string> tokens);

    Vocabulary(Vocabulary&&) noexcept = default;
    Vocabulary& operator=(Vocabulary&&) noexcept = default;

    [[nodiscard]] std::optional<int> idOf(std::string_view token) const;
    /// Returns the token of an id; null if there is none.
    [[nodiscard]] const std::string* tokenOf(int id) const;
    /// Returns the number of different tokens.
    [[nodiscard]] std::size_t size() const { return m_ids.size(); }
    [[nodiscard]] int largestId() const { return m_largest; } ///< -1 when empty

private:
    Vocabulary() = default;
    void index();

    std::vector<std::string> m_tokens; ///< never changes after index(): its keys point here
    std::vector<int> m_idsInOrder;     ///< ids of m_tokens; empty: their positions
    std::unordered_map<std::string_view, int> m_ids;
    std::vector<std::int32_t> m_dense;             ///< id to position in m_tokens, -1: none; when ids are dense
    std::unordered_map<int, std::size_t> m_sparse; ///< the same when they are not
    int m_largest = -1;
};

} // namespace headscope::text
