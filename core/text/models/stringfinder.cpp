// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/steps/addedtokens.h"

namespace headscope::text {

namespace {

std::uint64_t edgeKey(std::uint32_t node, unsigned char byte)
{
    return static_cast<std::uint64_t>(node) << 8 | byte;
}

} // namespace

void StringFinder::add(std::string_view string, int value)
{
    std::uint32_t node = 0;
    for (auto c = string.rbegin(); c != string.rend(); ++c) {
        const auto byte = static_cast<unsigned char>(*c);
        auto [edge, isNew] = m_edges.try_emplace(edgeKey(node, byte), static_cast<std::uint32_t>(m_longest.size()));
        if (isNew) {
            m_parent.push_back(node);
            m_byte.push_back(byte);
            m_fail.push_back(0);
            m_longest.push_back({});
            if (node == 0)
                m_root[byte] = edge->second;
        }
        node = edge->second;
    }
    m_longest[node] = {static_cast<std::uint32_t>(string.size()), value};
}

std::uint32_t StringFinder::step(std::uint32_t node, unsigned char byte) const
{
    while (node != 0) {
        const auto edge = m_edges.find(edgeKey(node, byte));
        if (edge != m_edges.end())
            return edge->second;
        node = m_fail[node];
    }
    return m_root[byte];
}

void StringFinder::build()
{
    // Failure links, breadth first: a node's link depends on shorter nodes only.
    std::vector<std::vector<std::uint32_t>> byDepth{{0}};
    std::vector<std::uint32_t> depth(m_parent.size(), 0);
    for (std::uint32_t node = 1; node < m_parent.size(); ++node) { // parents come before their children
        depth[node] = depth[m_parent[node]] + 1;
        if (depth[node] == byDepth.size())
            byDepth.emplace_back();
        byDepth[depth[node]].push_back(node);
    }
    for (std::size_t d = 1; d < byDepth.size(); ++d) {
        for (const std::uint32_t node : byDepth[d]) {
            m_fail[node] = d == 1 ? 0 : step(m_fail[m_parent[node]], m_byte[node]);
            if (m_longest[node].value < 0)
                m_longest[node] = m_longest[m_fail[node]];
        }
    }
}

void StringFinder::find(std::string_view text, std::vector<Hit>& out) const
{
    if (empty())
        return;
    std::vector<Hit> candidates; // from right to left
    std::uint32_t node = 0;
    for (std::size_t i = text.size(); i-- > 0;) {
        const auto byte = static_cast<unsigned char>(text[i]);
        node = node == 0 ? m_root[byte] : step(node, byte);
        if (const Longest& l = m_longest[node]; l.value >= 0)
            candidates.push_back({i, i + l.length, l.value});
    }
    std::size_t from = 0;
    for (auto hit = candidates.rbegin(); hit != candidates.rend(); ++hit) {
        if (hit->begin < from)
            continue;
        out.push_back(*hit);
        from = hit->end;
    }
}

} // namespace headscope::text
