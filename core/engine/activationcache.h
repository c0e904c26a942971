// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Activations of the clean run to restart from, by batch within a budget; the least recently used benchmark's are
// dropped first. From any thread: batches that run side by side share it.

#include "core/lm/block.h"

#include <list>
#include <map>
#include <mutex>

namespace headscope::engine {

class ActivationCache
{
public:
    explicit ActivationCache(std::int64_t budget) : m_budget(budget) {}

    /// By layer: activations from which a run can be restarted.
    using Layers = std::map<int, lm::LayerActivations>;

    /// A batch of a workload; the workload is identified by its address (the cache is dropped with it).
    struct Key {
        const void* workload = nullptr;
        std::size_t batch = 0;
        auto operator<=>(const Key&) const = default;
    };
    /// Returns the stored layers; empty if none are stored. Marks the batch as used.
    [[nodiscard]] Layers find(const Key& key);
    /// Adds layers to those stored for a batch, if they fit after dropping batches of other workloads; batches of the
    /// same workload stay, because a pass over it needs every one of them again. `seconds`: CPU time that computing
    /// them took.
    void keep(const Key& key, const Layers& layers, double seconds = 0.0);
    /// Drops batches of other workloads, the least recently used first, until this many more bytes can be stored.
    void makeRoom(std::int64_t bytes, const void* workload);
    /// Sets the budget and drops what exceeds it, the least recently used first.
    void setBudget(std::int64_t budget);
    void forget(const void* workload);
    void clear();
    [[nodiscard]] std::int64_t bytes() const;
    [[nodiscard]] std::int64_t budget() const;
    /// Returns the approximate CPU time that computing all stored layers took.
    [[nodiscard]] double seconds() const;

private:
    struct Entry {
        Key key;
        Layers layers;
        std::int64_t bytes = 0;
        double seconds = 0.0;
    };
    void drop(std::list<Entry>::iterator entry);
    void dropOthers(std::int64_t bytes, const void* workload);
    mutable std::mutex m_mutex;
    std::int64_t m_budget;
    std::int64_t m_bytes = 0;
    std::list<Entry> m_entries; ///< oldest first
    std::map<Key, std::list<Entry>::iterator> m_index;
};

} // namespace headscope::engine
