// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/tree/tokentree.h"

#include "core/lm/device/transfer.h"

#include <algorithm>
#include <numeric>

namespace headscope::lm {

TokenTree::TokenTree(const std::vector<const std::vector<int>*>& texts, std::vector<std::vector<std::int64_t>>* rowOf)
{
    std::vector<std::int64_t> path; // rows of the text before, by position
    std::vector<std::int64_t> segmentOf;
    if (rowOf)
        rowOf->clear();
    for (const std::vector<int>* text : texts) {
        std::size_t shared = 0;
        while (shared < std::min(path.size(), text->size())
               && m_ids[static_cast<std::size_t>(path[shared])] == (*text)[shared])
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
                    segmentOf[row] = segmentOf[row] == static_cast<std::int64_t>(segment)
                                         ? moved
                                         : segmentOf[row] + (segmentOf[row] >= moved ? 1 : 0);
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
        for (std::int64_t row = segment.begin + segment.count - 1; row >= 0;
             row = tree.previous()[static_cast<std::size_t>(row)])
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
    const at::Tensor rows = at::empty({count, t}, at::kLong), positions = at::empty({count, t}, at::kLong),
                     place = at::empty({tree.rows()}, at::kLong);
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
    paths.rows = onDevice(rows, device);
    paths.positions = onDevice(positions, device);
    paths.place = onDevice(place, device);
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
            const std::int64_t before =
                static_cast<std::size_t>(i) < group.size()
                    ? tree.previous()[static_cast<std::size_t>(group[static_cast<std::size_t>(i)])]
                    : -1;
            if (before >= 0)
                std::copy_n(seen + index[static_cast<std::size_t>(before)] * t, i, seen + i * t);
            seen[i * t + i] = true;
        }
    }
    paths.visible = onDevice(visible, device);
    return paths;
}

TreeLevels levelsOf(const TokenTree& tree, const at::Device& device)
{
    const auto& segments = tree.segments();
    std::vector<std::vector<std::size_t>> byLevel(static_cast<std::size_t>(tree.levels()));
    for (std::size_t i = 0; i < segments.size(); ++i)
        byLevel[static_cast<std::size_t>(segments[i].level)].push_back(i);
    TreeLevels all;
    std::vector<std::int64_t> place(static_cast<std::size_t>(tree.rows())), number(segments.size());
    std::int64_t written = 0;
    for (auto& level : byLevel) {
        std::stable_sort(level.begin(), level.end(),
                         [&](std::size_t a, std::size_t b) { return segments[a].count > segments[b].count; });
        all.levels.emplace_back();
        for (std::size_t from = 0; from < level.size();) {
            // The longest first; a group ends where more than a quarter would be padding.
            const std::int64_t length = segments[level[from]].count;
            std::size_t end = from;
            while (end < level.size() && 4 * segments[level[end]].count >= 3 * length)
                ++end;
            std::vector<std::int64_t> rows, parents;
            for (; from < end; ++from) {
                const TreeSegment& segment = segments[level[from]];
                number[level[from]] = static_cast<std::int64_t>(from);
                if (segment.parent >= 0)
                    parents.push_back(number[static_cast<std::size_t>(segment.parent)]);
                for (std::int64_t t = 0; t < length; ++t, ++written) {
                    rows.push_back(t < segment.count ? segment.begin + t : tree.rows());
                    if (t < segment.count)
                        place[static_cast<std::size_t>(segment.begin + t)] = written;
                }
                all.padded |= segment.count < length;
            }
            TreeLevels::Group group;
            group.rows = onDevice(at::tensor(rows, at::kLong).view({-1, length}), device);
            if (!parents.empty())
                group.parents = onDevice(at::tensor(parents, at::kLong), device);
            const auto apart = [](std::int64_t a, std::int64_t b) { return b != a + 1; };
            if (rows.back() < tree.rows() && std::adjacent_find(rows.begin(), rows.end(), apart) == rows.end())
                group.begin = rows.front();
            all.levels.back().push_back(std::move(group));
        }
    }
    std::vector<std::int64_t> same(place.size());
    std::iota(same.begin(), same.end(), std::int64_t{0});
    if (place != same || written != tree.rows())
        all.place = onDevice(at::tensor(place, at::kLong), device);
    return all;
}

const DeviceTree& DeviceTree::on(const at::Device& device) const
{
    if (device == m_device)
        return *this;
    for (const auto& other : m_others)
        if (other->m_device == device)
            return *other;
    return *m_others.emplace_back(std::make_shared<const DeviceTree>(m_tree, device));
}

at::Tensor DeviceTree::ids() const
{
    return onDevice(
        at::tensor(std::vector<std::int64_t>(m_tree->ids().begin(), m_tree->ids().end()), at::kLong).unsqueeze(0),
        m_device);
}

const at::Tensor& DeviceTree::positions() const
{
    if (!m_positions.defined())
        m_positions = onDevice(at::tensor(m_tree->positions(), at::kLong), m_device);
    return m_positions;
}

const at::Tensor& DeviceTree::previous() const
{
    if (!m_previous.defined()) {
        std::vector<std::int64_t> rows = m_tree->previous();
        std::replace(rows.begin(), rows.end(), std::int64_t{-1}, m_tree->rows());
        rows.push_back(m_tree->rows());
        m_previous = onDevice(at::tensor(rows, at::kLong), m_device);
    }
    return m_previous;
}

const TreePaths& DeviceTree::paths() const
{
    if (!m_paths)
        m_paths = pathsOf(*m_tree, m_device);
    return *m_paths;
}

const TreeLevels& DeviceTree::levels() const
{
    if (!m_levels)
        m_levels = levelsOf(*m_tree, m_device);
    return *m_levels;
}

} // namespace headscope::lm
