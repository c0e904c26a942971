// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/activationcache.h"

namespace headscope::engine {

namespace {

std::int64_t keptBytes(const lm::LayerActivations& kept)
{
    return static_cast<std::int64_t>((kept.stream.defined() ? kept.stream.nbytes() : 0)
                                     + (kept.z.defined() ? kept.z.nbytes() : 0));
}

} // namespace

ActivationCache::Layers ActivationCache::find(const Key& key)
{
    const std::lock_guard lock(m_mutex);
    const auto it = m_index.find(key);
    if (it == m_index.end())
        return {};
    m_entries.splice(m_entries.end(), m_entries, it->second);
    return it->second->layers;
}

void ActivationCache::keep(const Key& key, const Layers& layers, double seconds)
{
    const std::lock_guard lock(m_mutex);
    auto it = m_index.find(key);
    std::int64_t bytes = 0;
    for (const auto& [layer, kept] : layers)
        bytes += it != m_index.end() && it->second->layers.contains(layer) ? 0 : keptBytes(kept);
    dropOthers(bytes, key.workload);
    if (m_bytes + bytes > m_budget || layers.empty())
        return;
    if (it == m_index.end()) {
        m_entries.push_back({key, {}});
        it = m_index.emplace(key, std::prev(m_entries.end())).first;
    }
    it->second->layers.insert(layers.begin(), layers.end());
    it->second->bytes += bytes;
    it->second->seconds += seconds;
    m_bytes += bytes;
}

void ActivationCache::makeRoom(std::int64_t bytes, const void* workload)
{
    const std::lock_guard lock(m_mutex);
    dropOthers(bytes, workload);
}

std::int64_t ActivationCache::bytes() const
{
    const std::lock_guard lock(m_mutex);
    return m_bytes;
}

std::int64_t ActivationCache::budget() const
{
    const std::lock_guard lock(m_mutex);
    return m_budget;
}

void ActivationCache::dropOthers(std::int64_t bytes, const void* workload)
{
    for (auto old = m_entries.begin(); m_bytes + bytes > m_budget && old != m_entries.end();) {
        const auto next = std::next(old);
        if (old->key.workload != workload)
            drop(old);
        old = next;
    }
}

double ActivationCache::seconds() const
{
    const std::lock_guard lock(m_mutex);
    double sum = 0;
    for (const Entry& entry : m_entries)
        sum += entry.seconds;
    return sum;
}

void ActivationCache::setBudget(std::int64_t budget)
{
    const std::lock_guard lock(m_mutex);
    m_budget = budget;
    while (m_bytes > m_budget)
        drop(m_entries.begin());
}

void ActivationCache::drop(std::list<Entry>::iterator entry)
{
    m_bytes -= entry->bytes;
    m_index.erase(entry->key);
    m_entries.erase(entry);
}

void ActivationCache::forget(const void* workload)
{
    const std::lock_guard lock(m_mutex);
    for (auto it = m_entries.begin(); it != m_entries.end();) {
        const auto next = std::next(it);
        if (it->key.workload == workload)
            drop(it);
        it = next;
    }
}

void ActivationCache::clear()
{
    const std::lock_guard lock(m_mutex);
    m_entries.clear();
    m_index.clear();
    m_bytes = 0;
}

} // namespace headscope::engine
