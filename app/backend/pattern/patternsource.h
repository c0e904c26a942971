// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One map as a person asked for it, row by row: plain, weighted, or against the baseline. Worker thread.

#include "app/backend/models.h"
#include "core/engine/pattern/patternreader.h"

namespace headscope::app {

class PatternSource
{
public:
    /// `beginning`: that many tokens of the prompt are read; 0: all.
    [[nodiscard]] static Result<PatternSource> open(Models& models, Side side, const Prompt& prompt,
                                                    const PatternRequest& request, const Control& control,
                                                    int beginning = 0);
    /// Made for this model, prompt and request?
    [[nodiscard]] bool serves(const Opened& model, const Prompt& prompt, const PatternRequest& request) const;

    /// That are read.
    [[nodiscard]] int tokens() const { return m_now->tokens(); }
    /// All of it.
    [[nodiscard]] const TokenizedPrompt& prompt() const { return m_prompt; }
    /// That of the request, with the kind of the head.
    [[nodiscard]] const analysis::MatrixConvention& convention() const { return m_convention; }
    /// [count, T]
    [[nodiscard]] Result<Matrix> rows(int first, int count, const Control& control) const;
    /// Of the whole prompt, [ceil(T / factor), the same]; NaN where it is not read.
    [[nodiscard]] Result<Matrix> pooled(int factor, const Control& control) const;
    /// All rows, a block at a time.
    [[nodiscard]] Result<void> forBlocks(const std::function<void(int first, const Matrix& rows)>& take,
                                         const Control& control) const;

private:
    PatternSource() = default;
    std::string m_modelHash, m_text, m_task, m_content;
    bool m_isConversation = false;
    PatternRequest m_request;
    TokenizedPrompt m_prompt;
    analysis::MatrixConvention m_convention;
    std::optional<engine::PatternReader> m_now, m_baseline;
    std::vector<float> m_weights;
};

} // namespace headscope::app
