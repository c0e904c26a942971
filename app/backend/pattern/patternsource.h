// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One map as requested, computed row by row: plain, weighted, or as a difference from the baseline. Worker thread.

#include "app/backend/models.h"
#include "core/engine/pattern/patternreader.h"

namespace headscope::app {

class PatternSource
{
public:
    /// Opens the map. `beginning`: the number of tokens of the prompt to read; 0: all.
    [[nodiscard]] static Result<PatternSource> open(Models& models, Side side, const Prompt& prompt,
                                                    const PatternRequest& request, const Control& control,
                                                    int beginning = 0);
    /// Returns whether it was opened for this model, prompt and request.
    [[nodiscard]] bool serves(const Opened& model, const Prompt& prompt, const PatternRequest& request) const;

    /// Returns the number of tokens that are read.
    [[nodiscard]] int tokens() const { return m_now->tokens(); }
    /// Returns the whole prompt.
    [[nodiscard]] const TokenizedPrompt& prompt() const { return m_prompt; }
    /// Returns the convention of the request, with the kind of the head.
    [[nodiscard]] const analysis::MatrixConvention& convention() const { return m_convention; }
    /// Returns `count` rows, [count, T].
    [[nodiscard]] Result<Matrix> rows(int first, int count, const Control& control) const;
    /// Returns the pooled map of the whole prompt, [ceil(T / factor), ceil(T / factor)]; NaN where it is not read.
    [[nodiscard]] Result<Matrix> pooled(int factor, const Control& control) const;
    /// Calls `take` with all rows, a block at a time.
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
