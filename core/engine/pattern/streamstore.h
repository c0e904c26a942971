// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The streams of prompts that were looked at, layer by layer, so that the next head of a prompt costs its own layer and
// no other. Worker thread.

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
    /// Of one model. `budget`: bytes; what was not used for longest goes first.
    /// `contentOf`: hash of what the interventions of a set read from files, so that no stream is taken for one of
    /// other content; empty where they read nothing. Without it only such sets may be asked for.
    using ContentOf = std::function<std::string(const interventions::InterventionSet&)>;
    explicit StreamStore(std::int64_t budget, ContentOf contentOf = {})
        : m_budget(budget), m_contentOf(std::move(contentOf))
    {
    }

    struct Place {
        int layer = 0;     ///< whose input it is; 0: nothing is kept
        at::Tensor stream; ///< [1, T, D]
    };
    /// The nearest kept input of a layer up to `layer`, of these ids under what the set does below that layer.
    [[nodiscard]] Place nearest(const std::vector<int>& ids, const interventions::InterventionSet& set, int layer);
    void keep(const std::vector<int>& ids, const interventions::InterventionSet& set, int layer,
              const at::Tensor& stream);
    [[nodiscard]] std::int64_t bytes() const { return m_bytes; }

private:
    struct Key {
        std::vector<int> ids;
        int layer = 0;
        std::string below; ///< what is done to the layers before it
        auto operator<=>(const Key&) const = default;
    };
    struct Entry {
        Key key;
        at::Tensor stream;
    };
    /// What is done below a layer; content counts only where something is.
    [[nodiscard]] std::string doneBelow(const interventions::InterventionSet& set, int layer) const;
    std::int64_t m_budget;
    ContentOf m_contentOf;
    std::int64_t m_bytes = 0;
    std::list<Entry> m_entries; ///< the longest unused first
    std::map<Key, std::list<Entry>::iterator> m_index;
};

/// The items of a set that can change the input of `layer`, as canonical text.
[[nodiscard]] std::string actingBelow(const interventions::InterventionSet& set, int layer);

} // namespace headscope::engine
