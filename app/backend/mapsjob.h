// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The maps of all heads of a layer or a model as one file, a head a step. Worker thread only.

#include "app/backend/state.h"

namespace headscope::app {

class MapsJob
{
public:
    MapsJob(Side side, Prompt prompt, MapsAsk ask) : m_side(side), m_prompt(std::move(prompt)), m_ask(std::move(ask)) {}

    /// One head, and behind the last one the file; false: it is written.
    [[nodiscard]] Result<bool> step(Backend::State& state, const engine::Turn& turn);
    [[nodiscard]] static bool hasNews() { return false; }
    [[nodiscard]] const SavedMaps& reply() const { return m_saved; }

private:
    [[nodiscard]] Result<void> readNext(Backend::State& state, const Control& control);
    [[nodiscard]] Result<void> write();

    Side m_side;
    Prompt m_prompt;
    MapsAsk m_ask;
    std::vector<interventions::HeadRef> m_heads;
    std::vector<std::string> m_names; ///< of the heads that have a map
    std::vector<Matrix> m_maps;
    std::size_t m_next = 0;
    SavedMaps m_saved;
};

} // namespace headscope::app
