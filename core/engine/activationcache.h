// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The clean run's residual streams, kept batch by batch within a budget, oldest dropped first. Worker thread.

#include "core/lm/spec.h"

#include <ATen/ATen.h>

#include <list>
#include <map>
#include <vector>

namespace headscope::engine {

class ActivationCache
{
public:
    explicit ActivationCache(std::int64_t budget) : m_budget(budget) {}

    /// A batch of a workload; the workload's address is its identity (the cache is dropped with it).
    struct Key {
        const void* workload = nullptr;
        std::size_t batch = 0;
        auto operator<=>(const Key&) const = default;
    };
    /// Streams at the inputs of layers 0..n, [B, T, D] each; empty when nothing is kept. Marks the batch as used.
    [[nodiscard]] std::vector<at::Tensor> find(const Key& key);
    /// Keeps them if they fit after dropping older batches; replaces a shorter entry.
    void keep(const Key& key, std::vector<at::Tensor> streams);
    void forget(const void* workload);
    void clear();
    [[nodiscard]] std::int64_t bytes() const { return m_bytes; }

private:
    struct Entry {
        Key key;
        std::vector<at::Tensor> streams;
        std::int64_t bytes = 0;
    };
    void drop(std::list<Entry>::iterator entry);
    std::int64_t m_budget;
    std::int64_t m_bytes = 0;
    std::list<Entry> m_entries; ///< oldest first
    std::map<Key, std::list<Entry>::iterator> m_index;
};

} // namespace headscope::engine
