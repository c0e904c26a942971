// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/activationcache.h"

namespace headscope::engine {

std::vector<at::Tensor> ActivationCache::find(const Key& key)
{
    const auto it = m_index.find(key);
    if (it == m_index.end())
        return {};
    m_entries.splice(m_entries.end(), m_entries, it->second);
    return it->second->streams;
}

void ActivationCache::keep(const Key& key, std::vector<at::Tensor> streams)
{
    std::int64_t bytes = 0;
    for (const at::Tensor& stream : streams)
        bytes += static_cast<std::int64_t>(stream.nbytes());
    if (const auto it = m_index.find(key); it != m_index.end()) {
        if (it->second->streams.size() >= streams.size())
            return;
        drop(it->second);
    }
    if (bytes > m_budget)
        return;
    while (m_bytes + bytes > m_budget && !m_entries.empty())
        drop(m_entries.begin());
    m_entries.push_back({key, std::move(streams), bytes});
    m_index[key] = std::prev(m_entries.end());
    m_bytes += bytes;
}

void ActivationCache::drop(std::list<Entry>::iterator entry)
{
    m_bytes -= entry->bytes;
    m_index.erase(entry->key);
    m_entries.erase(entry);
}

void ActivationCache::forget(const void* workload)
{
    for (auto it = m_entries.begin(); it != m_entries.end();) {
        const auto next = std::next(it);
        if (it->key.workload == workload)
            drop(it);
        it = next;
    }
}

void ActivationCache::clear()
{
    m_entries.clear();
    m_index.clear();
    m_bytes = 0;
}

} // namespace headscope::engine
