// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What is kept of the clean run to restart from, batch by batch within a budget, the longest unused benchmark's dropped
// first. From any thread: batches that run side by side share it.

#include "core/lm/block.h"

#include <list>
#include <map>
#include <mutex>

namespace headscope::engine {

class ActivationCache
{
public:
    explicit ActivationCache(std::int64_t budget) : m_budget(budget) {}

    /// By layer: what a run can be restarted from.
    using Layers = std::map<int, lm::LayerActivations>;

    /// A batch of a workload; the workload's address is its identity (the cache is dropped with it).
    struct Key {
        const void* workload = nullptr;
        std::size_t batch = 0;
        auto operator<=>(const Key&) const = default;
    };
    /// Empty when nothing is kept. Marks the batch as used.
    [[nodiscard]] Layers find(const Key& key);
    /// Adds layers to what is kept of a batch, if they fit after dropping batches of other workloads; those of the same
    /// workload stay, because a pass over it needs every one of them again. `seconds`: of the processor, that they
    /// took.
    void keep(const Key& key, const Layers& layers, double seconds = 0.0);
    /// Drops batches of other workloads, the longest unused first, until that many bytes more can be kept.
    void makeRoom(std::int64_t bytes, const void* workload);
    /// What is over it is dropped, the longest unused first.
    void setBudget(std::int64_t budget);
    void forget(const void* workload);
    void clear();
    [[nodiscard]] std::int64_t bytes() const;
    [[nodiscard]] std::int64_t budget() const;
    /// Of the processor, that all that is kept took, about.
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
