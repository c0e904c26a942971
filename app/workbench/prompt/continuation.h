// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Generates a continuation, token by token. Lives on the thread that runs the model.

#include "app/workbench/models/openmodel.h"
#include "core/engine/generate.h"
#include "core/text/streamdecoder.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headscope::app {

struct ContinuationOptions {
    int tokens = 32;        ///< upper limit of new tokens
    double temperature = 0; ///< 0: always the most probable token
    std::uint64_t seed = 0;
    std::vector<int> stopIds{}; ///< in addition to the model's own
};

class Continuation
{
public:
    enum class Ending { None, EnoughTokens, StopToken, LongestPrompt };
    struct Step {
        std::optional<int> id; ///< of the new token; none for a stop token
        std::string text;      ///< text completed by this token; empty while a character is incomplete
        Ending ending = Ending::None;
    };

    /// Starts a continuation, which ends early if prompt and continuation exceed the model's longest prompt. Fails for
    /// a prompt that the model cannot read or that leaves no room. The model must outlive this.
    [[nodiscard]] static Result<Continuation> start(const OpenModel& open, const std::vector<int>& prompt,
                                                    const interventions::InterventionSet& set,
                                                    const ContinuationOptions& options);

    /// Generates the next token; `ending` reports the end of the continuation.
    [[nodiscard]] Result<Step> step(const std::stop_token& stop);
    /// Returns the logits of the last step: [V], fp32.
    [[nodiscard]] at::Tensor logits() const;
    [[nodiscard]] const std::vector<int>& ids() const { return m_generation->tokens().front(); }

private:
    Continuation() = default;
    std::unique_ptr<lm::Edits> m_edits; ///< referenced by the generation
    std::optional<text::StreamDecoder> m_decoder;
    std::optional<engine::Generation> m_generation;
    std::size_t m_given = 0; ///< tokens
    Ending m_atLimit = Ending::EnoughTokens;
};

} // namespace headscope::app
