// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Streams of viewed prompts, layer by layer, so that the next head of a prompt costs only its own layer. Worker
// thread.

#include "core/interventions/intervention.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <string>
#include <vector>

namespace headscope::engine {

class StreamStore
{
public:
    /// A store for one model. `budget`: bytes; the least recently used streams are dropped first.
    /// `contentOf`: hash of the file contents that a set's interventions read, so that streams are not reused after a
    /// file changed; empty if they read none. Without it, only such sets may be used.
    using ContentOf = std::function<std::string(const interventions::InterventionSet&)>;
    explicit StreamStore(std::int64_t budget, ContentOf contentOf = {})
        : m_budget(budget), m_contentOf(std::move(contentOf))
    {
    }

    struct Place {
        int layer = 0;     ///< layer whose input it is; 0: nothing is stored
        at::Tensor stream; ///< [1, T, D]
    };
    /// Returns the nearest stored input at or below `layer`, for these ids and the set's items below that layer.
    [[nodiscard]] Place nearest(const std::vector<int>& ids, const interventions::InterventionSet& set, int layer);
    void keep(const std::vector<int>& ids, const interventions::InterventionSet& set, int layer,
              const at::Tensor& stream);
    [[nodiscard]] std::int64_t bytes() const { return m_bytes; }

private:
    struct Key {
        std::vector<int> ids;
        int layer = 0;
        std::string below; ///< interventions on the layers before it
        auto operator<=>(const Key&) const = default;
    };
    struct Entry {
        Key key;
        at::Tensor stream;
    };
    /// Returns the interventions below a layer; file content matters only if there are any.
    [[nodiscard]] std::string doneBelow(const interventions::InterventionSet& set, int layer) const;
    std::int64_t m_budget;
    ContentOf m_contentOf;
    std::int64_t m_bytes = 0;
    std::list<Entry> m_entries; ///< least recently used first
    std::map<Key, std::list<Entry>::iterator> m_index;
};

/// Returns the items of a set that can change the input of `layer`, as canonical text.
[[nodiscard]] std::string actingBelow(const interventions::InterventionSet& set, int layer);

} // namespace headscope::engine
