// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/models/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace headscope::text {

Result<Vocabulary> Vocabulary::make(std::vector<std::pair<std::string, std::int64_t>> tokens)
{
    Vocabulary v;
    v.m_tokens.reserve(tokens.size());
    v.m_idsInOrder.reserve(tokens.size());
    for (auto& [token, id] : tokens) {
        if (id < 0 || id >= std::numeric_limits<std::int32_t>::max())
            return inputError(fmt::format("Token '{}' of the vocabulary has id {}; expected 0 to {}.", token, id,
                                          std::numeric_limits<std::int32_t>::max() - 1));
        v.m_tokens.push_back(std::move(token));
        v.m_idsInOrder.push_back(static_cast<int>(id));
        v.m_largest = std::max(v.m_largest, static_cast<int>(id));
    }
    v.index();
    const std::size_t n = v.m_tokens.size();
    const bool dense = static_cast<std::size_t>(v.m_largest + 1) <= 8 * n + 65536;
    if (dense)
        v.m_dense.assign(static_cast<std::size_t>(v.m_largest + 1), -1);
    for (std::size_t i = 0; i < n; ++i) {
        const int id = v.m_idsInOrder[i];
        bool taken = false;
        if (dense) {
            std::int32_t& slot = v.m_dense[static_cast<std::size_t>(id)];
            taken = slot >= 0;
            if (!taken)
                slot = static_cast<std::int32_t>(i);
        } else {
            taken = !v.m_sparse.emplace(id, i).second;
        }
        if (taken)
            return inputError(
                fmt::format("Tokens '{}' and '{}' of the vocabulary both have id {}; expected different ids.",
                            *v.tokenOf(id), v.m_tokens[i], id));
    }
    return v;
}

Vocabulary Vocabulary::fromList(std::vector<std::string> tokens)
{
    Vocabulary v;
    v.m_tokens = std::move(tokens);
    v.m_largest = static_cast<int>(v.m_tokens.size()) - 1;
    v.index();
    return v;
}

void Vocabulary::index()
{
    m_ids.reserve(m_tokens.size());
    for (std::size_t i = 0; i < m_tokens.size(); ++i)
        m_ids[m_tokens[i]] = m_idsInOrder.empty() ? static_cast<int>(i) : m_idsInOrder[i];
}

std::optional<int> Vocabulary::idOf(std::string_view token) const
{
    const auto it = m_ids.find(token);
    if (it == m_ids.end())
        return std::nullopt;
    return it->second;
}

const std::string* Vocabulary::tokenOf(int id) const
{
    if (id < 0 || id > m_largest)
        return nullptr;
    if (m_idsInOrder.empty())
        return &m_tokens[static_cast<std::size_t>(id)];
    if (!m_dense.empty()) {
        const std::int32_t at = m_dense[static_cast<std::size_t>(id)];
        return at < 0 ? nullptr : &m_tokens[static_cast<std::size_t>(at)];
    }
    const auto it = m_sparse.find(id);
    return it == m_sparse.end() ? nullptr : &m_tokens[it->second];
}

} // namespace headscope::text
