// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/tokentree.h"

#include <algorithm>

namespace headscope::lm {

TokenTree::TokenTree(const std::vector<const std::vector<int>*>& texts, std::vector<std::vector<std::int64_t>>* rowOf)
{
    std::vector<std::int64_t> path; // rows of the text before, by position
    std::vector<std::int64_t> segmentOf;
    if (rowOf)
        rowOf->clear();
    for (const std::vector<int>* text : texts) {
        std::size_t shared = 0;
        while (shared < std::min(path.size(), text->size()) && m_ids[static_cast<std::size_t>(path[shared])] == (*text)[shared])
            ++shared;
        path.resize(shared);
        // A branch inside a segment splits it: what is behind the branch becomes a child of what is before it.
        if (shared > 0 && shared < text->size()) {
            const auto segment = static_cast<std::size_t>(segmentOf[static_cast<std::size_t>(path.back())]);
            TreeSegment& before = m_segments[segment];
            const std::int64_t kept = path.back() - before.begin + 1;
            if (kept < before.count) {
                TreeSegment rest = before;
                rest.parent = static_cast<std::int64_t>(segment);
                rest.begin += kept;
                rest.count -= kept;
                rest.position += kept;
                before.count = kept;
                m_segments.insert(m_segments.begin() + static_cast<std::ptrdiff_t>(segment) + 1, rest);
                const auto moved = static_cast<std::int64_t>(segment) + 1;
                for (std::size_t i = segment + 2; i < m_segments.size(); ++i)
                    if (m_segments[i].parent >= static_cast<std::int64_t>(segment))
                        ++m_segments[i].parent;
                for (std::size_t row = static_cast<std::size_t>(rest.begin); row < segmentOf.size(); ++row)
                    segmentOf[row] = segmentOf[row] == static_cast<std::int64_t>(segment) ? moved : segmentOf[row] + (segmentOf[row] >= moved ? 1 : 0);
            }
        }
        if (shared < text->size()) {
            TreeSegment segment;
            segment.parent = shared > 0 ? segmentOf[static_cast<std::size_t>(path.back())] : -1;
            segment.begin = rows();
            segment.count = static_cast<std::int64_t>(text->size() - shared);
            segment.position = static_cast<std::int64_t>(shared);
            for (std::size_t t = shared; t < text->size(); ++t) {
                m_previous.push_back(path.empty() ? -1 : path.back());
                path.push_back(rows());
                m_ids.push_back((*text)[t]);
                m_positions.push_back(static_cast<std::int64_t>(t));
                segmentOf.push_back(static_cast<std::int64_t>(m_segments.size()));
            }
            m_segments.push_back(segment);
        }
        if (rowOf)
            rowOf->push_back(path);
    }
    finish();
}

TokenTree::TokenTree(std::int64_t batch, std::int64_t length)
{
    for (std::int64_t b = 0; b < batch; ++b) {
        m_segments.push_back({.parent = -1, .begin = b * length, .count = length});
        for (std::int64_t t = 0; t < length; ++t) {
            m_positions.push_back(t);
            m_previous.push_back(t == 0 ? -1 : b * length + t - 1);
        }
    }
    finish();
}

void TokenTree::finish()
{
    for (TreeSegment& segment : m_segments) {
        if (segment.parent >= 0) {
            TreeSegment& parent = m_segments[static_cast<std::size_t>(segment.parent)];
            parent.hasChildren = true;
            segment.level = parent.level + 1;
        }
        m_longest = std::max(m_longest, segment.position + segment.count);
        m_levels = std::max(m_levels, segment.level + 1);
    }
}

TreePaths pathsOf(const TokenTree& tree, const at::Device& device)
{
    // 1. The texts' rows, joined while a group stays about as long as the longest text.
    std::vector<std::vector<std::int64_t>> groups;
    std::vector<std::int64_t> index(static_cast<std::size_t>(tree.rows()), -1); // in the last group
    const auto limit = static_cast<std::size_t>(tree.longest() + tree.longest() / 4);
    bool joined = false;
    for (const TreeSegment& segment : tree.segments()) {
        if (segment.hasChildren)
            continue;
        std::vector<std::int64_t> path;
        for (std::int64_t row = segment.begin + segment.count - 1; row >= 0; row = tree.previous()[static_cast<std::size_t>(row)])
            path.push_back(row);
        std::reverse(path.begin(), path.end());
        const auto isNew = [&](std::int64_t row) { return index[static_cast<std::size_t>(row)] < 0; };
        const auto added = static_cast<std::size_t>(std::count_if(path.begin(), path.end(), isNew));
        if (groups.empty() || added == path.size() || groups.back().size() + added > limit) {
            for (const std::int64_t row : groups.empty() ? std::vector<std::int64_t>() : groups.back())
                index[static_cast<std::size_t>(row)] = -1;
            groups.emplace_back();
        } else {
            joined = true;
        }
        for (const std::int64_t row : path)
            if (isNew(row)) {
                index[static_cast<std::size_t>(row)] = static_cast<std::int64_t>(groups.back().size());
                groups.back().push_back(row);
            }
    }
    std::size_t length = 0;
    for (const auto& group : groups)
        length = std::max(length, group.size());

    // 2. Their places.
    const auto count = static_cast<std::int64_t>(groups.size()), t = static_cast<std::int64_t>(length);
    TreePaths paths{.longest = tree.longest()};
    const at::Tensor rows = at::empty({count, t}, at::kLong), positions = at::empty({count, t}, at::kLong), place = at::empty({tree.rows()}, at::kLong);
    for (std::int64_t g = 0; g < count; ++g) {
        const auto& group = groups[static_cast<std::size_t>(g)];
        for (std::int64_t i = 0; i < t; ++i) {
            const std::int64_t row = group[std::min(static_cast<std::size_t>(i), group.size() - 1)];
            rows.data_ptr<std::int64_t>()[g * t + i] = row;
            positions.data_ptr<std::int64_t>()[g * t + i] = tree.positions()[static_cast<std::size_t>(row)];
            if (static_cast<std::size_t>(i) < group.size())
                place.data_ptr<std::int64_t>()[row] = g * t + i;
        }
    }
    paths.rows = rows.to(device);
    paths.positions = positions.to(device);
    paths.place = place.to(device);
    if (!joined)
        return paths;

    // 3. What a row sees is what the row before it sees, and itself.
    at::Tensor visible = at::zeros({count, t, t}, at::kBool);
    for (std::int64_t g = 0; g < count; ++g) {
        const auto& group = groups[static_cast<std::size_t>(g)];
        for (std::size_t i = 0; i < group.size(); ++i)
            index[static_cast<std::size_t>(group[i])] = static_cast<std::int64_t>(i);
        bool* const seen = visible.data_ptr<bool>() + g * t * t;
        for (std::int64_t i = 0; i < t; ++i) {
            const std::int64_t before = static_cast<std::size_t>(i) < group.size() ? tree.previous()[static_cast<std::size_t>(group[static_cast<std::size_t>(i)])] : -1;
            if (before >= 0)
                std::copy_n(seen + index[static_cast<std::size_t>(before)] * t, i, seen + i * t);
            seen[i * t + i] = true;
        }
    }
    paths.visible = visible.to(device);
    return paths;
}

} // namespace headscope::lm
