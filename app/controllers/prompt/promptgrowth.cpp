// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/prompt/promptgrowth.h"

#include "app/present/prompt/prompttext.h"

#include <algorithm>

namespace headscope::gui {

void PromptGrowth::begin()
{
    m_before = m_shown = m_state.prompt();
    m_written.clear();
}

void PromptGrowth::add(const app::ContinuationPart& part)
{
    for (const app::ContinuedToken& token : part.tokens)
        m_written += token.text;
    const bool reading =
        std::ranges::any_of(kSides, [this](Side side) { return m_door.isRunning<app::MapRequest>(side); });
    if (!reading)
        show();
}

void PromptGrowth::end(const QString& what)
{
    show();
    const app::Prompt before = *std::exchange(m_before, std::nullopt);
    m_state.settlePrompt(before, what);
}

void PromptGrowth::show()
{
    if (m_written.empty())
        return;
    m_shown = continued(*m_before, m_written);
    if (m_state.prompt() != m_shown)
        m_state.setPrompt(m_shown);
}

} // namespace headscope::gui
