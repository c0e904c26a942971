// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A model that writes on, token by token. Lives on the thread that runs the model.

#include "app/workbench/models/openmodel.h"
#include "core/engine/generate.h"
#include "core/text/streamdecoder.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headscope::app {

struct ContinuationOptions {
    int tokens = 32;        ///< the most new tokens
    double temperature = 0; ///< 0: always the likeliest
    std::uint64_t seed = 0;
    std::vector<int> stopIds{}; ///< besides the model's own
};

class Continuation
{
public:
    enum class Ending { None, EnoughTokens, StopToken, LongestPrompt };
    struct Step {
        std::optional<int> id; ///< of the new token; none where a stop token came instead
        std::string text;      ///< that became certain; empty while a character is incomplete
        Ending ending = Ending::None;
    };

    /// Where the model reads fewer tokens than prompt and continuation have, the continuation ends there. Fails for a
    /// prompt that the model cannot read or that fills it. The model outlives this.
    [[nodiscard]] static Result<Continuation> start(const OpenModel& open, const std::vector<int>& prompt,
                                                    const interventions::InterventionSet& set,
                                                    const ContinuationOptions& options);

    /// The next token; its `ending` says when no more is to come.
    [[nodiscard]] Result<Step> step(const std::stop_token& stop);
    /// What the last step chose from: [V], fp32.
    [[nodiscard]] at::Tensor logits() const;
    [[nodiscard]] const std::vector<int>& ids() const { return m_generation->tokens().front(); }

private:
    Continuation() = default;
    std::unique_ptr<lm::Edits> m_edits; ///< the generation refers to them
    std::optional<text::StreamDecoder> m_decoder;
    std::optional<engine::Generation> m_generation;
    std::size_t m_given = 0; ///< tokens
    Ending m_atLimit = Ending::EnoughTokens;
};

} // namespace headscope::app
