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
    std::vector<std::int64_t> rows, place(static_cast<std::size_t>(tree.rows()), -1);
    std::int64_t texts = 0;
    const std::int64_t length = tree.longest();
    for (const TreeSegment& segment : tree.segments()) {
        if (segment.hasChildren)
            continue;
        const std::int64_t last = segment.begin + segment.count - 1, end = segment.position + segment.count;
        const auto start = static_cast<std::ptrdiff_t>(rows.size());
        rows.resize(rows.size() + static_cast<std::size_t>(length), last);
        for (std::int64_t row = last, t = end - 1; row >= 0; row = tree.previous()[static_cast<std::size_t>(row)], --t) {
            rows[static_cast<std::size_t>(start + t)] = row;
            place[static_cast<std::size_t>(row)] = texts * length + t;
        }
        ++texts;
    }
    const auto options = at::TensorOptions(at::kLong);
    return {at::tensor(rows, options).view({texts, length}).to(device), at::tensor(place, options).to(device)};
}

} // namespace headscope::lm
